"""Earlier runs of a window are kept whatever is chosen, started or stopped; they reopen unchanged and can be continued.

Random walks: see `tests/walk_seeds.py`.
"""

from __future__ import annotations

import gc
import random
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.goals.literals import Goal
from core.planning.facets import Frame, Moment, Plan
from core.recording.files import HIDDEN, FinishedRun, sidecar
from core.recording.label_store import LabelStore
from core.recording.reader import open_recording
from core.recording.recorder import Autosave
from core.session.breakpoints import Breakpoint
from core.session.commands import Ban, Command, Edit, Override, SetBreakpoint
from core.session.events import Acted, Annotated, CommandTaken, Event, Rewound, Shown
from core.session.session import Session
from core.session.setup import Setup
from gui.app import App
from gui.control.context import RunAction, RunRow
from gui.control.parts import Parts
from gui.control.runner import SessionListener
from gui.widgets.chooser import Choice
from tests.core.recording.common import CODEC
from tests.core.session.toys import GOAL, LEFT, RIGHT, Guide, Line, Walker
from tests.gui.conftest import MakeApp
from tests.gui.ledger import Ledgers
from tests.gui.parts import as_reading, choices
from tests.gui.settling import let_run, settle
from tests.long_tests import either
from tests.waiting import PATIENCE
from tests.walk_seeds import number_of_walks, walk_seeds

ACTS = 14


def make_setup(request: Request) -> Setup:
    """The toy, whatever names the request has."""
    names = {"planner": request.planner, "simulator": request.simulator, "scene": request.scene, "provider": request.provider}
    goal = replace(GOAL, text=request.task or GOAL.text)
    return Setup(Walker(), Line, goal, request.seed, request.max_steps or 30, {"guide": Guide()}, names)


def read_goal(request: Request) -> Goal:
    return replace(GOAL, text=request.task or GOAL.text)


def toys() -> Parts:
    """Two planners, scenes and presets, all of them the toy."""
    offered = replace(choices(), planners=(Choice("walker", "Walker"), Choice("runner", "Runner")),
                      scenes={"line": (Choice("line", "A line"), Choice("other", "Another line"))},
                      presets={name: (Choice("default", "default"), Choice("quick", "quick")) for name in ("walker", "runner")})
    request = Request("walker", simulator="line", scene="line", provider="guide")
    return Parts(offered, lambda: offered, make_setup, as_reading(read_goal), request,
                 draw_task=lambda request, number: f"Walk {number}")


def rows(app: App) -> tuple[RunRow, ...]:
    app.kept_runs.runs.refresh()
    return app.context.runs.rows


def is_ready(app: App) -> bool:
    return app.runner.phase == "live" and app.bridge.snapshot.turn > 0


def run_to_end(qtbot: QtBot, app: App) -> None:
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)


def step(qtbot: QtBot, app: App) -> None:
    turns = len(app.bridge.snapshot.turns)
    app.console.step()
    settle(app)
    assert len(app.bridge.snapshot.turns) > turns
    assert app.bridge.snapshot.status in ("paused", "ended")


def another(qtbot: QtBot, app: App, choose: Callable[[], object]) -> None:
    """Chooses something that prepares another run, and waits for it."""
    before = app.recorders.present
    choose()
    settle(app)
    assert app.recorders.present is not before
    assert is_ready(app)


def stopped(qtbot: QtBot, app: App) -> None:
    """Stops the run that is under way or being prepared."""
    qtbot.waitUntil(lambda: app.runner.phase in ("live", "idle"))
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")


def reopened(qtbot: QtBot, app: App, number: int) -> None:
    """Opens a run of the list and waits until it, not the one that was shown before, is shown."""
    app.context.runs.ask("open", number)
    qtbot.waitUntil(lambda: app.replay.loading is None and app.viewer.name == f"Run {number}")
    settle(app)
    assert app.replay.number >= 0


