"""What a search is told and what it asks: its options, its policy, and the questions to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from core.search.model import State
from core.search.policy_table import key_width, write_key
from core.search.problem import Macro, Move, Problem

Key = bytes
"""A state of knowledge, see `policy_table.write_key`."""
Answer = Mapping[int, float]
"""What a policy says of a state of knowledge: action -> weight, not negative; empty if it said nothing usable."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to search; each field is explained at the planner's parameter of the same name."""

    exploration: float = 1.0
    discount: float = 0.95
    depth: int = 0
    precision: float = 0.0
    actions: str = "macros"
    rollout: str = "greedy"
    reward: str = "literals"
    urgency: bool = True
    worlds: str = "common"
    final: str = "visits"
    batch: int = 1
    earned: int = 0
    questions: int = 0
    mixing: float = 0.5


class Request(NamedTuple):
    """A question to the policy.

    Attributes:
        key: the state of knowledge, as answers are kept by.
        knowledge: the same as a state.
        moves: what can be done there.
        path: what was done to come there, from the root.
    """

    key: Key
    knowledge: State
    moves: tuple[Move, ...]
    path: tuple[Macro, ...]


class Policy(Protocol):
    """The heuristic policy of PUCT."""

    def answer(self, key: Key) -> Answer | None:
        """Returns what it has said of a state of knowledge; None if it has to be asked."""


def knowledge_key(problem: Problem, knowledge: State) -> Key:
    """Returns all that matters of a state of knowledge, to compare it with others of the same problem."""
    key = np.zeros(key_width(problem.model), np.int32)
    write_key(problem.model, knowledge, np.zeros(0, np.int32), False, key)
    return key.tobytes()
