"""Why a search chose one root action and not another: sentences from its ranking, its priors and its simulations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.goals.literals import Literal
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import GoalProgress, Moment
from core.planning.search_facets import PolicyMixture, RankedAction, Ranking
from core.planning.simulation_facets import Simulations
from core.world.vocabulary import Action, in_words, spaced

LEAST_IN_COMMON = 0.15
"""How much more often than in all worlds an object must be in a place to be named as what some worlds have in common."""
Indices = npt.NDArray[np.intp]


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why the search chose an action and not another one.

    The claims: `continues`, `macro`, `not ranked`, `visits`, `value`, `prior`, `model`, `no model`, `noise`, `since`,
    `unrewarded`, `spread`, `worlds`, `common`, `apart`, `literal`. Without a search in the turn, those of the search whose
    macro action the turn continues.
    """
    found, ranking = decision.facets.get(Ranking), decision.newest(Ranking)
    if found is None or ranking is None or decision.chosen is None:
        return ()
    moment = found[1]
    said: list[Sentence] = []
    one = _row(ranking, decision.chosen, first=True)
    if moment != decision.moment:
        if one is None:
            return ()
        words = f"This turn continues “{in_words(one.steps[-1])}”, which the search of turn {moment.turn} chose."
        said.append(_said("continues", words, (_ranking(one, moment),), turn=moment.turn))
    if one is None:
        return tuple(said)
    if moment == decision.moment and decision.chosen != one.steps[-1]:
        first, last = in_words(decision.chosen), in_words(one.steps[-1])
        words = f"“{first}” is a step towards “{last}”, which the search chose."
        said.append(_said("macro", words, (_ranking(one, moment),)))
    said += _unrewarded(decision, moment)
    two = _row(ranking, other)
    if two is None or two is one:
        text = (f"“{in_words(other)}” is no action of the search." if two is None
                else f"“{in_words(other)}” belongs to the choice, in {len(one.steps)} steps: it is no other one.")
        return (*said, _said("not ranked", text, (_ranking(one, moment),)))
    pair = _Pair(decision, moment, ranking, one, two)
    return (*said, *pair.sentences())


def _unrewarded(decision: DecisionEvidence, moment: Moment) -> Iterator[Sentence]:
    """Yields that no simulation earned a reward. It makes all other figures meaningless, and is therefore said first."""
    found = decision.facets.get(Simulations)
    if found is not None and found[1] == moment and isinstance(found[0], Simulations) and not found[0].returned.any():
        yield _said("unrewarded", "No simulation of this decision earned a reward, so that the values say nothing.",
                    (Evidence("simulations", "the simulations", moment=moment),))


def _row(ranking: Ranking, action: Action, *, first: bool = False) -> RankedAction | None:
    """Returns the root action that begins with, ends with or contains an action. With `first`, the best that contains it."""
    if not first:
        exact = next((row for row in ranking.actions if row.steps[-1] == action), None)
        if exact is not None:
            return exact
    return next((row for row in ranking.actions if action in row.steps), None)


def _ranking(row: RankedAction, moment: Moment) -> Evidence:
    return Evidence("ranking", in_words(row.steps[-1]), row.steps[-1], moment=moment)


def _said(claim: str, text: str, evidence: tuple[Evidence, ...], **figures: float) -> Sentence:
    return Sentence(claim, text, evidence, MappingProxyType(figures))


