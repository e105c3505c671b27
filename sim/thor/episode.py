"""One episode since its reset: what was done, what AI2-THOR refused, and both as a saved state."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.common.errors import DataError
from core.simulator.base import Saved
from core.world.vocabulary import Action, Verdict
from sim.thor.observation import Names


class Past(NamedTuple):
    """An action that was done, and whether it worked."""

    action: Action
    ok: bool


@dataclass
class Episode:
    """What happened since the reset.

    Attributes:
        seed: of the reset.
        names: our ids for AI2-THOR's.
        past: all actions, including refused ones.
        refused: what AI2-THOR itself refused since the last change. Its room and reach cannot be predicted.
        unfit: verb and types (such as put_in, Apple, Drawer) that AI2-THOR never lets go together.
    """

    seed: int
    names: Names
    past: list[Past] = field(default_factory=list)
    refused: dict[Action, Verdict] = field(default_factory=dict)
    unfit: dict[tuple[str, ...], Verdict] = field(default_factory=dict)


def write_saved(scene: str, episode: Episode) -> Saved:
    """Returns the seed and the actions, with the indices of those that failed, as text."""
    actions = [[done.action.verb, *done.action.args] for done in episode.past]
    failed = [k for k, done in enumerate(episode.past) if not done.ok]
    return json.dumps({"world": "thor", "scene": scene, "seed": episode.seed, "actions": actions, "failed": failed})


def read_saved(saved: Saved, scene: str) -> tuple[int, list[Past]]:
    """Returns seed and actions of a saved state.

    Raises:
        DataError: it is not a state of this scene.
    """
    try:
        value: Any = json.loads(saved)
        same = (value["world"], value["scene"]) == ("thor", scene)
        seed, failed = int(value["seed"]), {int(k) for k in value["failed"]}
        actions = [Action(str(verb), tuple(map(str, args))) for verb, *args in value["actions"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"this is not a saved state of AI2-THOR's {scene}") from error
    if not same or seed < 0:
        raise DataError(f"this state was saved in another world than AI2-THOR's {scene}")
    return seed, [Past(action, k not in failed) for k, action in enumerate(actions)]
