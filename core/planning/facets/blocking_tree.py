"""The facet of BCR: the tree of conditions that block a goal and of the actions that may resolve them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.planning.facets.base import Facet
from core.world.vocabulary import Action

BlockingKind = Literal["goal", "action", "condition", "resolution"]
BlockingState = Literal["open", "blocked", "candidate", "chosen", "reached", "banned"]


@dataclass(frozen=True, slots=True)
class BlockingNode:
    """One node.

    Attributes:
        id: stable as long as the node is in the tree.
        parent: id of the parent; -1 for a goal.
        kind: a goal literal, an action tried or to be tried, a condition that blocks it, or a literal that resolves the
            condition.
        text: a description.
        state: of an action: blocked, candidate, chosen or banned; of a goal or resolution: open or reached; of a condition:
            blocked or reached.
        short: the description in two short lines; the second may be empty.
        action: the action, for action nodes; objects not known yet are named by their class.
        certain: for action nodes: True if the action surely has the effect it is chosen for.
        by_operator: True if an operator added the node or set its state.
    """

    id: int
    parent: int
    kind: BlockingKind
    text: str
    state: BlockingState
    short: tuple[str, str] = ("", "")
    action: Action | None = None
    certain: bool = True
    by_operator: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedBranch:
    """A condition that no longer blocks.

    Attributes:
        text: the condition.
        blocked: the action it blocked.
        by: what resolved it.
        step: the step at which it was resolved.
    """

    text: str
    blocked: str
    by: str
    step: int


@dataclass(frozen=True, slots=True)
class BlockingTree(Facet):
    """The whole tree.

    An operator may set `state` (chosen, banned, reached) together with `by_operator`, and may add actions below a resolution,
    with ids less than -1. Accepting an earlier tree undoes the edits made since.

    Attributes:
        nodes: parents before children.
        history: resolved conditions, the oldest first.
        loops: how many loops were broken.
    """

    nodes: tuple[BlockingNode, ...]
    history: tuple[ResolvedBranch, ...] = ()
    loops: int = 0
