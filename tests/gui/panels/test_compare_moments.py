"""The compare panel with two turns, two planners or another recording: the sides, what differs, and what to do without them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.companion import CompanionDecision
from core.planning.facets import Moment, Plan
from core.planning.search_facets import RankedAction, Ranking
from core.session.commands import EditCompanion
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control import facet_values
from gui.control.context import Context
from gui.control.facet_values import facet_differences
from gui.panels.compare.differences import DifferenceView
from gui.panels.compare.moments import BEFORE, BESIDE, BRANCHES
from gui.panels.compare.panel import ComparePanel
from gui.views.item_rows import ItemsView
from gui.widgets import Namer
from tests.gui.panels import branches, searches, worlds
from tests.gui.panels.branches import GRAB, OPEN, WALK
from tests.gui.settling import settle


def ranking(*visits: tuple[object, int]) -> Ranking:
    return Ranking(tuple(RankedAction((a,), 0.5, n, 1.0, 0.5, 0.0) for a, n in visits), 9, 9)  # type: ignore[arg-type]


def two_planners() -> branches.Run:
    """A second turn in which the second planner ranks otherwise."""
    run = branches.Run().act(WALK).begin()
    beside = CompanionDecision("llm-mcts:paper", OPEN, "it holds apples", WALK, (ranking((OPEN, 7), (WALK, 2)), Plan((OPEN,))))
    return run.tell(Shown(ranking((WALK, 6), (GRAB, 3))), Shown(beside))


def shown(qtbot: QtBot, snapshot: Snapshot, mode: str, context: Context | None = None) -> tuple[ComparePanel, Context]:
    context = context or worlds.context()[0]
    panel = ComparePanel(context)
    qtbot.addWidget(panel)
    panel.resize(640, 420)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.compare(mode)
    settle(panel)
    return panel, context


def items(qtbot: QtBot, panel: ComparePanel) -> list[str]:
    settle(panel)
    panel.differences.show_only_differences(True)
    return words_of(panel.differences.items)


def kinds_of(view: DifferenceView) -> list[str]:
    return [item.text for item in view.kinds.rows.view.items]


def words_of(view: ItemsView) -> list[str]:
    return [view.rows.row_words(k) for k in range(view.rows.count())]


def test_both_planners_stand_side_by_side_with_what_only_one_has(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, two_planners().snapshot, BESIDE)
    assert panel.headline() == "Turn 2: the two planners differ"
    context.planner_title = str.upper
    panel.redraw()
    left, right = (line.text for line in panel.differences.sides)
    assert (left, right) == ("walk to the coffee table · MCTS acts", "open the fridge · LLM-MCTS:PAPER only thinks, 0 calls")
    assert panel.differences.chosen is not None
    assert panel.differences.chosen.title == "Ranking", "the ranking is opened first"
    assert items(qtbot, panel) == [
        "walk to the coffee table · values rank 1 → rank 2 · N 6 → 2 (−4) · moved",
        "open the fridge · values rank 1 · P 0.5 · N 7 · Q 1 · loss 0 · only right",
        "grab the apple · values rank 2 · P 0.5 · N 3 · Q 1 · loss 0 · only left"]
    titles = set(kinds_of(panel.differences))
    assert titles == {"Ranking", "Plan"}, "what was shown in another turn is not compared"


def test_the_headings_stay_together_while_no_kind_is_open(qtbot: QtBot) -> None:
    context, now = worlds.context()[0], two_planners().snapshot
    view = DifferenceView(context.theme, context.jobs)
    qtbot.addWidget(view)
    view.resize(640, 420)
    view.show()
    earlier = branches.Run().begin().tell(Shown(ranking((WALK, 6)))).snapshot
    view.show_pair("Planner data", ("Here", "There"), (now, earlier), Namer().of(now.seen), opens=False)
    qtbot.waitUntil(lambda: not view.is_working and view.kinds.rows.count() > 0)
    settle(view)
    assert all(line.height() < 2 * line.sizeHint().height() for line in view.sides)
    assert view.kinds.y() < 60


def test_without_a_second_planner_it_says_how_to_get_one(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, branches.Run().act(WALK).begin().snapshot, BESIDE)
    assert panel.headline() == "No second planner"
    assert not panel.differences.isVisible()
    panel.show_snapshot(two_planners().snapshot)
    assert panel.headline() == "Turn 2: the two planners differ"
    panel.compare(BRANCHES)
    assert panel._turns.isVisible()


def test_a_turn_is_compared_with_the_one_before(qtbot: QtBot) -> None:
    run = branches.Run().begin().tell(Shown(ranking((WALK, 6))))
    first = run.snapshot
    run.turn = 0
    now = run.act(WALK).begin().tell(Shown(ranking((WALK, 9)))).snapshot
    panel, context = shown(qtbot, now, BRANCHES)
    asked: list[int] = []

    def read(moment: Moment, take: Callable[[Snapshot | None], None]) -> None:
        asked.append(moment.turn)
        take(first)

    context.read_turn = read
    panel.compare(BEFORE)
    assert asked == [1]
    assert panel.headline() == "Turn 1 → Turn 2"
    assert items(qtbot, panel) == ["walk to the coffee table · values N 6 → 9 (+3) · changed"]
    panel.redraw()
    assert asked == [1], "read once"


def test_another_recording_is_read_later_and_may_lack_the_turn(qtbot: QtBot, tmp_path: Path) -> None:
    now, waits = two_planners().snapshot, []
    panel, context = shown(qtbot, now, BRANCHES)
    context.read_recording = lambda path, turn, take: waits.append((path, turn, take))
    panel.compare(str(tmp_path / "other.mcap"))
    [(path, turn, take)] = waits
    assert (path.name, turn) == ("other.mcap", 2)
    assert panel.headline().startswith("Reading turn 2 of other.mcap")
    other = replace(now, facets={Ranking: (ranking((WALK, 8)), now.moment)})
    take(other)
    assert panel.headline() == "Turn 2 here → turn 2 of other"
    assert "grab the apple · values rank 2 · P 0.5 · N 3 · Q 1 · loss 0 · only left" in items(qtbot, panel)
    panel.compare(str(tmp_path / "gone.mcap"))
    waits[-1][2](None)
    assert panel.headline() == "There is no turn 2 of gone.mcap"
    assert "cannot be read" in panel._empty.accessibleDescription()
    take(other)
    assert panel.headline() == "There is no turn 2 of gone.mcap", "what comes late is not shown"


def test_a_kind_is_opened_by_a_click_or_key_and_equal_ones_are_not(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, two_planners().snapshot, BESIDE)
    kinds = panel.differences.kinds
    plan = kinds_of(panel.differences).index("Plan")
    kinds.setFocus()
    kinds.rows.choose(plan, tell=True)
    assert not panel.differences.items.isVisible(), "the items of another kind are not shown while these are found"
    settle(panel)
    assert panel.differences.items.rows.view.texts.title.startswith("Plan: ")
    QTest.keyClick(kinds.rows, Qt.Key.Key_Up)
    settle(panel)
    assert panel.differences.items.rows.count() >= 1


@pytest.mark.parametrize("size", [(220, 160), (320, 700), (1400, 300)])
def test_no_size_breaks_it(qtbot: QtBot, size: tuple[int, int]) -> None:
    panel, _ = shown(qtbot, two_planners().snapshot, BESIDE)
    panel.resize(*size)
    assert not panel.grab().isNull()
    assert len(facet_differences(Snapshot(), two_planners().snapshot)) == 2


def test_rankings_stand_side_by_side_until_only_differences_are_wanted(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, two_planners().snapshot, BESIDE)
    rows, view = panel.differences.rows, panel.differences
    assert words_of(rows) == [
        "walk to the coffee table · left N 6, Q 1 · right N 2, Q 1 · difference N −4, 1 → 2 · moved",
        "grab the apple · left N 3, Q 1 · right – · only left", "open the fridge · left – · right N 7, Q 1 · only right"]
    assert rows.isVisibleTo(panel)
    assert not view.items.isVisibleTo(panel)
    panel.tools()[0].trigger()
    assert not rows.isVisibleTo(panel)
    assert view.items.isVisibleTo(panel)


def test_the_second_planner_is_given_the_chosen_data_of_the_first(qtbot: QtBot) -> None:
    context, said = worlds.context()
    now = two_planners().snapshot
    panel, _ = shown(qtbot, now, BESIDE, context)
    *_, give = panel.tools()
    assert give.isEnabled()
    give.trigger()
    context.undo.undo()
    decision = now.facet(CompanionDecision)
    ours, theirs = now.facet(Ranking), decision.facet(Ranking) if decision is not None else None
    assert ours is not None
    assert theirs is not None
    assert said == [EditCompanion(ours, "the first planner's ranking"), EditCompanion(theirs, "its own ranking again")]
    panel.compare(BRANCHES)
    assert not give.isEnabled()
    panel.compare(BESIDE)
    settle(panel)
    kinds = panel.differences.kinds
    kinds.rows.choose(kinds_of(panel.differences).index("Plan"), tell=True)
    settle(panel)
    assert not give.isEnabled(), "the first planner shows no plan"


def test_trees_stand_side_by_side(qtbot: QtBot) -> None:
    ours = searches.tree()
    more = replace(ours.nodes[1], visits=ours.nodes[1].visits + 5)
    theirs = replace(ours, nodes=(ours.nodes[0], more, *ours.nodes[2:6]))
    run = branches.Run().act(WALK).begin()
    beside = CompanionDecision("llm-mcts:paper", OPEN, "", WALK, (theirs,))
    panel, _ = shown(qtbot, run.tell(Shown(ours), Shown(beside)).snapshot, BESIDE)
    outline = panel.differences.rows.rows.outline
    assert outline.depth.tolist()[:3] == [0, 1, 2]
    assert len(outline.rows) == len(outline.items), "all is open, however large the trees are"
    marks = Counter(mark.word for item in outline.items for mark in item.marks)
    assert (marks["changed"], marks["only left"], marks["the same"]) == (1, 2, len(outline.items) - 3)


def test_a_comparison_of_other_turns_or_facets_is_never_shown_as_that_of_these(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, branches.Run().act(WALK).begin().snapshot, BESIDE)
    view, goes_on = panel.differences, threading.Event()
    context.jobs.do(goes_on.wait, lambda _: None, lambda _: None)  # the queue stands still until it is set
    run = two_planners()
    panel.show_snapshot(run.snapshot)
    assert view.is_working
    assert view.isVisible(), "its heading says that both sides are being compared"
    later = run.act(OPEN).begin().tell(Shown(ranking((GRAB, 6))), Shown(CompanionDecision(
        "llm-mcts:paper", OPEN, "", GRAB, (ranking((OPEN, 7)),)))).snapshot
    panel.show_snapshot(later)
    seen: list[list[str]] = []
    view.changed.connect(lambda: seen.append(kinds_of(view)))
    goes_on.set()
    settle(panel)
    assert seen == [["Ranking"]], "the plan belongs to the turn before"
    goes_on.clear()
    context.jobs.do(goes_on.wait, lambda _: None, lambda _: None)
    newer = run.tell(Shown(ranking((GRAB, 8)))).snapshot
    panel.show_snapshot(newer)
    assert view.kinds.rows.count() == 1, "of the same turns the last comparison stays"
    assert "being compared" in view.kinds.rows.view.texts.title
    goes_on.set()
    assert "grab the apple · values rank 1 · P 0.5 · N 8 · Q 1 · loss 0 · only left" in items(qtbot, panel)
    panel.show_snapshot(two_planners().snapshot)
    assert view.kinds.rows.count() == 0, "another run"
    settle(panel)


def test_facets_that_cannot_be_compared_say_why(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, _ = shown(qtbot, branches.Run().act(WALK).begin().snapshot, BESIDE)

    def fail(*_: object) -> None:
        raise ValueError("a facet of another package")

    monkeypatch.setattr(facet_values, "facet_differences", fail)
    panel.show_snapshot(two_planners().snapshot)
    settle(panel)
    assert "cannot be compared: a facet of another package" in panel.differences._state.text
    assert panel.differences.isVisible()
