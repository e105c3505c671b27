"""The types of BCR that a recording holds: its facet and the facts of its prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.goals.literals import Goal
from core.planning.facets import Facet
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import Action, Value


@dataclass(frozen=True, slots=True)
class CandidateFact(Value):
    """One candidate action as the prompt lists it.

    Attributes:
        action: `verb id id`; objects not known yet are named by their class.
        phrase: the action as the prompt phrases it.
        goal: index of the literal it serves; -1 if the prompt does not say it. Then `depth` is 0, `resolves` is empty,
            `subject` is the class of the action's first argument, and `certain` is True.
        depth: the number of blocked actions between it and that literal.
        resolves: the kind of need it may bring about (`conditions.CONDITIONS`); empty if it achieves the literal.
        subject: the class that the need, or the literal, concerns.
        certain: True if it surely has that effect, False if possibly.
        place: the furniture or room of the action, if it has one.
    """

    action: str
    phrase: str
    goal: int
    depth: int
    resolves: str
    subject: str
    certain: bool
    place: PlaceFact | None = None


@dataclass(frozen=True, slots=True)
class SelectionFacts(Value):
    """Request: which candidate is next? BCR, §IV-B.

    Attributes:
        goal: all literals.
        done: indices of the literals that hold.
        candidates: in the order of the prompt.
        holding: (id, class) of the held objects.
        history: the executed actions, as `verb id id`.
        blocked: the conditions that block actions of the tree, as (kind, id or class, class) of what each concerns; only if the
            prompt does not say what the candidates resolve.
    """

    goal: Goal
    done: tuple[int, ...]
    candidates: tuple[CandidateFact, ...]
    holding: tuple[tuple[str, str], ...]
    history: tuple[str, ...]
    blocked: tuple[tuple[str, str, str], ...] = ()


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
