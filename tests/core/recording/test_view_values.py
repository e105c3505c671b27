"""The table of all values has what the views of a turn hold, and nothing of another turn."""

import csv
from pathlib import Path

import pytest

from core.planning.facets import Moment, title_of
from core.planning.search_facets import Ranking
from core.recording.exports import export
from core.recording.reader import open_recording
from core.views.values import Table

GOLDENS = Path(__file__).parents[2] / "goldens"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Returns the rows of a recorded search."""
    out = export(GOLDENS / "format-3-search.mcap", "values", tmp_path_factory.mktemp("values") / "a.csv")
    with out.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_each_value_of_a_ranking_has_a_row_in_its_turn(table: list[dict[str, str]]) -> None:
    with open_recording(GOLDENS / "format-3-search.mcap") as recording:
        ranked = 0
        for turn in recording.turns():
            moment = Moment(turn.branch, turn.number)
            facet = recording.end_of(turn).fresh(Ranking)
            found = {(row["item"], row["name"]): row for row in table if row["shown"] == title_of(Ranking)
                     and (row["branch"], row["turn"]) == (str(moment.branch), str(moment.turn))}
            view = facet.view() if facet is not None else Table(())
            for rank, item in enumerate(view.items, 1):
                for column, value in zip(view.columns, item.values, strict=True):
                    if value is not None:
                        ranked += 1
                        row = found[item.text, column.title]
                        assert row["value"] == str(value)
                        assert row["place"] == f"rank {rank}"
            assert len(found) == sum(value is not None for item in view.items for value in item.values)
        assert ranked > 20


def test_values_of_several_kinds_are_there(table: list[dict[str, str]]) -> None:
    assert {"ranking", "belief", "search tree", "goal progress"} <= {row["shown"] for row in table}
    assert all(row["value"] for row in table)
