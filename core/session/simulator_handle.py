"""Owns the session's simulator: knows the state of the world, runs slow calls on a thread, and restarts a simulator that died.

The world is read once, in the call that changes it. Nobody else asks the simulator what holds, so a simulator that dies between
two calls is noticed only by the next one, and what is shown of the world stays true until then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from core.common.errors import BelvedereError, SimulatorError, UsageError
from core.session.dispatch import Dispatcher
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered
from core.session.history import TurnStart
from core.session.inbox import Done, Inbox, Item
from core.simulator.base import Simulator, WorldState, difference
from core.views.wording import count
from core.world.vocabulary import Action

T = TypeVar("T")
BUSY = "the simulator is acting, or is not yet in this state: try again"
OPTIONS = ("Try again", "Go back to the last turn")


class SimulatorHandle:
    """Opens, steps, rewinds and restarts one simulator.

    Args:
        make: opens a new simulator.
        seed: the seed of the episode.
        inbox: receives the message that a slow call is over.
        bus: emits failures and recoveries.
        dispatcher: handles other items that arrive during a slow call, and waits for the operator.
        raise_if_stopped: raises if the run must end, even during a call.
        emit_standing: emits what holds now. Called when the world is not as it was.

    Attributes:
        world: the state of the world at the present point of the run.
        is_there: True if the simulator is in this state, and not being changed or brought to it. Only then can it be asked.
    """

    def __init__(self, make: Callable[[], Simulator], seed: int, inbox: Inbox, bus: EventBus, dispatcher: Dispatcher,
                 raise_if_stopped: Callable[[], None], emit_standing: Callable[[], None]):
        self._make, self._seed, self._inbox, self._bus, self._dispatcher = make, seed, inbox, bus, dispatcher
        self._raise_if_stopped, self._emit_standing = raise_if_stopped, emit_standing
        self.simulator = make()
        self._has_failed = False
        """True if a call failed: another simulator must be opened."""
        self.call(lambda simulator: simulator.reset(seed))
        self.world, self.is_there = self.call(WorldState.of), True

    # --- calls -----------------------------------------------------------------
    def query(self, question: Callable[[Simulator], T]) -> T:
        """Asks the simulator something about the present state that takes no time and changes nothing.

        Raises:
            UsageError: it cannot be asked now, or it refuses something.
            BelvedereError: it has no answer, or has stopped.
        """
        if not self.is_there:
            raise UsageError(BUSY)
        return _tried(self.simulator.name, lambda: question(self.simulator))

    def call(self, function: Callable[[Simulator], T]) -> T:
        """Makes a call and returns its result.

        For a slow simulator the call runs on a thread, and commands are executed meanwhile.

        Raises:
            SimulatorError: the call failed, or did not finish in time.
        """
        simulator = self.simulator
        if not simulator.slow:
            return _tried(simulator.name, lambda: function(simulator))
        box: list[T] = []
        errors: list[BelvedereError] = []
        over = threading.Event()

        def work() -> None:
            try:
                box.append(_tried(simulator.name, lambda: function(simulator)))
            except BelvedereError as error:
                errors.append(error)
            over.set()
            self._inbox.put(Done())

        threading.Thread(target=work, name="simulator", daemon=True).start()

        def take(item: Item) -> None:
            self._dispatcher.handle(item)
            self._raise_if_stopped()

        if not self._inbox.until(over.is_set, take, time.monotonic() + simulator.patience):
            raise SimulatorError(f"{simulator.name} has not answered for {simulator.patience:g} s")
        if errors:
            raise errors[0]
        return box[0]

    @contextmanager
    def visit(self) -> Iterator[Simulator]:
        """Context in which the simulator is taken to other states and back. If that fails, it is restarted before it acts.

        Raises:
            UsageError: it cannot be asked now, or it refuses something.
            SimulatorError: it has stopped.
        """
        if not self.is_there:
            raise UsageError(BUSY)
        try:
            yield self.simulator
        except UsageError:  # it is as it was
            raise
        except Exception as error:
            self.is_there, self._has_failed = False, True
            raise _failure(self.simulator.name, error) from error

    def leave_for(self, start: TurnStart) -> None:
        """Makes another state the present one. The next `persist` brings the simulator there."""
        self.world, self.is_there = start.world, False

    def persist(self, do: Callable[[Simulator], T], start: TurnStart) -> T:
        """Makes a call that changes the world, and reads the world in the same call.

        A dead or hung simulator is restarted once automatically, and then as often as the operator says.

        Args:
            do: makes the call.
            start: the point where the call is made. The simulator is brought there if it is elsewhere or restarted.

        Returns:
            What the call returns.

        Raises:
            Interrupt: a command interrupts it. The simulator may then be in any state.
        """
        was_there, self.is_there, failures = self.is_there, False, 0
        while True:
            try:
                if not was_there:
                    self._bring(start)
                was_there = True
                result, self.world = self.call(lambda simulator: (do(simulator), WorldState.of(simulator)))
            except BelvedereError as error:
                self._has_failed, was_there, failures = True, False, failures + 1
                failure = Failed("simulator", "stopped", str(error), failures > 1, OPTIONS)
                if failure.waits:
                    self._dispatcher.wait_after(failure)
                else:
                    self._bus.emit(failure)
            else:
                self.is_there = True
                return result

    # --- states ----------------------------------------------------------------
    def _bring(self, start: TurnStart) -> None:
        """Brings the simulator to a state of this episode, by restoring the state or by replaying actions and changes.

        Raises:
            BelvedereError: it cannot be brought there.
        """
        self.world, again = start.world, self._has_failed
        if again:
            self._reopen()
        how = self._restore(start)
        if again:
            self._has_failed = False
            self._bus.emit(Recovered("simulator", f"the simulator was started again and {how}"))
        was = start.world.revealed
        if other := difference(self.world.revealed, was.agent, was.relations, was.entities):
            message = f"the world came out differently when the past was repeated: {other}; the run goes on from here"
            self._bus.emit(Failed("simulator", "differs", message, waits=False))
            self._emit_standing()

    def _reopen(self) -> None:
        self._try_to_close(lambda: self.call(lambda simulator: simulator.close()))
        self.simulator = _tried(self.simulator.name, self._make)
        if self.simulator.restores:
            self.call(lambda simulator: simulator.reset(self._seed))

    def _restore(self, start: TurnStart) -> str:
        if self.simulator.restores:
            self.call(lambda simulator: simulator.restore(start.world.saved))
            self.world = start.world
            return "restored its state"
        self.call(lambda simulator: simulator.reset(self._seed))
        done = 0
        for place, change in start.changes:
            self._repeat(start.actions[done:place])
            self.call(lambda simulator, change=change: simulator.change(change))  # type: ignore[misc]
            done = place
        self._repeat(start.actions[done:])
        self.world = self.call(WorldState.of)
        actions, changes = len(start.actions), len(start.changes)
        also = f" and {count(changes, 'change')} of the world" if changes else ""
        return f"replayed {count(actions, 'action')}{also}"

    def _repeat(self, actions: Sequence[Action]) -> None:
        for action in actions:
            self.call(lambda simulator, action=action: simulator.step(action))  # type: ignore[misc]

    def close(self) -> None:
        """Closes the simulator. If that fails, the failure is emitted: nothing waits for the simulator any more."""
        self._try_to_close(lambda: _tried(self.simulator.name, self.simulator.close))

    def _try_to_close(self, close: Callable[[], None]) -> None:
        try:
            close()
        except BelvedereError as error:
            self._bus.emit(Failed("simulator", "closing", str(error), waits=False))


def _tried(name: str, do: Callable[[], T]) -> T:
    """Returns what a call to a simulator returns. An adapter's bug becomes an error that reaches the operator."""
    try:
        return do()
    except BelvedereError:
        raise
    except Exception as error:
        raise _failure(name, error) from error


def _failure(name: str, error: Exception) -> SimulatorError:
    if isinstance(error, SimulatorError):
        return error
    return SimulatorError(f"{name} broke: {error if isinstance(error, BelvedereError) else f'{type(error).__name__}: {error}'}")
