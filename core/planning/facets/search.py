"""How a search weighs its actions: the ranking and the tree."""

from __future__ import annotations

from dataclasses import dataclass

from core.planning.facets.base import Facet
from core.world.vocabulary import Action


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
