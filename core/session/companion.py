"""The companion of a run: a second planner that thinks about each turn after the first one has chosen, and never acts.

It has a generator, random numbers and a model of its own. Nothing that the driving planner shows, asks or draws depends on it.
It is told the outcome of the executed action, as a planner is told that the operator has overridden. After an operator's edit
of its state only the companion thinks again.
"""

from __future__ import annotations

import contextlib
import copy
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, MissingPart, UsageError
from core.goals.literals import Goal
from core.goals.prohibitions import forbidden
from core.llm.model import LanguageModel
from core.planning.companion import CompanionCall, CompanionDecision
from core.planning.facets import Facet, Grounded, Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Thought
from core.planning.thinking import Asks, Replies, decide, until_it_fits
from core.session.annotation import COMPANION
from core.session.commands import EditCompanion
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus, Stopwatch
from core.session.events import Annotated, Diverged, Failed, Shown
from core.session.history import History, Mind, TurnStart
from core.session.inbox import Done, Inbox
from core.session.interrupts import Interrupt
from core.session.run import Run
from core.session.setup import Setup
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, in_words

DIVERGENCE = "first divergence"
"""The label of the first turn in which the companion would act differently."""


class Companion:
    """Thinks beside the driving planner. Without a companion in the setup, no method does anything.

    Args:
        reveal: returns the full observation, for a companion that sees everything.
    """

    def __init__(self, setup: Setup, inbox: Inbox, bus: EventBus, run: Run, history: History,
                 dispatcher: Dispatcher, reveal: Callable[[], Observation]):
        beside = setup.beside
        self._setup, self._bus, self._run, self._history, self._dispatcher = setup, bus, run, history, dispatcher
        self._reveal = reveal
        self._name = "" if beside is None else beside.name or beside.planner.name
        self._calls = _Calls(None if beside is None else beside.model, inbox, run, history, dispatcher)
        self._schemas: tuple[ActionSchema, ...] = ()
        self.mind = None if beside is None else Mind(beside.planner, setup.goal)
        """Its planner, and what must be restored with it when the run goes back."""
        self._decided: _Decided | None = None
        self._seen = Moment(0, 0)
        """The moment that its planner has observed last."""
        self._told: tuple[Moment, CompanionDecision] | None = None
        """What was shown last, and when."""
        self._edited: tuple[Moment, Mind] | None = None
        """A copy of it after the operator's last edit, and the turn of that edit."""
        self.must_think = self._is_thinking = False
        """Whether the operator has edited it since it thought about the present turn, and whether it is thinking."""

    def begin(self, schemas: tuple[ActionSchema, ...], guide: Callable[[Planner], None]) -> None:
        """Begins the episode. `guide` guides an omniscient planner."""
        self._schemas = schemas
        if self.mind is not None:
            self.mind.planner.begin(self._setup.goal, schemas, self._setup.seed_of_planner)
            guide(self.mind.planner)

    def restore(self, mind: Mind | None, reseed: int | None) -> None:
        """Continues as it was at another moment; with `reseed` from other random numbers."""
        self.mind, self._decided, self._seen = copy.deepcopy(mind), None, Moment(0, 0)
        self._edited, self.must_think = None, False
        if self.mind is not None and reseed is not None:
            self.mind.planner.reseed(reseed)

    def think(self, driving: Decision) -> None:
        """Lets the companion decide about the present turn, and shows what it would do. Executes commands at every yield.

        If the driving planner chooses again, the companion thinks again only if the goal or the bans have changed.

        Raises:
            Interrupt: a command interrupts it. It goes on in the next turn as if it had been overridden.
        """
        if self.mind is None:
            return
        moment, terms = self._bus.moment, (self._run.goal, self._run.banned)
        if self.must_think or self._seen != moment or self._decided is None or self._decided.terms != terms:
            if self._seen == moment:
                start = self._history.start_of(moment.turn)
                has_diverged, self.mind = self.mind.has_diverged, copy.deepcopy(self.mind_after(start))
                assert self.mind is not None, "kept at the beginning of every turn"
                self.mind.has_diverged = has_diverged
            self._decided, self.must_think, self._is_thinking = None, False, True
            try:
                self._decided = _Decided(terms, self._decide(self.mind))
            finally:
                self._is_thinking = False
        decision = self._decided.decision
        if self._told is None or self._told[0] != moment or self._told[1].driving != driving.action or (
                self._told[1].facets is not decision.facets):
            self._told = moment, replace(decision, driving=driving.action)
            self._show(self._told[1], self.mind)

    def mind_after(self, start: TurnStart) -> Mind | None:
        """Returns it as it was at the beginning of a turn, or after the operator's last edit in that turn."""
        if self._edited is not None and self._edited[0] == Moment(self._bus.branch, start.turn):
            return self._edited[1]
        return start.mind

    def edit(self, facet: Facet) -> None:
        """Replaces a facet of its state. It thinks again about this turn before the action is executed.

        Raises:
            UsageError: there is no companion, it takes no such edits, breaks over this one, or has not thought yet.
        """
        if self.mind is None:
            raise UsageError("there is no second planner: choose one in the list of planners, under “Only thinks”")
        if type(facet) not in self.mind.planner.edits:
            raise UsageError(f"{self._name}, the second planner, takes no edits of its {type(facet).__name__}")
        if self._is_thinking or self._seen != self._bus.moment:
            raise UsageError("the second planner has not thought about this turn yet: try again when it has")
        mind = copy.deepcopy(self.mind)
        try:
            mind.planner.accept(facet)
        except BelvedereError:
            raise
        except Exception as error:  # the companion's bug must not touch the run
            raise UsageError(f"{self._name}, the second planner, broke over the edit: {error}") from error
        self.mind, self._edited, self.must_think = mind, (self._bus.moment, copy.deepcopy(mind)), True
        self._run.pause_control.think_beside_again()

    def replay_edit(self, edit: EditCompanion) -> bool:
        """Repeats an edit of the past, in a turn about which it need not think: as soon as it shows what was edited.

        Returns:
            False if it does not come to that.
        """
        before = self.mind
        if before is None:
            return False
        with self._reported("repeating an edit"), contextlib.closing(self._start(before)) as thought:
            until_it_fits(thought, type(edit.facet), lambda: self._run.attempt(edit), self._calls.fetch,
                          checkpoint=self._run.raise_if_stopped)
        return self.mind is not before

    def observe(self) -> None:
        """Lets it observe a turn that it does not think about, because the action was not chosen by the driving planner."""
        if self.mind is not None and self._seen != self._bus.moment:
            with self._reported("observing"), contextlib.closing(self._start(self.mind)) as thought:
                next(thought, None)

    def update(self, outcome: Outcome) -> None:
        """Tells it the outcome of the executed action."""
        if self.mind is not None:
            with self._reported("taking the outcome"):
                self.mind.planner.update(outcome)

    # --- thinking ------------------------------------------------------------
    def _decide(self, mind: Mind) -> CompanionDecision:
        """Runs its planner to a decision; `driving` is still missing in it."""
        shown: dict[type[Facet], Facet] = {}
        self._calls.made = []
        trouble, decision = "", Decision(None)

        def show(facet: Facet) -> None:
            before = shown.get(type(facet))
            if isinstance(facet, Grounded) and isinstance(before, Grounded):
                facet = Grounded((*before.replies, *facet.replies))
            shown[type(facet)] = facet

        try:
            with contextlib.closing(self._start(mind)) as thought:
                decision = decide(thought, self._calls.fetch, show, self._checkpoint, Stopwatch(self._bus.clock, thinks=True))
        except Interrupt:
            raise
        except Exception as error:  # noqa: BLE001 - the companion's bug must not touch the run
            trouble = f"{self._name} broke: {error}"
            self._bus.emit(Failed("planner", type(error).__name__, f"beside: {trouble}", waits=False))
        return CompanionDecision(self._name, decision.action, decision.because, None, tuple(shown.values()),
                                 tuple(self._calls.made), trouble)

    def _start(self, mind: Mind) -> Thought:
        """Returns its generator for the present turn, with the present goal and bans."""
        run, planner = self._run, mind.planner
        self._seen = self._bus.moment
        seen = self._reveal() if planner.omniscient else self._history.start_of(self._bus.turn).world.seen
        if run.goal is not mind.goal:
            mind.goal = run.goal
            try:
                planner.set_goal(run.goal)
            except NotImplementedError:
                planner.begin(run.goal, self._schemas, self._setup.seed_of_planner)
        banned = run.banned | forbidden(run.goal, seen)
        if planner.banned != banned:
            planner.ban(banned)
        return planner.plan(seen)

    def _checkpoint(self) -> None:
        self._run.pause_control.at_checkpoint()
        self._dispatcher.checkpoint()

    def _show(self, decision: CompanionDecision, mind: Mind) -> None:
        """Shows the decision. Reports a divergence; the first one of a line of turns gets a label."""
        self._bus.emit(Shown(decision))
        if decision.agrees:
            return
        note = f"{_words(decision.driving)}; {self._name} would {_words(decision.action)}"
        if not mind.has_diverged:
            mind.has_diverged = True
            self._bus.emit(Annotated(DIVERGENCE, note, "point", COMPANION))
        self._bus.emit(Diverged(decision.driving, decision.action, self._name))

    @contextlib.contextmanager
    def _reported(self, doing: str) -> Iterator[None]:
        """Context in which an exception of its planner is reported, and the run goes on."""
        try:
            yield
        except Interrupt:
            raise
        except Exception as error:  # noqa: BLE001 - the companion's bug must not touch the run
            message = f"beside: {self._name} broke {doing}: {error}"
            self._bus.emit(Failed("planner", type(error).__name__, message, waits=False))


