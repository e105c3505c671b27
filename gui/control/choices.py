"""What the operator may choose from, and what was chosen. The composition root fills it; the window knows no part by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.app.run_request import Request
from core.goals.literals import Goal
from gui.widgets.choice import Choice

if TYPE_CHECKING:
    from core.session.setup import Setup


@dataclass(frozen=True, slots=True)
class Choices:
    """All parts there are.

    Attributes:
        scenes: by simulator.
        presets: by planner, the default first.
        unsuited: simulator -> planner -> why that planner cannot play it.
        own_tasks: simulators whose scenes bring their task along.
        tasks: sample tasks of the first-run card: words, and a note such as `1 goal · simple`.
        complete: False: only what the present request names; the others are being looked up.
    """

    planners: tuple[Choice, ...]
    simulators: tuple[Choice, ...]
    scenes: Mapping[str, tuple[Choice, ...]]
    providers: tuple[Choice, ...]
    presets: Mapping[str, tuple[Choice, ...]] = field(default_factory=lambda: MappingProxyType({}))
    unsuited: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    own_tasks: frozenset[str] = frozenset()
    tasks: tuple[tuple[str, str], ...] = ()
    complete: bool = True

    def planners_for(self, simulator: str) -> tuple[Choice, ...]:
        """All planners; those that cannot play the simulator are not available, with the reason."""
        reasons = self.unsuited.get(simulator, {})
        return tuple(replace(choice, available=False, hint=reasons[choice.name]) if choice.name in reasons else choice
                     for choice in self.planners)


ListChoices = Callable[[], Choices]
"""All parts there are; called off the GUI thread, loads every one of them."""
MakeSetup = Callable[[Request], "Setup"]
"""Makes the parts of a session; called off the GUI thread, may load files and models.

Raises:
    BelvedereError: with a message people can act on.
"""
DrawTask = Callable[[Request, int], str]
"""A task in words that can be done in a request's scene, drawn by a number; called off the GUI thread.

Raises:
    BelvedereError: with a message people can act on.
"""
ReadGoal = Callable[[Request], Goal]
"""The goal of a request's task in its scene; called off the GUI thread.

Raises:
    UsageError: the words name no goal here.
"""
