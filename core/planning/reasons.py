"""Why any planner chose an action, without another one to compare it with: its reason, and the belief about places.

Kinds of statement: those of `core.planning.explanation.ALONE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.planning.belief_facets import Belief
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import GoalProgress
from core.planning.prompt_facts import ObjectPositionsFacts
from core.planning.search_facets import Ranking
from core.planning.sentences import quoted, said, words
from core.world.vocabulary import Action

MOST_REASON = 200
"""The number of characters of a planner's reason."""
ALIKE = 0.0005
"""Two probabilities that differ by less are the same in a sentence."""
MOST_OBJECTS = 2
"""The number of missing objects whose belief is compared: those for which the two places differ most."""


def why_chosen(decision: DecisionEvidence) -> tuple[Sentence, ...]:
    """Returns what is known about a choice if there is no other action, or nothing is known about that: kinds in `ALONE`."""
    return (*_reason(decision), *likely(decision))


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


def likely(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields how probable the missing objects are where the choice leads, and at the most probable other place or room."""
    belief = decision.fresh(Belief)
    if belief is None or decision.chosen is None:
        return
    rooms = rooms_of(decision, belief)
    mine = place_of(decision.chosen, belief, rooms)
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


def rooms_of(decision: DecisionEvidence, belief: Belief) -> dict[str, list[int]]:
    """Returns the columns of each room, as far as a request for positions named the room of a place."""
    facts = [call.request.facts for call in (*decision.earlier, *decision.calls)]
    room_of = {place.id: place.room for one in facts if isinstance(one, ObjectPositionsFacts) for place in one.places}
    rooms: dict[str, list[int]] = {}
    for k, place in enumerate(belief.places):
        if place in room_of:
            rooms.setdefault(room_of[place], []).append(k)
    return rooms


def place_of(action: Action, belief: Belief, rooms: Mapping[str, list[int]]) -> tuple[str, list[int]] | None:
    """Returns the place or room that an action is about, and its columns; None if it is about none."""
    for arg in reversed(action.args):
        columns = [k for k, place in enumerate(belief.places) if place == arg] or rooms.get(arg, [])
        if columns:
            return arg, columns
    return None
