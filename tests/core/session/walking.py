"""An operator who posts random commands to a session, and a witness who checks each event against a simple model of the run.

The model keeps in dictionaries what each branch showed and did, and how it ended. It shares no code with the fold it checks.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, ClassVar

from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.planning.companion import CompanionDecision
from core.planning.facets import Facet, GoalProgress, Grounded, Moment, Plan
from core.planning.model_requests import Message, ModelRequest
from core.planning.planner import Decision, Planner, Thought
from core.planning.search_facets import RankedAction, Ranking
from core.session import commands as c
from core.session import events as e
from core.session.breakpoints import Breakpoint
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from core.simulator.base import Simulator, WorldChange
from core.world.vocabulary import Action, Observation
from tests.core.session.toys import LEFT, RIGHT, Line, Walker

BORED = 9
"""Actions after which the toy planner gives up."""
Known = dict[type[Facet], tuple[Facet, Moment]]


def walk_to(place: int) -> Goal:
    """Returns a goal on the toys' line."""
    return Goal((Literal("is", "walker", None, 1, frozenset({f"at {place}"})),), f"Walk to {place}")


class Minded(Walker):
    """Shows several kinds of facet, some only in some turns; respects bans, parameters and its goal; sometimes gives up."""

    shows = frozenset({Plan, Ranking, GoalProgress})

    def plan(self, observation: Observation) -> Thought:
        for look in range(self.parameters.looks):
            yield Plan((RIGHT,), f"look {look} draw {int(self.rng.integers(1000))} edits {self.edited}")
        allowed = [action for action in (RIGHT, LEFT) if action not in self.banned]
        if self.heard % 2 == 0 and allowed:
            ranked = [RankedAction((a,), 0.5, 3 - k, 1.0 - k, 0.5, float(k)) for k, a in enumerate(allowed)]
            yield Ranking(tuple(ranked), 5, 5)
        if self.heard % 3 == 0:
            yield GoalProgress(progress(self.goal, observation))
        yield self.ask(observation, "way")
        if self.heard > BORED or not allowed:
            return Decision(None, "it is bored" if allowed else "nothing is allowed")
        return Decision(allowed[0], f"of {len(allowed)}")


class Onlooker(Minded):
    """Thinks beside, and says how many outcomes it was told and how often it was edited."""

    name: ClassVar[str] = "onlooker"
    shows = frozenset({Plan})

    def plan(self, observation: Observation) -> Thought:
        yield Plan((), f"heard {self.heard} edits {self.edited}")
        yield self.ask(observation, "way")
        allowed = [action for action in ((LEFT, RIGHT) if self.heard % 3 == 1 else (RIGHT, LEFT)) if action not in self.banned]
        return Decision(allowed[0] if allowed else None, "it thinks beside")


@dataclass
class Lived:
    """What happened on one branch."""

    line: list[Moment] = field(default_factory=list)
    """The acted turns that lead to where it is now."""
    known: Known = field(default_factory=dict)
    goal: Goal | None = None
    ended: e.Ended | None = None
    deeds: list[Action | WorldChange] = field(default_factory=list)
    """What has changed the world up to where it is now: actions that worked, and changes of the operator."""
    beside: tuple[int, int] = (0, 0)
    """How many outcomes the second planner was told, and how often it was edited."""


