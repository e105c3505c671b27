"""Few-shot examples in the format of the policy prompt: trajectories of the expert, and decisions that were kept."""

from __future__ import annotations

from collections.abc import Sequence

from core.planning.examples import Example
from core.planning.model_requests import prompt_text
from core.planning.names import Names
from core.planning.observation_text import SEPARATOR
from core.planning.trajectories import Trajectory
from core.world.vocabulary import Action, ActionSchema

GAP = "\n\n"
MOST_HISTORY = 12
"""The maximum number of actions of an example's history in the prompt: the last ones."""


def format_of(examples: Sequence[Example], schemas: Sequence[ActionSchema], shots: Sequence[Trajectory] = (),
              budget: int = 0) -> str:
    """Returns the part of the prompt that shows the reply format; empty without any: the prompt then uses its own.

    Objects of other houses are written as their ids with spaces, because they do not exist in this world.

    Args:
        examples: single decisions that were kept; they follow the shots, because they are nearer to this operator's wishes.
        schemas: the verbs of the world.
        shots: whole trajectories, best first.
        budget: the maximum number of characters of all shots together.
    """
    told = list(trajectory_shots(shots, budget))
    names = Names((), schemas)
    told += [prompt_text("llm_mcts", "example", goal=e.instruction,
                         history=SEPARATOR.join(_phrase(a, names) for a in e.history[-MOST_HISTORY:]) or "none",
                         observation=e.observation, actions=f"{_phrase(e.action, names)}.") for e in examples]
    if not told:
        return ""
    return prompt_text("llm_mcts", "policy_examples", examples=GAP.join(told))


def trajectory_shots(shots: Sequence[Trajectory], budget: int) -> tuple[str, ...]:
    """Returns trajectories in the form of Listing 1 of Zhao et al., within a number of characters.

    Each is written as of the moment before the first grab: completed actions, observation, all further actions, done. Actions
    are never cut. Observations are: each shot gets an equal share of what is left, and clauses on objects that its actions
    do not name are left out from the end. Shots for which even that is too long are left out, the last first.

    Args:
        shots: the trajectories, best first.
        budget: the maximum number of characters of all of them, with the gaps between them.
    """
    for count in range(len(shots), 0, -1):
        least = [_shot(t, 0) for t in shots[:count]]
        share = (budget - len(GAP.join(least))) // count
        if share >= 0:
            return tuple(_shot(t, share) for t in shots[:count])
    return ()


def _shot(t: Trajectory, more: int) -> str:
    """Returns one trajectory, with at most `more` characters beside the actions and the clauses that they need."""
    phrases = [step.phrase for step in t.steps]
    moment = next((k for k, step in enumerate(t.steps) if step.action.startswith("grab ")), 0)
    return prompt_text("llm_mcts", "example", goal=t.instruction, history=SEPARATOR.join(phrases[:moment]) or "none",
                       observation=_within(t.steps[moment].observation, phrases, more),
                       actions=SEPARATOR.join((*phrases[moment:], "done")) + ".")


def _within(observation: str, phrases: Sequence[str], more: int) -> str:
    """Returns the clauses on objects that are named in the phrases, and of the others the first ones that fit."""
    said = f"{SEPARATOR.join(phrases)}{SEPARATOR}"
    kept = []
    for clause in observation.removesuffix(".").split(SEPARATOR):
        subject = clause.split(" is ")[0]
        if not any(f" {subject}{end}" in said for end in (SEPARATOR, " inside ", " on ")):
            more -= len(clause) + len(SEPARATOR)
            if more < 0:
                continue
        kept.append(clause)
    return SEPARATOR.join(kept) + "."


def _phrase(action: str, names: Names) -> str:
    verb, *args = action.split(" ")
    return names.phrase(Action(verb, tuple(args)))
