"""Facets of a tree search: the ranking of the root actions and the tree."""

from __future__ import annotations

from dataclasses import dataclass

from core.planning.facets.base import Facet
from core.world.vocabulary import Action


@dataclass(frozen=True, slots=True)
class RankedAction:
    """One root action of the search.

    Attributes:
        steps: the primitive actions of the macro action, the next one first; a single action that is no macro has one.
        prior: the probability under the heuristic policy, 0..1.
        visits: the number of simulations that started with it.
        value: the mean return; None before the first visit.
        share: its visits over all visits.
        loss: the best action's value minus its value; None before the first visit.
    """

    steps: tuple[Action, ...]
    prior: float
    visits: int
    value: float | None
    share: float
    loss: float | None


@dataclass(frozen=True, slots=True)
class Ranking(Facet):
    """The ranking of the root actions.

    Attributes:
        actions: best first.
        simulations: simulations done.
        budget: simulations of the whole search.
        expected: the principal variation.
    """

    actions: tuple[RankedAction, ...]
    simulations: int
    budget: int
    expected: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node.

    Attributes:
        id: its number.
        parent: the number of its parent; -1 at the root.
        action: the action that led to it.
        observed: (object label, place id) of objects found after that action; empty: nothing new.
        visits: the number of simulations through it.
        value: the mean return.
        prior: the probability of the action under the policy, 0..1.
        reached: True if the goal is reached here.
    """

    id: int
    parent: int
    action: Action | None
    observed: tuple[tuple[str, str], ...]
    visits: int
    value: float
    prior: float
    reached: bool = False


@dataclass(frozen=True, slots=True)
class SearchTree(Facet):
    """The search tree.

    Attributes:
        nodes: parents before children, most visited first.
        folded: the number of nodes left out.
        expected: ids of the nodes on the principal variation.
    """

    nodes: tuple[TreeNode, ...]
    folded: int
    expected: tuple[int, ...] = ()
