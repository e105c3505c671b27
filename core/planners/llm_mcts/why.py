"""Why the greedy rule, or the language model as policy, chose an action: its plan, its ranking, and the belief about places.

Kinds of statement: those of `core.planning.sentences`, and `belief` (how probable a missing object is at the places of both
actions), `answers` (how many answers of the model name these places). About a choice alone: those of
`core.planning.explanation.ALONE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.planners.llm_mcts.policy_prompt import PURPOSE
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.prompt_facts import PolicyFacts
from core.planning.reasons import MOST_OBJECTS, likely, place_of, rooms_of
from core.planning.search_facets import RankedAction, Ranking
from core.planning.sentences import link, percent, planned, quoted, replied, said, setting, shares, words
from core.views.wording import count
from core.world.vocabulary import Action, spaced

GUESS = "a guess"
"""The reason of a choice without a usable reply."""


def why_by_rule(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why the greedy rule chose an action and not another one."""
    return (*planned(decision, other), *(tuple(_beliefs(decision, other)) or likely(decision)))


def why_by_policy(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why the language model as policy chose an action and not another one.

    Further kinds of statement: `kept` (an earlier answer to the same choices holds), `replaced` (the answer was replaced at
    random).
    """
    asked = next((call for call in reversed(decision.calls) if call.request.purpose == PURPOSE), None)
    kept = _kept(decision) if asked is None else None
    call = asked or kept
    return (*([_no_call(kept)] if kept is not None else []), *([replied(call), *_replaced(decision, call)] if call else []),
            *shares(decision, other), *_guess(decision), *planned(decision, other), *_beliefs(decision, other))


def _kept(decision: DecisionEvidence) -> AskedCall | None:
    """Returns the earlier call whose answer holds in a turn without a call: the last one that offered the same choices."""
    ranking = decision.fresh(Ranking)
    offered = {_steps(row) for row in ranking.actions} if ranking is not None and decision.because != GUESS else set()
    return next((call for call in reversed(decision.earlier) if call.request.purpose == PURPOSE and offered
                 and isinstance(call.request.facts, PolicyFacts) and set(call.request.facts.choices) == offered), None)


def _no_call(kept: AskedCall) -> Sentence:
    return said("kept", f"No call was made in this turn: an answer is kept for the same choices, which call {kept.number} of "
                        f"turn {kept.turn} offered.", link(kept), figures={"call": kept.number, "turn": kept.turn})


def _replaced(decision: DecisionEvidence, call: AskedCall) -> Iterator[Sentence]:
    """Yields that a random action has the whole share, and not the one that the answer means."""
    share, ranking = setting(decision, "wrong_answers"), decision.fresh(Ranking)
    facts, choices, read = call.request.facts, call.request.expects.choices, call.grounding
    if not share or ranking is None or not isinstance(facts, PolicyFacts) or read is None or read.meant not in choices:
        return
    best = ranking.actions[0]
    if best.prior == 1.0 and facts.choices[choices.index(read.meant)] != _steps(best):
        text = (f"This answer was replaced by a random action, {words(best.steps[0])}: the parameter wrong_answers replaces "
                f"{percent(share)} of the answers.")
        yield said("replaced", text, Evidence("parameters", "parameters: wrong_answers"), link(call), figures={"share": share})


def _steps(row: RankedAction) -> str:
    return ", ".join(map(str, row.steps))


def _guess(decision: DecisionEvidence) -> Iterator[Sentence]:
    if decision.chosen is not None and decision.because == GUESS:
        yield said("guess", f"No reply was of use: all choices have the same share, and {words(decision.chosen)} is drawn at "
                            "random.", Evidence("ranking", "ranking", decision.chosen))


def _beliefs(decision: DecisionEvidence, other: Action) -> Iterator[Sentence]:
    """Yields how probable the missing objects are where both actions lead: at a place, or at the places of a room together."""
    belief = decision.fresh(Belief)
    if belief is None or decision.chosen is None:
        return
    rooms = rooms_of(decision, belief)
    mine, theirs = place_of(decision.chosen, belief, rooms), place_of(other, belief, rooms)
    if theirs is None or mine == theirs:
        return
    there, columns = theirs
    rows = [k for k, located in enumerate(belief.located) if belief.wanted[k] and located is None]
    at = {k: float(belief.probability[k, columns].sum()) for k in rows}
    here = {k: float(belief.probability[k, mine[1]].sum()) if mine is not None else 0.0 for k in rows}
    for k in sorted(rows, key=lambda k: -abs(at[k] - here[k]))[:MOST_OBJECTS]:
        text = f"The object {quoted(belief.called(k))} is believed to be at {there} with probability {at[k]:.3f}"
        figures, label = {"other": at[k]}, f"belief: {belief.called(k)}"
        seen = [Evidence("belief", f"{label}, {there}", entity=there)]
        if mine is not None:
            figures["chosen"] = here[k]
            text += f", and at {mine[0]} with {here[k]:.3f}"
            seen.append(Evidence("belief", f"{label}, {mine[0]}", entity=mine[0]))
        looked = "; that place was looked into" if len(columns) == 1 and belief.looked[columns[0]] else ""
        yield said("belief", f"{text}{looked}.", *seen, figures=figures)
        if len(columns) == 1:
            yield from _answers(decision, belief.classes[k], there)


def _answers(decision: DecisionEvidence, cls: str, place: str) -> Iterator[Sentence]:
    """Yields how many answers of the model name a place for a class, or its probability in them."""
    shown = decision.newest(PositionAnswers)
    answers = shown.about(cls) if shown is not None else None
    if shown is None or answers is None or place not in shown.places:
        return
    call: AskedCall | None = next((c for c in (*decision.earlier, *decision.calls)
                                   if c.request.digest == answers.prompt), None)
    share = float(answers.counts[shown.places.index(place)])
    evidence = [Evidence("belief", f"answers: {spaced(cls)}", entity=place), *([link(call)] if call is not None else [])]
    if answers.samples:
        yield said("answers", f"{share:g} of {count(answers.samples, 'answer')} about {quoted(spaced(cls))} name {place}.",
                   *evidence, figures={"named": share, "samples": answers.samples})
    else:
        yield said("answers", f"Asked about {quoted(spaced(cls))}, the model gives {place} the probability {share:.3f}.",
                   *evidence, figures={"named": share})
