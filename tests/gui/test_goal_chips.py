"""The goal as chips, edited by the keyboard alone: what is shown is what is set, and what is set is what is recorded."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.goal_reading import TaskReading
from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import GoalError
from core.goals.formal_text import formal
from core.goals.literals import Goal, Literal
from core.goals.reading import GoalReading, Guess
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.recording.reader import open_recording
from core.session.commands import SetGoal
from core.session.events import CommandTaken
from core.session.setup import Setup
from gui.app import App
from gui.control.goal_draft import GoalDraft
from gui.window.goal_box import GoalBox
from gui.window.goal_chips import GoalChips
from tests.core.recording.common import CODEC
from tests.gui.conftest import MakeApp
from tests.gui.parts import as_reading, make_setup, parts, read_goal
from tests.gui.settling import PATIENCE
from tests.walk_seeds import walk_seeds

Key, Mod = Qt.Key, Qt.KeyboardModifier
ALONE = Qt.KeyboardModifier.NoModifier
GLASSES = "Put the glasses on the coffee table"
TASK = "Put one apple inside the fridge and one mug on the desk"
SPECTACLES, TUMBLER = Literal("on", "glasses", "coffee_table"), Literal("on", "water_glass", "coffee_table")


def guessing(request: Request, cancelled: Cancellation) -> TaskReading:
    """Reads glasses as spectacles, which is a guess; everything else as the tests' parts do."""
    if request.task != GLASSES or request.goal:
        return as_reading(read_goal)(request, cancelled)
    other = ("drinking glasses", Goal((TUMBLER,), GLASSES))
    return TaskReading(GoalReading(Goal((SPECTACLES,), GLASSES), guesses=(Guess("glasses", "spectacles", (other,), (0,)),)))


@pytest.fixture
def app(make_app: MakeApp) -> App:
    return make_app(replace(parts("greedy", TASK), read_goal=guessing))


def press(app: App, key: Qt.Key, held: Qt.KeyboardModifier = ALONE) -> None:
    """Presses a key where it would go: in an open list of names, or where the focus is."""
    QTest.keyClick(QApplication.activePopupWidget() or app.window.focusWidget() or box_of(app), key, held)


def write(app: App, text: str) -> None:
    QTest.keyClicks(QApplication.activePopupWidget() or app.window.focusWidget() or box_of(app)._field, text)


def box_of(app: App) -> GoalBox:
    return app.window.bar.goal


def chips_of(app: App) -> GoalChips:
    card = box_of(app)._help
    assert card is not None
    return card.chips


def begin(qtbot: QtBot, app: App) -> None:
    """Starts editing by the key, and waits until the words are read."""
    app.window.setFocus()
    with qtbot.waitSignal(app.control.reader.read) if not app.console.request.goal else qtbot.assertNotEmitted(
            app.console.trouble_changed):
        QTest.keyClick(app.window.windowHandle(), Key.Key_G, Mod.ControlModifier)
    qtbot.waitUntil(lambda: box_of(app).draft is not None and chips_of(app).isVisible())
    qtbot.waitUntil(lambda: bool(app.offers.entities.entities))


def checked(qtbot: QtBot, app: App) -> None:
    """Waits until the last edit is accepted or refused."""
    qtbot.waitUntil(lambda: box_of(app)._draft is box_of(app)._checked)


def on_chips(qtbot: QtBot, app: App) -> None:
    """Waits until the chips have the focus again. Without a screen, a list of names that closed stays the active window."""
    qtbot.waitUntil(lambda: isinstance(app.window.focusWidget(), GoalChips))


def leave_form(app: App) -> None:
    """Leaves the form of a chip if it is open: Esc closes a list of names first, if one is open."""
    card = box_of(app)._help
    for _ in range(2):
        if card is not None and card.editing >= 0:
            press(app, Key.Key_Escape)
    assert card is None or card.editing < 0


def is_prepared(app: App) -> bool:
    """Whether the run has the goal of the request, and has begun or is over because the goal held at the start."""
    now, request = app.bridge.snapshot, app.console.request
    begun = now.turn > 0 or now.ended is not None
    return begun and now.goal is not None and now.goal.text == request.task and (
        not request.goal or formal(now.goal) == request.goal)


