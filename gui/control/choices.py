"""The parts an operator can choose from. The composition root fills them in; the window itself knows no part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.app.run_request import Request
from core.goals.literals import Goal
from gui.widgets.chooser import Choice

if TYPE_CHECKING:
    from core.session.setup import Setup


@dataclass(frozen=True, slots=True)
class Choices:
    """All parts available.

    Attributes:
        planners: all planners.
        simulators: all simulators.
        scenes: simulator -> its scenes.
        providers: all providers of model replies.
        presets: planner -> its presets, the default first.
        unsuited: simulator -> planner -> why that planner cannot play it.
        own_tasks: simulators whose scenes bring their own task.
        tasks: sample tasks of the first-run card: the text, and a note such as `1 goal · simple`.
        complete: False if only the parts of the present request are listed and the others are being loaded.
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
        """Returns all planners. Those that cannot play the simulator are marked unavailable, with the reason as their hint."""
        reasons = self.unsuited.get(simulator, {})
        return tuple(replace(choice, available=False, hint=reasons[choice.name]) if choice.name in reasons else choice
                     for choice in self.planners)


ListChoices = Callable[[], Choices]
"""Returns all parts. It loads every one of them and is called off the GUI thread."""
MakeSetup = Callable[[Request], "Setup"]
"""Makes the parts of a session; called off the GUI thread, may load files and models. Raises BelvedereError with a message
that tells the user what to do."""
DrawTask = Callable[[Request, int], str]
"""Returns a task, as text, that can be done in a request's scene. The number seeds the draw. Called off the GUI thread.
Raises BelvedereError with a message that tells the user what to do."""
ReadGoal = Callable[[Request], Goal]
"""Returns the goal of a request's task in its scene; called off the GUI thread. Raises UsageError if the text names no goal
in this scene."""
