"""Few shots: decisions that went well before, in the words of the policy's prompt."""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.examples import Example
from core.planning.prompts import prompt_text
from core.search.phrases import Names
from core.world.vocabulary import Action, ActionSchema

MOST_HISTORY = 12
"""Actions of an example's history that are told: the last ones."""


def format_of(examples: Sequence[Example], schemas: Sequence[ActionSchema]) -> str:
    """What the answer's form is shown by: the examples, or without any the prompt's own.

    Things of other houses go by their ids in words: they are nobody's here.
    """
    if not examples:
        return prompt_text("llm_mcts", "policy_format")
    names = Names((), schemas)
    shots = [prompt_text("llm_mcts", "example", goal=e.instruction,
                         history=", ".join(_phrase(a, names) for a in e.history[-MOST_HISTORY:]) or "none",
                         observation=e.observation, actions=f"{_phrase(e.action, names)}.") for e in examples]
    return prompt_text("llm_mcts", "policy_examples", examples="\n\n".join(shots))


def _phrase(action: str, names: Names) -> str:
    verb, *args = action.split(" ")
    return names.phrase(Action(verb, tuple(args)))