def shown(app: App) -> list[str]:
    """Returns the texts of the chips under the task, without their counts."""
    return sorted(chip.look.text for chip in box_of(app)._chips)


def is_shown(app: App, texts: list[str]) -> bool:
    """Whether the chips say just this; those that do not fit are counted in the last chip."""
    chips = [text for text in shown(app) if not text.startswith("+")]
    more = sum(int(text) for text in shown(app) if text.startswith("+"))
    return not Counter(chips) - Counter(texts) and len(chips) + more == len(texts)


def test_a_wrong_guess_is_corrected_in_three_keys(qtbot: QtBot, app: App) -> None:
    app.console.run_request.choose("task", GLASSES)
    begin(qtbot, app)
    draft = box_of(app).draft
    assert draft is not None
    assert draft.literals == (SPECTACLES,)
    assert chips_of(app)._looks[0].icon == "help", "the chip says that it is a guess"
    press(app, Key.Key_Escape)
    keys = [(Key.Key_G, Mod.ControlModifier), (Key.Key_Down, Mod.AltModifier), (Key.Key_Return, ALONE)]
    assert len(keys) <= 3
    begin(qtbot, app)  # the first key
    for key, held in keys[1:]:
        press(app, key, held)
    qtbot.waitUntil(lambda: not box_of(app).editing and is_prepared(app))
    goal = app.bridge.snapshot.goal
    assert goal is not None
    assert goal.literals == (TUMBLER,)
    assert goal.text == GLASSES, "the sentence still says it"
    assert app.console.request.goal == "on(water_glass, coffee_table)"
    qtbot.waitUntil(lambda: shown(app) == ["water glass on the coffee table"])


def test_two_guesses_about_one_literal_do_not_undo_each_other() -> None:
    read = Literal("on", "glasses", "coffee_table|desk")
    table = Guess("table", "any table", (("desk", Goal((replace(read, target="desk"),))),), (0,))
    glasses = Guess("glasses", "spectacles", (("drinking glasses", Goal((replace(read, subject="water_glass"),))),), (0,))
    draft = GoalDraft("", (read,), "rules", (table, glasses), (read,))
    once = draft.guessed(table, 0)
    twice = once.guessed(once.guesses[1], 0)
    assert twice.literals == (Literal("on", "water_glass", "desk"),)
    back = twice.guessed(twice.guesses[0], 0)
    assert back.literals == (Literal("on", "water_glass", "coffee_table|desk"),)
    assert back.guessed(back.guesses[1], 0).literals == (read,)
    assert back.guessed(back.guesses[1], 0).formal == "", "the words alone say it again"


def test_a_prepared_run_says_which_words_were_guessed(qtbot: QtBot, make_app: MakeApp) -> None:
    def guessed(request: Request) -> Setup:
        return replace(make_setup(request), reading=guessing(replace(request, task=GLASSES), Cancellation()).reading)

    app = make_app(replace(parts("greedy", "Put one glasses on the coffee table"), make_setup=guessed))
    qtbot.waitUntil(lambda: [chip.look.icon for chip in box_of(app)._chips] == ["help"])


def test_chips_are_edited_added_negated_and_removed_by_the_keyboard_alone(qtbot: QtBot, app: App) -> None:
    begin(qtbot, app)
    press(app, Key.Key_Tab)  # to the first chip
    press(app, Key.Key_Return)  # its form, with the object selected
    write(app, "bana")  # the only name that begins so
    press(app, Key.Key_Tab)
    write(app, "kitchen_table")
    press(app, Key.Key_Backtab)
    press(app, Key.Key_Backtab)
    write(app, "on")
    press(app, Key.Key_Return)
    checked(qtbot, app)
    on_chips(qtbot, app)
    assert chips_of(app).texts() == ["banana on the kitchen table", "mug on the desk"]
    QTest.keyClicks(chips_of(app), "+")
    write(app, "book")
    leave_form(app)
    on_chips(qtbot, app)
    assert box_of(app).editing
    press(app, Key.Key_Right)
    press(app, Key.Key_N)
    checked(qtbot, app)
    assert chips_of(app).texts() == ["banana on the kitchen table", "never: mug on the desk"]
    press(app, Key.Key_N)
    checked(qtbot, app)
    press(app, Key.Key_Delete)
    checked(qtbot, app)
    assert chips_of(app).texts() == ["banana on the kitchen table"]
    press(app, Key.Key_Return, Mod.ControlModifier)
    qtbot.waitUntil(lambda: not box_of(app).editing and is_prepared(app))
    assert app.console.request == replace(app.console.request, task="banana on the kitchen table",
                                          goal="on(banana, kitchen_table)")
    qtbot.waitUntil(lambda: shown(app) == ["banana on the kitchen table"])
    app.console.undoing.undo()
    qtbot.waitUntil(lambda: app.console.request.task == TASK)
    assert app.console.request.goal == ""


