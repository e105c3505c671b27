"""The candidates of a blocking tree, their order, and the note beside each. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action

LEAVES = ("chosen", "candidate", "banned")
MOST_TURNS = 200
"""The number of past turns searched for earlier attempts."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leaf of the blocking tree, shown as one pill.

    Attributes:
        node: the leaf.
        why: why it is a candidate: the resolution it leads to, or that the operator added it.
        tried: the number of the last turn in which its action was executed, 0 if there is none.
    """

    node: BlockingNode
    why: str
    tried: int = 0

    @property
    def note(self) -> str:
        """Returns the note at the right end of the pill: its state, the last attempt, or `why`."""
        if self.node.state == "chosen":
            return "your choice" if self.node.by_operator else "chosen"
        if self.node.state == "banned":
            return "banned"
        return f"tried in turn {self.tried}" if self.tried else self.why


def candidates_of(tree: BlockingTree, snapshot: Snapshot) -> tuple[Candidate, ...]:
    """Returns the candidates of a tree: the chosen one first, then the others in tree order, banned ones last.

    Args:
        tree: the blocking tree.
        snapshot: its turns show which actions were tried before.
    """
    texts = {n.id: n.text for n in tree.nodes}
    tried = _tried(snapshot)
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES]
    leaves.sort(key=lambda n: LEAVES.index(n.state))
    return tuple(Candidate(n, _why(n, texts.get(n.parent, "")), tried.get(n.action, 0) if n.action else 0) for n in leaves)


def wanted(tree: BlockingTree) -> str:
    """Returns the text of the resolution above the chosen candidate, or above the first one. Empty if there is none."""
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES[:2]]
    first = next((n for n in leaves if n.state == "chosen"), leaves[0] if leaves else None)
    return next((n.text for n in tree.nodes if first is not None and n.id == first.parent), "")


def _why(node: BlockingNode, resolution: str) -> str:
    if node.by_operator and node.state == "candidate":
        return "added by you"
    if not resolution:
        return ""
    return f"{'leads to' if node.certain else 'may lead to'} {resolution}"


def _tried(snapshot: Snapshot) -> dict[Action, int]:
    """Returns the last turn of each action on the current branch, within the last `MOST_TURNS` turns."""
    found: dict[Action, int] = {}
    for turn in islice(reversed(snapshot.turns), MOST_TURNS):
        if turn.branch == snapshot.branch and turn.outcome is not None:
            found.setdefault(turn.outcome.action, turn.number)
    return found
