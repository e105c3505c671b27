"""The evidence for a decision and its explanation, from a snapshot of the turn in which it was made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from types import MappingProxyType

from core.common.errors import MissingPart, UsageError
from core.goals.literals import Goal
from core.planners.registry import planner_class
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence, ruled_out
from core.planning.facets import Grounding, Moment, Plan
from core.planning.reasons import why_chosen
from core.planning.search_facets import Ranking
from core.session.snapshot import Snapshot
from core.session.turns import Call, place_of
from core.world.vocabulary import Action

MOST_DONE = 30
"""The number of past turns whose actions a choice can be compared with."""
MOST_EARLIER = 100
"""The number of model calls before the turn that are looked at. Their groundings are the last ones, too."""


def evidence_of(snapshot: Snapshot) -> DecisionEvidence | None:
    """Returns the evidence for the decision of a snapshot's turn.

    None before the planner has ranked or chosen an action. Before it has chosen, what it intends is taken as its choice: the
    first action of its plan, else of the best row of its ranking so far. If the run ended because it chose none, the reason is
    that of the end.
    """
    turn, moment = snapshot.current, snapshot.moment
    if turn is None or turn.moment != moment:
        turn = next((x for x in reversed(snapshot.line) if x.moment == moment), None)
    ranking, plan = snapshot.fresh(Ranking), snapshot.fresh(Plan)
    intended = plan.actions if plan is not None else ranking.actions[0].steps if ranking is not None and ranking.actions else ()
    by_operator = turn is not None and turn.by == "operator"
    chosen = turn.instead_of if turn is not None and by_operator else turn.action if turn is not None else None
    stopped = turn is None and snapshot.ended is not None
    chosen = chosen if stopped else chosen or next(iter(intended), None)
    if chosen is None and not stopped:
        return None
    calls = _calls(snapshot, moment)
    because = plan.because if plan is not None else ""
    if turn is not None and turn.because and not by_operator:
        because = turn.because
    if stopped and snapshot.ended is not None:
        because = snapshot.ended.reason
    options = snapshot.options.options if snapshot.options is not None else ()
    facets = snapshot.at_action or snapshot.facets
    return DecisionEvidence(moment, snapshot.goal or Goal(()), chosen, because, by_operator, facets,
                            tuple(c for c in calls if c.turn == moment.turn), MappingProxyType(dict(options)), snapshot.banned,
                            tuple(c for c in calls if c.turn != moment.turn), snapshot.parameters)


def _calls(snapshot: Snapshot, moment: Moment) -> tuple[AskedCall, ...]:
    """Returns the planner's calls of a turn, and the last ones before it on its line, oldest first."""
    found: list[Call] = []
    earlier = 0
    for call in reversed(snapshot.calls):
        here = Moment(call.branch, call.turn)
        earlier += here != moment
        if earlier > MOST_EARLIER:
            break
        if call.by == "planner" and (here == moment or place_of(snapshot.line, here) is not None):
            found.append(call)
    read: dict[str, Grounding] = {}
    for grounding in islice(reversed(snapshot.groundings), 2 * (len(found) + MOST_EARLIER)):
        read.setdefault(grounding.prompt, grounding)
    return tuple(AskedCall(c.id, c.ask, c.reply, read.get(c.ask.digest), c.turn) for c in reversed(found))


def others_of(snapshot: Snapshot, decision: DecisionEvidence | None) -> tuple[Action, ...]:
    """Returns the actions a choice can be compared with.

    They are those of the ranking, best first, then all that were listed, and those done lately. The choice is not compared
    with its own further steps.
    """
    if decision is None:
        return ()
    ranking, plan = snapshot.facet(Ranking), snapshot.facet(Plan)
    ranked: Sequence[Action] = [row.steps[-1] for row in ranking.actions if decision.chosen not in row.steps] if ranking else []
    listed = [action for action, _ in snapshot.options.options] if snapshot.options is not None else []
    done = [turn.done for turn in islice(reversed(snapshot.line), MOST_DONE) if turn.done is not None]
    own = {decision.chosen, *(plan.actions if plan is not None and plan.actions[:1] == (decision.chosen,) else ())}
    earlier = plan.actions if plan is not None and decision.chosen not in plan.actions else ()
    return tuple(action for action in dict.fromkeys((*ranked, *earlier, *listed, *done)) if action not in own)


def explain(snapshot: Snapshot, other: Action | None, decision: DecisionEvidence | None = None) -> tuple[Sentence, ...]:
    """Returns why the action of a snapshot's turn was chosen and not another one.

    If there is no other action, or the planner showed nothing about it, the sentences are about the choice alone, or about the
    end of the run. Empty: nothing is known, or both actions are the same.

    Args:
        snapshot: a snapshot of the turn.
        other: the action that was not chosen; None if there is none.
        decision: the evidence of the turn, if it has been collected already.
    """
    decision = decision or evidence_of(snapshot)
    if decision is None or snapshot.began is None:
        return ()
    if other == decision.chosen and other is not None:
        return ()
    ruled = () if other is None else ruled_out(decision, other)
    try:
        planner = planner_class(snapshot.began.planner)
    except (MissingPart, UsageError):  # a recording of a planner that is not installed here
        return (*_stop(decision), *(ruled or why_chosen(decision)))
    own = planner.reasons(decision) if other is None else planner.why(decision, other)
    return (*_stop(decision), *ruled, *(own or why_chosen(decision)))


def _stop(decision: DecisionEvidence) -> tuple[Sentence, ...]:
    """Returns why the run ended, if the planner chose no action."""
    if decision.chosen is not None:
        return ()
    return (Sentence("stop", f"No action was chosen: “{decision.because}”.", (Evidence("log", "the end of the run"),)),)
