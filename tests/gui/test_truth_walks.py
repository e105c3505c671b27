"""Random walks: all content of the window belongs to the turn, branch and run it claims, and no run is lost.

Real planners, the household and its renderer. See `tests/walk_seeds.py` for more walks. Threads have no fixed timing, so the
same seed gives the same walk, not the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import Belief
from core.planning.facets import Frame, Moment
from core.planning.search_facets import Ranking
from core.session.commands import Ban, Edit, Override, SetSteps, UseModel
from core.session.plain_turn import plain_turn
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.app import App
from gui.panels.frames.panel import FramesPanel
from tests.gui.conftest import MakeApp
from tests.gui.ledger import Ledger, Ledgers
from tests.gui.parts import parts, read_goal
from tests.gui.settling import let_run, settle
from tests.gui.told import check_words
from tests.long_tests import either
from tests.walk_seeds import number_of_walks, walk_seeds

ACTS = either(28, 42)
EVENTS = (0, 2, 10, 40)
"""How many events a run goes on between two acts; then it may be anywhere in a turn."""
SIZES = ((1024, 600), (1280, 720), (1440, 900), (1920, 1080))
PLANNERS = ("llm-mcts", "bcr", "llm-state", "greedy", "oracle")
TASKS = ("Put one apple inside the fridge", "Put one mug in the sink", "Close the fridge", "Put one book on the sofa")


class Operator:
    """Does random actions."""

    def __init__(self, app: App, dice: Random):
        self.app, self.dice, self.did = app, dice, list[str]()
        console, wishes = app.console, app.console.run_request
        self._acts: dict[str, tuple[int, Callable[[], object]]] = {
            "run": (4, console.run), "step": (8, console.step), "checkpoint": (2, partial(console.step, "checkpoint")),
            "pause": (4, console.pause), "stop": (1, console.stop), "again": (1, console.again),
            "rewind": (3, console.rewind), "rewind to": (3, lambda: console.rewind(self._moment())),
            "fork": (3, console.fork), "fork at": (2, lambda: console.fork(self._moment())),
            "look back": (4, lambda: console.go_to(self._moment())), "look live": (2, console.go_live),
            "edit": (3, self._edit), "override": (3, self._override), "ban": (2, self._ban),
            "undo": (3, console.undoing.undo), "redo": (1, console.undoing.redo),
            "record": (2, app.recorders.toggle), "label": (1, lambda: app.labelling.point("bookmark")),
            "more steps": (1, lambda: app.runner.post(SetSteps(console.snapshot.most_steps + 2))),
            "planner": (1, lambda: wishes.choose_planner(dice.choice(PLANNERS))),
            "scene": (1, lambda: wishes.choose("scene", f"four-rooms-{dice.randrange(1, 3)}")),
            "seed": (1, lambda: wishes.choose("seed", dice.randrange(9))), "goal": (1, self._goal),
            "open": (1, partial(self._ask, "open")), "leave": (2, app.viewer.leave),
            "model": (1, lambda: app.runner.post(UseModel("commonsense"))), "first": (1, console.first_turn),
            "resize": (2, lambda: app.window.resize(*dice.choice(SIZES))), "visitors": (2, app.window.toggle_visitors),
            "page": (1, lambda: app.window.asked_library.emit()), "back": (2, app.window.leave_frames_only),
            "palette": (1, app.actions.open_palette), "no palette": (2, app.actions.palette.leave),
            "text": (1, lambda: app.window.set_theme(dice.choice(("dark", "light")), dice.choice((0.9, 1.0, 1.5)))),
            "layout": (1, app.window.reset_layout), "override dialog": (1, app.run_dialogs.ask_override),
            "no dialog": (2, lambda: app.run_dialogs.override.cancel()),
        }

    def act(self) -> None:
        """Does one action."""
        names = list(self._acts)
        name = self.dice.choices(names, [self._acts[name][0] for name in names])[0]
        self.did.append(name)
        self._acts[name][1]()

    def _moment(self) -> Moment:
        turns = self.app.console.snapshot.turns
        turn = self.dice.choice(turns) if len(turns) else None
        return Moment(0, 1) if turn is None else turn.moment

    def _first_steps(self) -> list[Action]:
        ranking = self.app.console.snapshot.facet(Ranking)
        return [] if ranking is None else [ranked.steps[0] for ranked in ranking.actions if ranked.steps]

    def _edit(self) -> None:
        belief = self.app.console.snapshot.facet(Belief)
        if belief is None or not len(belief.objects):
            return
        zeroed = belief.zeroed.copy()
        zeroed[self.dice.randrange(zeroed.shape[0]), self.dice.randrange(zeroed.shape[1])] = True
        self.app.runner.post(Edit(replace(belief, zeroed=zeroed), "zeroed at random"))

    def _override(self) -> None:
        if steps := self._first_steps():
            self.app.runner.post(Override(self.dice.choice(steps)))

    def _ban(self) -> None:
        if steps := self._first_steps():
            self.app.runner.post(Ban(self.dice.choice(steps)))

    def _goal(self) -> None:
        text = self.dice.choice(TASKS)
        self.app.console.run_request.set_goal(text, read_goal(replace(self.app.console.request, task=text)))

    def _ask(self, act: str) -> None:
        self.app.kept_runs.runs.refresh()
        kept = [row.number for row in self.app.context.runs.rows if row.state in ("kept", "recorded")]
        if kept:
            self.app.context.runs.asked.emit(act, self.dice.choice(kept))


# --- what must hold at any moment -------------------------------------------------------
def check(app: App, ledgers: Ledgers) -> None:
    """Checks that the run reported everything shown now at the moment it claims to be of."""
    for snapshot in (app.console.snapshot, app.console.shown):
        ledger = ledgers.of(snapshot)
        if ledger is not None:
            check_mind(snapshot, ledger)
            check_outcome(snapshot, ledger)
            check_times(snapshot)
            check_pictures(snapshot, ledger)


def check_mind(snapshot: Snapshot, ledger: Ledger) -> None:
    shown, line = ledger.shown(snapshot.event), ledger.line(snapshot)
    for kind, (facet, moment) in snapshot.facets.items():
        said = shown.get((moment, kind), [])
        assert any(facet is one for one in said), f"{kind.__name__} of {moment} was never shown there"
        assert moment in line, f"{kind.__name__} of {moment} is not of the line of {snapshot.moment}"
        if moment == snapshot.moment:
            assert facet is said[-1], f"{kind.__name__} is not the newest of {moment}"
    answered = ledger.answered(snapshot.event)
    assert {call.id: Moment(call.branch, call.turn) for call in snapshot.calls} == answered
    for turn in snapshot.turns:
        assert any(event.moment == turn.moment for event in ledger.until(snapshot.event)), turn


def check_outcome(snapshot: Snapshot, ledger: Ledger) -> None:
    ends = ledger.ends(snapshot.event)
    assert all(len(told) <= 1 for told in ends.values()), f"an end was told twice: {ends}"
    for branch, state in snapshot.branch_states.items():
        told = ends.get(branch, [])
        assert state.ended is (told[0] if told else None), f"branch {branch}: {state.ended}, told {told}"
    assert snapshot.progress == ledger.progress(snapshot.event)
    if snapshot.ended is not None:
        assert snapshot.ended.success == all(p.reached for p in snapshot.ended.progress)


def check_times(snapshot: Snapshot) -> None:
    assert 0 <= snapshot.worked <= snapshot.at + 1e-6
    for turn in snapshot.turns:
        assert turn.thinking + turn.waiting + turn.acting <= turn.work + 0.05, turn
        assert turn.idle >= 0
    assert sum(turn.work for turn in snapshot.turns) <= snapshot.worked + 0.05


def check_pictures(snapshot: Snapshot, ledger: Ledger) -> None:
    came = ledger.pictures()
    for frame in snapshot.frames.values():
        assert any(frame is one for one in came), "a picture of another run"
        check_content(frame, ledger)


def check_content(frame: Frame, ledger: Ledger) -> None:
    """Checks that a first-person picture shows the room the robot was in."""
    seen = ledger.seen(frame)
    if frame.camera != "first person" or seen is None or not frame.boxes:
        return
    here = {entity.id for entity in seen.entities if entity.room == seen.agent.room}
    boxed = {name for name, _ in frame.boxes}
    assert boxed & (here | set(seen.agent.holding)), (
        f"turn {frame.turn}, {frame.phase}: nothing of {seen.agent.room} is in the picture, but {sorted(boxed)[:6]}")


def check_captions(app: App) -> None:
    """Checks that each picture in the window names its turn."""
    panel = app.window.stage.card.panel
    if panel is None:
        return  # it is created with its first snapshot, and shows nothing until then
    assert isinstance(panel, FramesPanel)
    for pane in panel.panes.values():
        if pane.frame is not None and pane.isVisible():
            assert f"turn {pane.frame.turn}" in pane.caption, (pane.frame.moment, pane.caption)


def check_visitors(app: App) -> None:
    """Checks that the visitors' bar tells of the moment that is shown."""
    bar, shown = app.window.visitor_bar, plain_turn(app.console.shown)
    if bar.isVisible() and shown.act and (app.console.begun or app.console.replaying):
        assert shown.act.split()[0] in bar.act.text().lower(), (shown.act, bar.act.text())