class Witness:
    """Receives every event, folds it, and compares the snapshot with the model and with the session itself."""

    def __init__(self, session: Session):
        self.session, self.events, self.snapshots = session, list[e.Event](), list[Snapshot]()
        self.now, self.wrong = Snapshot(), ""
        self._branches = {0: Lived()}
        self._starts: dict[Moment, tuple[Known, list[Moment], list[Action | WorldChange], tuple[int, int]]] = {}
        self._is_told = True
        """Whether the planners are told the outcome of the operator's last override."""
        self._parents: dict[int, tuple[int, int]] = {}
        self._present, self._under_way = 0, True
        self._asked: dict[int, Moment] = {}
        self._marks: list[tuple[str, Moment]] = []
        self.acted: list[tuple[Moment, Action]] = []

    def hear(self, event: e.Event) -> None:
        """Takes one event. The first error is kept, because an exception here would count as the planner's."""
        before, self.now = self.now, fold(self.now, event)
        self.events.append(event)
        self.snapshots.append(self.now)
        if self.wrong:
            return
        try:
            self._live(event)
            self._check(event, before)
        except Exception as error:  # noqa: BLE001 - told by the test
            line = traceback.extract_tb(error.__traceback__)[-1].line
            self.wrong = f"event {event.number} (branch {event.branch}, turn {event.turn}), {event.what}: {error!r} at {line}"

    # --- the model -----------------------------------------------------------
    def _live(self, event: e.Event) -> None:
        what, lived = event.what, self._branches[self._present]
        match what:
            case e.Rewound():
                self._go_back(what)
            case e.Switched(branch=branch):
                self._present, self._under_way = branch, False
            case e.Shown(facet=facet, of=None) if not isinstance(facet, Grounded):
                lived.known = {**lived.known, type(facet): (facet, event.moment)}
            case e.TurnBegan():
                assert lived.ended is None or lived.ended.reason == "steps used up", "a branch went on after its end"
                lived.ended, self._under_way = None, True
                self._keep_start(event.moment)
            case e.Acted(outcome=outcome, by=by):
                lived.beside = lived.beside[0] + (by == "planner" or self._is_told), lived.beside[1]
                lived.line.append(event.moment)
                lived.deeds += [outcome.action] if outcome.ok else []
                self.acted.append((event.moment, outcome.action))
            case e.Asked(id=number) | e.AskedAside(id=number):
                self._asked[number] = event.moment
            case e.CommandTaken(ok=True, command=command):
                self._obey(command, event.moment)
            case e.Ended():
                assert lived.ended is None, "a branch ended twice"
                lived.ended = what
            case _:
                pass
        self._mark(event)

    def _obey(self, command: c.Command, moment: Moment) -> None:
        lived = self._branches[self._present]
        match command:
            case c.Override(told=told):
                self._is_told = told
            case c.EditCompanion():
                lived.beside = lived.beside[0], lived.beside[1] + 1
            case c.ChangeWorld(change=change):
                lived.deeds.append(change)
                self._keep_start(moment)

    def _go_back(self, what: e.Rewound) -> None:
        """Starts a new branch with the state of its parent at that turn."""
        assert what.branch == len(self._branches), "branches are numbered as they are made"
        self._parents[what.branch] = what.parent, what.turn
        parent = self._branches[what.parent]
        if what.present:
            known, line, deeds, beside = dict(parent.known), list(parent.line), list(parent.deeds), parent.beside
        else:
            known, line, deeds, beside = self._starts[self._owner(what.parent, what.turn)]
        self._branches[what.branch] = Lived(list(line), dict(known), deeds=list(deeds), beside=beside)
        self._present, self._under_way = what.branch, False
        self._keep_start(Moment(what.branch, what.turn))

    def _keep_start(self, moment: Moment) -> None:
        lived = self._branches[self._present]
        self._starts[moment] = dict(lived.known), list(lived.line), list(lived.deeds), lived.beside

    def _owner(self, branch: int, turn: int) -> Moment:
        """Returns the branch on which a turn of a line began."""
        while Moment(branch, turn) not in self._starts:
            branch = self._parents[branch][0]
        return Moment(branch, turn)

    def _mark(self, event: e.Event) -> None:
        match event.what:
            case e.CommandTaken(ok=True, command=c.Edit() | c.EditCompanion()):
                self._marks.append(("edit", event.moment))
            case e.CommandTaken(ok=True, command=c.ChangeWorld()):
                self._marks.append(("world", event.moment))
            case e.CommandTaken(ok=True, command=c.SetGoal()):
                self._marks.append(("goal", event.moment))
            case e.Decided(by="operator"):
                self._marks.append(("override", event.moment))
            case e.Diverged():
                self._marks.append(("divergence", event.moment))
            case e.Failed() | e.Recovered():
                self._marks.append(("fault", event.moment))
            case e.Rewound(turn=turn, branch=branch):
                self._marks.append(("rewind", Moment(branch, turn)))
            case e.Switched(turn=turn, branch=branch):
                self._marks.append(("rewind", Moment(branch, turn)))
            case _:
                pass

    # --- the comparison ------------------------------------------------------
    def _check(self, event: e.Event, before: Snapshot) -> None:
        now, what = self.now, event.what
        assert now.worked >= before.worked, "work is undone"
        assert now.worked <= now.at + 1e-6, "more work than time"
        moving = isinstance(what, e.Rewound | e.Switched | e.Standing) or (isinstance(what, e.Shown) and what.of is not None)
        self._check_attribution()
        self._check_ends()
        if not moving:
            assert now.facets == self._branches[self._present].known, "not what this line has shown"
            self._check_settings()
        self._check_beside(event)
        if isinstance(what, e.TurnBegan | e.Ended):
            self._check_progress(what)
            self._check_world()
        if isinstance(what, e.Acted):
            assert now.turns[-1].moment == event.moment
            assert abs(now.turns[-1].work + now.turns[-1].idle - (event.at - now.turns[-1].began)) < 1e-6
            assert what.thinking + what.waiting + what.acting <= now.turns[-1].work + 0.05

    def _check_attribution(self) -> None:
        now = self.now
        assert now.branch == self._present
        assert [turn.moment for turn in now.line] == self._branches[self._present].line
        assert [(turn.moment, turn.done) for turn in now.turns] == self.acted
        for call in (*now.calls, *now.waiting, *now.aside):
            assert Moment(call.branch, call.turn) == self._asked[call.id], f"call {call.id}"
        assert [(mark.kind, Moment(mark.branch, mark.turn)) for mark in now.marks if mark.kind != "command"] == self._marks

    def _check_ends(self) -> None:
        now = self.now
        assert now.ended == self._branches[self._present].ended
        assert (now.status == "failed") == (now.failure is not None)
        assert (now.status == "ended") == (now.ended is not None and now.failure is None)
        for number, lived in self._branches.items():
            state = now.branch_states.get(number)
            assert (None if state is None else state.ended) == lived.ended
        for state in now.branch_states.values():
            if state.ended is not None:
                assert state.ended.success == all(p.reached for p in state.progress)

    def _check_settings(self) -> None:
        now, handler = self.now, self.session._run
        if now.began is None:
            return
        assert now.goal == handler.goal
        assert now.parameters == handler.planner.parameters
        assert now.banned == handler.banned == handler.planner.banned
        assert now.most_steps == handler.most_steps
        assert now.breakpoints == handler.pause_control.breakpoints.points
        assert bool(now.pause) == handler.pause_control.paused
        if now.current is not None or now.ended is not None:
            assert [t.done for t in now.line] == list(self.session.world.actions)

    def _check_progress(self, what: e.TurnBegan | e.Ended) -> None:
        """Checks that the reported goal progress is true in the world, also while the simulator is down."""
        if isinstance(self.session.world.simulator, Line):
            line = Line()
            line.place = self._place()
            assert what.progress == progress(self.session._run.goal, line.reveal())
        assert self.now.progress == what.progress
        assert self.now.goal is not None
        assert [p.literal for p in what.progress] == list(self.now.goal.literals)

    def _check_beside(self, event: e.Event) -> None:
        """Checks that the second planner was told and edited what this line says, and thought about each decision."""
        if self.session.setup.beside is None:
            return
        match event.what:
            case e.Shown(facet=CompanionDecision() as decision, of=None) if (plan := decision.facet(Plan)) is not None:
                heard, edits = self._branches[self._present].beside
                assert plan.because.startswith("heard"), plan.because
                assert plan.because == f"heard {heard} edits {edits}", (heard, edits)
            case e.Decided(by="planner", action=action) if action is not None:
                thought = self.now.fresh(CompanionDecision)
                assert thought is not None, "it has not thought about this turn"
                assert thought.driving == action

    def _check_world(self) -> None:
        """Checks that the world is as the actions and changes of this line of branches have left it."""
        world, deeds = self.session.world.simulator, self._branches[self._present].deeds
        changed = [deed for deed in deeds if isinstance(deed, WorldChange)]
        assert [mark.text for mark in self.now.world_changes] == [f"world changed: {change.words()}" for change in changed]
        if isinstance(world, Line):
            place = frozenset({f"at {self._place()}"})
            assert self.session.world.seen.by_id["walker_1"].states == place
            assert self.now.seen is not None
            assert self.now.seen.by_id["walker_1"].states == place
            assert world.place == self._place() or not self.session.world._handle.is_there
        else:
            ours, theirs = (replace(world.reveal(), step=0) for world in (world, again(self.session, deeds)))
            assert ours == theirs

    def _place(self) -> int:
        """Returns the place on the toys' line to which the deeds of this line of branches lead."""
        place = self.session.setup.seed % 3
        for deed in self._branches[self._present].deeds:
            step = 1 if deed == RIGHT else -1
            place = int(deed.to.removeprefix("at ")) if isinstance(deed, WorldChange) else place + step
        return place


