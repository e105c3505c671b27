"""What is kept of an episode of a suite besides its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
Number = Annotated[int, msgspec.Meta(ge=-2**62, le=2**62)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


@dataclass(frozen=True, slots=True)
class Origin:
    """What an episode was played from, and how it went: enough to repeat it, and to check that it is repeated.

    The model, its settings and the planners' parameters are those of the folder.

    Attributes:
        scene: the scene.
        world: the simulator's settings.
        world_seed: resets the simulator.
        seed: begins the planner.
        goal: the goal as formal text.
        task: the goal in words.
        max_steps: the number of actions after which the episode is given up.
        success: whether the goal was reached.
        ended: why it ended.
        turns: the number of actions.
        actions: a digest of the actions, and of which of them succeeded.
        seconds: how long it took in all. This and the next three may differ if it is repeated.
        calls, tokens_in, tokens_out: the replies that were not from the cache, and their tokens.
        label: the proposed failure label; empty if the goal was reached.
        turn: the turn where it went wrong; 0 if the goal was reached.
        because: why this label, in one sentence.
    """

    scene: str
    world: Mapping[str, str]
    world_seed: Number
    seed: Number
    goal: str
    task: str
    max_steps: Count
    success: bool
    ended: str
    turns: Count
    actions: str
    seconds: Seconds = field(default=0.0, compare=False)
    calls: Count = field(default=0, compare=False)
    tokens_in: Count = field(default=0, compare=False)
    tokens_out: Count = field(default=0, compare=False)
    label: str = ""
    turn: Count = 0
    because: str = ""
