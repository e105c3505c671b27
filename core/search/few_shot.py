"""Few-shot examples in the format of the policy prompt."""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.examples import Example
from core.planning.model_requests import prompt_text
from core.search.translation import Names
from core.world.vocabulary import Action, ActionSchema

MOST_HISTORY = 12
"""The maximum number of actions of an example's history in the prompt: the last ones."""


def format_of(examples: Sequence[Example], schemas: Sequence[ActionSchema]) -> str:
    """Returns the part of the prompt that shows the reply format: the examples, or the prompt's own example if there are none.

    Objects of other houses are written as their ids with spaces, because they do not exist in this world.

    Args:
        examples: the selected examples.
        schemas: the verbs of the world.
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
