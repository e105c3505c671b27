"""The evidence for a decision and its explanation, from a snapshot of the turn in which it was made."""

from __future__ import annotations

from types import MappingProxyType

from core.common.errors import MissingPart, UsageError
from core.goals.literals import Goal
from core.planners.registry import planner_class
from core.planning.explanation import AskedCall, DecisionEvidence, Sentence, ruled_out
from core.planning.facets import Plan, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action


def evidence_of(snapshot: Snapshot) -> DecisionEvidence | None:
    """Returns the evidence for the decision of a snapshot's turn.

    None before the planner has ranked or chosen an action. Before it has chosen, what it intends is taken as its choice: the
    first action of its plan, else of the best row of its ranking so far.
    """
    turn, moment = snapshot.current, snapshot.moment
    if turn is None or turn.moment != moment:
        turn = next((x for x in reversed(snapshot.line) if x.moment == moment), None)
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    intended = plan.actions if plan is not None else ranking.actions[0].steps if ranking is not None and ranking.actions else ()
    by_operator = turn is not None and turn.by == "operator"
    chosen = turn.instead_of if turn is not None and by_operator else turn.action if turn is not None else None
    chosen = chosen or next(iter(intended), None)
    because = plan.because if plan is not None else ""
    if turn is not None and turn.because and not by_operator:
        because = turn.because
    if chosen is None:
        return None
    calls = []
    for call in reversed(snapshot.calls):
        if call.turn != moment.turn or call.branch != moment.branch:
            break
        if call.by == "planner":
            calls.append(AskedCall(call.id, call.ask, call.reply))
    options = snapshot.options.options if snapshot.options is not None else ()
    return DecisionEvidence(moment, snapshot.goal or Goal(()), chosen, because, by_operator, snapshot.facets,
                            tuple(reversed(calls)), MappingProxyType(dict(options)), snapshot.banned,
                            snapshot.parameters)


def explain(snapshot: Snapshot, other: Action) -> tuple[Sentence, ...]:
    """Returns why the action of a snapshot's turn was chosen and not another one. Empty: nothing is known about that."""
    decision = evidence_of(snapshot)
    if decision is None or snapshot.began is None or other == decision.chosen:
        return ()
    try:
        planner = planner_class(snapshot.began.planner)
    except (MissingPart, UsageError):  # a recording of a planner that is not installed here
        return ruled_out(decision, other)
    return (*ruled_out(decision, other), *planner.why(decision, other))
