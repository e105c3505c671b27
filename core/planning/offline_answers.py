"""The registry of offline answers: which rule answers a model request without a language model.

A planner registers one rule for each class of `Ask.facts` it sends. The provider `commonsense` looks the rule up, so it works
with planners it does not know, including those of other packages. A planner's package imports its rules in its `__init__.py`:
they are registered before the planner can ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.planning.model_requests import Ask
from core.planning.placement_prior import Prior

Rule = Callable[[Any, Ask, Prior], str]
"""Returns the reply's text, in the format the prompt asks for, from (facts, request, placement prior)."""

_RULES: dict[type, Rule] = {}


def register(facts: type, rule: Rule) -> None:
    """Make a rule the offline answer to requests whose `facts` are of this class.

    Raises:
        ValueError: the class has another rule already.
    """
    if _RULES.setdefault(facts, rule) is not rule:
        raise ValueError(f"{facts.__name__} already has an offline answer: register it once")


def rule_for(facts: type) -> Rule | None:
    """Returns the rule registered for a class of facts, or None."""
    return _RULES.get(facts)


def answered() -> frozenset[type]:
    """Returns the classes of facts that have a rule."""
    return frozenset(_RULES)


def worded(chosen: str | None, choices: tuple[str, ...], ask: Ask) -> str:
    """Returns a choice as the prompt phrases it, with a full stop; empty if there is none.

    Args:
        chosen: one of `choices`, or None.
        choices: the choices as the facts name them.
        ask: the request; its phrases are used if there are as many as choices.
    """
    if chosen is None:
        return ""
    phrases = ask.expects.choices
    return f"{phrases[choices.index(chosen)] if len(phrases) == len(choices) else chosen}."
