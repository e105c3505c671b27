"""The panel of calls: what is listed, what is open, and what the operator says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters
from core.common.shared_list import SharedList
from core.llm.budget import Price
from core.llm.model import Partial
from core.llm.sources import read_source
from core.planning.facets import Grounding
from core.planning.model_requests import Message, ModelReply
from core.session.commands import Answer, AskAgain, AskAside, Command, Retry, Rewind, UseModel
from core.session.events import Began, Failed
from core.session.snapshot import Snapshot
from core.session.turns import Call
from core.session.usage import Usage
from gui.control.context import Context, Selected
from gui.panels.calls import call_list
from gui.panels.calls.call_list import CallList, Groundings, is_tagged, source_icon, tag_of, tone_of, usual_seconds
from gui.panels.calls.dialogs import rewritten
from gui.panels.calls.panel import CallsPanel
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


def test_a_reply_is_shown_while_it_comes(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot())
    came = {5: Partial("open the", 2, 0.5)}
    context.partial, context.price = came.get, {"openai toy": Price(2_000_000.0, 1_000_000.0)}.get
    panel.show_snapshot(waiting())
    panel.open_call(5)
    detail = panel.detail
    qtbot.waitUntil(detail.reply.isVisible)
    panel.grab()
    assert (detail.reply.heading.text, detail.reply.text.toPlainText()) == ("Reply so far", "open the")
    told = detail.words
    assert "policy" in told
    assert "2 tokens" in told
    assert "first token after 0.5 s" in told
    assert "up to 282.0000" in told, "13 tokens of the prompt at 2, and 256 of the reply at 1"
    came[5] = Partial("open the fridge and", 4, 0.5)
    qtbot.waitUntil(lambda: detail.reply.text.toPlainText() == "open the fridge and")
    came.clear()
    reply = ModelReply(("open the fridge",), "openai toy", seconds=2.0, tokens_in=9, tokens_out=3, first_token=0.5, rate=21.04)
    panel.show_snapshot(replace(waiting(), calls=s.calls(5).plus(s.call(5, reply=reply)), waiting=(), status="paused"))
    qtbot.waitUntil(lambda: detail.reply.text.toPlainText() == "open the fridge")
    assert detail.reply.heading.text.startswith("Reply ·")
    assert "first token 0.5 s" in detail.chips
    assert "21.0 tokens/s" in detail.chips


def test_a_reply_that_is_cut_off_is_marked(qtbot: QtBot) -> None:
    cut = s.call(0, reply=ModelReply(("I would",), "openai toy", seconds=1.0, misfit="cut"))
    panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=SharedList([cut]), status="paused"))
    assert "cut off" in panel.rows.row_words(0)


def test_a_thinking_model_is_said_to_think(qtbot: QtBot) -> None:
    panel, context, _ = shown(qtbot, s.snapshot())
    context.partial = {5: Partial("", 12, 0.5)}.get
    panel.show_snapshot(waiting())
    panel.open_call(5)
    qtbot.waitUntil(panel.detail.isVisible)
    assert not panel.detail.reply.isVisible()
    assert "12 tokens · first token after 0.5 s · thinking" in panel.detail.words


def test_newest_first_and_the_newest_open(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, replace(answered(12), usage={"guide": Usage(12, 9000, 800)}))
    assert panel.headline() == "12 calls · 9.8k tokens · 3 in the latest turn"
    assert panel.rows.row_words(0) == "11 · policy · took 1.8 s · by server · next action 11"
    assert panel.detail.isVisible()
    assert panel.detail.call == s.call(11, turn=4)
    panel.grab()


@pytest.mark.parametrize("high", [270, 330, 600])
def test_what_can_be_done_about_the_open_call_is_in_sight(qtbot: QtBot, high: int) -> None:
    call = s.call(3)
    long = replace(call, ask=replace(call.ask, messages=(Message("user", "a long prompt of many words " * 40),)))
    told = Grounding(long.ask.digest, "open it", "open the fridge", 0.47, "edit", "walk", 0.4)
    panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=SharedList([long]), groundings=SharedList([told]), status="paused"))
    panel.resize(347, high)
    qtbot.waitUntil(lambda: panel.detail.isVisible() and panel.detail.height() < high)
    button = panel.detail.edit
    foot = button.mapTo(panel, button.rect().bottomLeft()).y()
    assert button.isVisible()
    assert foot <= panel.height(), "the prompt gives way"
    assert panel.detail.prompt.text.height() > 20


@pytest.mark.parametrize("wide", range(190, 420, 23))
def test_the_words_of_buttons_are_whole_or_left_to_the_tips(qtbot: QtBot, wide: int) -> None:
    panel, _, _ = shown(qtbot, answered(12))
    panel.resize(wide, 420)
    detail = panel.detail
    qtbot.waitUntil(lambda: detail.isVisible() and abs(detail.width() - panel.rows.viewport().width()) < 12)
    for button in (detail.again, detail.edit):
        needs = button.fontMetrics().horizontalAdvance(button.text()) + button.iconSize().width() + 20  # its margins
        assert button.width() >= needs
        assert button.text().strip() == button.accessibleName() or button.accessibleName() in button.toolTip()
    assert bool(detail.edit.text()) == bool(detail.again.text())
    assert 220 < wide < 320 or bool(detail.edit.text()) == (wide >= 320)


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
    assert panel.rows.row_words(9).startswith("123 · ")
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.rows.count() == 10_000


def test_of_ten_thousand_calls_only_those_in_sight_are_read(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, context, _ = shown(qtbot, replace(s.snapshot(), calls=s.calls(10_000)))
    read: list[int] = []
    get = CallList.__getitem__

    def noted(calls: CallList, index: int) -> Call:
        read.append(index)
        return get(calls, index)

    monkeypatch.setattr(CallList, "__getitem__", noted)
    in_sight = panel.rows.viewport().height() // panel.rows.row_height() + 2
    panel.show_snapshot(replace(s.snapshot(), calls=s.calls(10_000).plus(s.call(10_000)), status="paused"))
    panel.grab()
    assert 0 < len(read) <= 4 * in_sight, "a new call"
    read.clear()
    context.selection.select(Selected("thing", "fridge_1"))
    panel.grab()
    assert len(read) <= 4 * in_sight, "a selection"
    read.clear()
    panel.rows.choose(9_000, tell=True)
    panel.grab()
    assert len(read) <= 6 * in_sight, "scrolling"


def test_a_reply_that_was_matched_poorly_is_marked(qtbot: QtBot) -> None:
    call = s.call(0)
    for score, tone in ((0.9, None), (0.5, "warn"), (0.1, "bad")):
        told = Grounding(call.ask.digest, "go", "open the fridge", score, "edit")
        panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=SharedList([call]), groundings=SharedList([told])))
        item = panel.rows.outline.items[0]
        assert [(mark.word, mark.tone) for mark in item.marks] == ([] if tone is None else [("poor match", tone)])
        assert item.values[2] == score


def test_a_slow_search_paints_no_row_of_before(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_list, "STEP", 0.0)  # the first piece finds nothing
    panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=s.calls(1000)))
    panel.tools()[1].trigger()
    panel.search.setText("question 123:")
    assert panel.rows.model().rowCount() == panel.rows.count() == 0
    panel.grab()
    qtbot.waitUntil(lambda: panel.rows.count() == 1)


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
    assert said == [Rewind(4, resample=True, branch=0)]
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
    assert " · your prompt" in panel.rows.row_words(0)
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
    commonsense = s.call(1, reply=ModelReply(("a",), "commonsense", is_model=False))
    human = s.call(1, reply=ModelReply(("a",), "human", is_model=False))
    cached = s.call(1, reply=ModelReply(("a",), "openai toy", cached=True))
    assert [is_tagged(c) for c in (commonsense, human, cached, s.call(1, waiting=True))] == [True, False, False, False]
    assert [source_icon(c) for c in (commonsense, human, cached)] == ["rules", "user", "cache"]


@pytest.mark.parametrize(("texts", "tag"), [(("",), "empty reply"), ((" \n", ""), "empty reply"), (("<html>",), "web page"),
                                            (("", "a"), ""), (("a",), "")])
def test_a_useless_reply_is_called_what_it_is(texts: tuple[str, ...], tag: str, qtbot: QtBot) -> None:
    call = s.call(1, reply=ModelReply(texts, "openai toy"))
    assert tag_of(call) == tag
    panel, _, _ = shown(qtbot, replace(s.snapshot(), calls=SharedList((call,)), status="paused"))
    assert [mark.word for mark in panel.rows.outline.items[0].marks] == ([tag] if tag else [])
    panel.grab()


def test_what_a_reply_was_taken_for() -> None:
    call, other = s.call(1), s.call(2)
    groundings = Groundings()
    shot = replace(
        s.snapshot(),
        groundings=SharedList([Grounding(call.ask.digest, "open it", "open the fridge", 0.47, "edit", "walk", 0.4)])
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
    calls = [s.call(k, reply=ModelReply(("a",), "x", seconds=float(k), cached=k == 9)) for k in (1, 2, 3, 9)]
    assert usual_seconds(replace(s.snapshot(), calls=SharedList(calls)), "policy") == 2.0
    assert usual_seconds(s.snapshot(), "policy") is None


def test_a_search_takes_up_new_calls() -> None:
    listed, calls = CallList(), [s.call(k) for k in range(12)]
    listed.take(replace(s.snapshot(), calls=SharedList.beginning(calls, 3)))
    listed.search("question 1:")
    while listed.look_on():
        pass
    assert [listed[k].id for k in range(len(listed))] == [1]
    assert listed.take(replace(s.snapshot(), calls=SharedList.beginning(calls, 12)))
    assert [listed[k].id for k in range(len(listed))] == [11, 1]
    listed.search("question 1:")
    while listed.look_on():
        pass
    assert [listed[k].id for k in range(len(listed))] == [11, 1]
    assert (listed.index_of(1), listed.index_of(11), listed.index_of(7)) == (1, 0, -1)
    listed.take(replace(s.snapshot(), calls=SharedList.beginning(calls, 3)))
    while listed.look_on():
        pass
    assert [listed[k].id for k in range(len(listed))] == [1], "as it was then"
    assert (listed.index_of(1), listed.index_of(11)) == (0, -1)


@given(st.lists(st.tuples(st.integers(1, 16), st.booleans()), max_size=30), st.randoms(use_true_random=False), st.booleans())
def test_a_call_is_found_by_its_number_wherever_it_was_answered(groups: list[tuple[int, bool]], random: Random,
                                                                searched: bool) -> None:
    """Questions of a group are answered in any order, or not at all where the run went elsewhere; an operator's own later."""
    answered: list[Call] = []
    late: list[Call] = []
    number = 0
    for size, left in groups:
        group = [s.call(number + k) for k in range(size)]
        number += size
        random.shuffle(group)
        answered += group[:size // 2] if left else group
        late.append(replace(s.call(number), by="operator"))
        number += 1
        if random.random() < 0.3:
            answered.append(late.pop(0))
    listed, log = CallList(), answered
    for count in (len(log) // 2, len(log)):
        listed.take(replace(s.snapshot(), calls=SharedList.beginning(log, count), waiting=(s.call(number, waiting=True),)))
        if searched and count == len(log) // 2:
            listed.search("7:")
    while listed.look_on():
        pass
    rows = [listed[k].id for k in range(len(listed))]
    if searched:
        fits = [call.id for call in reversed(answered) if "7:" in call_list.searchable(call)]
    else:  # the newest are in the order of their numbers, which those before them were not read for
        start = 0 if len(log) - len(log) // 2 <= call_list.NEWEST else len(log) - call_list.NEWEST
        fits = [*sorted((call.id for call in log[start:]), reverse=True), *(call.id for call in reversed(log[:start]))]
    assert rows == [number, *fits]
    assert [listed.index_of(k) for k in range(number + 2)] == [rows.index(k) if k in rows else -1 for k in range(number + 2)]


def test_a_number_is_found_by_looking_at_a_few_calls() -> None:
    looked: list[int] = []
    calls = s.calls(20_000)

    class Watched(Sequence[Call]):
        def __len__(self) -> int:
            return 20_000

        def __getitem__(self, index: int) -> Call:  # type: ignore[override]
            looked.append(index)
            return calls[index]

    listed = CallList()
    listed.take(replace(s.snapshot(), calls=SharedList.beginning(Watched(), 20_000)))
    looked.clear()
    assert listed.index_of(123) == 20_000 - 1 - 123
    assert looked == [123]
    assert listed.index_of(30_000) == -1
    assert len(looked) < 200


def test_groundings_are_read_a_piece_at_a_time_and_the_last_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_list, "STEP", 0.0)
    call, other = s.call(1), s.call(2)
    log = [Grounding(call.ask.digest, "a", "first", 0.9, "exact"), Grounding(other.ask.digest, "b", "other", 0.2, "none"),
           Grounding(call.ask.digest, "c", "last", 0.3, "edit")]
    groundings, then = Groundings(), SharedList.beginning(log, 2)
    now = replace(s.snapshot(), groundings=SharedList.beginning(log, 3))

    def meant(of: Call) -> str:
        found = groundings.of(of)
        return found.meant if found is not None else "nothing"

    told = [meant(call)]
    groundings.read(now)
    for _ in range(3):
        told.append(f"{meant(call)}, {groundings.behind}")
        groundings.read_on()
    assert told == ["nothing", "first, True", "first, True", "last, False"]
    assert (meant(other), groundings.poor) == ("other", 2)
    assert not groundings.read(replace(now, groundings=then))
    assert (meant(call), groundings.poor) == ("first", 1), "as it was known then"
    assert not groundings.read(now)
    assert meant(call) == "last"
    assert groundings.read(replace(now, groundings=SharedList(then)))
    assert groundings.behind, "another run's are read anew"


def test_the_open_call_says_what_it_was_taken_for_as_soon_as_that_is_told(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, answered(3))
    assert "open the fridge (spelling)" not in panel.detail._note.text()
    grounding = Grounding(s.call(2).ask.digest, "open it", "open the fridge", 0.9, "edit", "walk", 0.4)
    panel.show_snapshot(replace(answered(3), groundings=SharedList([grounding])))
    qtbot.waitUntil(lambda: "open the fridge (spelling)" in panel.detail._note.text())
    assert panel.detail._chips.accessibleName().startswith("grounding .90, spelling, turn")


def test_a_reply_that_only_words_were_compared_with_says_so(qtbot: QtBot) -> None:
    grounding = Grounding(s.call(2).ask.digest, "I cannot say", "", 0.0, "refused", words_only=False)
    panel, _, _ = shown(qtbot, replace(answered(3), groundings=SharedList([grounding])))
    qtbot.waitUntil(lambda: "The reply declines to answer" in panel.detail._note.text())
    assert "word overlap" not in panel.detail._chips.accessibleName()
    free = replace(grounding, meant="open the fridge", score=0.6, how="nearest", words_only=True, untranslated=2)
    panel.show_snapshot(replace(answered(3), groundings=SharedList([free])))
    qtbot.waitUntil(lambda: "2 not translated" in panel.detail._chips.accessibleName())
    assert "open the fridge (most words shared)" in panel.detail._note.text()
    assert panel.detail._note.text().endswith("Samples that name no action that could be compared: 2")
    kept = replace(grounding, how="none", remark="the reply states no goal: the goal that the rules found is kept")
    panel.show_snapshot(replace(answered(3), groundings=SharedList([kept])))
    qtbot.waitUntil(lambda: "The reply states no goal: the goal that the rules found is kept" in panel.detail._note.text())
    poor = replace(grounding, said="icebox", how="none", words_only=True)
    panel.show_snapshot(replace(answered(3), groundings=SharedList([poor])))
    qtbot.waitUntil(lambda: "Matches none of the choices" in panel.detail._note.text())
    assert "no match, word overlap" in panel.detail._chips.accessibleName()


def test_a_call_says_its_branch_and_goes_back_there(qtbot: QtBot) -> None:
    now = answered(12)
    elsewhere = replace(now, calls=SharedList(replace(call, branch=2) for call in now.calls))
    panel, _, said = shown(qtbot, elsewhere)
    assert panel.detail.again.accessibleName() == "Back to turn 4 of branch 2"
    assert "branch 2" in panel.rows.row_words(0)
    QTest.mouseClick(panel.detail.again, Qt.MouseButton.LeftButton)
    assert said == [Rewind(4, resample=True, branch=2)]


@pytest.mark.parametrize("by_hand", [True, False])
@pytest.mark.parametrize("following", [0, 3])
def test_another_run_keeps_no_row_and_no_open_call(qtbot: QtBot, by_hand: bool, following: int) -> None:
    began = Began("llm-mcts", "household", "kitchen", "toy", 0, s.GOAL, Parameters(), 30)
    panel, _, _ = shown(qtbot, replace(answered(12), began=began))
    if by_hand:
        panel.open_call(2)
    panel.show_snapshot(replace(answered(following), began=replace(began)) if following else Snapshot())
    qtbot.waitUntil(lambda: panel.rows.isVisible() == bool(following))
    qtbot.waitUntil(lambda: panel.rows.opened_number == (following - 1 if following else -1))
    assert panel.detail.isVisible() == bool(following)


@pytest.mark.parametrize("high", [270, 420, 900])
@pytest.mark.parametrize("questions", [1, 2, 5])
def test_a_person_who_answers_reads_as_much_of_the_question_as_the_panel_holds(qtbot: QtBot, high: int, questions: int) -> None:
    def asked(number: int) -> Call:
        call = s.call(number, waiting=True)
        return replace(call, ask=replace(call.ask, messages=(Message("user", "a long prompt of many words " * 200),)))

    state = replace(s.snapshot(), calls=SharedList(), waiting=tuple(map(asked, range(questions))), status="waiting",
                    sources=(read_source("human"),))
    panel, _, _ = shown(qtbot, state)
    panel.resize(347, high)
    viewport, row = panel.rows.viewport(), panel.rows.row_height()
    qtbot.waitUntil(lambda: panel.detail.isVisible() and viewport.height() > 0)
    panel.show_snapshot(replace(state, status="waiting"))
    foot = panel.detail.geometry().bottom()
    assert foot <= viewport.height(), "the buttons are in view"
    others = min(questions - 1, 2) * row
    if high > 300:
        assert viewport.height() - foot - others < 2 * row, "no part of the panel stays empty"