@dataclass(frozen=True)
class _Pair:
    """The chosen root action, another one, and what was shown about both."""

    decision: DecisionEvidence
    moment: Moment
    ranking: Ranking
    one: RankedAction
    two: RankedAction

    def sentences(self) -> Iterator[Sentence]:
        yield self._visits()
        yield self._value()
        yield from self._prior()
        simulations = self._of_moment(Simulations)
        if isinstance(simulations, Simulations):
            yield from _Compared(self, simulations).sentences()

    def _of_moment(self, kind: type[Simulations | PolicyMixture]) -> object:
        """Returns the facet of a kind if it was shown with the ranking."""
        found = self.decision.facets.get(kind)
        return found[0] if found is not None and found[1] == self.moment else None

    @property
    def literals_that_hold(self) -> tuple[Literal, ...]:
        """The literals that are reached already, as far as the planner knows."""
        progress = self.decision.newest(GoalProgress)
        return tuple(p.literal for p in progress.literals if p.reached) if progress is not None else ()

    @property
    def names(self) -> tuple[str, str]:
        """The last step of each action, in words."""
        return in_words(self.one.steps[-1]), in_words(self.two.steps[-1])

    @property
    def rows(self) -> tuple[Evidence, Evidence]:
        """The two rows of the ranking."""
        return _ranking(self.one, self.moment), _ranking(self.two, self.moment)

    def _visits(self) -> Sentence:
        a, b = self.names
        total = sum(row.visits for row in self.ranking.actions)
        text = f"“{a}” began {self.one.visits} of {total} simulations, “{b}” {self.two.visits or 'none'}."
        if self._final == "visits" and self.one.visits > self.two.visits:
            text = f"{text[:-1]}: the search chooses the action with the most visits."
        return _said("visits", text, self.rows, one=self.one.visits, two=self.two.visits, total=total)

    def _value(self) -> Sentence:
        a, b = self.names
        if self.two.value is None or self.one.value is None:
            never = b if self.two.value is None else a
            return _said("value", f"“{never}” has no value: no simulation began with it.", self.rows)
        gap = self.one.value - self.two.value
        size = f"{abs(gap):.2f}" if abs(gap) >= 0.005 else f"{abs(gap):.1g}"
        than = "as much as" if not gap else f"{size} {'more' if gap > 0 else 'less'} than"
        text = f"The mean return of “{a}” is {self.one.value:.2f}, {than} that of “{b}” ({self.two.value:.2f})."
        if self._final == "value" and gap >= 0:
            rule = "between equal ones the higher prior decides" if self.one.prior > self.two.prior else (
                "between equal values and priors the first one in the search's list is chosen")
            text = f"{text[:-1]}: {'the highest is chosen' if gap else rule}."
        return _said("value", text, self.rows, one=self.one.value, two=self.two.value, gap=gap)

    @property
    def _final(self) -> object:
        """What the search chooses by: `visits` or `value`."""
        return dict(vars(self.decision.parameters)).get("final")

    def _prior(self) -> Iterator[Sentence]:
        a, b = self.names
        text = f"The policy gave “{a}” a prior of {self.one.prior:.3f} and “{b}” {self.two.prior:.3f}."
        if len({row.prior for row in self.ranking.actions}) == 1:
            text = f"All {len(self.ranking.actions)} actions have the same prior, {self.one.prior:.3f}: no policy prefers one."
        yield _said("prior", text, self.rows, one=self.one.prior, two=self.two.prior)
        mixture = self._of_moment(PolicyMixture)
        if not isinstance(mixture, PolicyMixture):
            return
        parts = {row.steps: mixture.parts(mixture.actions.index(row.steps)) for row in (self.one, self.two)
                 if row.steps in mixture.actions}
        if len(parts) < 2:
            return
        uniform, model = parts[self.one.steps]
        _, other = parts[self.two.steps]
        if not mixture.model.any():
            yield _said("no model", "No answer of the model was usable here: all priors are equal.", self.rows, uniform=uniform)
            return
        calls = (*self.decision.earlier, *self.decision.calls)  # an answer is kept for later turns with the same knowledge
        call = next((x for x in reversed(calls) if x.request.digest == mixture.prompt), None)
        seen = (*self.rows, Evidence("calls", f"call {call.number}", call=call.number)) if call is not None else self.rows
        text = (f"{model:.3f} of the prior of “{a}” is from the model, {other:.3f} of that of “{b}”; the uniform part of each "
                f"is {uniform:.3f}")
        if mixture.how == "noise":
            meant = in_words(mixture.actions[int(mixture.model.argmax())][-1])
            text = f"The parameter wrong_answers replaced the model's answer by a random action, “{meant}”. {text}."
            yield _said("noise", text, (*seen, Evidence("parameters", "wrong_answers")), one=model, two=other, uniform=uniform)
            return
        votes = Counter(mixture.samples)
        if mixture.how == "votes" and votes:
            most, count = votes.most_common(1)[0]
            text = f"{text}. {count} of {len(mixture.samples)} answers say “{most}”"
        yield _said("model", f"{text}.", seen, one=model, two=other, uniform=uniform)


