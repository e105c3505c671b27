"""What stands in the way of a goal, and what may take it out of the way: the tree of BCR."""

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
        id: stays the same as long as the node is in the tree.
        parent: -1 of a goal.
        kind: a goal literal, an action tried or to be tried, what blocks it, the literal that resolves that.
        text: what it says, in words.
        short: the same in two short lines, the second may be empty.
        state: of an action blocked, candidate, chosen or banned; of a goal or resolution open or reached; of a condition
            blocked or reached.
        action: of an action; what is not known yet goes by its class.
        certain: of an action: it surely has the effect it stands here for.
        by_operator: an operator put it here, or set its state.
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
    """A condition that no longer blocks: what it was, of which action, what resolved it, at which step."""

    text: str
    blocked: str
    by: str
    step: int


@dataclass(frozen=True, slots=True)
class BlockingTree(Facet):
    """The tree, parents before children; what was resolved, oldest first; how many loops were broken.

    An operator edits `state` (chosen, banned, reached) and says `by_operator`, and adds actions below a resolution, with
    ids under -1. An earlier tree undoes what was edited since.
    """

    nodes: tuple[BlockingNode, ...]
    history: tuple[ResolvedBranch, ...] = ()
    loops: int = 0
