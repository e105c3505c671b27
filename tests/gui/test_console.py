"""The window with a real session: prepared, run, stepped, shown in the past, forked, stopped, closed."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.common.errors import GoalError, MissingPart
from core.llm.budget import Budget, Price
from core.llm.model import Partial, Waiter
from core.planning.facets import Facet, Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.session.commands import Resume
from core.session.setup import Setup
from gui.app import App
from gui.panels.registry import CLAIMED, PANELS, panel_class
from gui.theme import PaletteName
from gui.widgets.chooser import Choice
from gui.window.actions import ACTIONS
from gui.window.palette import Entry, fuzzy, ranked
from gui.window.stage import CardCallbacks, install_command, run_state
from tests.core.session.toys import Guide
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, make_setup, parts
from tests.gui.settling import settle


def run_to_end(qtbot: QtBot, app: App) -> None:
    app.console.run()
    settle(app)
    assert app.bridge.snapshot.ended is not None
    assert app.window.timeline.story.ended


def session_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("session")]


WAYS = CardCallbacks(lambda: None, lambda: None, lambda: None, lambda: None, lambda: None)


def test_ready_then_one_space_to_the_goal(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    assert not app.console.running
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    assert app.bridge.snapshot.ended is not None
    assert app.bridge.snapshot.ended.success
    assert len(app.console.story.line) == 5
    state = run_state(app.console, WAYS)
    assert state is not None
    assert state.heading == "Goal reached in 5 turns"
    assert [a.text for a in state.actions] == ["Run again", "Close"]


class Windows(QObject):
    """Records which widgets were ever shown as windows of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(type(watched).__name__)
        return False


def test_nothing_flashes_up_beside_the_window(qapp: QApplication, qtbot: QtBot, make_app: MakeApp) -> None:
    windows = Windows()
    qapp.installEventFilter(windows)
    app = make_app(parts())
    for card in app.window.cards():
        card.fill()
    qapp.removeEventFilter(windows)
    assert set(windows.shown) == {"MainWindow"}


