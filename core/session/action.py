"""Executes an action in a simulator that may fail while doing so."""

from __future__ import annotations

from collections.abc import Callable

from core.common.errors import SimulatorError
from core.session.event_bus import EventBus
from core.session.events import Failed, Recovered
from core.session.history import TurnStart
from core.session.simulator_handle import SimulatorHandle
from core.world.vocabulary import Action, Outcome

OPTIONS = ("Try again", "Go back to the last turn")


def act(action: Action, simulator: SimulatorHandle, start: TurnStart, bus: EventBus,
        wait_after: Callable[[Failed], None]) -> tuple[Outcome, float]:
    """Executes an action. A dead or hung simulator is restarted once automatically, and then as often as the operator says.

    Args:
        action: what to do.
        simulator: owns the simulator.
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
                how = simulator.restart(start.world, start.actions)
                bus.emit(Recovered("simulator", f"the simulator was started again and {how}"))
            outcome = simulator.call(lambda: simulator.simulator.step(action))
            return outcome, bus.clock.worked - began
        except SimulatorError as error:
            tries += 1
            failure = Failed("simulator", "stopped", str(error), tries > 1, OPTIONS)
            if failure.waits:
                wait_after(failure)
            else:
                bus.emit(failure)
