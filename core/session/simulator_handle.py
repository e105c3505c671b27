"""Owns the session's simulator: runs slow calls on a thread, and restarts a simulator that died."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.common.errors import BelvedereError, SimulatorError
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered
from core.session.history import TurnStart
from core.session.inbox import Done, Inbox, Item
from core.simulator.base import Simulator
from core.world.vocabulary import Action

T = TypeVar("T")


class SimulatorHandle:
    """Opens, steps, rewinds and restarts one simulator.

    Args:
        make: opens a new simulator.
        inbox: receives the message that a slow call is over.
        seed: the seed of the episode.
        handle: handles other items that arrive during a slow call.
        raise_if_stopped: raises if the run must end, even during a call.
    """

    def __init__(self, make: Callable[[], Simulator], seed: int, inbox: Inbox, handle: Callable[[Item], None],
                 raise_if_stopped: Callable[[], None]):
        self._make, self._seed, self._inbox, self._handle, self._raise_if_stopped = make, seed, inbox, handle, raise_if_stopped
        self.simulator = make()
        self.call(lambda: self.simulator.reset(seed))

    def call(self, function: Callable[[], T]) -> T:
        """Makes a call and returns its result.

        For a slow simulator the call runs on a thread, and commands are executed meanwhile.

        Raises:
            SimulatorError: the call failed, or did not finish in time.
        """
        if not self.simulator.slow:
            return function()
        box: list[T] = []
        errors: list[BelvedereError] = []
        over = threading.Event()

        def work() -> None:
            try:
                box.append(function())
            except BelvedereError as error:
                errors.append(error)
            except Exception as error:  # noqa: BLE001 - an adapter's bug must reach the operator, not end a thread unseen
                errors.append(SimulatorError(f"{self.simulator.name} broke: {type(error).__name__}: {error}"))
            over.set()
            self._inbox.put(Done())

        threading.Thread(target=work, name="simulator", daemon=True).start()
        patience = self.simulator.patience

        def take(item: Item) -> None:
            self._handle(item)
            self._raise_if_stopped()

        if not self._inbox.until(over.is_set, take, time.monotonic() + patience):
            raise SimulatorError(f"{self.simulator.name} has not answered for {patience:g} s")
        if errors:
            raise errors[0]
        return box[0]

    def restart(self, start: TurnStart) -> str:
        """Opens a new simulator and brings it to a state, by restoring the state or by replaying actions and changes.

        Returns:
            How it was brought there, in words.

        Raises:
            SimulatorError: it cannot be brought there.
        """
        self.simulator.close()
        self.simulator = self._make()
        self.call(lambda: self.simulator.reset(self._seed))
        return self.go_back(start)

    def go_back(self, start: TurnStart) -> str:
        """Brings the running simulator to a state of this episode. Returns how, in words."""
        if self.simulator.restores:
            self.call(lambda: self.simulator.restore(start.world))
            return "restored its state"
        self.call(lambda: self.simulator.reset(self._seed))
        done = 0
        for count, change in start.changes:
            self._repeat(start.actions[done:count])
            self.call(lambda change=change: self.simulator.change(change))  # type: ignore[misc]
            done = count
        self._repeat(start.actions[done:])
        actions, changes = len(start.actions), len(start.changes)
        also = f" and {changes} {'change' if changes == 1 else 'changes'} of the world" if changes else ""
        return f"replayed {actions} {'action' if actions == 1 else 'actions'}{also}"

    def _repeat(self, actions: Sequence[Action]) -> None:
        for action in actions:
            self.call(lambda action=action: self.simulator.step(action))  # type: ignore[misc]

    def close(self) -> None:
        """Closes the simulator."""
        self.simulator.close()


OPTIONS = ("Try again", "Go back to the last turn")


def persist(do: Callable[[], T], simulator: SimulatorHandle, start: TurnStart, bus: EventBus,
            wait_after: Callable[[Failed], None]) -> T:
    """Makes a call. A dead or hung simulator is restarted once automatically, and then as often as the operator says.

    Args:
        do: makes the call, through `simulator`.
        simulator: owns the simulator.
        start: the point to which the simulator is brought back.
        bus: emits failures and recoveries.
        wait_after: emits a failure, and waits for the operator.

    Returns:
        What the call returns.

    Raises:
        Interrupt: a command interrupts it.
    """
    tries = 0
    while True:
        try:
            if tries:
                how = simulator.restart(start)
                bus.emit(Recovered("simulator", f"the simulator was started again and {how}"))
            return do()
        except SimulatorError as error:
            tries += 1
            failure = Failed("simulator", "stopped", str(error), tries > 1, OPTIONS)
            if failure.waits:
                wait_after(failure)
            else:
                bus.emit(failure)