def again(session: Session, deeds: Iterable[Action | WorldChange]) -> Simulator:
    """Returns another simulator in which the same was done."""
    world = session.world._handle._make() if session.world.is_open else session.setup.make_world()
    world.reset(session.setup.seed)
    for deed in deeds:
        if isinstance(deed, WorldChange):
            world.change(deed)
        else:
            world.step(deed)
    return world


class Operator:
    """Posts so many random commands, one after the other, and stops the run at the end.

    Args:
        acts: makes the commands; called with the present snapshot.
        count: how many.
    """

    def __init__(self, session: Session, witness: Witness, random: Random, acts: Callable[[Random, Snapshot], c.Command],
                 count: int):
        self._session, self._witness, self._random, self._acts, self._left = session, witness, random, acts, count
        self.said: list[c.Command] = []

    def hear(self, event: e.Event) -> None:
        """Posts a command at once if the run waits for a person, and sometimes while it goes on."""
        now = self._witness.now
        asked = isinstance(event.what, e.CommandTaken | e.Paused | e.Ended | e.Failed | e.Standing) and now.status in (
            "paused", "ended", "failed")
        if asked or self._random.random() < 0.12:
            self.say(self._acts(self._random, now) if self._left > 0 else c.Stop())

    def say(self, command: c.Command) -> None:
        """Posts one command."""
        self._left -= 1
        self.said.append(command)
        self._session.post(command)


