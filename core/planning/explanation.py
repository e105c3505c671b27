"""Why an action was chosen and not another one: sentences made from figures that the planner showed, each with its evidence.

`DecisionEvidence` holds what was shown and asked in one turn. `Planner.why` makes `Sentence`s from it, without a live planner,
so that a recording is explained as a live run is. No language model writes these sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

from core.common.parameters import Parameters
from core.goals.literals import Goal
from core.planning.facets import Facet, Grounding, Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import Ranking
from core.world.vocabulary import Action, Verdict, in_words

F = TypeVar("F", bound=Facet)
ALONE = frozenset({"reason", "likely"})
"""The kinds of statement about a choice without another action: the reason that came with it, and how probable the missing
objects are where it leads, and at the most probable other place."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a figure of a sentence can be seen.

    Attributes:
        panel: the name of the panel that shows it, such as `ranking`.
        label: what is shown there, in a few words: the text of the link.
        action: the action to select there; None: none.
        entity: the id of the entity to select there; empty: none.
        call: the number of the model call to select; -1: none.
        simulation: the number of the simulation to step into, from 0; -1: none.
        moment: the turn to go to; None: the turn of the decision.
    """

    panel: str
    label: str
    action: Action | None = None
    entity: str = ""
    call: int = -1
    simulation: int = -1
    moment: Moment | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement about a decision.

    Attributes:
        claim: what kind of statement it is: `prior`, `visits`, `value`, and so on. Each planner documents its own.
        text: the sentence, with ids for entities.
        evidence: where its figures are shown; at least one.
        figures: the numbers in the text by name, unrounded, so that a program can check them.
    """

    claim: str
    text: str
    evidence: tuple[Evidence, ...]
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if not self.evidence:
            raise ValueError(f"a sentence needs evidence: {self.text}")


class AskedCall(NamedTuple):
    """A model call.

    Attributes:
        number: its number in the run.
        request: the request.
        reply: the reply; None if there is none yet.
        grounding: how the planner interpreted the reply; None: it does not say.
        turn: the turn in which it was made.
    """

    number: int
    request: ModelRequest
    reply: ModelReply | None
    grounding: Grounding | None = None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class DecisionEvidence:
    """What is known about one decision: what was shown and asked until the action was executed.

    Attributes:
        moment: the turn and branch.
        goal: the goal in force.
        chosen: the action that was chosen; None: none.
        because: the reason that came with the decision.
        by_operator: whether the operator chose it.
        facets: the newest facet of each kind, and the moment in which it was shown.
        calls: the planner's model calls of the turn, in order.
        verdicts: what is known about actions that may be impossible.
        banned: the actions that the operator banned.
        earlier: the last of the planner's model calls before this turn on its line, in order. One of them wrote the plan or
            program that is followed for several turns.
        parameters: the planner's parameters in force.
    """

    moment: Moment
    goal: Goal
    chosen: Action | None
    because: str = ""
    by_operator: bool = False
    facets: Mapping[type[Facet], tuple[Facet, Moment]] = field(default_factory=lambda: MappingProxyType({}))
    calls: tuple[AskedCall, ...] = ()
    verdicts: Mapping[Action, Verdict] = field(default_factory=lambda: MappingProxyType({}))
    banned: frozenset[Action] = frozenset()
    earlier: tuple[AskedCall, ...] = ()
    parameters: Parameters = field(default_factory=Parameters)

    def fresh(self, kind: type[F]) -> F | None:
        """Returns the facet of a kind that was shown in this turn; None if there is none."""
        found = self.facets.get(kind)
        return cast(F, found[0]) if found is not None and found[1] == self.moment else None

    def newest(self, kind: type[F]) -> F | None:
        """Returns the facet of a kind that was shown last, in this turn or before; None if there is none."""
        found = self.facets.get(kind)
        return cast(F, found[0]) if found is not None else None

    def asked(self, purpose: str) -> AskedCall | None:
        """Returns the last call of a purpose, of this turn or before; None if there is none."""
        calls = (*self.earlier, *self.calls)
        return next((call for call in reversed(calls) if call.request.purpose == purpose), None)


def ruled_out(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action could not be chosen, whatever the planner thinks of it: it is banned or not possible."""
    said, ranks = [], Ranking in decision.facets
    seen = Evidence("ranking", f"ranking: {in_words(other)}", other) if ranks else (
        Evidence("scene", f"scene: {in_words(other)}", other, other.args[-1] if other.args else ""))
    if other in decision.banned:
        said.append(Sentence("banned", f"The operator banned “{in_words(other)}”.", (seen,)))
    verdict = decision.verdicts.get(other)
    if verdict is not None and not verdict.ok:
        said.append(Sentence("impossible", f"“{in_words(other)}” is not possible now: {verdict.reason}", (seen,)))
    return tuple(said)
