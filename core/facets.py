"""What a mind or a world can show: frozen values, safe to hand to another thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.goals import LiteralProgress
from core.world import Action, Value

View = Literal["first person", "dollhouse"]


class Facet(Value):
    """Marker base: frozen, made of plain data."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world.

    Attributes:
        pixels: (H, W, 3) uint8, RGB, read-only.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity under a pixel, "" for none; None where a world has no ids.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        matrix: 16 numbers, row by row: world (x, y, z, 1) in metres to clip space (OpenGL); empty where a world has none.
        notice: why this picture is less than it could be (no OpenGL), or empty.
    """

    view: View
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""
    matrix: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner means to take next, first one first, and what they are for."""

    actions: tuple[Action, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """How far each literal of the goal is reached."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)


@dataclass(frozen=True, slots=True)
class Belief(Facet):
    """Where a planner thinks things are: objects by places.

    Attributes:
        objects: row labels; two things of one class are `apple`, `apple 2`.
        classes: the class of each row.
        wanted: whether each row is about a thing of the goal.
        located: for each row the id of the thing that was found, or None while it is only believed in.
        places: ids of the columns.
        probability: (n, m) float64, read-only; each row sums to 1.
        prior: (n, m) what the model said before anything was seen.
        looked: (m,) bool: the contents of the place have been seen.
        pinned: (n, m) bool: held by the operator.
        zeroed: (n, m) bool: ruled out by the operator.
    """

    objects: tuple[str, ...]
    classes: tuple[str, ...]
    wanted: tuple[bool, ...]
    located: tuple[str | None, ...]
    places: tuple[str, ...]
    probability: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]
    looked: npt.NDArray[np.bool_]
    pinned: npt.NDArray[np.bool_]
    zeroed: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RankedAction:
    """One action of a ranking.

    Attributes:
        steps: the primitive actions it stands for, the first of which is done next (one, unless it is a macro).
        prior: what the heuristic policy gives it, 0..1.
        visits: simulations that began with it.
        value: mean return; None before the first visit.
        share: visits over all visits.
        loss: value lost against the best action; None before the first visit.
    """

    steps: tuple[Action, ...]
    prior: float
    visits: int
    value: float | None
    share: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Ranking(Facet):
    """Actions, best first; how far the search is; and the line it expects to be played (principal variation)."""

    actions: tuple[RankedAction, ...]
    simulations: int
    budget: int
    expected: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node: the action that led to it, what was observed on the way, and its statistics."""

    id: int
    parent: int
    """-1 at the root."""
    action: Action | None
    observed: tuple[tuple[str, str], ...]
    """(object label, place id) newly found on the way; empty: nothing new."""
    visits: int
    value: float
    prior: float
    reached: bool = False
    """The goal is reached here."""


@dataclass(frozen=True, slots=True)
class SearchTree(Facet):
    """The tree, parents before children, most visited first; `folded` nodes are left out; `expected` is the best line's ids."""

    nodes: tuple[TreeNode, ...]
    folded: int
    expected: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounding:
    """What a planner took one reply for.

    Attributes:
        prompt: `Ask.digest` of the question.
        said: the reply's words that were looked at.
        meant: the choice they were taken for; empty when they fit none.
        score: 0..1, how well they fit; of the nearest choice when they fit none.
        how: exact, normalised, synonym, edit, embedding, probability, or none.
        runner_up: the second best choice, and `runner_up_score` how well that fits.
    """

    prompt: str
    said: str
    meant: str
    score: float
    how: str
    runner_up: str = ""
    runner_up_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Grounded(Facet):
    """How the replies that just came were understood."""

    replies: tuple[Grounding, ...]