def anything(edits: Callable[[Random, Snapshot], Facet | None], actions: Iterable[Action], goals: Iterable[Goal],
             parameter: Callable[[Random], c.SetParameter],
             changes: Iterable[WorldChange]) -> Callable[[Random, Snapshot], c.Command]:
    """Returns a function that draws commands of an operator: most are sensible, some should be refused."""
    actions, goals, changes = tuple(actions), tuple(goals), tuple(changes)

    def act(random: Random, now: Snapshot) -> c.Command:
        turn, branch = random.randrange(0, now.turn + 2), random.randrange(0, len(now.branches) + 1)
        point = random.choice((Breakpoint(f"turn == {random.randrange(1, 9)}"),
                               Breakpoint('action == "go"', once=True), Breakpoint("tokens > 30", once=True)))
        edited, change = edits(random, now), c.ChangeWorld(random.choice(changes))
        some: list[tuple[int, c.Command]] = [
            (10, c.Resume()), (4, c.Step()), (2, c.Step("checkpoint")), (3, c.Pause()),
            (3, c.Rewind(turn, bool(random.randrange(2)))), (2, c.Rewind(turn, branch=branch)),
            (2, c.Fork(turn, branch=branch)), (3, c.Fork()), (3, c.Switch(branch)),
            (3, c.Fork(turn, branch=branch, then=change)), (2, c.Fork(then=change)), (1, change),
            (1, c.ListChanges(change.change.thing, turn, random.choice((branch, None)))),
            (3, c.Override(random.choice(actions), bool(random.randrange(2)))),
            (2, c.Ban(random.choice(actions))), (2, c.Unban(random.choice(actions))), (2, c.SetGoal(random.choice(goals))),
            (2, parameter(random)), (2, c.SetSteps(random.randrange(1, 12))), (2, c.SetBreakpoint(point)),
            (1, c.ClearBreakpoint(point)), (1, c.ListActions()), (1, c.Annotate("odd")), (3, c.Retry()),
            (1, c.UseModel(random.choice(("guide", "other", "nobody")))), (1, c.Answer(random.randrange(20), "right")),
            (1, c.AskAside(ModelRequest("mine", (Message("user", "why?"),)))),
        ]
        if edited is not None:
            some += [(3, c.Edit(edited)), (3, c.EditCompanion(edited))]
        return random.choices([command for _, command in some], [weight for weight, _ in some])[0]

    return act


def of_planner(planner: Planner) -> Any:
    """Returns edits of a planner that give back what it showed, so that its own facets would produce them."""
    def edits(random: Random, now: Snapshot) -> Facet | None:
        kinds = [kind for kind in now.facets if kind in planner.edits]
        return now.facets[random.choice(kinds)][0] if kinds else None

    return edits
