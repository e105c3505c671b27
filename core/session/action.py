"""Executes an action in a simulator that may fail while doing so."""

from __future__ import annotations

from collections.abc import Callable

from core.common.errors import SimulatorError
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered
from core.session.history import TurnStart
from core.session.simulator_handle import SimulatorHandle
from core.world.vocabulary import Action, Outcome

WAYS_ON = ("Try again", "Go back to the last turn")


def act(action: Action, world: SimulatorHandle, start: TurnStart, bus: EventBus,
        wait_after: Callable[[Failed], None]) -> tuple[Outcome, float]:
    """Executes an action. A dead or hung simulator is restarted once automatically, and then as often as the operator says.

    Args:
        action: what to do.
        world: owns the simulator.
        start: the point to which the simulator is brought back.
        bus: emits failures and recoveries.
        wait_after: emits a failure, and waits for the operator.

    Returns:
        The outcome, and the seconds of work it took.

    Raises:
        Interrupt: a command interrupts the action.
    """
    began, tries = bus.clock.worked, 0
    while True:
        try:
            if tries:
                how = world.revive(start.world, start.actions)
                bus.tell(Recovered("simulator", f"the simulator was started again and {how}"))
            outcome = world.do(lambda: world.simulator.step(action))
            return outcome, bus.clock.worked - began
        except SimulatorError as error:
            tries += 1
            failure = Failed("simulator", "stopped", str(error), tries > 1, WAYS_ON)
            if failure.waits:
                wait_after(failure)
            else:
                bus.tell(failure)