@dataclass(frozen=True, slots=True)
class _Decided:
    """A decision, and the goal and the bans it was made with."""

    terms: tuple[Goal, frozenset[Action]]
    decision: CompanionDecision


class _Calls:
    """Fetches replies of the companion's own model, each on a thread of its own.

    Attributes:
        made: the calls of the present turn.
    """

    def __init__(self, model: LanguageModel | None, inbox: Inbox, run: Run, history: History,
                 dispatcher: Dispatcher):
        self._model, self._inbox, self._run, self._history, self._dispatcher = model, inbox, run, history, dispatcher
        self.made: list[CompanionCall] = []

    def fetch(self, asks: Asks) -> Replies:
        """Returns replies, from memory where the companion was answered the same before. Executes what arrives meanwhile.

        Raises:
            Interrupt: a command interrupted the wait.
            BelvedereError: there is no reply.
        """
        many = tuple(replace(ask, fresh=self._history.branch.fresh) for ask in (asks if isinstance(asks, tuple) else (asks,)))
        cancelled = Cancellation()
        replies = [self._submit(ask, cancelled) for ask in many]
        try:
            self._inbox.until(lambda: all(r.done() for r in replies) or self._run.interrupted(), self._dispatcher.handle)
        finally:
            cancelled.set()
        self._run.raise_interrupt()
        found = tuple(reply.result() for reply in replies)
        for ask, reply in zip(many, found, strict=True):
            self._history.add_reply(self._key(ask), reply)
            self.made.append(CompanionCall(ask, reply))
        return found if isinstance(asks, tuple) else found[0]

    def _submit(self, ask: ModelRequest, cancelled: Cancellation) -> Future[ModelReply]:
        model, future = self._model, Future[ModelReply]()
        if model is None:
            raise MissingPart("it asks a language model, and none was chosen for it")
        known = self._history.reply_to(self._key(ask))
        if known is not None:
            future.set_result(replace(known, cached=True, seconds=0.0, first_token=0.0, rate=0.0))
            return future

        def answer() -> None:
            try:
                future.set_result(model.answer(ask, cancelled))
            except Exception as error:  # noqa: BLE001 - raised again by `result`, on the session's thread
                future.set_exception(error)
            self._inbox.put(Done())

        threading.Thread(target=answer, name="companion-reply", daemon=True).start()
        return future

    def _key(self, ask: ModelRequest) -> str:
        """Returns the key under which a reply is remembered, apart from the replies to the driving planner."""
        return f"beside {ask.key('' if self._model is None else self._model.source)}"


def _words(action: Action | None) -> str:
    return "give up" if action is None else in_words(action)
