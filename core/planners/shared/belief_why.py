"""Why a planner with a belief, and without a search, chose an action: its plan, its ranking, and the belief about the places.

Kinds of statement: those of `core.planners.shared.why`, and `belief` (how probable a missing object is at the places of both
actions), `answers` (how many answers of the model name these places). About a choice alone: those of
`core.planning.explanation.ALONE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.planners.shared.why import count, link, percent, planned, quoted, replied, said, setting, shares, words
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.facets import Belief, GoalProgress, PositionAnswers, RankedAction, Ranking
from core.planning.prompt_facts import ObjectPositionsFacts, PolicyFacts
from core.search.policy_prompt import PURPOSE
from core.world.vocabulary import Action, spaced

MOST_REASON = 200
"""The number of characters of a planner's reason."""
ALIKE = 0.0005
"""Two probabilities that differ by less are the same in a sentence."""
GUESS = "a guess"
"""The reason of a choice without a usable reply."""
MOST_OBJECTS = 2
"""The number of missing objects whose belief is compared: those for which the two places differ most."""


def why_by_rule(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why the greedy rule chose an action and not another one."""
    return (*planned(decision, other), *(tuple(_beliefs(decision, other)) or _likely(decision)))


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


def why_chosen(decision: DecisionEvidence) -> tuple[Sentence, ...]:
    """Returns what is known about a choice if there is no other action, or nothing is known about that: kinds in `ALONE`."""
    return (*_reason(decision), *_likely(decision))


def _reason(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields the planner's reason, and that it neither ranked actions nor asked a model in the turn, if that is so."""
    if decision.chosen is None or not decision.because:
        return
    without = [] if decision.fresh(Ranking) is not None else ["ranked no actions"]
    without += [] if decision.calls else ["asked no model"]
    rest = f"; it {' and '.join(without)} in this turn" if without else ""
    reason = quoted(decision.because, MOST_REASON)
    yield said("reason", f"The planner gave a reason for {words(decision.chosen)}: {reason}{rest}.",
               Evidence("log", "the decision"), *([Evidence("goal", "the goal")] if GoalProgress in decision.facets else []))


def _likely(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields how probable the missing objects are where the choice leads, and at the most probable other place or room."""
    belief = decision.fresh(Belief)
    if belief is None or decision.chosen is None:
        return
    rooms = _rooms(decision, belief)
    mine = _where(decision.chosen, belief, rooms)
    if mine is None:
        return
    here, columns = mine
    others = rooms if here in rooms else {place: [k] for k, place in enumerate(belief.places)}
    rows = [k for k, located in enumerate(belief.located) if belief.wanted[k] and located is None]
    share = {k: float(belief.probability[k, columns].sum()) for k in rows}
    for k in sorted(rows, key=lambda k: -share[k])[:MOST_OBJECTS]:
        elsewhere = {name: float(belief.probability[k, at].sum()) for name, at in others.items() if name != here}
        text = f"The object {quoted(belief.called(k))} is believed to be at {here} with probability {share[k]:.3f}"
        figures, label = {"chosen": share[k]}, f"belief: {belief.called(k)}"
        seen = [Evidence("belief", f"{label}, {here}", entity=here)]
        if elsewhere:
            best = max(elsewhere, key=lambda name: elsewhere[name])
            figures["best"] = elsewhere[best]
            rank = "the most probable is" if elsewhere[best] >= share[k] + ALIKE else "no other has more: the next is"
            text += f"; {rank} {best} with {elsewhere[best]:.3f}"
            seen.append(Evidence("belief", f"{label}, {best}", entity=best))
        yield said("likely", f"{text}.", *seen, figures=figures)


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
    rooms = _rooms(decision, belief)
    mine, theirs = _where(decision.chosen, belief, rooms), _where(other, belief, rooms)
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


def _rooms(decision: DecisionEvidence, belief: Belief) -> dict[str, list[int]]:
    """Returns the columns of each room, as far as a request for positions named the room of a place."""
    facts = [call.request.facts for call in (*decision.earlier, *decision.calls)]
    room_of = {place.id: place.room for one in facts if isinstance(one, ObjectPositionsFacts) for place in one.places}
    rooms: dict[str, list[int]] = {}
    for k, place in enumerate(belief.places):
        if place in room_of:
            rooms.setdefault(room_of[place], []).append(k)
    return rooms


def _where(action: Action, belief: Belief, rooms: Mapping[str, list[int]]) -> tuple[str, list[int]] | None:
    """Returns the place or room that an action is about, and its columns; None if it is about none."""
    for arg in reversed(action.args):
        columns = [k for k, place in enumerate(belief.places) if place == arg] or rooms.get(arg, [])
        if columns:
            return arg, columns
    return None


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