def test_step_pauses_after_one_action(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    assert len(app.bridge.snapshot.line) == 1
    qtbot.waitUntil(lambda: [b.moment.turn for b in app.window.timeline.story.blocks] == [1, 2])


def test_looking_back_is_read_only_and_forks(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    run_to_end(qtbot, app)
    console = app.console
    console.turn_by(-2)
    assert console.moment == Moment(0, console.shown.turn)
    console.first_turn()
    assert (console.shown.turn, app.context.live) == (1, False)
    console.fork()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    assert app.context.live
    assert app.console.moment is None


def test_the_timeline_is_scrubbed_with_the_mouse(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    run_to_end(qtbot, app)
    timeline = app.window.timeline
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(140, 45))
    assert app.console.moment == Moment(0, 1)
    assert not timeline._fork.isHidden()


def test_a_missing_part_is_a_designed_state(qtbot: QtBot, make_app: MakeApp) -> None:
    def missing(request: Request) -> Setup:
        raise MissingPart("AI2-THOR needs the package 'ai2thor', not installed here: pip install -e '.[thor]'")

    app = make_app(replace(parts(), make_setup=missing))
    state = run_state(app.console, WAYS)
    assert state is not None
    assert state.kind == "missing"
    assert state.mono == "pip install -e '.[thor]'"
    assert app.runner.phase == "idle"


def test_a_goal_that_is_none(qtbot: QtBot, make_app: MakeApp) -> None:
    def no_goal(request: Request) -> Setup:
        raise GoalError("“tidy up” does not begin with a known verb", "tidy up", suggestions=("Walk to 5", "Walk to 3"))

    app = make_app(replace(parts(task="Tidy up"), make_setup=no_goal))
    state = run_state(app.console, WAYS)
    assert state is not None
    assert state.heading == "This goal is not possible here"
    assert "“tidy up” does not begin with a known verb" in state.text
    assert [choice.text for choice in state.choices] == ["Walk to 5", "Walk to 3"]
    assert "Try again" not in [action.text for action in state.actions]
    assert install_command("it broke: because") == ""


def test_a_broken_setup_is_said_and_tried_again(qtbot: QtBot, make_app: MakeApp, caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []

    def broken_once(request: Request) -> Setup:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("boom")
        return make_setup(request)

    app = make_app(replace(parts(), make_setup=broken_once))
    assert isinstance(app.console.trouble, RuntimeError)
    assert "the session broke" in caplog.text
    app.console.prepare()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 1)
    assert app.console.trouble is None


def test_another_choice_is_prepared_anew(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.choose(replace(app.console.request, seed=1))
    qtbot.waitUntil(lambda: app.bridge.snapshot.began is not None and app.bridge.snapshot.began.seed == 1)
    assert len(session_threads()) == 1
    assert not app.console.begun


def test_run_said_while_another_run_is_on_its_way_out(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.choose(replace(app.console.request, seed=1))
    app.runner.post(Resume())
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None and app.bridge.snapshot.ended.success)
    assert app.bridge.snapshot.began is not None
    assert app.bridge.snapshot.began.seed == 1


@pytest.mark.parametrize("state", ["ready", "running", "waiting", "ended", "opening"])
def test_closing_in_any_state_ends_every_thread(qtbot: QtBot, make_app: MakeApp, state: str) -> None:
    slow = Guide(wait=30.0)

    def waits(request: Request) -> Setup:
        return replace(make_setup(request), models={"guide": slow})

    app = make_app(replace(parts(), make_setup=waits) if state == "waiting" else parts())
    if state == "running":
        app.console.run_request.set_parameter("looks", 100_000)
        app.console.run()
    elif state == "waiting":
        app.console.run()
        qtbot.waitUntil(lambda: app.bridge.snapshot.status == "waiting")
    elif state == "ended":
        run_to_end(qtbot, app)
    elif state == "opening":
        app.console.prepare()
    app.window.close()
    qtbot.waitUntil(lambda: session_threads() == [])


def test_the_status_line_says_what_is_waited_for_and_what_came(qtbot: QtBot, make_app: MakeApp) -> None:
    class Typist(Guide):
        def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
            assert isinstance(cancelled, Waiter)
            cancelled.on_partial(Partial("rig", 7, 0.2))
            return super().answer(ask, cancelled)

    typist = Typist(wait=30.0)
    priced = Budget(prices={"guide": Price(0.0, 1000.0)})

    def waits(request: Request) -> Setup:
        return replace(make_setup(request), models={"guide": typist}, budget=priced)

    app = make_app(replace(parts(), make_setup=waits))
    app.console.run()
    detail = app.window.status.detail
    qtbot.waitUntil(lambda: "14 tokens" in detail.text)
    assert "2 answers: way, pace" in detail.text
    assert "up to 0.5120" in detail.text, "256 tokens each, at 1000 for a million"
    app.console.runner.stop()
    qtbot.waitUntil(lambda: app.console.runner.phase == "idle")
    assert "tokens" not in detail.text


def test_a_command_refused_is_told(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    with qtbot.waitSignal(app.console.message) as told:
        app.console.run_request.set_steps(0)
    assert "at least 1" in told.args[0]


def test_goal_is_read_while_typing(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    box = app.window.bar.goal
    box.edit()
    with qtbot.waitSignal(app.control.reader.read) as read:
        QTest.keyClicks(box._field, "Walk to 5")
    assert read.args[0].result.goal.text == "Walk to 5"
    assert app.bridge.snapshot.status == "paused", "letters typed are no hotkeys"
    QTest.keyClick(box._field, Qt.Key.Key_Escape)
    assert not box.editing


def test_panels_are_as_the_tables_say() -> None:
    claimed: set[type[Facet]] = set()
    for name in PANELS:
        panel = panel_class(name)
        assert (panel.name, panel.title) == (name, PANELS.title(name))
        claimed |= panel.facets
    assert claimed == CLAIMED.union(*(cls.facets for cls in PANELS.derived.values()))


def test_every_panel_can_be_shown(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    run_to_end(qtbot, app)
    for name in PANELS:
        app.window.show_panel(name)
        settle(app)
    assert all(card.panel is not None for card in app.window.cards())


def test_layouts_are_kept_per_planner(qtbot: QtBot, make_app: MakeApp, settings: QSettings) -> None:
    app = make_app(parts())
    window = app.window
    window.docks["belief"].hide()
    window.use_layout("oracle")
    assert not window.docks["ranking"].isVisible()
    window.use_layout("walker")
    assert not window.docks["belief"].isVisible()
    window.reset_layout()
    qtbot.waitUntil(lambda: window.docks["belief"].isVisible())


def test_a_second_start_shows_the_panels_of_the_first_and_no_others(
        qtbot: QtBot, make_app: MakeApp) -> None:
    def placed(app: App) -> set[str]:
        return {name for name, dock in app.window.docks.items() if not dock.isHidden()}

    first = make_app(parts())
    first.window.docks["scatter"].hide()
    before = placed(first)
    first.window.close()
    assert first.settings.value("layout/walker") is not None
    again = make_app(parts())
    assert placed(again) == before < set(again.window.docks)


def test_themes_and_text_sizes(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    run_to_end(qtbot, app)
    looks: tuple[tuple[PaletteName, float], ...] = (("light", 0.9), ("cvd", 1.5), ("dark", 1.0))
    for name, scale in looks:
        app.window.set_theme(name, scale)
        app.window.resize(1280, 800)
        settle(app)
        assert app.window.size().width() == 1280
    assert app.settings.value("theme") == "dark"


def test_nothing_overlaps_in_the_bar(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    bar = app.window.bar
    for scale, width in ((1.0, 1440), (0.9, 1280), (1.5, 1280), (1.5, 1920)):
        if scale != app.context.theme.scale:
            app.window.set_theme("dark", scale)
        app.window.resize(width, 800)
        settle(app)
        controls = bar.controls
        row = (controls.run, controls.step, controls.stop, controls.override, controls.record, bar.goal)
        edges = [(w.mapTo(bar, w.rect().topLeft()).x(), w.mapTo(bar, w.rect().topRight()).x()) for w in row]
        assert all(before[1] < after[0] for before, after in pairwise(edges)), (width, scale, edges)
        assert bar.meters.geometry().right() <= bar.width()


def test_long_names_of_parts_leave_the_buttons_their_words(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    bar = app.window.bar

    def name_scene(title: str) -> None:
        scenes = {**app.console.choices.scenes, "line": (Choice("line", title),)}
        app.console.offer(replace(app.console.choices, scenes=scenes))

    app.window.resize(2560, 1440)
    for _ in range(2):  # there and back: what fits does not depend on what was shown before
        name_scene("A line")
        qtbot.waitUntil(lambda: bar.controls.step.text().strip() == "Step")
        name_scene("A line with a name of many words that is longer than the others and needs much room")
        qtbot.waitUntil(lambda: bar.pickers.scene.width() >= bar.pickers.scene.natural_width())
        assert bar.controls.step.text().strip() == "Step"
        assert bar.pickers.seed.dice.isVisible()


def test_palette_finds_and_does(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.actions.open_palette()
    assert app.actions.palette.isVisible()
    app.actions.palette.look_for("theme light")
    assert app.actions.palette.titles()[0] == "Theme: light"
    QTest.keyClick(app.actions.palette._field, Qt.Key.Key_Return)
    assert app.context.theme.name == "light"
    assert not app.actions.palette.isVisible()
    app.window.set_theme("dark")


def test_fuzzy_prefers_words() -> None:
    entries = [Entry(title, "run", lambda: None) for title in ("Show or hide Log", "Override the next action …", "Go to Log")]
    assert ranked("over", entries)[0].title.startswith("Override")
    assert ranked("gl", entries)[0].title == "Go to Log"
    assert fuzzy("xyz", "Override") is None


def test_letters_go_to_tools_in_view(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    qtbot.waitUntil(lambda: app.window.stage.card.panel is not None)
    action = next(a for a in app.window.stage.card.tools if a.text() == "Boxes (B)")
    before = action.isChecked()
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_B)
    assert action.isChecked() != before
    assert not app.actions.use_tool("Ctrl+J")


def test_every_key_has_an_act(make_app: MakeApp) -> None:
    app = make_app(parts())
    given = {action.text(): action.shortcut().toString() for action in app.window.actions()}
    assert {act.title: act.key for act in ACTIONS}.items() <= given.items()
    app.actions.show_keys()


def test_digits_annotate(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    QTest.keyClick(app.window, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: [a.label for a in app.bridge.snapshot.labels.values()] == ["good decision"])
    QTest.keyClick(app.window, Qt.Key.Key_9)


def test_the_first_run_card_runs_a_task(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.window.ask_task()
    app.window.task_card._run("Walk to 5")
    assert not app.window.task_card.shown
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    assert app.console.request.task == "Walk to 5"


def test_a_real_planner_thinks_in_the_window(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    qtbot.waitUntil(lambda: app.window.bar.meters.steps.reading.used == "1")
    assert app.console.running is False


def test_limits_are_offered_told_to_the_run_and_kept(make_app: MakeApp, qtbot: QtBot) -> None:
    app = make_app(parts())
    meters, console = app.window.bar.meters, app.console
    menu = meters.limits_menu("calls", (50, 200))
    assert [a.text() for a in menu.actions()] == ["No limit", "At most 50 calls", "At most 200 calls"]
    assert [a.isChecked() for a in menu.actions()] == [True, False, False]
    menu.actions()[1].trigger()
    assert console.request.limits.calls == 50
    menu = meters.limits_menu("tokens", (20_000,))
    menu.actions()[1].trigger()
    assert (console.request.limits.calls, console.request.limits.tokens) == (50, 20_000)
