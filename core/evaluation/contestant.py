"""Contestants of a sweep, written as text: `llm-mcts`, `llm-mcts:paper`, `llm-mcts+wrong_answers=0.4`."""

from __future__ import annotations

from dataclasses import dataclass

from core.common.errors import UsageError
from core.planners.registry import make_planner
from core.planning.planner import Planner


@dataclass(frozen=True, slots=True)
class Contestant:
    """A planner with a preset and single parameters that override it."""

    text: str
    planner: str
    preset: str
    settings: tuple[tuple[str, str], ...]

    def make(self) -> Planner:
        """Returns a new planner.

        Raises:
            UsageError: there is no such planner, preset or parameter.
        """
        return make_planner(self.planner, self.preset, dict(self.settings))


def named(text: str) -> str:
    """Returns the planner's name alone."""
    return text.partition("+")[0].partition(":")[0]


def contestant(text: str) -> Contestant:
    """Parses `planner[:preset][+name=value …]`, and checks that such a planner can be made.

    Raises:
        UsageError: it cannot.
    """
    head, *pairs = text.split("+")
    planner, _, preset = head.partition(":")
    settings = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--planner {text}: write planner:preset+name=value, such as llm-mcts:tuned+simulations=25")
        settings.append((name, value))
    found = Contestant(text, planner, preset, tuple(settings))
    found.make()
    return found
