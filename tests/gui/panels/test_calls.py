"""The panel of calls: what is listed, what is open, and what the operator says."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.commands import Answer, AskAgain, AskAside, Command, Retry, Rewind, UseModel
from core.effects import Reply
from core.events import Failed
from core.facets import Grounding
from core.log import Log
from core.snapshot import Snapshot
from gui.context import Context, Selected
from gui.panels.calls import CallsPanel
from gui.panels.calls.asking import rewritten
from gui.panels.calls.model import CallList
from gui.panels.calls.reading import Groundings, is_tagged, source_icon, tone_of, usual_seconds
from gui.widgets import Button
from tests.gui.panels import searches as s
from tests.gui.panels import worlds

FAILED = Failed("model", "connection", "policy: connection refused", True, ("Try again", "Use commonsense", "Answer myself"))


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[CallsPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = CallsPanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 420)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context, said


def waiting() -> Snapshot:
    return replace(s.snapshot(), calls=s.calls(5), waiting=(s.call(5, waiting=True),), status="waiting")


def answered(count: int) -> Snapshot:
    """A run that is paused, with so many answers."""
    return replace(s.snapshot(), calls=s.calls(count), status="paused")


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot())
    assert not panel.rows.isVisible()
    assert panel.headline() == ""


def test_newest_first_and_the_newest_open(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, replace(answered(12), tokens_in=9000, tokens_out=800))
    assert panel.headline() == "12 calls · 9.8k tokens"
    assert panel.rows.row_words(0) == "call 11, policy, next action 11, 1.8 seconds, openai toy"
    assert panel.detail.isVisible()
    assert panel.detail.call == s.call(11, turn=4)
    panel.grab()


def test_the_open_call_follows_the_newest_until_one_is_chosen(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, answered(3))
    panel.show_snapshot(answered(5))
    qtbot.waitUntil(lambda: panel.detail.call is not None and panel.detail.call.id == 4)
    panel.show_snapshot(replace(answered(9), status="thinking"))
    qtbot.waitUntil(lambda: not panel.detail.isVisible())
    panel.open_call(2)
    panel.show_snapshot(answered(12))
    qtbot.waitUntil(lambda: panel.rows.count() == 12)
    assert panel.detail.isVisible()
    assert panel.detail.call is not None
    assert panel.detail.call.id == 2


def test_ten_thousand_calls_are_searched_piece_by_piece(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=s.calls(10_000)))
    assert panel.rows.count() == 10_000
    panel.grab()
    panel.tools()[1].trigger()
    panel.search.setText("question 123:")
    qtbot.waitUntil(lambda: panel.rows.count() == 10)
    assert panel.rows.row_words(9).startswith("call 123,")
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.rows.count() == 10_000


def test_a_click_opens_selects_and_closes(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, answered(3))
    row = QPoint(60, 8)
    QTest.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert not panel.detail.isVisible()
    QTest.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert panel.detail.isVisible()
    assert context.selection.now == Selected("call", number=2)
    context.selection.select(Selected("call", number=0))
    assert panel.detail.call == s.call(0)
    context.selection.select(Selected("thing", "fridge_1"))
    panel.grab()


def test_a_waiting_call_is_answered_or_asked_again(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, waiting())
    assert panel.headline().startswith("6 calls · 1 waiting")
    QTest.keyClick(panel.rows, Qt.Key.Key_A)
    panel.detail.answer.setPlainText(" open the fridge ")
    QTest.keyClick(panel.detail.answer, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseClick(panel.detail.again, Qt.MouseButton.LeftButton)
    assert said == [Answer(5, "open the fridge"), AskAgain(5)]
    panel.grab()


def test_an_answered_call_goes_back_to_its_turn(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, answered(12))
    assert panel.detail.again.accessibleName() == "Back to turn 4"
    QTest.mouseClick(panel.detail.again, Qt.MouseButton.LeftButton)
    assert said == [Rewind(4, resample=True)]
    context.set_live(False)
    assert not panel.detail.again.isVisible()


def test_a_prompt_is_rewritten_and_asked_beside_the_run(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, waiting())
    dialog = panel.edit_call(5)
    assert dialog is not None
    before = s.call(5, waiting=True).ask
    assert [field.toPlainText() for field in dialog.fields] == [m.content for m in before.messages]
    dialog.fields[-1].setPlainText("Where is the plum?")
    QTest.keyClick(dialog.fields[-1], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(said) == 1
    assert isinstance(said[0], AskAside)
    assert said[0].question == rewritten(before, [*(m.content for m in before.messages[:-1]), "Where is the plum?"])
    assert said[0].question.facts is None
    mine = replace(s.call(6, waiting=True), by="operator")
    panel.show_snapshot(replace(waiting(), aside=(mine,)))
    qtbot.waitUntil(lambda: panel.detail.call == mine)
    assert not panel.detail.answer.isVisible(), "the run does not wait for it: nothing to answer"
    assert panel.rows.row_words(0).endswith("with your prompt")
    assert panel.headline().startswith("7 calls · 1 waiting")
    panel.grab()
    context.set_live(False)
    assert panel.edit_call(5) is None
    assert list(panel.offers()) == []


def test_a_failed_model_offers_what_can_be_done(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, replace(waiting(), failure=FAILED, status="failed"))
    assert panel.failed.state.heading == "The model did not answer"
    buttons = {b.accessibleName(): b for b in panel.failed.findChildren(Button)}
    assert list(buttons) == ["Try again", "Use commonsense", "Answer myself"]
    for button in buttons.values():
        button.click()
    assert said == [Retry(), UseModel("commonsense")]
    panel.show_snapshot(waiting())
    panel.restyle()
    panel.grab()


def test_who_answered_and_how_sure() -> None:
    commonsense = s.call(1, reply=Reply(("a",), "commonsense", is_model=False))
    human = s.call(1, reply=Reply(("a",), "human", is_model=False))
    cached = s.call(1, reply=Reply(("a",), "openai toy", cached=True))
    assert [is_tagged(c) for c in (commonsense, human, cached, s.call(1, waiting=True))] == [True, False, False, False]
    assert [source_icon(c) for c in (commonsense, human, cached)] == ["rules", "user", "cache"]


def test_what_a_reply_was_taken_for() -> None:
    call, other = s.call(1), s.call(2)
    groundings = Groundings()
    shot = replace(
        s.snapshot(), groundings=Log([Grounding(call.ask.digest, "open it", "open the fridge", 0.47, "edit", "walk", 0.4)])
    )
    assert groundings.read(shot)
    assert not groundings.read(shot)
    found = groundings.of(call)
    assert found is not None
    assert (found.meant, tone_of(found), tone_of(replace(found, score=0.9)), tone_of(replace(found, score=0.1))) == (
        "open the fridge",
        "warn",
        "good",
        "bad",
    )
    assert groundings.of(other) is None
    assert not groundings.read(s.snapshot())
    assert groundings.of(call) is None, "another run"


def test_the_usual_time_leaves_the_cache_out() -> None:
    calls = [s.call(k, reply=Reply(("a",), "x", seconds=float(k), cached=k == 9)) for k in (1, 2, 3, 9)]
    assert usual_seconds(replace(s.snapshot(), calls=Log(calls)), "policy") == 2.0
    assert usual_seconds(s.snapshot(), "policy") is None


def test_a_search_takes_up_new_calls() -> None:
    listed = CallList()
    listed.take(replace(s.snapshot(), calls=s.calls(3)))
    listed.search("question 1:")
    while listed.look_on():
        pass
    assert [listed[k].id for k in range(len(listed))] == [1]
    assert listed.take(replace(s.snapshot(), calls=s.calls(12)))
    assert [listed[k].id for k in range(len(listed))] == [11, 1]
    assert (listed.index_of(1), listed.index_of(7)) == (1, -1)
