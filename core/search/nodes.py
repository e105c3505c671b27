"""The interface between a search and its policy: options, requests and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from core.search.model import State
from core.search.policy_table import key_width, write_key
from core.search.problem import Macro, Move, Problem

Key = bytes
"""The key of a knowledge state, see `policy_table.write_key`."""
Answer = Mapping[int, float]
"""The policy's answer for a knowledge state: action -> weight, not negative; empty if the reply was not usable."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a search. Each field is documented at the planner parameter of the same name."""

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
    """A request to the policy.

    Attributes:
        key: the key of the knowledge state, under which the answer is stored.
        knowledge: the knowledge state.
        moves: the actions available there.
        path: the actions from the root to there.
    """

    key: Key
    knowledge: State
    moves: tuple[Move, ...]
    path: tuple[Macro, ...]


class Policy(Protocol):
    """The heuristic policy of PUCT."""

    def answer(self, key: Key) -> Answer | None:
        """Returns the stored answer for a knowledge state; None if it has not been requested yet."""


def knowledge_key(problem: Problem, knowledge: State) -> Key:
    """Returns a key that is equal for equal knowledge states of the same problem."""
    key = np.zeros(key_width(problem.model), np.int32)
    write_key(problem.model, knowledge, np.zeros(0, np.int32), False, key)
    return key.tobytes()
