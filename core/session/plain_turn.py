"""What a run does and why, in plain sentences for people who know nothing of planners: no visits, values or probabilities.

Each reason states a fact that the snapshot holds: what the goal asks of a thing, where the thing lies, or where it may be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.goals.kinds import is_a
from core.goals.literals import LiteralProgress
from core.planning.belief_facets import Belief
from core.planning.explanation import DecisionEvidence
from core.planning.facets import Plan
from core.planning.search_facets import Ranking
from core.session.explaining import evidence_of
from core.session.snapshot import Snapshot, Status
from core.world.vocabulary import Action, Entity, Observation, definite, in_words, named

LEAST_SHARE = 0.02
"""A probability below this is no reason to look somewhere."""
LIKELY = ((0.95, "almost certainly"), (0.6, "probably"), (0.3, "quite possibly"), (0.0, "possibly"))
"""Least probability -> the words for it."""
WITHOUT_CHOICE: Mapping[Status, str] = MappingProxyType({"waiting": "waiting for the language model", "paused": "paused"})
"""What a run does that has not chosen its next action, by its status."""
LONGEST = 120
"""Characters of a planner's own reason. A longer one is an argument, not a sentence to read in passing."""
_FIGURE = re.compile(r"(?<![_\w])\d|[<>=%]")
"""Matches what only readers of figures understand. The number at the end of an id is none."""


@dataclass(frozen=True, slots=True)
class PlainTurn:
    """One moment of a run in plain words. The texts hold ids, see `with_names`.

    Attributes:
        act: what the robot does, or what the run waits for; empty before a run begins.
        why: one sentence with the reason; empty if there is none.
    """

    act: str = ""
    why: str = ""

    def with_names(self, name_of: Callable[[str], str]) -> PlainTurn:
        """Returns the texts with names in place of ids, as sentences. `name_of` returns the display name of an id."""
        act, why = named(self.act, name_of), named(self.why, name_of)
        return PlainTurn(act[:1].upper() + act[1:], why[:1].upper() + why[1:])


def likely_words(probability: float) -> str:
    """Returns how sure a probability is, in words: `probably`."""
    return next(words for least, words in LIKELY if probability >= least)


def plain_turn(snapshot: Snapshot) -> PlainTurn:
    """Returns what the run of a snapshot does at its moment, and why."""
    if snapshot.began is None:
        return PlainTurn()
    if snapshot.ended is not None:
        held = "it held from the start, so there was nothing to do." if not snapshot.line else ""
        return PlainTurn("the goal is reached", held) if snapshot.ended.success else \
            PlainTurn(f"the run has ended: {snapshot.ended.reason}")
    if snapshot.failure is not None and snapshot.failure.waits:
        return PlainTurn(f"the {snapshot.failure.part} has stopped, and a person must help", snapshot.failure.message)
    turn, decision = snapshot.current, evidence_of(snapshot)
    if turn is not None and turn.by == "operator" and turn.action is not None:
        return PlainTurn(in_words(turn.action), f"a person chose this{f': {turn.because}' if turn.because else ''}.")
    if decision is None or decision.chosen is None:
        last = snapshot.line[-1].done if snapshot.line else None
        return PlainTurn(WITHOUT_CHOICE.get(snapshot.status, "thinking about the next action"),
                         f"the last action was: {in_words(last)}." if last is not None else "")
    is_decided = turn is not None and turn.action is not None
    prefix = "paused before the next action: " if snapshot.pause else "" if is_decided else "thinking, perhaps: "
    return PlainTurn(prefix + in_words(decision.chosen), next(_reasons(snapshot, decision, decision.chosen), ""))


def _steps(decision: DecisionEvidence, chosen: Action) -> tuple[Action, ...]:
    """Returns the actions that the choice begins: those of the plan, or of the row of the ranking; itself at least."""
    plan, ranking = decision.fresh(Plan), decision.fresh(Ranking)
    if plan is not None and plan.actions[:1] == (chosen,):
        return plan.actions
    rows = ranking.actions if ranking is not None else ()
    return next((row.steps for row in rows if row.steps[:1] == (chosen,)), (chosen,))


def _reasons(snapshot: Snapshot, decision: DecisionEvidence, chosen: Action) -> Iterator[str]:
    """Yields reasons for an action, the best one first: those of the goal, of the belief, and of the planner."""
    seen, pending = snapshot.seen, [p for p in snapshot.progress if not p.reached and not p.literal.never]
    if seen is not None:
        known = {e.id: e for e in (*seen.landmarks, *seen.entities)}
        things = [known[arg] for arg in dict.fromkeys(arg for step in _steps(decision, chosen) for arg in step.args)
                  if arg in known]
        yield from _from_goal(seen, pending, things)
        yield from _from_belief(decision.newest(Belief), things, known)
        yield from _from_targets(pending, things)
        yield from _from_missing(seen, pending)
    because = decision.because.strip()
    if because and len(because) <= LONGEST and not _FIGURE.search(because):
        yield f"{because.rstrip('.')}."
    elif pending:
        yield "it is a step towards the goal."


def _from_goal(seen: Observation, pending: list[LiteralProgress], things: list[Entity]) -> Iterator[str]:
    """Yields what the goal asks of something that the robot holds, acts on, or goes to."""
    held = [e for e in seen.entities if e.id in seen.agent.holding]
    for p in pending:
        literal = p.literal
        carried = next((e for e in held if is_a(e, literal.subject)), None)
        if carried is not None and literal.target and any(is_a(thing, literal.target) for thing in things):
            yield f"the goal wants {carried.id} there."
        for thing in things:
            if is_a(thing, literal.subject) and thing.id not in p.subjects:
                yield f"the goal needs it: {literal}."
            here = next((e for e in seen.entities if is_a(e, literal.subject) and e.id not in p.subjects
                         and thing.id in (e.room, *(r.object for r in seen.holders(e.id)))), None)
            if here is not None and carried is None:
                yield f"{here.id} is there."


def _from_belief(belief: Belief | None, things: list[Entity], known: dict[str, Entity]) -> Iterator[str]:
    """Yields how sure it is that a missing object is where the robot goes or looks."""
    if belief is None:
        return
    ids = {thing.id for thing in things}
    at = [k for k, place in enumerate(belief.places) if place in ids]
    at = at or [k for k, place in enumerate(belief.places) if place in known and known[place].room in ids]
    rows = [k for k, located in enumerate(belief.located) if belief.wanted[k] and located is None] if at else []
    shares = {row: float(belief.probability[row, at].sum()) for row in rows}
    best = max(rows, key=lambda row: shares[row], default=-1)
    if best >= 0 and shares[best] >= LEAST_SHARE:
        name = belief.called(best)
        yield f"{name if name.startswith('another ') else definite(name)} is {likely_words(shares[best])} there."


def _from_targets(pending: list[LiteralProgress], things: list[Entity]) -> Iterator[str]:
    for p in pending:
        if p.literal.target and any(is_a(thing, p.literal.target) for thing in things):
            yield f"the goal needs it: {p.literal}."


def _from_missing(seen: Observation, pending: list[LiteralProgress]) -> Iterator[str]:
    """Yields what the goal is about and nobody has found yet."""
    for p in pending:
        found = any(is_a(e, p.literal.subject) and e.id not in p.subjects for e in seen.entities)
        if not found and not p.literal.is_about_robot:
            words = p.literal.subject_words
            yield f"it looks for {words if p.literal.count > 1 or p.literal.every else definite(words)}."
