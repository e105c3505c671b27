"""What preferred the action of a turn, by the record: the policy's prior, a reply, a program, facts, or the planner itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from core.planning.search_facets import RankedAction, Ranking
from core.recording.failures.beliefs import EVEN, Beliefs
from core.recording.failures.facts import asked_facts, is_checked, wrong_fact
from core.recording.failures.labels import Cause
from core.recording.failures.lost_turns import Yield
from core.recording.failures.replies import LONGEST, fault_of, line_of, non_answer, shortened
from core.recording.failures.run import RecordedRun, RecordedTurn, policy_calls
from core.world.vocabulary import Action, in_words

REPLACED: Final = 2
"""The weight of a choice whose reply was replaced at random."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What preferred an action.

    Attributes:
        cause: the cause of a loss by this action.
        who: what preferred it, as the end of a sentence.
        compared: what was compared to find that.
        instead: the action that was preferred otherwise; None if none is known.
        weight: how directly the turn shows that: `REPLACED`: its reply was replaced at random, 1: its own reply, 0: all else.
    """

    cause: Cause
    who: str
    compared: str
    instead: Action | None = None
    weight: int = 0


class Choices:
    """Who chose the actions of a run.

    Attributes:
        calls: for each turn, with the one under way, the calls that ask what to do in it.
        deciding: for each completed turn, the index of the turn that chose its action.
        asks_policy: whether a model was asked for actions.
    """

    def __init__(self, run: RecordedRun, beliefs: Beliefs):
        self._run, self._beliefs = run, beliefs
        executed = tuple(str(turn.action) for turn in run.turns)
        self.calls = tuple(policy_calls(turn, executed, k) for k, turn in enumerate(run.every_turn))
        self.deciding = self._deciding_turns()
        self._plain = {call.digest for calls in self.calls for call in calls if call.history is None}
        """Prompts whose replies hold for more than one turn, such as programs."""
        self.asks_policy, self._ranks = any(self.calls), any(turn.ranking is not None for turn in run.turns)
        self._facts = [(call, turn.number) for turn in run.every_turn for call in asked_facts(turn.calls)]
        self._wrong = [(words, number) for call, number in self._facts if (words := wrong_fact(call))]
        """What is wrong with the replies about facts, and the numbers of the turns in which they were asked."""

    def of(self, k: int, one: Yield) -> Choice:
        """Returns what preferred the action of a turn."""
        d = self.deciding[k]
        turn, calls = self._run.turns[d], self.calls[d]
        weight = int(bool(calls) and turn.program is None)  # a program holds for many turns
        digests = self._plain.union(call.digest for call in calls)
        groundings = [g for g in turn.groundings if g.prompt in digests]
        for grounding in groundings:
            if fault := fault_of(grounding):
                return Choice("translation failure", fault, "the reply and what it was taken for", weight=weight)
            if wrong := non_answer(grounding):
                return Choice("policy failure", wrong, "the reply", weight=weight)
        if turn.program is not None and (line := line_of(turn.program)):
            return Choice("policy failure", line, "the program")
        ranked = self._ranked(d)
        replies = [*(g.said for g in groundings), *(call.said for call in reversed(calls))]
        said = next((f"the reply was “{shortened(text.strip().rstrip('.'))}”" for text in replies if text.strip()),
                    "a reply chose it" if calls else "by an earlier reply")
        if ranked is not None and turn.ranking is not None and (self.asks_policy or is_policy(turn.ranking)):
            said = said if self.asks_policy else "no language model was asked"
            return replace(choice := self._by_prior(ranked, turn, one, said, has_reply=bool(calls)),
                           weight=max(weight, choice.weight))
        return Choice("policy failure", said, "the reply", weight=weight) if calls else self._by_planner(turn, ranked)

    def _by_planner(self, turn: RecordedTurn, ranked: RankedAction | None) -> Choice:
        """Returns what preferred an action that neither a reply of its turn nor a policy chose."""
        if ranked is not None and turn.ranking is not None and turn.ranking.simulations:
            share = f"{ranked.visits} of {turn.ranking.simulations} simulations"
            return Choice("planner failure", f"the search chose it ({share})", "the ranking")
        if self.asks_policy and not self._ranks:
            return Choice("policy failure", "it is part of what the model had planned", "earlier replies")
        if self._facts and not self.asks_policy:
            who = self._wrong[0][0] if self._wrong else f"it followed from {len(self._facts)} replies"
            return Choice("world model failure", who, "earlier replies")
        because = turn.decided.because if turn.decided is not None else ""
        reason = f"; the planner's own reason was “{shortened(because, LONGEST)}”" if because else ""
        return Choice("planner failure", f"no model was asked for it{reason}", "the model calls of the run")

    def prior_of(self, action: Action, turn: RecordedTurn) -> str:
        """Returns the policy's probability of an action that was not chosen, as the end of a sentence; empty if unknown."""
        if turn.ranking is None or turn.program is not None or not (self.asks_policy or is_policy(turn.ranking)):
            return ""
        priors = [row.prior for row in turn.ranking.actions]
        if not priors or max(priors) - min(priors) < EVEN:
            return ""
        prior = max((row.prior for row in turn.ranking.actions if row.steps[-1] == action), default=None)
        words = "" if prior is None else f"{prior:.1%}".replace(".0%", "%")
        return f"; the policy gave “{in_words(action)}” {words}" if words else ""

    def of_turns(self, chosen: Iterable[int], what: str) -> str:
        """Returns who chose the actions of these turns, in words: `the model's replies chose the places`."""
        deciding = [self.deciding[k] for k in chosen]
        trained = {d for d in deciding
                   if not self.calls[d] and (r := self._run.turns[d].ranking) is not None and is_policy(r)}
        who = {"the model's replies": any(self.calls[d] for d in deciding), "the trained policy": bool(trained),
               "the planner's own rules": any(not self.calls[d] and d not in trained for d in deciding)}
        return f"{' and '.join(one for one, has_chosen in who.items() if has_chosen)} chose {what}"

    def carried_out(self) -> tuple[Choice | None, int]:
        """Returns whose answer was carried out until the planner ended the run, and the number of the turn that it is from.

        None: the record does not show it.
        """
        turns = self._run.every_turn
        said = [(call.said, turn.number) for turn, calls in zip(turns, self.calls, strict=True) for call in calls
                if call.said.strip()]
        if said and not self._ranks and all(turn.program is None for turn in turns):
            who = f"it had carried out the model's reply, “{shortened(said[-1][0])}”"
            return Choice("policy failure", who, "earlier replies"), said[-1][1]
        if self.asks_policy:
            return None, 0
        return self._computed() if self._facts else (
            Choice("planner failure", "no model was asked for it", "the model calls of the run"), 0)

    def _computed(self) -> tuple[Choice | None, int]:
        """Returns whether the facts that an answer was computed from are wrong, and in which turn they were asked."""
        about, asked_in = f"{len(self._facts)} replies about “{self._facts[0][0].purpose}”", self._facts[-1][1]
        compared = "the replies and what they were asked about"
        if self._wrong:
            words, number = self._wrong[0]
            return Choice("world model failure", f"{words} (wrong: {len(self._wrong)} of {about})", compared), number
        last = self._run.turns[-1].outcome if self._run.turns else None
        if last is not None and not last.ok:
            return Choice("world model failure", f"its answer followed from {about}", "earlier replies"), asked_in
        if all(is_checked(call) for call, _ in self._facts):
            return Choice("planner failure", f"none of {about} is wrong", compared), asked_in
        return None, 0

    def _by_prior(self, ranked: RankedAction, turn: RecordedTurn, one: Yield, said: str, *, has_reply: bool) -> Choice:
        ranking = turn.ranking
        assert ranking is not None, "asked for a ranked action"
        priors = [a.prior for a in ranking.actions]
        n, top, compared = len(priors), max(priors), "the policy's prior and the ranking"
        if top - min(priors) < EVEN:
            if n == 1 and has_reply:
                return Choice("policy failure", said, compared)
            if not has_reply and (fault := self._last_fault(turn)):
                return Choice("translation failure", fault, f"{compared}; the last reply before it and what it was taken for")
            return Choice("planner failure", "the policy had no preference, and the planner chose it", compared)
        if ranked.prior >= top - EVEN or ranked.prior > 1.5 / n:
            who = f"the policy preferred it ({ranked.prior:.0%}; without a preference it would be {1 / n:.0%})"
            named = self._replaced(ranked, turn)
            if named is None:
                return Choice("policy failure", f"{who}; {said}", compared)
            share = f"but this run replaces {self.wrong_answers:.0%} of the policy's answers at random"
            return Choice("policy failure", f"{who}; {said} ({share})", compared, named, weight=REPLACED)
        best = max(ranking.actions, key=lambda a: a.prior)
        other = ", ".join(map(in_words, best.steps))
        who = (f"the policy preferred “{other}” ({best.prior:.0%}, this {ranked.prior:.0%}), but the search valued this more "
               f"({ranked.visits} of {ranking.simulations} simulations)")
        misled = self._misled(turn, one)
        if misled:
            return Choice("world model failure", f"{who}; {misled[0]}", f"{compared}; {misled[1]}", best.steps[-1])
        return Choice("planner failure", who, compared, best.steps[-1])

    def _last_fault(self, turn: RecordedTurn) -> str:
        """Returns what is wrong with the translation of the last reply about actions before a turn; empty if nothing is."""
        before = [k for k, calls in enumerate(self.calls) if calls and self._run.every_turn[k].number < turn.number]
        digests = {call.digest for call in self.calls[before[-1]]} if before else set()
        found = [g for g in self._run.every_turn[before[-1]].groundings if g.prompt in digests] if before else []
        return fault_of(found[-1]) if found else ""

    @property
    def wrong_answers(self) -> float:
        """The share of the policy's answers that the run replaces at random."""
        return float(vars(self._run.began.parameters).get("wrong_answers", 0.0)) if self._run.began is not None else 0.0

    def _replaced(self, ranked: RankedAction, turn: RecordedTurn) -> Action | None:
        """Returns the action that the reply had named, if this run replaces answers at random and it was another one."""
        steps = ", ".join(map(str, ranked.steps))
        calls = {call.digest: call for call in turn.calls}
        for grounding in turn.groundings if self.wrong_answers else ():
            call = calls.get(grounding.prompt)
            if call is not None and grounding.meant in call.choices:
                named = call.actions[call.choices.index(grounding.meant)]
                verb, *args = named.split(", ")[-1].split()
                return Action(verb, tuple(args)) if named != steps else None
        return None

    def _ranked(self, d: int) -> RankedAction | None:
        """Returns the entry of the ranking that the planner chose in a turn."""
        turn = self._run.turns[d]
        action = turn.decided.instead_of or turn.decided.action if turn.decided is not None else None
        if turn.ranking is None or action is None:
            return None
        planned = turn.plan.actions if turn.plan is not None else (action,)
        fits = [r for r in turn.ranking.actions if r.steps[:1] == (action,)]
        return next((r for r in fits if r.steps == planned), fits[0] if fits else None)

    def _misled(self, turn: RecordedTurn, one: Yield) -> tuple[str, str, str] | None:
        return next((found for cls in one.missing if cls not in self._beliefs.unread
                     and (found := self._beliefs.misled(turn, cls)) is not None), None)

    def _deciding_turns(self) -> list[int]:
        """Returns for each turn the index of the turn that chose its action: a macro or plan goes on over several turns."""
        found: list[int] = []
        for k, turn in enumerate(self._run.turns):
            before = self._run.turns[k - 1] if k else None
            goes_on = (before is not None and before.plan is not None and turn.plan is not None and len(before.plan.actions) > 1
                       and turn.plan.actions == before.plan.actions[1:] and not self.calls[k]
                       and before.outcome is not None and before.outcome.ok and not turn.by_operator)
            found.append(found[k - 1] if goes_on else k)
        return found


def is_policy(ranking: Ranking) -> bool:
    """Returns True if a ranking without search holds graded probabilities: a policy, such as a trained one, chose by them."""
    return not ranking.simulations and any(EVEN < action.prior < 1 - EVEN for action in ranking.actions)