# --- what ends a run keeps it ----------------------------------------------------------
CHOICES: dict[str, Callable[[App], object]] = {
    "planner": lambda app: app.console.run_request.choose_planner("runner"),
    "preset": lambda app: app.console.run_request.choose("preset", "quick"),
    "scene": lambda app: app.console.run_request.choose("scene", "other"),
    "seed": lambda app: app.console.run_request.choose("seed", 41),
    "dice": lambda app: app.console.run_request.roll_seed(),
    "task": lambda app: app.console.asked_task.emit(),
    "again": lambda app: app.console.again(),
}


@pytest.mark.parametrize("what", either(("planner", "task", "again"), tuple(CHOICES)))
def test_the_run_so_far_stays_and_reopens_as_it_was(qtbot: QtBot, make_app: MakeApp, what: str) -> None:
    app = make_app(toys())
    app.console.run_request.set_breakpoint(Breakpoint("turn == 25"))
    step(qtbot, app)
    app.runner.post(Override(RIGHT))
    qtbot.waitUntil(lambda: any(t.by == "operator" for t in app.bridge.snapshot.turns))
    app.runner.post(Ban(LEFT))
    app.labelling.point("bookmark")
    app.console.fork(Moment(0, 2))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1 and bool(app.bridge.snapshot.labels))
    before = app.bridge.snapshot
    another(qtbot, app, lambda: CHOICES[what](app))
    outlived = (Breakpoint("turn == 25"),)
    qtbot.waitUntil(lambda: app.bridge.snapshot.breakpoints == outlived)  # posted first to the new run
    assert app.bridge.snapshot.banned == frozenset()
    qtbot.waitUntil(lambda: [row.number for row in rows(app)] == [2, 1])
    kept = rows(app)[1]
    assert (kept.turns, kept.branches, kept.labels, kept.state) == (len(before.line), 2, 1, "kept")
    reopened(qtbot, app, 1)
    shown = app.console.shown
    assert shown.turns == before.turns
    assert (shown.banned, shown.branches, shown.breakpoints) == (before.banned, before.branches, before.breakpoints)
    assert [m.kind for m in shown.marks] == [m.kind for m in before.marks]
    assert set(app.labelling.annotations) == set(before.labels)
    assert app.window.strip._name.text.startswith("Run 1")


def test_opening_an_earlier_run_says_that_the_one_under_way_was_stopped(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 9))
    step(qtbot, app)
    assert app.bridge.snapshot.ended is None
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    reopened(qtbot, app, 1)
    assert any("was stopped" in text for text in said)
    qtbot.waitUntil(lambda: [row.state for row in rows(app)] == ["kept", "shown"])
    said.clear()
    reopened(qtbot, app, 2)
    assert not any("was stopped" in text for text in said)


