"""A classical planning task: facts, ground operators, a goal. Plain data, so that it can be sent to a solver as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.world.vocabulary import Action, Value

NOT = "!"
"""Prefix of a fact that must not hold."""
Condition = tuple[str, ...]
"""Facts that must all hold, or with `!` not hold."""


@dataclass(frozen=True, slots=True)
class Operator(Value):
    """One ground operator.

    Attributes:
        action: the robot's action; None for an observation without action.
        needs: preconditions.
        adds: facts that hold afterwards.
        drops: facts that no longer hold.
        when: (condition, fact) pairs: the fact holds afterwards if the condition held before.
        looks: (object, location) it assumes to find: the determinized outcome of an observation. The plan ends after it.
    """

    action: Action | None
    needs: Condition
    adds: Condition
    drops: Condition = ()
    when: tuple[tuple[Condition, str], ...] = ()
    looks: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Task(Value):
    """A planning task.

    Attributes:
        facts: the facts that hold.
        operators: the ground operators.
        goal: for each part, one of its facts must hold.
    """

    facts: frozenset[str]
    operators: tuple[Operator, ...]
    goal: tuple[Condition, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All different actions among the operators."""
        return tuple(dict.fromkeys(o.action for o in self.operators if o.action is not None))

    def plain(self) -> Mapping[str, Any]:
        """Returns the task as JSON data: facts by name, operators by index."""
        return {"facts": sorted(self.facts), "goal": [list(part) for part in self.goal],
                "operators": [{"needs": list(o.needs), "adds": list(o.adds), "drops": list(o.drops),
                               "when": [[list(c), f] for c, f in o.when]} for o in self.operators]}


def after(facts: frozenset[str], operator: Operator) -> frozenset[str]:
    """Returns the facts after an operator whose preconditions hold."""
    won = {fact for condition, fact in operator.when if met(condition, facts)}
    return (facts - frozenset(operator.drops)) | frozenset(operator.adds) | won


def met(condition: Condition, facts: frozenset[str]) -> bool:
    """Returns True if all facts of a condition hold."""
    return all((c.removeprefix(NOT) in facts) != c.startswith(NOT) for c in condition)


def solved(goal: tuple[Condition, ...], facts: frozenset[str]) -> bool:
    """Returns True if each part of a goal has a fact that holds."""
    return all(any(met((c,), facts) for c in part) for part in goal)
