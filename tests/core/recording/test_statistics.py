"""Statistics of many episodes: counted from rows, and the rows from recordings."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.recording.annotations import append
from core.recording.labels import DECISION
from core.recording.reader import open_recording
from core.recording.statistics import EpisodeRow, Rate, interventions_per_turn, labels_per_planner, ratings_over, row_of
from core.session.annotation import Annotation, Change
from core.session.commands import Override
from core.session.events import TurnBegan
from tests.core.recording.common import CODEC, recorded
from tests.core.session.toys import LEFT

ROWS = (
    EpisodeRow("a", "bcr", 10, (1, 2, 3), (2, 2), (("stuck", "ann"), ("mistake", "ann"), ("stuck", "bob")), ((1, 4, "ann"),)),
    EpisodeRow("b", "bcr", 11, (1, 2), (), (), ((1, 2, "ann"), (2, 5, "bob"))),
    EpisodeRow("c", "oracle", 0, (1,), (1,), (("good", "ann"),), ((1, 3, "ann"),)),
)


def test_labels_interventions_and_ratings_by_hand() -> None:
    counts = labels_per_planner(ROWS)
    assert (counts.planners, counts.labels) == (("bcr", "oracle"), ("stuck", "good", "mistake"))
    assert counts.per_episode("bcr", "stuck") == 1
    assert counts.per_episode("oracle", "stuck") == 0
    assert interventions_per_turn(ROWS) == {"bcr": (Rate(1, 2, 0), Rate(2, 2, 2), Rate(3, 1, 0)), "oracle": (Rate(1, 1, 1),)}
    by_turn, by_day = ratings_over(ROWS, "turn"), ratings_over(ROWS, "day")
    assert [(m.at, m.count, m.mean) for m in by_turn] == [(1, 3, 3), (2, 1, 5)]
    assert by_turn[0].error == pytest.approx(1 / 3**0.5)
    assert by_turn[1].error is None
    assert [(m.at, m.mean) for m in by_day] == [(10, 4), (11, 3.5)], "an unknown day is left out"
    assert labels_per_planner([ROWS[0].by("bob")]).counts == {("bcr", "stuck"): 1}
    assert not ROWS[0].by("bob").ratings


@given(st.permutations(ROWS), st.integers(0, 3))
def test_rows_may_come_in_any_order_and_add_up(rows: list[EpisodeRow], cut: int) -> None:
    assert labels_per_planner(rows) == labels_per_planner(ROWS)
    assert interventions_per_turn(rows) == interventions_per_turn(ROWS)
    assert [m.count for m in ratings_over(rows, "turn")] == [m.count for m in ratings_over(ROWS, "turn")]
    parts = [labels_per_planner(part).counts for part in (rows[:cut], rows[cut:])]
    assert {key: sum(part.get(key, 0) for part in parts) for key in {*parts[0], *parts[1]}} == labels_per_planner(rows).counts


def test_the_row_of_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path, cue=lambda ear: ear.when(
        lambda event: isinstance(event.what, TurnBegan) and event.turn == 2, Override(LEFT)))
    for a in (Annotation("ann 1", "stuck", 0.0, turn=1, annotator="ann"),
              Annotation("ann 2", DECISION, 0.0, turn=1, annotator="ann", rating=4),
              Annotation("bob 1", DECISION, 0.0, turn=1, annotator="bob", rating=1),
              Annotation("cleo 1", DECISION, 0.0, turn=1, annotator="cleo", rating=2, role="settled",
                         settles=("ann 2", "bob 1"))):
        append(path, Change(None, a))
    with open_recording(path, CODEC) as recording:
        row, end = row_of(recording), recording.snapshot_at()
    assert (row.name, row.labels, row.ratings) == ("a.mcap", (("stuck", "ann"),), ((1, 2, "cleo"),))
    assert row.turns == tuple(turn.number for turn in end.turns)
    assert row.interventions == (2,)
    assert abs(row.day - datetime.now(UTC).date().toordinal()) <= 1
