"""The tasks and options of a ScienceWorld and its saved states: text from outside, checked."""

from __future__ import annotations

import json
from typing import Any

from core.common.errors import DataError, UsageError
from core.simulator.base import Saved
from core.world.vocabulary import Action, spaced

VARIATIONS = {
    "boil": 30, "change-the-state-of-matter-of": 30, "chemistry-mix": 32, "chemistry-mix-paint-secondary-color": 36,
    "chemistry-mix-paint-tertiary-color": 36, "find-animal": 300, "find-living-thing": 300,
    "find-non-living-thing": 300, "find-plant": 300, "freeze": 30, "grow-fruit": 126, "grow-plant": 126,
    "identify-life-stages-1": 14, "identify-life-stages-2": 10, "inclined-plane-determine-angle": 168,
    "inclined-plane-friction-named-surfaces": 1386, "inclined-plane-friction-unnamed-surfaces": 162,
    "lifespan-longest-lived": 125, "lifespan-longest-lived-then-shortest-lived": 125, "lifespan-shortest-lived": 125,
    "measure-melting-point-known-substance": 436, "measure-melting-point-unknown-substance": 300, "melt": 30,
    "mendelian-genetics-known-plant": 120, "mendelian-genetics-unknown-plant": 480, "power-component": 20,
    "power-component-renewable-vs-nonrenewable-energy": 20, "test-conductivity": 900,
    "test-conductivity-of-unknown-substances": 600, "use-thermometer": 540,
}
"""Task by ScienceWorld's name -> its number of variations."""
NAME = "scienceworld"
OPTIONS = ("variation", "simplification")
SIMPLER = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")


def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every task."""
    return tuple((name, title(name)) for name in VARIATIONS)


def title(name: str) -> str:
    """Returns a task's title: `find-plant` -> `Find plant, 300 variations`."""
    return f"{spaced(name.replace('-', '_')).capitalize()}, {VARIATIONS[name]} variations"


def variation_of(task: str, text: str | None) -> int | None:
    """Returns the requested variation; None leaves it to the seed.

    Raises:
        UsageError: the task has no such variation.
    """
    if text is None:
        return None
    if not text.isdecimal() or int(text) >= VARIATIONS[task]:
        raise UsageError(f"variation={text}: {task} has 0 to {VARIATIONS[task] - 1}")
    return int(text)


def simplification_of(text: str) -> str:
    """Returns ScienceWorld's own simplifications, separated by commas.

    Raises:
        UsageError: one is unknown.
    """
    for part in filter(None, text.split(",")):
        if part not in SIMPLER:
            raise UsageError(f"simplification={part}: there is {', '.join(SIMPLER)}")
    return text


def to_saved(task: str, variation: int, seed: int, earlier: int, actions: list[Action]) -> Saved:
    """Returns task, variation, the steps before the episode was last restarted, and the actions since, as text."""
    listed = [[a.verb, *a.args] for a in actions]
    return json.dumps({"world": NAME, "task": task, "variation": variation, "seed": seed, "earlier": earlier,
                       "actions": listed})


def read_saved(saved: Saved, task: str) -> tuple[int, int, int, list[Action]]:
    """Returns seed, variation, earlier steps and actions of a saved state.

    Raises:
        DataError: it is not a state of this task.
    """
    try:
        value: Any = json.loads(saved)
        same = (value["world"], value["task"]) == (NAME, task)
        seed, variation, earlier = int(value["seed"]), int(value["variation"]), int(value.get("earlier", 0))
        actions = [Action(str(verb), tuple(map(str, args))) for verb, *args in value["actions"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"this is not a saved state of ScienceWorld's {task}") from error
    if not same or seed < 0 or earlier < 0:
        raise DataError(f"this state was saved in another world than ScienceWorld's {task}")
    return seed, variation, earlier, actions
