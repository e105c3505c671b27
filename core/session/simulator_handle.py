"""The session's hold on its simulator: slow ones on a thread of their own, dead ones brought back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.common.errors import BelvedereError, SimulatorError
from core.session.inbox import Done, Inbox, Item
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import Action

T = TypeVar("T")


class SimulatorHandle:
    """Opens, steps, rewinds and revives one simulator.

    Args:
        make: opens the simulator anew.
        inbox: what a slow call reports to.
        seed: the episode's.
        handle: takes whatever else arrives while a slow call is under way.
        leave: raises when the run is to end, even in the middle of a call.
    """

    def __init__(self, make: Callable[[], Simulator], seed: int, inbox: Inbox, handle: Callable[[Item], None],
                 leave: Callable[[], None]):
        self._make, self._seed, self._inbox, self._handle, self._leave = make, seed, inbox, handle, leave
        self.simulator = make()
        self.do(lambda: self.simulator.reset(seed))

    def do(self, call: Callable[[], T]) -> T:
        """Make a call; a slow simulator's on a thread, while commands are obeyed.

        Raises:
            SimulatorError: it failed, or did not answer in time.
        """
        if not self.simulator.slow:
            return call()
        box: list[T] = []
        errors: list[BelvedereError] = []
        over = threading.Event()

        def work() -> None:
            try:
                box.append(call())
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
            self._leave()

        if not self._inbox.until(over.is_set, take, time.monotonic() + patience):
            raise SimulatorError(f"{self.simulator.name} has not answered for {patience:g} s")
        if errors:
            raise errors[0]
        return box[0]

    def revive(self, saved: Saved, actions: Sequence[Action]) -> str:
        """Open the simulator anew and bring it back to a state, by restoring it or by replaying the actions.

        Returns how it was brought back, in words.

        Raises:
            SimulatorError: it does not come back.
        """
        self.simulator.close()
        self.simulator = self._make()
        self.do(lambda: self.simulator.reset(self._seed))
        return self.go_back(saved, actions)

    def go_back(self, saved: Saved, actions: Sequence[Action]) -> str:
        """Bring the running simulator to a state of this episode."""
        if self.simulator.restores:
            self.do(lambda: self.simulator.restore(saved))
            return "restored its state"
        self.do(lambda: self.simulator.reset(self._seed))
        for action in actions:
            self.do(lambda action=action: self.simulator.step(action))  # type: ignore[misc]
        return f"replayed {len(actions)} {'action' if len(actions) == 1 else 'actions'}"

    def close(self) -> None:
        """End the simulator."""
        self.simulator.close()