def test_the_head_of_a_list_follows_it_without_another_snapshot(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    app.window.show_panel("runs")
    card = app.window.docks["runs"].card
    qtbot.waitUntil(lambda: card.header.live.text == "1 run · 1 not saved")
    app.context.runs.show(tuple(replace(row, saved=True) for row in app.context.runs.rows))
    assert card.header.live.text == "1 run"
    app.window.show_panel("breakpoints")
    app.context.breakpoints.follow(SetBreakpoint(Breakpoint("turn == 25")))
    qtbot.waitUntil(lambda: app.window.docks["breakpoints"].card.header.live.text == "1 set")


def test_stop_and_space_at_the_end_keep_runs(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    app.console.run_or_pause()
    qtbot.waitUntil(lambda: len(rows(app)) == 2 and app.bridge.snapshot.ended is not None)
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    assert [(row.number, row.outcome) for row in rows(app)] == [(2, "goal reached"), (1, "goal reached")]


def test_a_run_that_was_only_prepared_is_not_kept(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    for seed in (5, 6, 7):
        another(qtbot, app, partial(app.console.run_request.choose, "seed", seed))
    qtbot.waitUntil(lambda: [row.state for row in rows(app)] == ["now"])
    assert not app.kept_runs.runs.losses()


def test_going_on_from_a_run_that_was_stopped_in_mid_turn_brings_everything_back(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    point = Breakpoint("turn == 27")
    for _ in range(3):
        step(qtbot, app)
    app.runner.post(Ban(LEFT))
    app.runner.post(Edit(Plan((), "mine")))
    app.console.run_request.set_breakpoint(point)
    qtbot.waitUntil(lambda: app.bridge.snapshot.breakpoints == (point,))
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    app.console.run_request.clear_breakpoint(point)
    qtbot.waitUntil(lambda: any(row.state == "kept" for row in rows(app)))
    app.context.runs.ask("go on", 1)
    qtbot.waitUntil(lambda: not app.console.replaying and app.runner.phase == "live"
                    and len(app.bridge.snapshot.line) == 3 and app.bridge.snapshot.current is not None)
    qtbot.waitUntil(lambda: app.bridge.snapshot.banned == {LEFT})
    qtbot.waitUntil(lambda: app.bridge.snapshot.breakpoints == (point,))
    assert app.context.breakpoints.points == (point,)
    assert app.console.request.seed == 0
    assert any(m.kind == "edit" for m in app.bridge.snapshot.marks)


def test_saving_moves_run_and_labels_and_it_stays_open(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    qtbot.waitUntil(lambda: rows(app)[-1].state == "kept")
    reopened(qtbot, app, 1)
    app.labelling.point("error")
    app.replay.jobs.do(lambda: None, lambda _: None, lambda _: None)
    app.context.runs.ask("save", 1)
    qtbot.waitUntil(lambda: rows(app)[-1].saved)
    qtbot.waitUntil(lambda: (shown := app.replay.recording) is not None and not shown.path.name.startswith("."))
    (path,) = [p for p in (tmp_path / "recordings").glob("*.mcap") if not p.name.startswith(HIDDEN)]
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: {a.label for a in app.labelling.annotations.values()} == {"error", "bookmark"})
    app.window.close()
    assert sidecar(path).read_text().count("\n") == 2
    assert not list((tmp_path / "recordings").glob(f"{HIDDEN}*"))
    with open_recording(path, CODEC) as recording:
        assert len(recording.turns()) == 5


def test_a_label_that_is_written_after_its_run_was_moved_goes_along(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app, moved = make_app(toys()), threading.Event()
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    qtbot.waitUntil(lambda: rows(app)[-1].state == "kept")
    reopened(qtbot, app, 1)
    app.replay.jobs.do(moved.wait, lambda _: None, lambda _: None)  # whatever is written now waits until the run is saved
    app.labelling.point("error")
    app.context.runs.ask("save", 1)
    qtbot.waitUntil(lambda: rows(app)[-1].saved)
    moved.set()
    (path,) = [p for p in (tmp_path / "recordings").glob("*.mcap") if not p.name.startswith(HIDDEN)]
    qtbot.waitUntil(lambda: sidecar(path).is_file())
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording.path == path)
    qtbot.waitUntil(lambda: {a.label for a in app.labelling.annotations.values()} == {"error"})


def test_a_label_that_is_written_only_when_its_saved_run_is_open_again_is_shown(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was on disk, and in the window not before the next start."""
    app, writes = make_app(toys()), threading.Event()
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    qtbot.waitUntil(lambda: rows(app)[-1].state == "kept")
    reopened(qtbot, app, 1)
    save: Callable[[LabelStore], None] = LabelStore.save

    def save_late(store: LabelStore) -> None:
        writes.wait(PATIENCE)
        save(store)

    monkeypatch.setattr(LabelStore, "save", save_late)
    app.labelling.point("error")
    before = app.replay.recording
    app.context.runs.ask("save", 1)
    qtbot.waitUntil(lambda: rows(app)[-1].saved)
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording is not before)
    writes.set()
    qtbot.waitUntil(lambda: {a.label for a in app.labelling.annotations.values()} == {"error"})
    (path,) = [p for p in (tmp_path / "recordings").glob("*.mcap") if not p.name.startswith(HIDDEN)]
    qtbot.waitUntil(lambda: sidecar(path).is_file())


def test_a_removed_run_comes_back_with_undo_and_is_deleted_at_the_end(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    qtbot.waitUntil(lambda: len(rows(app)) == 2 and rows(app)[-1].state == "kept")
    app.context.runs.ask("remove", 1)
    assert [row.number for row in rows(app)] == [2]
    assert not app.kept_runs.runs.losses()
    app.console.undoing.undo()
    assert [row.number for row in rows(app)] == [2, 1]
    app.context.runs.ask("remove", 1)
    app.window.close()
    assert not list((tmp_path / "recordings").glob("*.mcap"))


def test_no_autosave_is_deleted_while_it_is_open(qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    app, really_remove, open_then = make_app(toys()), FinishedRun.remove, list[bool]()
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 8))
    qtbot.waitUntil(lambda: rows(app)[-1].state == "kept")
    reopened(qtbot, app, 1)
    assert app.replay.recording is not None
    file = app.replay.recording.reader._scan.file

    def remove(run: FinishedRun) -> None:
        open_then.append(not file.closed)
        really_remove(run)

    monkeypatch.setattr(FinishedRun, "remove", remove)
    app.window.close()
    assert open_then == [False]


def test_the_bound_spares_what_the_operator_changed(qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gui.recordings.runs.MOST_RUNS", 2)
    app = make_app(toys())
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    for number in range(1, 5):
        if number == 1:
            app.labelling.point("bookmark")
        run_to_end(qtbot, app)
        another(qtbot, app, partial(app.console.run_request.choose, "seed", 8 + number))
    qtbot.waitUntil(lambda: [row.number for row in rows(app)] == [5, 4, 1])
    assert [text.split(":")[0] for text in said if "was removed" in text] == ["Run 2 was removed", "Run 3 was removed"]


# --- anything in any order ---------------------------------------------------------------
def matters(event: Event) -> bool:
    """Whether losing the event would lose something."""
    what = event.what
    changes = isinstance(what, CommandTaken) and what.ok and isinstance(what.command, Override | Ban | Edit)
    return changes or isinstance(what, Acted | Rewound | Annotated)


def told(events: list[Event]) -> list[Event]:
    return [event for event in events if not (isinstance(event.what, Shown) and isinstance(event.what.facet, Frame))]


class Operator:
    """Chooses, runs and changes at random."""

    def __init__(self, app: App, dice: random.Random):
        self.app, self.dice, self.did = app, dice, list[str]()
        self.points: list[Breakpoint] = []
        wishes, console = app.console.run_request, app.console
        self._acts: dict[str, Callable[[], object]] = {
            "planner": lambda: wishes.choose_planner(dice.choice(("walker", "runner"))),
            "preset": lambda: wishes.choose("preset", dice.choice(("default", "quick"))),
            "scene": lambda: wishes.choose("scene", dice.choice(("line", "other"))),
            "seed": lambda: wishes.choose("seed", dice.randrange(50)),
            "task": lambda: wishes.choose("task", f"Walk {dice.randrange(9)} times"),
            "goal": lambda: wishes.set_goal("Walk on", replace(GOAL, text="Walk on")),
            "run": console.run, "again": console.again, "stop": console.stop, "space": console.run_or_pause,
            "step": console.step, "pause": console.pause, "rewind": console.rewind, "fork": console.fork,
            "undo": console.undoing.undo, "redo": console.undoing.redo,
            "override": lambda: self._say(Override(dice.choice((LEFT, RIGHT)))),
            "ban": lambda: self._say(Ban(LEFT)),
            "edit": lambda: self._say(Edit(Plan((), "mine"))),
            "label": lambda: app.labelling.point("bookmark"),
            "breakpoint": self._break,
            "open": partial(self._ask, "open"), "go on": partial(self._ask, "go on"), "save": partial(self._ask, "save"),
            "leave": app.viewer.leave,
        }

    def act(self) -> None:
        name = self.dice.choice(list(self._acts))
        self.did.append(name)
        self._acts[name]()

    def _ask(self, act: RunAction) -> None:
        listed = rows(self.app)
        if listed:
            self.app.context.runs.ask(act, self.dice.choice(listed).number)

    def _say(self, command: Command) -> None:
        self.app.runner.post(command)

    def _break(self) -> None:
        point = Breakpoint(f"turn == {self.dice.randrange(60, 90)}")
        self.points.append(point)
        self.app.runner.post(SetBreakpoint(point))


def kept_runs(app: App) -> list[list[Event]]:
    """The events of all recordings that belong to the listed runs."""
    listed, found = {row.number for row in rows(app)}, []
    for run in app.recorders.runs:
        if run.number in listed and run.path is not None:
            with open_recording(run.path, CODEC) as recording:
                assert recording.notice == ""
                found.append(told(list(recording.events())))
    return found


def assert_kept(app: App, wanted: list[list[Event]], about: str) -> None:
    """Each of these runs has a recording with events of the same numbers and kinds."""
    found = [[(e.number, type(e.what)) for e in events] for events in kept_runs(app)]
    for events in wanted:
        assert [(e.number, type(e.what)) for e in events] in found, f"{about}: a run of {len(events)} events is gone"


@pytest.mark.timeout(60 + 60 * number_of_walks(2))
def test_no_sequence_of_choices_and_acts_loses_anything(qtbot: QtBot, make_app: MakeApp) -> None:
    for seed in walk_seeds(2):
        app, ledgers = make_app(toys()), Ledgers()
        app.runner._make_listener = ledgers.beside(app.runner._make_listener)
        operator = Operator(app, random.Random(seed))
        app.console.run_request.choose("seed", 77)
        for _ in range(ACTS):
            operator.act()
            let_run(app, operator.dice.choice((0, 1, 8, 30)))
        stopped(qtbot, app)
        about = f"BELVEDERE_WALK_SEED={seed}: {operator.did}"
        assert set(operator.points) == set(app.context.breakpoints.points), about
        wanted = [told(one.events) for one in ledgers.all if any(map(matters, one.events))]
        assert wanted, about
        qtbot.waitUntil(partial(assert_kept, app, wanted, about))
        app.window.close()


def test_the_list_of_runs_holds_no_session_in_memory(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    sessions: list[weakref.ref[Session]] = []
    make_listener = app.runner._make_listener

    def noted(session: Session, request: Request) -> SessionListener:
        sessions.append(weakref.ref(session))
        return make_listener(session, request)

    app.runner._make_listener = noted
    for seed in (5, 6, 7):
        another(qtbot, app, partial(app.console.run_request.choose, "seed", seed))
        step(qtbot, app)
    stopped(qtbot, app)
    gc.collect()
    assert [row.state for row in rows(app)].count("kept") == 3
    assert sum(ref() is not None for ref in sessions) <= 1, "only the last one, which its thread may still hold"


def test_a_recording_that_begins_just_as_the_run_ends_is_in_the_list(qtbot: QtBot, make_app: MakeApp, tmp_path: Path,
                                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    late, real = tmp_path / "recordings" / "late.mcap", Autosave.close

    def close(autosave: Autosave, *, keep: bool = False) -> FinishedRun | None:
        if not late.exists():
            autosave.record(late)
        return real(autosave, keep=keep)

    app = make_app(toys())
    step(qtbot, app)
    monkeypatch.setattr(Autosave, "close", close)
    stopped(qtbot, app)
    qtbot.waitUntil(lambda: [row.saved for row in rows(app)] == [True])
    assert [run.path for run in app.recorders.runs] == [late]
