"""The suite `decision-complexity`: lengths worked out by hand, both methods counted, resumable, without calls a second time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core.common.errors import UsageError
from core.evaluation.contestants import contestant
from core.evaluation.suites import suite
from core.evaluation.sweep import Resources, Sweep, play
from core.planners.decision_lab import description_length as lengths
from core.planners.decision_lab.suite import CELLS, DecisionComplexity
from core.suites.suite import Row
from sim.decision_lab.simulator import DecisionLab
from tests.core.planners.by_hand import answerers
from tests.loopback.chat_server import ChatServer, Json, Sent, completion, serving

SUITE = DecisionComplexity()
BOTH = tuple(map(contestant, SUITE.contestants))


def worlds(scene: str, options: Mapping[str, str]) -> DecisionLab:
    return DecisionLab.open(scene, options)


def without_time(rows: tuple[Row, ...]) -> list[Row]:
    return [replace(row, figures={k: v for k, v in row.figures.items() if k != "seconds"}) for row in rows]


def test_lengths_are_those_of_the_paper_s_formulas() -> None:
    assert lengths.multiplication(1).policy == pytest.approx(100 * 2 * math.log2(10))
    assert lengths.multiplication(2).policy == pytest.approx(10_000 * 4 * math.log2(10))
    assert lengths.multiplication(9).model == lengths.multiplication(1).model, "constant"
    assert lengths.journey(4, 3).policy == 4 * 4 * 2
    assert lengths.journey(64, 90).model - lengths.journey(64, 89).model == 2 * 6, "log n bits in both directions"
    assert lengths.rearrangement(8, 12, 4) == lengths.Lengths(12 * 8 * 4, 8 * 4 + 12 * 2)
    assert lengths.rearrangement(8, 12, 4, composed=2).policy == (12 * 8) ** 2 * 4
    assert lengths.rearrangement(8, 12, 4, composed=2).model == lengths.rearrangement(8, 12, 4).model


def test_the_longer_the_task_the_more_the_model_is_ahead() -> None:
    ahead = [lengths.multiplication(n).policy / lengths.multiplication(n).model for n in range(1, 10)]
    assert ahead == sorted(ahead)
    assert lengths.journey(5, 6).policy < lengths.journey(5, 6).model, "few cities: the table is shorter than the algorithm"
    assert lengths.journey(60, 89).policy > lengths.journey(60, 89).model


def test_comments_and_docstrings_are_not_counted() -> None:
    plain = "def f(x):\n    return x + 1\n"
    assert lengths.compressed_bits(plain) == lengths.compressed_bits('def f(x):\n    """Adds."""\n    return x + 1  # one\n')


@pytest.mark.parametrize("cell", SUITE.cells)
def test_every_cell_is_played_by_both(cell: str) -> None:
    for one in BOTH:
        figures = SUITE.play(one, cell, 3, worlds, answerers, SUITE.max_steps)
        assert set(figures) == {m.key for m in SUITE.measures}
        assert (figures["success"], figures["facts"]) == (True, 100)
        assert figures["calls"] == 1 or one.planner == "lab-model"


def test_who_answers_no_questions_is_refused() -> None:
    with pytest.raises(UsageError, match="greedy does not play decision-complexity: choose lab-model or lab-policy"):
        SUITE.play(contestant("greedy"), SUITE.cells[0], 0, worlds, answerers, 30)


def weak(body: Json) -> Sent:
    """Knows the products of two digits. Of larger numbers it always says 100; of flights it names none."""
    text = str(body["messages"][-1]["content"])
    found = re.search(r"What is (\d+) times (\d+)\?", text)
    if found is None:
        return completion("none", tokens=(50, 2))
    first, second = int(found[1]), int(found[2])
    return completion(str(first * second) if max(first, second) < 10 else "100", tokens=(20, 2))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(weak) as running:
        yield running


def test_with_a_model_it_is_resumed_and_costs_nothing_a_second_time(server: ChatServer, tmp_path: Path,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    options = (("base_url", server.base_url), ("model", "m"), ("retries", "0"))
    plan = Sweep(SUITE.name, BOTH, 2, SUITE.max_steps, "openai", (SUITE.cells[2], CELLS[-1].name), options=options)
    whole = play(plan, DecisionLab.open, tmp_path / "whole", Resources())
    success = {(row.contestant, row.cell): row.figures["success"] for row in whole.rows}
    assert [success[one.text, SUITE.cells[2]] for one in BOTH] == [1, 0], "the model multiplies, the policy does not"
    assert [success[one.text, CELLS[-1].name] for one in BOTH] == [0, 0]
    sent = len(server.requests)
    killed = tmp_path / "killed"
    killed.mkdir()
    lines = (tmp_path / "whole" / "runs.jsonl").read_text().splitlines(keepends=True)
    (killed / "runs.jsonl").write_text("".join(lines[:3]) + lines[3][:20])
    again = play(plan, DecisionLab.open, killed, Resources())
    assert without_time(again.rows) == without_time(whole.rows)
    assert again.costs is not None
    assert (again.costs.used.spent.calls, len(server.requests)) == (0, sent), "every reply came from the cache"


def test_the_command_writes_the_table_the_csv_and_a_plot_and_says_that_no_model_answered(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "--suite", "decision-complexity", "--trials", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert main.main(words) == 0
    table = capsys.readouterr().out
    assert "lab-model (no language model)" in table
    assert "lab-policy (no language model)" in table
    assert "GPT-4 as policy" in table
    assert len((tmp_path / "episodes.csv").read_text().splitlines()) == 1 + 2 * len(CELLS)
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_real_routes_are_given_with_the_command(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sizes, routes = ("6e6", "7e5"), []
    for size, name in zip(sizes, "LM", strict=True):  # two chains of five cities, of either group
        routes += [f"{name}{chr(97 + k)},{name}{chr(98 + k)},{size},{size}" for k in range(4)]
    (tmp_path / "routes.csv").write_text("\n".join(["from,to,from_population,to_population", *routes, ""]))
    words = ["evaluate", "--suite", "flight-routes", "--trials", "1", "--jobs", "1", "--out", str(tmp_path / "out"),
             "--provider", "openai", "--base-url", server.base_url, "--model", "m", "--world"]
    assert main.main([*words, f"routes={tmp_path / 'routes.csv'}"]) == 0
    assert len((tmp_path / "out" / "episodes.csv").read_text().splitlines()) == 1 + 2 * 6
    assert (tmp_path / "out" / "plot.png").exists()
    capsys.readouterr()
    assert main.main([*words, "routes=elsewhere.csv"]) == 2
    assert "holds a sweep with other settings" in capsys.readouterr().err


def test_other_suites_keep_their_plot(tmp_path: Path) -> None:
    assert not suite("rearrangement").plot([], tmp_path / "plot.png", ())
    assert not (tmp_path / "plot.png").exists()
