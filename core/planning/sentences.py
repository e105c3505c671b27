"""Sentences about a decision that several planners share: a model call and how its reply was read, a ranking, a plan.

Kinds of statement: `reply`, `prior` (the share of an action in a ranking), `continued` (a macro action goes on), `offered`
(whether an action was considered), `plan` (its place in a plan).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.parameters import described
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan
from core.planning.search_facets import RankedAction, Ranking
from core.views.wording import count
from core.world.vocabulary import Action, in_words

MOST_QUOTED = 90
"""The number of characters of a quotation."""


def said(claim: str, text: str, *evidence: Evidence, figures: Mapping[str, float] | None = None) -> Sentence:
    """Returns a sentence."""
    return Sentence(claim, text, evidence, dict(figures or {}))


def quoted(text: str, most: int = MOST_QUOTED) -> str:
    """Returns the beginning of a text in one line and in quotation marks. Marks within it become single ones."""
    line = " ".join(text.split()).replace("“", "‘").replace("”", "’")
    return f"“{line if len(line) <= most else line[:most - 1] + '…'}”"


def words(action: Action) -> str:
    """Returns an action in quotation marks."""
    return quoted(in_words(action))


def percent(share: float) -> str:
    """Returns a share as text: `12.3%`, `almost 0%` if it would be rounded to that."""
    return f"{share:.1%}" if share >= 0.0005 or not share else "almost 0%"


def setting(decision: DecisionEvidence, name: str) -> float | None:
    """Returns a number among the planner's parameters in force; None if there is none of this name."""
    value = next((p.value for p in described(decision.parameters) if p.name == name), None)
    return float(value) if isinstance(value, int | float) else None


def link(call: AskedCall) -> Evidence:
    """Returns a call as evidence."""
    return Evidence("calls", f"call {call.number}: {call.request.purpose}", call=call.number)


def drawn(action: Action) -> Evidence:
    """Returns the plan as evidence, which the pictures show."""
    return Evidence("frames", f"plan: {in_words(action)}", action)


def replied(call: AskedCall) -> Sentence:
    """Returns what a model call was answered, and how the planner read it."""
    purpose, reply, read = call.request.purpose, call.reply, call.grounding
    figures: dict[str, float] = {"call": call.number, "turn": call.turn}
    if reply is None:
        text = f"Call {call.number} of turn {call.turn} ({purpose}) has no reply yet."
        return said("reply", text, link(call), figures=figures)
    text = reply.texts[0] if reply.texts else ""
    start = (f"In call {call.number} of turn {call.turn} ({purpose}), {reply.source} answers "
             f"{quoted(text) if text.strip() else 'nothing'}")
    if len(reply.texts) > 1:
        figures["samples"] = len(reply.texts)
        start += f" in the first of {len(reply.texts)} replies"
    if read is None:
        return said("reply", f"{start}.", link(call), figures=figures)
    figures["score"] = read.score
    if read.meant:
        start += f"; it is read as {quoted(read.meant)} ({read.how}, score {read.score:.2f})"
    else:
        start += f"; it matches no choice (score {read.score:.2f})"
    if read.runner_up:
        figures["next_score"] = read.runner_up_score
        start += f", next is {quoted(read.runner_up)} ({read.runner_up_score:.2f})"
    return said("reply", f"{start}.{f' {quoted(read.remark)}.' if read.remark else ''}", link(call), figures=figures)


# --- rankings and plans -----------------------------------------------------------
def beginning(ranking: Ranking, action: Action) -> tuple[RankedAction, ...]:
    """Returns the ranked choices whose first step is an action."""
    return tuple(ranked for ranked in ranking.actions if ranked.steps and ranked.steps[0] == action)


def offered(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns whether another action was among the choices of a ranking without figures (`considered`)."""
    ranking = decision.fresh(Ranking)
    if ranking is None or not ranking.actions:
        return ()
    total, is_there = len(ranking.actions), bool(beginning(ranking, other))
    text = f"{words(other)} is {'one' if is_there else 'none'} of {count(total, 'action')} that the planner considered."
    return (said("offered", text, Evidence("ranking", "ranking", other if is_there else decision.chosen),
                 figures={"choices": total}),)


def shares(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns the shares of both actions in a ranking by probability.

    A macro action counts for its first step. If it was chosen in an earlier turn and goes on, the ranking is that of then.
    """
    found, chosen = decision.facets.get(Ranking), decision.chosen
    ranking = decision.newest(Ranking)
    if found is None or ranking is None or not ranking.actions or chosen is None:
        return ()
    best, turn = ranking.actions[0], found[1].turn
    if found[1] == decision.moment:
        return (*_share(chosen, ranking), *_share(other, ranking))
    if chosen not in best.steps[1:]:
        return ()
    step = best.steps.index(chosen) + 1
    text = (f"{words(chosen)} is step {step} of {count(len(best.steps), 'step')} of the choice made in turn {turn}, which had "
            f"a share of {percent(best.prior)}.")
    return (said("continued", text, Evidence("ranking", f"ranking: {in_words(best.steps[0])}", best.steps[0]),
                 figures={"step": step, "steps": len(best.steps), "turn": turn, "share": best.prior}), *_share(other, ranking))


def _share(action: Action, ranking: Ranking) -> Iterator[Sentence]:
    """Yields the share of the choices that begin with an action, or that none does."""
    mine, total = beginning(ranking, action), len(ranking.actions)
    if mine:
        share = sum(ranked.prior for ranked in mine)
        several = f" together, in the {len(mine)} choices that begin with it," if len(mine) > 1 else ""
        yield said("prior", f"{words(action)} has{several} a share of {percent(share)} among {count(total, 'choice')}.",
                   Evidence("ranking", f"ranking: {in_words(action)}", action),
                   figures={"share": share, "choices": total} | ({"beginning": len(mine)} if several else {}))
        return
    within = next((ranked for ranked in ranking.actions if action in ranked.steps), None)
    if within is None:
        yield said("prior", f"None of the {count(total, 'choice')} begins with {words(action)}.",
                   Evidence("ranking", "ranking", ranking.actions[0].steps[0]), figures={"choices": total})
        return
    step = within.steps.index(action) + 1
    yield said("prior", f"None of the {count(total, 'choice')} begins with {words(action)}; it is step {step} of one that "
                        f"begins with {words(within.steps[0])} and has a share of {percent(within.prior)}.",
               Evidence("ranking", f"ranking: {in_words(within.steps[0])}", within.steps[0]),
               figures={"choices": total, "step": step, "share": within.prior})


def planned(decision: DecisionEvidence, other: Action, name: str = "plan") -> tuple[Sentence, ...]:
    """Returns the place of both actions in the plan of the turn.

    Args:
        decision: the decision.
        other: the other action.
        name: what the plan is called.
    """
    plan, chosen = decision.fresh(Plan), decision.chosen
    if plan is None or chosen is None or not plan.actions or plan.actions[0] != chosen:
        return ()
    total = len(plan.actions)
    because = f" ({quoted(plan.because)})" if plan.because else ""
    figures = {"steps": total}
    text = f"The {name} of this turn{because} has {count(total, 'action')}, and {words(chosen)} is the first"
    if other not in plan.actions:
        return (said("plan", f"{text}; {words(other)} is not in it.", drawn(chosen), figures=figures),)
    figures["other_step"] = plan.actions.index(other) + 1
    return (said("plan", f"{text}; {words(other)} comes later, as action {figures['other_step']}.", drawn(chosen),
                 drawn(other), figures=figures),)