@dataclass(frozen=True)
class _Compared:
    """The simulations that began with either of two root actions."""

    pair: _Pair
    simulations: Simulations

    def sentences(self) -> Iterator[Sentence]:
        actions = self.simulations.actions
        if self.pair.one.steps not in actions or self.pair.two.steps not in actions:
            return
        one, two = actions.index(self.pair.one.steps), actions.index(self.pair.two.steps)
        ones, twos = np.flatnonzero(self.simulations.action == one), np.flatnonzero(self.simulations.action == two)
        yield from self._since(one, two)
        if self.simulations.returned.any():
            yield from self._spread(ones, twos)
            yield from self._worlds(ones, twos)
        yield from self._literals(ones, twos)

    def _evidence(self, *numbers: int) -> tuple[Evidence, ...]:
        moment = self.pair.moment
        if not numbers:
            return (Evidence("simulations", "the simulations", moment=moment),)
        return tuple(Evidence("simulations", f"simulation {n + 1}", simulation=n, moment=moment) for n in numbers)

    def _since(self, one: int, two: int) -> Iterator[Sentence]:
        """Since when the chosen action has had more visits."""
        a, b = self.pair.names
        ahead = np.cumsum(self.simulations.action == one) - np.cumsum(self.simulations.action == two)
        if not len(ahead) or ahead[-1] <= 0:
            return
        behind = np.flatnonzero(ahead <= 0)
        since = int(behind[-1]) + 2 if len(behind) else 1
        text = f"From simulation {since} on “{a}” always had more visits than “{b}”."
        yield _said("since", text, self._evidence(since - 1), since=since)

    def _spread(self, ones: Indices, twos: Indices) -> Iterator[Sentence]:
        """The spread of the returns."""
        if len(ones) < 2 or len(twos) < 2:
            return
        a, b = self.pair.names
        first, second = self.simulations.returned[ones], self.simulations.returned[twos]
        worst, best = int(ones[first.argmin()]), int(ones[first.argmax()])
        text = (f"The returns of “{a}” are {first.min():.2f} to {first.max():.2f} (standard deviation {first.std():.2f}); "
                f"those of “{b}” are {second.min():.2f} to {second.max():.2f} ({second.std():.2f}).")
        yield _said("spread", text, self._evidence(worst, best), low=first.min(), high=first.max(), deviation=first.std(),
                    low_two=second.min(), high_two=second.max(), deviation_two=second.std())

    def _worlds(self, ones: Indices, twos: Indices) -> Iterator[Sentence]:
        """In which sampled worlds the other action returned more, and what these worlds have in common."""
        a, b = self.pair.names
        first, second = self._by_world(ones), self._by_world(twos)
        both = sorted(first.keys() & second.keys())
        if not both:
            return
        returned = self.simulations.returned
        gains = {w: returned[second[w]] - returned[first[w]] for w in both}
        better = [w for w in both if gains[w] > 0]
        largest = max(both, key=lambda w: abs(gains[w]))
        apart = (first[largest], second[largest])
        group = f"the {len(both)} sampled worlds in which both were simulated"
        text = (f"In {len(better)} of {group} “{b}” returned more than “{a}”." if better
                else f"In none of {group} did “{b}” return more.")
        if len(both) == 1:
            did = "returned" if better else "did not return"
            text = f"In the one sampled world in which both were simulated, “{b}” {did} more than “{a}”."
        yield _said("worlds", text, self._evidence(), both=len(both), better=len(better))
        if 1 < len(better) < len(both):
            yield from self._common(better, both)
        if not gains[largest]:
            return  # they returned the same in every world
        yield _said("apart", f"They differ most in world {largest + 1}: “{a}” returned {returned[apart[0]]:.2f} there, “{b}” "
                    f"{returned[apart[1]]:.2f}.", self._evidence(*apart), world=largest, one=returned[apart[0]],
                    two=returned[apart[1]])

    def _by_world(self, numbers: Indices) -> dict[int, int]:
        """Returns world -> the number of the last simulation in it."""
        return {int(self.simulations.world[n]): int(n) for n in numbers if self.simulations.world[n] >= 0}

    def _common(self, better: Sequence[int], both: Sequence[int]) -> Iterator[Sentence]:
        """What the worlds in which the other action is better have in common, and the others do not."""
        rest = [w for w in both if w not in better]
        worlds = self.simulations.worlds
        found = []
        for k, name in enumerate(self.simulations.objects):
            for place, count in Counter(worlds[better, k].tolist()).items():
                others = int((worlds[rest, k] == place).sum())
                found.append((count / len(better) - others / len(rest), count, others, name, place))
        surplus, count, others, name, place = max(found, default=(0.0, 0, 0, "", 0))
        if surplus < LEAST_IN_COMMON:
            return
        where, relation = self.simulations.places[place]
        how = {"inside": "in", "on": "on"}.get(relation, "on the floor of")
        text = (f"In {count} of these {len(better)} the {name} is {how} {where}; in the others it is there in {others} of "
                f"{len(rest)}.")
        seen = (Evidence("belief", f"belief: {name} {how} {where}", entity=where, moment=self.pair.moment), *self._evidence())
        yield _said("common", text, seen, count=count, better=len(better), others=others, rest=len(rest), place=place)

    def _literals(self, ones: Indices, twos: Indices) -> Iterator[Sentence]:
        """How often and after how many steps each literal that does not hold yet is reached."""
        if not len(ones) or not len(twos):
            return
        a, b = self.pair.names
        holds = self.pair.literals_that_hold
        for k, literal in enumerate(self.simulations.literals):
            if literal in holds:  # the kernel notes it again at the first object that is put down
                continue
            first, second = (self.simulations.reached[numbers, k] for numbers in (ones, twos))
            parts, figures = [], dict[str, float]()
            for name, steps, key in ((a, first, "one"), (b, second, "two")):
                reached = steps[steps > 0]
                after = f", after {reached.mean():.1f} steps on average" if len(reached) else ""
                parts.append(f"in {len(reached)} of {len(steps)} simulations of “{name}”{after}")
                figures |= {f"{key}_reached": len(reached), f"{key}_simulations": len(steps)}
                if len(reached):
                    figures[f"{key}_steps"] = float(reached.mean())
            yield _said("literal", f"“{_placed(literal)}” is reached {parts[0]}; {parts[1]}.", self._evidence(),
                        literal=k, **figures)


def _placed(literal: Literal) -> str:
    number = "" if literal.count == 1 else f"{literal.count} × "
    return f"{number}{spaced(literal.subject)} {literal.predicate} {spaced(literal.target or '')}"