def test_an_edit_that_is_not_possible_is_refused_in_one_line_and_undone(qtbot: QtBot, app: App) -> None:
    begin(qtbot, app)
    before = box_of(app).draft
    press(app, Key.Key_Tab)
    press(app, Key.Key_Return)
    write(app, "unicorn")
    press(app, Key.Key_Return)
    checked(qtbot, app)
    card = box_of(app)._help
    assert card is not None
    assert "unicorn" in card.form._note.text()
    assert "\n" not in card.form._note.text()
    assert card.form.subject.text() == "unicorn", "the form stays for correction"
    leave_form(app)
    on_chips(qtbot, app)
    assert box_of(app).draft == before
    press(app, Key.Key_Delete)
    checked(qtbot, app)
    press(app, Key.Key_Delete)
    assert "at least one" in card._cause.text()
    press(app, Key.Key_Escape)
    press(app, Key.Key_Escape)
    assert not box_of(app).editing
    assert app.console.request.goal == "", "nothing was set"


def test_a_model_is_asked_after_the_rules_and_escape_cancels(qtbot: QtBot, make_app: MakeApp) -> None:
    asked, released = threading.Event(), threading.Event()

    def read(request: Request, cancelled: Cancellation) -> TaskReading:
        if request.provider == "guide":
            asked.set()
            while not (cancelled.wait(0.01) or released.is_set()):
                pass
            return TaskReading(GoalReading(Goal((SPECTACLES,), request.task), "model"))
        return TaskReading(GoalReading(None, refusal=GoalError("there is no “specs” here", "specs")))

    app = make_app(replace(parts(), read_goal=read))
    box = box_of(app)
    QTest.keyClick(app.window.windowHandle(), Key.Key_G, Mod.ControlModifier)
    write(app, "Bring my specs")
    qtbot.waitUntil(lambda: box._help is not None and box._help.isVisible())
    assert [box._field.text()[a:b] for a, b in box._reading.spans] == ["specs"] if box._reading else False
    press(app, Key.Key_Return)  # at once, without waiting for a pause
    assert asked.wait(PATIENCE / 1000)
    assert "Asking the model" in box._note.text
    press(app, Key.Key_Escape)
    assert box.editing
    qtbot.waitUntil(lambda: "Not understood" in box._note.text)
    write(app, " here")
    released.set()
    qtbot.waitUntil(lambda: box.draft is not None)
    assert box.draft is not None
    assert box.draft.by == "model"
    assert box.draft.formal == "on(glasses, coffee_table)", "the goal that was shown is set, whatever the model says next time"


