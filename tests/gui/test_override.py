"""The override dialog: possible and impossible actions, and its texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.session.commands import Ban, Command, Hold, ListActions, Override, Release, Unban
from core.session.events import ActionsListed
from core.session.snapshot import Snapshot
from core.world.vocabulary import ADMISSIBLE, Verdict
from gui.control.context import Context
from gui.widgets import Names
from gui.window.override_dialog import OverrideDialog
from gui.window.override_table import Heading, Option, make_options, matching, numbers, planners_choice
from tests.gui.panels import searches as s
from tests.gui.panels import worlds

LISTED = ((s.MUG, ADMISSIBLE), (s.TABLE, ADMISSIBLE), (s.FRIDGE, ADMISSIBLE),
          (s.OPEN, Verdict(False, "within reach", "not close to the fridge", s.FRIDGE)),
          (s.GRAB, Verdict(False, "in sight", "no apple seen yet")))


def state(*, status: str = "thinking", listed: bool = True, thing: str = "") -> Snapshot:
    snapshot = s.snapshot(s.ranking())
    options = ActionsListed(LISTED, thing) if listed else None
    return replace(snapshot, status="paused" if status == "paused" else "thinking", options=options)


def opened(qtbot: QtBot, thing: str = "", *, paused: bool = False) -> tuple[OverrideDialog, Context, list[Command], QWidget]:
    context, said = worlds.context()
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    dialog = OverrideDialog(context, window)
    window.show()
    dialog.show_snapshot(state(listed=False, status="paused" if paused else "thinking"))
    dialog.ask(thing)
    return dialog, context, said, window


def test_opening_holds_the_run_and_asks_for_the_list(qtbot: QtBot) -> None:
    dialog, _, said, window = opened(qtbot, "fridge_1")
    assert said == [Hold(), ListActions("fridge_1")]
    assert dialog.isVisible()
    assert not dialog.card.act.isEnabled()
    window.grab()
    dialog.show_snapshot(state())  # a list for another query is ignored
    assert dialog.card.rows.items == ()
    dialog.show_snapshot(state(thing="fridge_1"))
    assert dialog.card.count.text.startswith("3 possible and 2 not possible about fridge;")


@pytest.mark.parametrize("paused", [True, False])
def test_what_the_dialog_says_does_not_depend_on_what_it_was_shown_last(qtbot: QtBot, *, paused: bool) -> None:
    dialog, _, said, _ = opened(qtbot, paused=paused)  # a pause may be under way: only the session knows
    dialog.cancel()
    assert said == [Hold(), ListActions(""), Release()]


def test_the_button_names_the_act_and_says_it(qtbot: QtBot) -> None:
    dialog, _, said, window = opened(qtbot)
    dialog.show_snapshot(state(status="paused"))
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    assert dialog.card.act.accessibleName() == "Grab the mug"  # the best action that is not the planner's own choice
    assert "It would walk to the fridge: N 27, Q 6.42." in dialog.card.live.text
    assert dialog.card.rows.model().index(0, 0).data() == "walk to the fridge, planner's choice, 27 visits"
    window.grab()
    said.clear()
    QTest.keyClicks(dialog.card.field, "gr mu")
    dialog.card.why.setText("it is near")
    dialog.card.quiet.click()
    dialog.card.ban.click()
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    assert said == [Ban(s.FRIDGE), Override(s.MUG, False, "it is near"), Release()]
    assert not dialog.isVisible()
    said.clear()
    dialog.show_snapshot(replace(state(), turn=8, banned=frozenset({s.FRIDGE})))
    assert said == [Unban(s.FRIDGE)]  # a ban of this turn ends with the turn
    dialog.show_snapshot(replace(state(), turn=9))
    assert said == [Unban(s.FRIDGE)]


def test_what_would_help_is_a_link(qtbot: QtBot) -> None:
    dialog, _, _, window = opened(qtbot)
    dialog.show_snapshot(state())
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    rows = dialog.card.rows
    index = rows.index_of(s.OPEN)
    y = rows.row_top(index) + 8
    place = QPoint(rows.viewport().width() - 30, int(y))
    QTest.mouseMove(rows.viewport(), place)
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert dialog.card.act.accessibleName() == "Walk to the fridge"
    assert rows.option(index) is None
    window.grab()


def test_what_is_not_possible_is_read_whole_and_what_helps_is_done_by_keys(qtbot: QtBot) -> None:
    """The arrows reach every action; a list of only impossible ones was a dead end without a mouse."""
    dialog, _, said, window = opened(qtbot)
    why = "the fridge is behind the table, " * 6 + "and that is why"
    listed = ((s.MUG, ADMISSIBLE), (s.OPEN, Verdict(False, "within reach", why, s.FRIDGE)),
              (s.GRAB, Verdict(False, "in sight", "no apple seen yet")))
    dialog.show_snapshot(replace(state(), options=ActionsListed(listed, "")))
    QTest.keyClicks(dialog.card.field, "open")
    assert not dialog.card.act.isEnabled(), "nothing is done instead of what was typed unless it is chosen"
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: dialog.card.refusal.isVisible())
    refusal = dialog.card.refusal
    assert why in refusal.text()
    qtbot.waitUntil(lambda: refusal.height() >= refusal.heightForWidth(refusal.width()))
    assert dialog.card.act.accessibleName() == "Walk to the fridge"
    dialog.show_snapshot(replace(state(), options=dialog._snapshot.options, status="paused"))
    assert dialog.card.act.accessibleName() == "Walk to the fridge", "an update does not choose another row"
    said.clear()
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    assert said[0] == Override(s.FRIDGE, True, "")
    dialog.ask("")
    dialog.show_snapshot(replace(state(), options=ActionsListed(listed, "")))
    QTest.keyClicks(dialog.card.field, "grab app")
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Down)
    assert "no apple seen yet" in dialog.card.refusal.text()
    assert not dialog.card.act.isEnabled(), "nothing helps"
    window.grab()


def test_keys_filter_and_step(qtbot: QtBot) -> None:
    dialog, _, _, window = opened(qtbot)
    dialog.show_snapshot(state())
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Up)
    assert dialog.card.act.accessibleName().startswith("Walk to the fridge")
    QTest.keyClicks(dialog.card.field, "nothing like it")
    assert dialog.card.rows.items == ()
    assert not dialog.card.act.isEnabled()
    chain = dialog.card.focus_chain()
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Tab)
    assert dialog.focusWidget() is chain[1]
    window.resize(1000, 700)
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_hidden_it_has_nowhere_to_send_the_focus(qtbot: QtBot) -> None:
    dialog, _, _, _ = opened(qtbot)
    dialog.hide()
    assert dialog.card.focus_chain() == []
    assert not dialog.focusNextPrevChild(True)
    assert not dialog.focusNextPrevChild(False)


def test_the_past_cannot_be_overridden(qtbot: QtBot) -> None:
    dialog, context, said, _ = opened(qtbot)
    context.set_live(False)
    assert not dialog.isVisible()
    said.clear()
    dialog.ask()
    assert said == []


def test_a_click_beside_it_cancels(qtbot: QtBot) -> None:
    dialog, _, said, _ = opened(qtbot)
    QTest.mouseClick(dialog, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert not dialog.isVisible()
    assert said[-1] == Release()


def test_a_huge_list(qtbot: QtBot) -> None:
    dialog, _, _, window = opened(qtbot)
    many = tuple((replace(s.FRIDGE, args=(f"cabinet_{k}",)), LISTED[3][1] if k % 2 else ADMISSIBLE) for k in range(600))
    dialog.show_snapshot(replace(state(), options=ActionsListed(many)))
    qtbot.waitUntil(lambda: len(dialog.card.rows.items) == 601)
    window.grab()


def test_options_are_ordered_and_matched() -> None:
    snapshot = state()
    options = make_options(LISTED, numbers(snapshot), Names.of(s.seen()))
    assert [o.action for o in options] == [s.FRIDGE, s.MUG, s.TABLE, s.OPEN, s.GRAB]
    assert planners_choice(snapshot) == s.FRIDGE
    assert planners_choice(replace(snapshot, turn=9)) is None
    found = matching(options, "fri", impossible=True)
    assert [e.text if isinstance(e, Heading) else e.action for e in found] == [s.FRIDGE, "Not possible now", s.OPEN]
    assert all(isinstance(e, Option) for e in matching(options, "", impossible=False))


def test_it_opens_with_the_first_possible_step_of_what_was_asked_for(qtbot: QtBot) -> None:
    dialog, _, said, _ = opened(qtbot)
    dialog.cancel()
    dialog.ask("", (s.OPEN, s.TABLE))
    said.clear()
    dialog.show_snapshot(replace(state(status="paused"), event=9))
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    assert dialog.card.act.accessibleName() == "Walk to the kitchen table"
    assert said == [], "it is only shown"
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    assert [c for c in said if isinstance(c, Override)] == [Override(s.TABLE)]


def test_what_is_not_possible_now_is_shown_and_nothing_else_chosen(qtbot: QtBot) -> None:
    dialog, _, said, _ = opened(qtbot)
    dialog.cancel()
    dialog.ask("", (s.OPEN,))
    dialog.show_snapshot(replace(state(status="paused"), event=9))
    qtbot.waitUntil(lambda: bool(dialog.card.rows.items))
    said.clear()
    QTest.keyClick(dialog.card.field, Qt.Key.Key_Return)
    assert not any(isinstance(c, Override) for c in said)
    assert not dialog.card.act.isEnabled()
