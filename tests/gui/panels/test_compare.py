"""The compare panel: what stands beside what, where the first difference is, which branches, and where a click goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Facet, GoalProgress, Moment
from core.planning.search_facets import RankedAction, Ranking
from core.session.branch_comparison import BranchComparer, Comparison, Pair
from core.session.events import Shown
from core.session.snapshot import Snapshot
from core.session.turns import Mark
from core.simulator.base import WorldChange
from core.world.vocabulary import Action
from gui.control.context import Context
from gui.panels.compare.listing import Band, Listed
from gui.panels.compare.panel import ComparePanel
from tests.gui.panels import branches, worlds

Asked = list[tuple[int, int]]


def shown(qtbot: QtBot, snapshot: Snapshot, size: tuple[int, int] = (640, 320)) -> tuple[ComparePanel, Context, Asked]:
    context, said = worlds.context()
    panel = ComparePanel(context)
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    panel.show_snapshot(snapshot)
    panel.redraw()
    asked: Asked = []
    context.selection.asked_turn.connect(lambda branch, turn: asked.append((branch, turn)))
    assert not said
    return panel, context, asked


def words(panel: ComparePanel) -> list[str]:
    return [panel.rows.row_words(k) for k in range(panel.rows.count())]


def plainly(found: Comparison, *, differing_only: bool) -> list[str]:
    """The rows by their definition: every pair looked at."""
    rows = ["parted", *(["nothing"] if not found.pairs else [])]
    for k, pair in enumerate(found.pairs):
        rows += ["first"] if k == found.first else []
        rows += [str(pair.number)] if pair.differs or not differing_only or pair.left is None or pair.right is None else []
    return rows


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), max_size=12), st.booleans())
def test_rows_are_the_pairs_and_the_lines_between_them(steps: list[tuple[int, int]], only: bool) -> None:
    run = branches.Run().act(branches.WALK).act(branches.OPEN)
    for what, number in steps:
        if what < 7:
            run.act((branches.WALK, branches.OPEN, branches.GRAB)[number])
        else:
            run.fork(1 + number % max(1, run.turn))
    pair = (0, len(run.snapshot.branches) - 1)
    found = BranchComparer().of(run.snapshot, *pair)
    rows = Listed(found, differing_only=only)
    told = [str(row.number) if isinstance(row, Pair) else "first" if row.strong else
            "nothing" if row.text == "No turns since" else "parted" for row in rows]
    assert told == plainly(found, differing_only=only)
    assert ("differ" in rows[0].text and "no difference" not in rows[0].text.lower()) == (  # type: ignore[union-attr]
        found.first == 0), "the first line claims a difference only where there is one"
    assert next((k for k, row in enumerate(rows) if isinstance(row, Band) and row.strong), None) == rows.strong
    for side, of in ((found.left, 0), (found.right, 1)):
        lacking = [k for k, row in enumerate(rows) if isinstance(row, Pair) and row.number > side.last]
        assert rows.after(side.last) == (lacking[0] if lacking else -1), of


def click(panel: ComparePanel, number: int, side: int) -> None:
    """On a turn of one side."""
    rows = panel.rows
    index = next(k for k, row in enumerate(rows.rows) if isinstance(row, Pair) and row.number == number)
    y = int(rows.row_top(index) - rows.verticalScrollBar().value() + rows.row_height() / 2)
    x = rows.viewport().width() * (3 if side else 1) // 4
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, y))


def test_before_a_fork_it_says_how_to_make_one_with_the_key_of_now(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, branches.Run().act(branches.WALK).snapshot)
    assert not panel.rows.isVisible()
    assert panel.headline() == ""
    assert "Ctrl Shift F" in panel._empty.state.text
    context.key_now = lambda key: {"Ctrl+Shift+F": "J"}.get(key, key)
    context.keys_changed.emit()
    assert "fork there (J) and" in panel._empty.state.text
    context.key_now = lambda key: ""
    context.keys_changed.emit()
    assert "fork there and" in panel._empty.state.text


def test_a_fork_stands_beside_its_parent_from_where_they_part(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, branches.usual().snapshot)
    assert panel.rows.isVisible()
    assert words(panel) == [
        "2 turns in common",
        "turn 3: main line: walk to the coffee table, by the planner; branch 1: walk to the coffee table, by the planner",
        "First difference: turn 4",
        "turn 4, differs: main line: grab the apple, by the planner, refused: the apple is not in sight, loss 2.4; "
        "branch 1: open the fridge, by the operator, loss 0.9",
        "turn 5, differs: main line: open the fridge, by the planner; branch 1: grab the apple, by the planner, loss best",
        "turn 6: main line: grab the apple, by the planner; branch 1: thinking",
    ]
    assert panel.headline() == "first difference at turn 4 · 2 of 4 turns differ"


def test_the_heads_say_how_far_each_has_come_and_how_it_ended(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, branches.usual().snapshot)
    left, right = panel.heads
    assert (left.facts.text, right.facts.text) == (
        "goal 1 of 2 · 6 turns · 5 done · 1 refused", "goal 1 of 2 · 5 turns · 5 done · 1 by you")
    assert (left.end.text, right.end.text) == ("The planner sees nothing left to do", "Running at turn 6")
    assert left.picker.accessibleName() == "Left: Main line"
    assert right.picker.accessibleName() == "Right: Branch 1 · from turn 3"


def test_a_click_goes_to_that_turn_of_that_branch(qtbot: QtBot) -> None:
    panel, _, asked = shown(qtbot, branches.usual().snapshot)
    click(panel, 4, 0)
    click(panel, 4, 1)
    click(panel, 6, 1)
    assert asked == [(0, 4), (1, 4), (1, 6)]


def test_the_arrow_keys_go_along_a_side_and_across(qtbot: QtBot) -> None:
    panel, _, asked = shown(qtbot, branches.usual().snapshot)
    click(panel, 3, 0)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up):
        QTest.keyClick(panel.rows, key)
    assert asked == [(0, 3), (0, 4), (1, 4), (1, 3)], "lines between turns are stepped over"


def test_where_a_side_has_no_such_turn_a_click_goes_nowhere(qtbot: QtBot) -> None:
    run = branches.Run().act(branches.WALK).end("goal reached", success=True)
    panel, _, asked = shown(qtbot, run.fork(1).act(branches.OPEN).act(branches.GRAB).snapshot)
    click(panel, 2, 0)
    assert asked == []
    click(panel, 2, 1)
    assert asked == [(1, 2)]


def test_the_turn_that_is_looked_at_is_marked_and_the_story_stays_whole(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, branches.Run().snapshot)
    whole = branches.usual().snapshot
    context.newest = lambda shown: whole
    context.set_live(False)
    panel.show_snapshot(branches.Run().act(branches.WALK).act(branches.OPEN).act(branches.WALK).snapshot)
    panel.redraw()
    assert panel.rows.count() == 6, "a past snapshot knows of no fork"
    before = panel.grab().toImage()
    context.set_live(True)
    panel.redraw()
    qtbot.waitUntil(lambda: panel.grab().toImage() != before)  # the outline goes with the past


def test_it_goes_on_while_the_past_is_looked_at(qtbot: QtBot) -> None:
    run = branches.usual()
    panel, context, _ = shown(qtbot, run.snapshot)
    context.newest = lambda shown: run.snapshot
    context.set_live(False)
    run.turn -= 1
    run.act(branches.OPEN)
    context.newest_changed.emit()
    qtbot.waitUntil(lambda: panel.heads[1].facts.text.startswith("goal 1 of 2 · 6 turns"))


def test_a_changed_world_is_a_difference_from_its_turn_on(qtbot: QtBot) -> None:
    forked = branches.Run().act(branches.WALK).begin().fork(2).begin().snapshot
    changed = Mark(0.5, 2, "world", "world changed: apple_1 → on desk_1", 1, WorldChange("apple_1", "on", "desk_1"))
    panel, _, _ = shown(qtbot, replace(forked, altered=(changed,), status="paused"))
    assert words(panel)[0] == "1 turn in common, then the world differs"
    assert panel.headline() == "world changed in turn 2 · no turns to compare yet"
    assert [head.facts.text.endswith("world changed in turn 2") for head in panel.heads] == [False, True]
    assert words(panel)[-1].endswith("branch 1: paused"), "the timeline says the same of the turn under way"


def test_the_turn_under_way_tells_what_is_considered_as_the_timeline_does(qtbot: QtBot) -> None:
    run = branches.Run().act(branches.WALK).begin().fork(2).begin()
    panel, context, _ = shown(qtbot, run.snapshot)
    assert words(panel)[-1].endswith("branch 1: thinking")
    ranked = RankedAction((branches.GRAB,), 0.5, 6, 5.0, 0.5, 0.0)
    panel.show_snapshot(run.tell(Shown(Ranking((ranked,), 6, 100))).snapshot)
    assert words(panel)[-1].endswith("branch 1: considering: grab the apple")
    assert context.live


def test_any_two_branches_can_be_chosen_until_there_is_another(qtbot: QtBot) -> None:
    run = branches.usual().fork(2).act(branches.GRAB)
    panel, _, _ = shown(qtbot, run.snapshot)
    assert [h.picker.accessibleName() for h in panel.heads] == ["Left: Branch 1 · from turn 3", "Right: Branch 2 · from turn 2"]
    panel.heads[0].picker.picked.emit("0")
    assert panel.heads[0].picker.accessibleName() == "Left: Main line"
    assert words(panel)[0] == "1 turn in common, then they differ"
    panel.heads[0].picker.picked.emit("2")
    assert [h.picker.accessibleName() for h in panel.heads] == ["Left: Branch 2 · from turn 2", "Right: Main line"]
    panel.show_snapshot(run.fork(1).begin().snapshot)
    panel.redraw()
    assert [h.picker.accessibleName() for h in panel.heads] == ["Left: Branch 2 · from turn 2", "Right: Branch 3 · from turn 1"]
    assert words(panel)[0] == "No difference so far"


def test_a_fork_that_did_nothing_yet(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, branches.Run().act(branches.WALK).begin().fork(2).snapshot)
    assert words(panel) == ["1 turn in common, no difference so far", "No turns since"]
    assert panel.headline() == "no turns to compare yet"
    assert panel.heads[0].end.text == "Left in turn 2"
    assert not panel.grab().isNull()


def test_alike_so_far(qtbot: QtBot) -> None:
    run = branches.Run().act(branches.WALK).act(branches.OPEN).fork(2).act(branches.OPEN)
    panel, _, _ = shown(qtbot, run.snapshot)
    assert panel.headline() == "the same so far · 1 turn on both"
    assert not any(isinstance(row, Band) and row.strong for row in panel.rows.rows)


def test_a_thousand_turns_open_at_the_first_difference_and_can_be_filtered(qtbot: QtBot) -> None:
    run = branches.huge()
    panel, _, asked = shown(qtbot, run.snapshot)
    assert panel.rows.count() == 2 + 999, "998 turns of the fork, the one under way, and two lines between"
    assert panel.headline() == "first difference at turn 7 · 142 of 998 turns differ"
    panel.to_first()
    click(panel, 7, 1)
    assert asked == [(1, 7)]
    panel._only.trigger()
    pairs = [row for row in panel.rows.rows if isinstance(row, Pair)]
    assert len(pairs) == 143
    assert all(row.differs for row in pairs[:-1])
    assert not panel.grab().isNull()


def test_news_is_followed_at_the_end_and_nowhere_else(qtbot: QtBot) -> None:
    run = branches.huge(60)
    panel, _, _ = shown(qtbot, run.snapshot)
    bar = panel.rows.verticalScrollBar()
    for at, follows in ((0, False), (bar.maximum(), True)):
        bar.setValue(at)
        run.turn -= 1
        panel.show_snapshot(run.act(branches.OPEN).begin().snapshot)
        panel.redraw()
        assert (bar.value() == bar.maximum()) is follows


@dataclass(frozen=True, slots=True)
class Guess(Facet):
    """A facet of another package."""

    room: str
    rooms: tuple[str, ...] = ()
    likely: npt.NDArray[np.float64] | None = None


def guessed() -> tuple[Snapshot, dict[Moment, Snapshot]]:
    """A fork whose second turn differs, with the last snapshot of each turn."""
    run, past = branches.Run(), dict[Moment, Snapshot]()

    def play(action: Action, room: str) -> None:
        run.act(action)
        guess = Guess(room, ("hall", room), np.array([0.5, len(room)]))
        past[run.snapshot.moment] = run.tell(Shown(guess), Shown(GoalProgress(()))).snapshot

    play(branches.WALK, "hall")
    play(branches.OPEN, "kitchen")
    run.fork(2)
    play(branches.GRAB, "cellar")
    return run.snapshot, past


def test_every_kind_of_facet_has_a_row_also_those_of_other_packages(qtbot: QtBot) -> None:
    snapshot, past = guessed()
    panel, context, _ = shown(qtbot, Snapshot())
    context.read_turn = lambda moment, take: take(past.get(moment))
    panel.show_snapshot(snapshot)
    rows = panel.facet_rows.rows
    qtbot.waitUntil(lambda: rows.count() > 0)
    assert [rows.row_words(k) for k in range(rows.count())] == [
        "Guess · left room kitchen · rooms: 1 of 2 items differ · likely array 2"
        " · right room cellar · rooms: 1 of 2 items differ · likely array 2 · differs",
        "Goal progress · the same"]
    assert [rows.can_choose(k) for k in range(rows.count())] == [True, False], "what is the same has no items to show"
    assert rows.isVisible()
    assert rows.height() < panel.height() / 2
    assert not panel.grab().isNull()


def test_facets_of_a_turn_that_is_not_kept_or_arrives_late(qtbot: QtBot) -> None:
    snapshot, past = guessed()
    panel, context, _ = shown(qtbot, Snapshot())
    later: list[tuple[Moment, Callable[[Snapshot | None], None]]] = []
    context.read_turn = lambda moment, take: later.append((moment, take))
    panel.show_snapshot(snapshot)
    assert [moment for moment, _ in later] == [Moment(0, 2), Moment(1, 2)]
    later[0][1](past[Moment(0, 2)])
    assert not panel.facet_rows.isVisible()
    later[1][1](None)
    assert not panel.facet_rows.isVisible()
    later[1][1](past[Moment(1, 2)])
    qtbot.waitUntil(lambda: panel.facet_rows.rows.count() == 2)
    panel.choose(0, 1)
    later[0][1](None)
    assert panel.facet_rows.rows.count() == 0, "another pair is being read"