@pytest.mark.parametrize("begun", [False, True], ids=["before the run", "during the run"])
def test_a_goal_read_by_a_model_is_set_as_shown_with_its_calls_on_record(
        qtbot: QtBot, make_app: MakeApp, *, begun: bool) -> None:
    calls = ((ModelRequest("goal", (Message("user", "specs"),)), ModelReply(("on(glasses, coffee_table)",), "a model")),)

    def read(request: Request, cancelled: Cancellation) -> TaskReading:
        text = "Bring my specs and my moon"
        if request.task == text and not request.goal:
            return TaskReading(GoalReading(Goal((SPECTACLES,), text), "model", unknown=((22, 26),)), calls)
        return as_reading(read_goal)(request, cancelled)

    app = make_app(replace(parts("greedy", TASK), read_goal=read))
    if begun:
        app.console.step()
        qtbot.waitUntil(lambda: len(app.bridge.snapshot.turns) > 0 and app.bridge.snapshot.status == "paused")
    box = box_of(app)
    box.edit()
    box.take("Bring my specs and my moon")
    qtbot.waitUntil(lambda: box.draft is not None and box.draft.by == "model")
    assert box._help is not None
    assert box._help._cause.text() == "Not in the goal: “moon”"
    press(app, Key.Key_Return)
    qtbot.waitUntil(lambda: is_prepared(app))
    assert app.bridge.snapshot.goal == Goal((SPECTACLES,), "Bring my specs and my moon")
    qtbot.waitUntil(lambda: "goal" in [call.ask.purpose for call in app.bridge.snapshot.calls])


@pytest.mark.parametrize("seed", walk_seeds(2))
def test_random_edits_show_set_and_record_the_same(qtbot: QtBot, app: App, seed: int, tmp_path: Path) -> None:
    dice, goals = Random(seed), list[Goal]()
    app.recorders.toggle()
    app.console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.turns) > 0 and app.bridge.snapshot.status == "paused")
    for _ in range(6):
        begin(qtbot, app)
        press(app, Key.Key_Tab)
        for _ in range(dice.randrange(1, 5)):
            edit(qtbot, app, dice)
        draft = box_of(app).draft
        assert draft is not None
        texts = sorted(map(str, draft.literals))
        known = app.console.request
        chips_of(app).setFocus()
        press(app, Key.Key_Return, Mod.ControlModifier)
        qtbot.waitUntil(lambda: not box_of(app).editing)
        qtbot.waitUntil(lambda: is_prepared(app))
        qtbot.waitUntil(partial(is_shown, app, texts))
        goal = app.bridge.snapshot.goal
        assert goal is not None
        assert goal == draft.goal
        assert app.console.request.goal == draft.formal or app.console.request == known
        if not app.console.begun:  # the goal set before was reached at once, so this one prepared another run
            break
        if app.console.request != known:
            goals.append(goal)
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    app.window.close()
    [path] = (tmp_path / "recordings").glob("[!.]*.mcap")
    with open_recording(path, CODEC) as recording:
        taken = [x.what.command.goal for x in recording.events() if isinstance(x.what, CommandTaken)
                 and isinstance(x.what.command, SetGoal)]
    assert taken == goals


def edit(qtbot: QtBot, app: App, dice: Random) -> None:
    """Makes one random edit by the keyboard; refused edits change nothing."""
    chips, before = chips_of(app), box_of(app).draft
    assert before is not None
    chips.setFocus()
    chips.go_to(dice.randrange(len(before.literals)))
    what = dice.choice(("remove", "negate", "change", "add") if len(before.literals) < 4 else ("remove", "negate", "change"))
    if what == "remove":
        press(app, Key.Key_Delete)
    elif what == "negate":
        press(app, Key.Key_N)
    else:
        if what == "add":
            QTest.keyClicks(chips, "+")
        else:
            press(app, Key.Key_Return)
        card = box_of(app)._help
        assert card is not None
        form = card.form
        form.relation.setText(dice.choice(("inside", "on", "is", "in the hand", "robot in", "away from")))
        form.subject.setText(dice.choice(("apple", "mug", "book", "fridge", "kitchen", "unicorn")))
        form.place.setText(dice.choice(("fridge", "desk", "sofa", "kitchen")))
        form.states.setText(dice.choice(("", "closed", "sliced", "wet")) if form.states.isEnabled() else "")
        form.step.setText(dice.choice("1123"))
        form.subject.setFocus()
        press(app, Key.Key_Return)
        checked(qtbot, app)
        leave_form(app)
    checked(qtbot, app)
    after = box_of(app).draft
    assert after is not None
    assert [text.removeprefix(f"{x.stage + 1}. ") for text, x in zip(chips.texts(), after.literals, strict=True)] == [
        str(x) for x in after.literals], "what is shown is the draft"