def is_kept(app: App, ledger: Ledger) -> bool:
    """Whether a session's turns are in one of the window's runs."""
    began = ledger.began
    return any(run.summary.turns == ledger.acted and began is not None and run.summary.goal for run in app.recorders.runs
               if not run.removed and (not run.over or run.path is not None))


def walk(qtbot: QtBot, app: App, operator: Operator, more: Callable[[App, Ledgers], None] = lambda *_: None) -> None:
    """Does one walk; the operator remembers its actions. `more` checks something else after each."""
    ledgers = Ledgers()
    app.runner._make_listener = ledgers.beside(app.runner._make_listener)
    app.console.run_request.choose("seed", 77)
    for _ in range(ACTS):
        operator.act()
        let_run(app, operator.dice.choice(EVENTS))
        if app.console.snapshot.status in ("paused", "ended"):
            settle(app)
            check_words(app, ledgers)
            check_visitors(app)
        check(app, ledgers)
        check_captions(app)
        more(app, ledgers)
    qtbot.waitUntil(lambda: app.runner.phase in ("live", "idle"))
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    for ledger in ledgers.all:
        assert not ledger.acted or is_kept(app, ledger), f"a run of {ledger.acted} turns is lost"


@pytest.mark.timeout(180 + 120 * number_of_walks(1))
def test_what_is_shown_is_true_whatever_is_done(qtbot: QtBot, make_app: MakeApp) -> None:
    for seed in walk_seeds(1):
        given = parts("llm-mcts", TASKS[0])
        app = make_app(replace(given, request=replace(given.request, parameters={"simulations": 20}, max_steps=9)))
        operator = Operator(app, Random(seed))
        try:
            walk(qtbot, app, operator)
        except Exception as error:
            raise AssertionError(f"BELVEDERE_WALK_SEED={seed}: {operator.did[-12:]}: {error}") from error
        app.window.close()
