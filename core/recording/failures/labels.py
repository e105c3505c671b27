"""The failure labels, a proposal with its evidence, and the annotation that keeps what an operator decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from core.planning.facets import Moment
from core.session.annotation import Annotation, new_id
from core.world.vocabulary import Action

Cause = Literal["policy failure", "world model failure", "translation failure", "planner failure", "world refused",
                "long search", "too few turns", "operator intervened", "model unavailable", "program fault", "unclear"]
CAUSES: Final[Mapping[Cause, str]] = MappingProxyType({
    "policy failure": "the policy chose actions that could not help, went back and forth, or ended too early",
    "world model failure": "objects were believed to be where they were not",
    "translation failure": "a reply was not understood, or was taken for another action or place",
    "planner failure": "the planner's own search or rules chose it, without the policy or against it",
    "world refused": "the world refused actions for reasons the robot could not see",
    "long search": "the search for objects used up the turns, and no recorded belief shows whether its places were sensible",
    "too few turns": "the decisions were sensible, and the turns were used up",
    "operator intervened": "the operator stopped the run, or chose what cost the turns",
    "model unavailable": "the language model gave no reply",
    "program fault": "the simulator or the planner stopped with an error",
    "unclear": "the record does not show why",
})
"""The labels and what each means. The first three are the paper's; ties between labels are resolved in this order."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation that speaks for a label.

    Attributes:
        label: the label it speaks for.
        turns: the turns it is about, ascending; empty: the run as a whole.
        cost: the number of turns that were lost by it; 0: it is only mentioned.
        text: what happened, as a sentence.
        compared: which parts of the record were compared.
        told: the turn whose decision the sentence explains; 0: the first.
        instead: the action that it names as the better one in that turn; None if it names none.
    """

    label: Cause
    turns: tuple[int, ...]
    cost: int
    text: str
    compared: str
    told: int = 0
    instead: Action | None = None

    @property
    def best_turn(self) -> int:
        """The number of the turn to look at; 0 if it is about none."""
        return self.told or next(iter(self.turns), 0)

    @property
    def sentence(self) -> str:
        """When it was and what happened, as a sentence."""
        text = f"{self.when}: {self.text}"
        return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '…', '!', '?')) else '.'}"

    @property
    def when(self) -> str:
        """The turns in words: `turn 3`, `turns 3 to 7`, `turns 3, 5 and 9`; `the run` if it is about none."""
        if not self.turns:
            return "the run"
        first, last = self.turns[0], self.turns[-1]
        if first == last:
            return f"turn {first}"
        if last - first + 1 == len(self.turns):
            return f"turns {first} to {last}"
        if len(self.turns) <= MOST_NAMED:
            return f"turns {', '.join(map(str, self.turns[:-1]))} and {last}"
        return f"{len(self.turns)} of turns {first} to {last}"


MOST_NAMED = 4
"""The maximum number of turns that are named one by one."""


MomentKind = Literal["cause", "most lost", "part lost", "loop", "divergence", "last progress"]
TITLES: Final[Mapping[MomentKind, str]] = MappingProxyType({
    "cause": "cause", "most lost": "most turns lost", "part lost": "part of the goal undone", "loop": "loop",
    "divergence": "first divergence", "last progress": "last progress",
})
"""The kinds of key moments, and their names for the operator."""


@dataclass(frozen=True, slots=True)
class KeyMoment:
    """A turn of a failed run worth looking at.

    Attributes:
        kind: `cause`: the turn that shows the costliest evidence for the proposed label. `most lost`: the turn that shows the
            costliest evidence of all, if that speaks for another label. `part lost`: the first turn that undid a reached part
            of the goal. `loop`: the first turn of the longest loop. `divergence`: the first turn in which a second planner
            would have done something else. `last progress`: the last turn that reached a part of the goal, or took or found an
            object of it.
        moment: the turn.
        text: what happened, as a sentence.
    """

    kind: MomentKind
    moment: Moment
    text: str


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What one turn brought.

    Attributes:
        text: in words, as the end of a sentence; empty if it only led to another turn.
        is_lost: whether it brought nothing.
        is_progress: whether it brought the goal nearer, or showed an object of it.
    """

    text: str
    is_lost: bool = False
    is_progress: bool = False


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed failure label of one branch.

    Attributes:
        branch: the branch that failed.
        label: the proposed label.
        share: 0..1, how much of the evidence speaks for it: the turns that it cost over all lost turns. For `too few turns`:
            sensible turns over all turns. 0 for `unclear`.
        because: why this label, in one sentence.
        evidence: that for the label first, then by turn.
        turns: the number of turns that led to its end.
        last: the number of the last of them.
        at: when the branch ended, in seconds since the session began.
        lost: the number of turns that all evidence together cost.
        moments: the turns to look at first, at most one of each kind, in order.
        opens_at: the turn where it went wrong, at which the run is best opened; None if no turn was begun.
        course: what each completed turn brought.
    """

    branch: int
    label: Cause
    share: float
    because: str
    evidence: tuple[Evidence, ...]
    turns: int
    last: int
    lost: int
    at: float
    moments: tuple[KeyMoment, ...] = ()
    opens_at: Moment | None = None
    course: Mapping[Moment, TurnResult] = field(default_factory=lambda: MappingProxyType({}))


def cause_of(label: str) -> Cause | None:
    """Returns the failure label of this name; None if there is none."""
    return next((cause for cause in CAUSES if cause == label), None)


def decided_label(annotations: Iterable[Annotation], branch: int, annotator: str | None = None) -> Annotation | None:
    """Returns the failure label that people gave a branch; None if there is none.

    Of several, an adjudicator's decision counts first, then the label of `annotator`, if given, then the newest.
    """
    found = [a for a in annotations if a.branch == branch and a.proposed and a.holds and cause_of(a.label) is not None]
    ranked = sorted(found, key=lambda a: (a.role == "settled", a.annotator == annotator))
    return ranked[-1] if ranked else None


def own_label(annotations: Iterable[Annotation], branch: int, annotator: str) -> Annotation | None:
    """Returns the failure label that an annotator gave a branch; None if there is none."""
    return decided_label((a for a in annotations if a.role == "label" and a.annotator == annotator), branch)


def decision_on(proposal: Proposal, label: Cause, *, note: str = "", annotator: str = "") -> Annotation:
    """Returns the annotation that accepts a proposal (its own label) or corrects it (another one).

    Args:
        proposal: the proposal.
        label: the operator's label.
        note: the operator's remark.
        annotator: who decided.
    """
    return Annotation(new_id(), label, proposal.at, turn=proposal.last, branch=proposal.branch, note=note, annotator=annotator,
                      proposed=proposal.label)


State = Literal["proposed", "accepted", "corrected"]


def state_of(decided: Annotation | None) -> State:
    """Returns whether a label is only proposed, was accepted, or corrected."""
    if decided is None:
        return "proposed"
    return "accepted" if decided.label == decided.proposed else "corrected"
