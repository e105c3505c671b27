"""How much work the window does for a turn, counted: it does not depend on the machine, so a doubled part fails on each.

A recorded run is handed over turn by turn: the number of snapshots is given, no thread and no clock takes part. The budgets are
10 % above what was counted (see `tests/own_calls.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.session.snapshot import fold
from tests.gui.handed import Groups, Handed, recorded
from tests.own_calls import check

TURNS, FIRST = 7, 4
"""Number of turns; those before `FIRST` do not count, because panels are made and arranged in them."""
GUI = Path(__file__).parents[2] / "gui"
SERVED: dict[str, tuple[str, ...]] = {
    "bcr": ("blocking", "calls", "candidates", "frames"),
    "llm-mcts": ("belief", "calls", "frames", "ranking", "scatter", "tree"),
}
"""The panels in view. Those behind a tab are shown the present when they come to the front."""
BUDGETS: dict[str, dict[str, dict[str, float]]] = {
    "bcr": {
        "passes": {"OperatorBar": 1, "Timeline": 1, "blocking": 1, "calls": 0.75, "candidates": 1},
        "pixels": {"OperatorBar": 80_000, "Timeline": 365_000, "blocking": 4_050_000, "calls": 895_000, "candidates": 700_000,
                   "frames": 1_200_000},
        "rows": {"item_rows": 5},
        "calls": {"core/common": 340, "core/planners": 66, "core/recording": 70, "core/session": 310, "core/views": 690,
                  "core/world": 70, "gui/control": 420, "gui/panels": 665, "gui/theme": 1_075, "gui/timeline": 275,
                  "gui/views": 1_025, "gui/widgets": 930, "gui/window": 370}},
    "llm-mcts": {
        "passes": {"OperatorBar": 1, "Timeline": 1, "belief": 1, "calls": 0.75, "ranking": 1, "scatter": 0.75, "tree": 0.75},
        "pixels": {"OperatorBar": 80_000, "Timeline": 365_000, "belief": 1_200_000, "calls": 845_000, "frames": 1_050_000,
                   "ranking": 870_000, "scatter": 385_000, "tree": 325_000},
        "rows": {"item_rows": 14},
        "calls": {"core/common": 550, "core/planning": 73, "core/recording": 230, "core/session": 510, "core/views": 510,
                  "core/world": 290, "gui/control": 475, "gui/panels": 3_030, "gui/theme": 2_600, "gui/timeline": 275,
                  "gui/views": 690, "gui/widgets": 2_100, "gui/window": 480}},
}
"""For each planner, for a hand-over of one turn: how often a part is painted, its pixels with those of all widgets within it,
the rows that lists paint, and the calls in each package."""


class Work:
    """The work that a window did for some hand-overs."""

    def __init__(self, window: Handed, groups: Groups):
        self._number = len(groups)
        self.events = sum(map(len, groups))
        self.handed, self.shown, self.served = window.handed, window.shown, window.served
        self.painted, self.calls = window.painted, window.calls

    def each(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Returns counts for one hand-over."""
        return {name: number / self._number for name, number in counts.items()}

    def rows(self) -> Counter[str]:
        """Returns the number of rows that the lists of each panel painted; those of all views are one."""
        found: Counter[str] = Counter()
        for code, number in self.calls.codes.items():
            if code.co_name == "paint_row":
                found[Path(code.co_filename).relative_to(GUI).with_suffix("").parts[1]] += number
        return found


@pytest.fixture(scope="module", params=sorted(BUDGETS))
def work(request: pytest.FixtureRequest, qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Work]:
    planner, groups = request.param, recorded(request.param, TURNS)
    settings = QSettings(str(tmp_path_factory.mktemp("work") / "settings.ini"), QSettings.Format.IniFormat)
    window = Handed(QtBot(request), qapp, settings, planner)
    with pytest.MonkeyPatch.context() as patch:
        window.note_services(patch)
        window.play(groups[:FIRST - 1])
        window.count(groups[FIRST - 1:])
    window.close()
    return planner, Work(window, groups[FIRST - 1:])


def test_a_hand_over_reaches_each_panel_once(work: tuple[str, Work]) -> None:
    planner, done = work
    number = TURNS - FIRST + 1
    assert len(done.handed) == len(done.shown) == number
    assert done.served == dict.fromkeys(SERVED[planner], number)


def test_each_event_is_folded_once(work: tuple[str, Work]) -> None:
    _, done = work
    assert done.calls.of(fold) == done.events


def test_a_part_is_painted_no_more_often_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    passes = Counter(done.painted.passes)
    del passes["frames"]  # a pane may be painted with the other one or after it; their pixels are the same
    check(done.each(passes), BUDGETS[planner]["passes"], few=0)


def test_a_part_paints_no_more_pixels_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.painted.pixels), BUDGETS[planner]["pixels"], few=0)


def test_lists_paint_no_more_rows_than_their_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.rows()), BUDGETS[planner]["rows"], few=0)


def test_a_turn_takes_no_more_calls_than_its_budget(work: tuple[str, Work]) -> None:
    planner, done = work
    check(done.each(done.calls.by_package()), BUDGETS[planner]["calls"])
