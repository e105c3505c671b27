"""Why turns were lost, and the failure label that follows: a pure function of the recorded run.

The paper names three causes (LLM-MCTS, section 3, failure analysis): the policy misleads the search, predicted positions are
wrong, a reply is translated into another action. Each lost turn is attributed to what preferred its action in the record: the
model's policy (its prior, or the reply itself), the belief about positions (compared with where objects were found later, and
with a uniform belief), the translation of the reply, or the planner's own search and rules. The label is the cause that cost
most turns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from core.goals.kinds import is_a
from core.goals.literals import LiteralProgress
from core.planning.facets import RankedAction, Ranking
from core.recording.failures.beliefs import EVEN, POOR, Beliefs, best_place, better_place, is_pinned, probability_at, ratio
from core.recording.failures.labels import CAUSES, Cause, Evidence, Proposal
from core.recording.failures.lost_turns import Course, Yield, course_of, furniture_words, phrase_of
from core.recording.failures.moments import key_moments, results, where_it_went_wrong
from core.recording.failures.replies import LONGEST, fault_of, line_of, non_answer, shortened
from core.recording.failures.run import MOST_TURNS, RecordedRun, RecordedTurn, policy_calls, read_run
from core.recording.failures.searches import evidence_of_searches, unjudged
from core.session.events import Event
from core.world.vocabulary import spaced

HIDDEN: Final = frozenset({"free floor", "size", "room", "range", "grip", "kind"})
"""Preconditions that the robot cannot observe beforehand. All others are stated in the observation or follow from it."""
END: Final = "the end of the record"
REPLACED: Final = "but this run replaces"
"""Begins the remark that an answer was replaced."""


def propose(events: Iterable[Event], branch: int | None = None) -> Proposal | None:
    """Returns the proposed failure label of a branch; None if it reached the goal or has not begun.

    Args:
        events: the events of the run in order; those of the kinds in `run.READ` are enough.
        branch: the number of the branch; None: the present one at the end of the record.

    Raises:
        KeyError: there is no such branch.
    """
    run = read_run(events, branch)
    if run.began is None or (run.ended is not None and run.ended.success) or not run.every_turn:
        return None
    return _Judge(run, course_of(run)).proposal()


@dataclass(frozen=True, slots=True)
class _Loss:
    """A lost turn and its cause. The losses of one cause and group become one sentence.

    Attributes:
        cause: the cause.
        turn: the lost turn.
        text: what happened.
        compared: what was compared to find the cause.
        group: the losses with the same cause and group are one item of evidence.
        acts: whether the sentence begins with the actions of these turns.
        who: what preferred the action of the turn, as the end of the sentence; may be empty.
        weight: how directly the turn shows that: 2: its reply was replaced at random, 1: its own reply, 0: anything else. The
            sentence of a group tells of the first turn with the highest weight.
    """

    cause: Cause
    turn: RecordedTurn
    text: str
    compared: str
    group: tuple[str, int | str]
    acts: bool = True
    who: str = ""
    weight: int = 0


class _Judge:
    def __init__(self, run: RecordedRun, course: Course):
        self._run, self._course = run, course
        executed = tuple(str(turn.action) for turn in run.turns)
        self._calls = tuple(policy_calls(turn, executed, k) for k, turn in enumerate(run.every_turn))
        """For each turn, the calls that ask what to do in it."""
        self._deciding = self._deciding_turns()
        self._plain = {call.digest for calls in self._calls for call in calls if call.history is None}
        """Prompts whose replies hold for more than one turn, such as programs."""
        self._asks_policy, self._ranks = any(self._calls), any(turn.ranking is not None for turn in run.turns)
        self._beliefs = Beliefs(run, course)

    # --- the label ---------------------------------------------------------------
    def proposal(self) -> Proposal:
        run = self._run
        losses = self._losses()
        evidence = [*_grouped(losses), *self._replies(losses), *self._mentions()]
        end = self._end(evidence)
        evidence += [] if end is None else [end]
        lost: Counter[Cause] = Counter()
        for one in evidence:
            lost[one.label] += one.cost
        total, turns = sum(lost.values()), len(run.turns)
        if end is not None and not end.cost and (end.label != "unclear" or run.ended is None or not run.is_whole or not total):
            return self._made(end.label, float(end.label != "unclear"), end.text, [*evidence, *self._lacks(end.label)], total)
        gave_up = end is not None and end.cost > 0
        least = least_actions(self._progress, run)
        needed, what = self._needed(least, turns - total)
        searched = [k for turns in unjudged(self._course).values() for k in turns]
        if total < needed and len(searched) >= max(1, least - total):
            searches = tuple(evidence_of_searches(self._course, self._chosen_by(searched)))
            if len(searched) > total and not gave_up:
                text = f"{len(searched)} of {turns} turns searched, and {what}"
                return self._made("long search", len(searched) / (len(searched) + total), text, [*evidence, *searches],
                                  total + len(searched))
            if gave_up:  # the search did not use up the turns, so it is only mentioned
                evidence += [replace(one, cost=0) for one in searches]
            else:
                evidence += searches
                lost["long search"] = len(searched)
                total += len(searched)
        elif self._used_up and self._course.rooms and (total < needed or not total):
            text = f"{total} of {turns} turns {'was' if total == 1 else 'were'} lost, and {what}"
            sensible = Evidence("too few turns", (), 0, f"{turns - total} of {turns} turns brought something; {text}",
                                "what each turn changed and showed, and what the goal still lacks")
            return self._made("too few turns", (turns - total) / max(1, turns), text, [*evidence, sensible], total)
        if not total or (total < needed and not self._course.rooms):
            why = f"{total} of {turns} turns were refused, and nothing else can be compared" if total else (
                "nothing in the record was lost or refused")
            return self._made("unclear", 0.0, why, [*evidence, *self._lacks("unclear")], total)
        label = min(lost, key=lambda cause: (-lost[cause], list(CAUSES).index(cause)))
        words = "lost turns" if end is None or not end.cost else "turns that were lost, or unused at the end"
        still = f"; {what}" if self._course.rooms and self._used_up else ""
        alike = [cause for cause in CAUSES if cause != label and lost[cause] == lost[label]]
        also = f", as many as for: {', '.join(alike)}" if alike else ""
        return self._made(label, lost[label] / total, f"{lost[label]} of {total} {words}{also}{still}", evidence, total)

    @property
    def _progress(self) -> tuple[LiteralProgress, ...]:
        """The progress at the end."""
        return self._run.ended.progress if self._run.ended is not None else self._run.every_turn[-1].progress

    def _needed(self, least: int, kept: int) -> tuple[int, str]:
        """Returns how many more turns the goal would have taken, and that in words.

        If all objects are found, the number is a lower bound. Otherwise the length of the remaining search is unknown. It is
        estimated by the number of turns that a part of the goal has taken so far.

        Args:
            least: the least number of actions that are left.
            kept: the number of turns that were not lost.
        """
        pace = kept // max(1, sum(p.have for p in self._progress))
        if self._course.missing and pace > least:
            words = ", ".join(map(spaced, self._course.missing))
            return pace, f"at the pace of this run, finding what is missing ({words}) takes about {pace} more turns"
        return least, f"at least {least} more {'was' if least == 1 else 'were'} needed"

    def _made(self, label: Cause, share: float, because: str, evidence: list[Evidence], lost: int) -> Proposal:
        order = sorted(evidence, key=lambda one: (one.label != label, -bool(one.cost), one.turns))
        run = self._run
        last = run.every_turn[-1].number
        moments = key_moments(run, self._course.yields, label, order)
        return Proposal(run.branch, label, share, because, tuple(order), len(run.turns), last, lost, run.at, moments,
                        where_it_went_wrong(run, moments), results(self._course.yields, order))

    @property
    def _used_up(self) -> bool:
        """Whether the run ended because it had as many turns as were allowed: nothing was decided after the last of them."""
        run = self._run
        return run.ended is not None and not run.ended.cut and run.last is None

    def _end(self, evidence: list[Evidence]) -> Evidence | None:
        """Returns what ended the run, if that was not the number of turns. It costs the turns that were left."""
        run, last = self._run, self._run.every_turn[-1]
        fault, ended = last.fault, run.ended
        if fault is not None and fault.part in ("model", "simulator", "planner"):
            cause: Cause = "model unavailable" if fault.part == "model" else "program fault"
            return Evidence(cause, (last.number,), 0, f"the {fault.part} failed: {shortened(fault.message, LONGEST)}", END)
        if not run.is_whole:
            return Evidence("unclear", (), 0, f"the run has more than {MOST_TURNS:,} turns: they are not compared", END)
        if ended is None:
            return Evidence("unclear", (last.number,), 0, "the record stops before the end of the run", END)
        if ended.cut:
            return Evidence("operator intervened", (last.number,), 0, f"the run was {ended.reason}", END)
        if run.last is None or run.last.decided is None or run.last.decided.action is not None:
            return None
        left = max(1, (run.began.most_steps if run.began is not None else 0) - len(run.turns))
        done = sum(p.reached for p in ended.progress)
        reason = shortened(ended.reason, LONGEST)
        text = f"the planner ended the run (“{reason}”) with {done} of {len(ended.progress)} goals reached"
        compared = "the planner's decision and the progress in the real state"
        refused = self._refused_at_end()
        if refused:
            causes = Counter(one.label for one in evidence for n in one.turns if n in refused)
            label: Cause = causes.most_common(1)[0][0] if causes else "world refused"
            return Evidence(label, tuple(refused), left, text, compared)
        asked = self._calls[-1]
        if asked:
            wrong = [words for g in run.last.groundings if (words := fault_of(g))]
            if wrong:
                return Evidence("translation failure", (run.last.number,), left, f"{text}; {wrong[-1]}", compared)
            said = next((call.said for call in reversed(asked) if call.said), "")
            return Evidence("policy failure", (run.last.number,), left, f"{text}; the reply was “{shortened(said)}”", compared)
        return Evidence("unclear", (run.last.number,), 0, text, compared)

    def _refused_at_end(self) -> list[int]:
        found: list[int] = []
        for one in reversed(self._course.yields):
            if one.kind != "refused":
                break
            found.insert(0, one.turn.number)
        return found if len(found) > 1 else []

    def _mentions(self) -> list[Evidence]:
        """Returns what the operator did, which costs nothing by itself."""
        return [Evidence("operator intervened", (turn.number,), 0, f"the operator changed the run: {', '.join(turn.acts)}",
                         "the operator's commands") for turn in self._run.every_turn if turn.acts]

    def _lacks(self, label: Cause) -> list[Evidence]:
        """Returns what is not in the record, for the label `unclear`."""
        if label != "unclear":
            return []
        lacks = [] if self._course.rooms else ["this world shows no rooms and objects, so only refusals can be compared"]
        lacks += [] if any(t.belief is not None for t in self._run.turns) else ["no belief about positions was recorded"]
        lacks += [] if any(t.ranking is not None for t in self._run.turns) else ["no ranking of actions was recorded"]
        return [Evidence("unclear", (), 0, text, "the kinds of data in the record") for text in lacks]

    def _chosen_by(self, searched: Iterable[int]) -> str:
        """Returns who chose the places in these turns, in words."""
        deciding = [self._deciding[k] for k in searched]
        trained = {d for d in deciding
                   if not self._calls[d] and (r := self._run.turns[d].ranking) is not None and _is_policy(r)}
        who = {"the model's replies": any(self._calls[d] for d in deciding), "the trained policy": bool(trained),
               "the planner's own rules": any(not self._calls[d] and d not in trained for d in deciding)}
        return f"{' and '.join(one for one, has_chosen in who.items() if has_chosen)} chose the places"

    # --- lost turns ------------------------------------------------------------
    def _losses(self) -> list[_Loss]:
        found: dict[int, _Loss] = {}
        yields = self._course.yields
        for k in reversed(range(len(yields))):
            one = yields[k]
            loss = self._of_lost(k, one) if one.is_lost else self._of_look(k, one) if one.kind == "look" else None
            if loss is None and one.kind == "approach" and (later := found.get(one.serves)) is not None:
                loss = replace(later, turn=one.turn)
            if loss is not None:
                found[k] = loss
        return [found[k] for k in sorted(found)]

    def _of_lost(self, k: int, one: Yield) -> _Loss:
        """Returns the cause of a turn that brought nothing."""
        turn = one.turn
        together: dict[str, int | str] = {"loop": one.loop, "refused": f"{turn.action} {one.why}", "aimless": one.why}
        group = (one.kind, together.get(one.kind, self._deciding[k]))
        if turn.by_operator:
            return _Loss("operator intervened", turn, f"{one.why}; the operator chose it", one.compared, group)
        if one.kind == "refused" and turn.outcome is not None and turn.outcome.precondition in HIDDEN:
            return _Loss("world refused", turn, one.why, "the failed precondition, which the robot cannot see", group)
        cause, who, compared = self._chooser(k, one)
        deciding = self._deciding[k]
        asked = bool(self._calls[deciding]) and self._run.turns[deciding].program is None  # a program holds for many turns
        weight = 2 if REPLACED in who else int(asked)
        return _Loss(cause, turn, one.why, f"{one.compared}; {compared}", group, who=who, weight=weight)

    def _chooser(self, k: int, one: Yield) -> tuple[Cause, str, str]:
        """Returns what preferred the action of a turn, in words, and what was compared."""
        d = self._deciding[k]
        turn = self._run.turns[d]
        calls = self._calls[d]
        digests = self._plain.union(call.digest for call in calls)
        groundings = [g for g in turn.groundings if g.prompt in digests]
        for grounding in groundings:
            if fault := fault_of(grounding):
                return "translation failure", fault, "the reply and what it was taken for"
            if wrong := non_answer(grounding):
                return "policy failure", wrong, "the reply"
        if turn.program is not None and (line := line_of(turn.program)):
            return "policy failure", line, "the program"
        ranked = self._ranked(d)
        replies = [*(g.said for g in groundings), *(call.said for call in reversed(calls))]
        said = next((f"the reply was “{shortened(text.strip().rstrip('.'))}”" for text in replies if text.strip()),
                    "a reply chose it" if calls else "by an earlier reply")
        if ranked is not None and turn.ranking is not None and (self._asks_policy or _is_policy(turn.ranking)):
            said = said if self._asks_policy else "no language model was asked"
            return self._by_prior(ranked, turn, one, said, has_reply=bool(calls))
        if calls:
            return "policy failure", said, "the reply"
        if ranked is not None and turn.ranking is not None and turn.ranking.simulations:
            share = f"{ranked.visits} of {turn.ranking.simulations} simulations"
            return "planner failure", f"the search chose it ({share})", "the ranking"
        if self._asks_policy and not self._ranks:
            return "policy failure", "it is part of what the model had planned", "earlier replies"
        because = turn.decided.because if turn.decided is not None else ""
        reason = f"; the planner's own reason was “{shortened(because, LONGEST)}”" if because else ""
        return "planner failure", f"no model was asked for it{reason}", "the model calls of the run"

    def _by_prior(self, ranked: RankedAction, turn: RecordedTurn, one: Yield, said: str, *, has_reply: bool
                  ) -> tuple[Cause, str, str]:
        ranking = turn.ranking
        assert ranking is not None, "asked for a ranked action"
        priors = [a.prior for a in ranking.actions]
        n, top, compared = len(priors), max(priors), "the policy's prior and the ranking"
        if top - min(priors) < EVEN:
            if n == 1 and has_reply:
                return "policy failure", said, compared
            if not has_reply and (fault := self._last_fault(turn)):
                return "translation failure", fault, f"{compared}; the last reply before it and what it was taken for"
            return "planner failure", "the policy had no preference, and the planner chose it", compared
        if ranked.prior >= top - EVEN or ranked.prior > 1.5 / n:
            who = f"the policy preferred it ({ranked.prior:.0%}; without a preference it would be {1 / n:.0%})"
            return "policy failure", f"{who}; {said}{self._replaced(ranked, turn)}", compared
        best = max(ranking.actions, key=lambda a: a.prior)
        other = ", ".join(map(phrase_of, best.steps))
        who = (f"the policy preferred “{other}” ({best.prior:.0%}, this {ranked.prior:.0%}), but the search valued this more "
               f"({ranked.visits} of {ranking.simulations} simulations)")
        misled = self._misled(turn, one)
        if misled:
            return "world model failure", f"{who}; {misled[0]}", f"{compared}; {misled[1]}"
        return "planner failure", who, compared

    def _last_fault(self, turn: RecordedTurn) -> str:
        """Returns what is wrong with the translation of the last reply about actions before a turn; empty if nothing is."""
        before = [k for k, calls in enumerate(self._calls) if calls and self._run.every_turn[k].number < turn.number]
        digests = {call.digest for call in self._calls[before[-1]]} if before else set()
        found = [g for g in self._run.every_turn[before[-1]].groundings if g.prompt in digests] if before else []
        return fault_of(found[-1]) if found else ""

    def _replaced(self, ranked: RankedAction, turn: RecordedTurn) -> str:
        """Returns a remark if the run replaces answers of the policy at random, and the reply had named another action."""
        share = vars(self._run.began.parameters).get("wrong_answers", 0.0) if self._run.began is not None else 0.0
        steps = ", ".join(map(str, ranked.steps))
        calls = {call.digest: call for call in turn.calls}
        for grounding in turn.groundings if share else ():
            call = calls.get(grounding.prompt)
            if call is not None and grounding.meant in call.choices:
                named = call.actions[call.choices.index(grounding.meant)]
                return f" ({REPLACED} {share:.0%} of the policy's answers at random)" if named != steps else ""
        return ""

    def _ranked(self, d: int) -> RankedAction | None:
        """Returns the entry of the ranking that the planner chose in a turn."""
        turn = self._run.turns[d]
        action = turn.decided.instead_of or turn.decided.action if turn.decided is not None else None
        if turn.ranking is None or action is None:
            return None
        planned = turn.plan.actions if turn.plan is not None else (action,)
        fits = [r for r in turn.ranking.actions if r.steps[:1] == (action,)]
        return next((r for r in fits if r.steps == planned), fits[0] if fits else None)

    # --- beliefs ----------------------------------------------------------------
    def _of_look(self, k: int, one: Yield) -> _Loss | None:
        """Returns the cause if a turn that only showed empty places was a poor choice; None if it was sensible."""
        turn, belief = self._run.turns[k], self._run.turns[k].belief
        if belief is None or not one.missing or one.serves >= 0:
            return None
        cls = max(one.missing, key=lambda c: ratio(belief, c, one.looked))
        words = spaced(cls)
        if turn.by_operator or is_pinned(belief, cls):
            return None
        if cls in self._beliefs.unread:
            text = f"the {words} was searched without knowledge: {self._beliefs.unread[cls]}"
            compared = "the reply about positions and how it was resolved"
            return _Loss("translation failure", turn, text, compared, ("unread " + cls, 0), acts=False)
        misled = self._beliefs.misled(turn, cls, one.looked)
        if misled is not None:
            return _Loss("world model failure", turn, misled[0], misled[1], ("misled " + cls, 0), acts=False)
        if ratio(belief, cls, one.looked) < POOR:
            return self._against_belief(k, one, cls, *best_place(belief, cls))
        return self._against_belief(k, one, cls, *better_place(belief, cls, one.looked, self._at_hand(k)))

    def _at_hand(self, k: int) -> list[str]:
        """Returns the ids of the furniture in the room in which the robot chose to look into the places of a turn."""
        first = next((j for j in range(k) if self._course.yields[j].serves == k), k)
        seen = self._run.turns[first].seen
        return [entity.id for entity in seen.entities if entity.category == "furniture" and entity.room == seen.agent.room]

    def _against_belief(self, k: int, one: Yield, cls: str, best: str, share: float) -> _Loss | None:
        belief = self._run.turns[k].belief
        assert belief is not None, "best is a place of it"
        here = sum(probability_at(belief, cls, place) for place in one.looked)
        if not best or share <= here:
            return None
        cause, who, compared = self._chooser(k, one)
        chosen_in = self._run.turns[self._deciding[k]].number
        text = (f"looked into {furniture_words(one.looked)} for the {spaced(cls)} (belief {here:.0%}), while "
                f"{furniture_words([best])} had {share:.0%}; in turn {chosen_in}, {who}")
        return _Loss(cause, one.turn, text, f"the belief and the places that were looked into; {compared}", ("against", k))

    def _misled(self, turn: RecordedTurn, one: Yield) -> tuple[str, str] | None:
        return next((found for cls in one.missing if cls not in self._beliefs.unread
                     and (found := self._beliefs.misled(turn, cls)) is not None), None)

    # --- replies and decisions ------------------------------------------------------
    def _replies(self, losses: list[_Loss]) -> list[Evidence]:
        """Returns replies to the policy's requests that were not understood and are not part of a lost turn yet."""
        counted = {loss.turn.number for loss in losses}
        found: dict[str, list[int]] = {}
        for k, turn in enumerate(self._run.turns):
            digests = {call.digest for call in self._calls[k]}
            faults = [f for g in turn.groundings if g.prompt in digests and not g.meant and (f := fault_of(g))]
            if faults and turn.number not in counted and self._course.yields[k].kind == "approach":
                found.setdefault(faults[0], []).append(turn.number)
        return [Evidence("translation failure", tuple(turns), len(turns), text, "the reply and the offered choices")
                for text, turns in found.items()]

    def _deciding_turns(self) -> list[int]:
        """Returns for each turn the index of the turn that chose its action: a macro or plan goes on over several turns."""
        found: list[int] = []
        for k, turn in enumerate(self._run.turns):
            before = self._run.turns[k - 1] if k else None
            goes_on = (before is not None and before.plan is not None and turn.plan is not None and len(before.plan.actions) > 1
                       and turn.plan.actions == before.plan.actions[1:] and not self._calls[k]
                       and before.outcome is not None and before.outcome.ok and not turn.by_operator)
            found.append(found[k - 1] if goes_on else k)
        return found


def _is_policy(ranking: Ranking) -> bool:
    """Returns True if a ranking without search holds graded probabilities: a policy, such as a trained one, chose by them."""
    return not ranking.simulations and any(EVEN < action.prior < 1 - EVEN for action in ranking.actions)


MOST_QUOTED: Final = 3
"""The maximum number of actions that one sentence names."""


def _grouped(losses: list[_Loss]) -> list[Evidence]:
    """Returns one piece of evidence for the losses that have the same reason."""
    groups: dict[tuple[Cause, tuple[str, int | str]], list[_Loss]] = {}
    for loss in losses:
        groups.setdefault((loss.cause, loss.group), []).append(loss)
    found = []
    for (cause, _), group in groups.items():
        told = max(group, key=lambda one: one.weight)  # of equal ones the first
        turns = tuple(one.turn.number for one in group)
        found.append(Evidence(cause, turns, len(group), _text(group, told), told.compared, told.turn.number))
    return found


def _text(group: list[_Loss], told: _Loss) -> str:
    if not told.acts:
        return told.text
    done = list(dict.fromkeys(f"“{phrase_of(one.turn.action)}”" for one in group))
    others = len(done) - MOST_QUOTED
    more = f" and {others} other {'action' if others == 1 else 'actions'}" if others > 0 else ""
    which = f"in turn {told.turn.number}, " if told.who and len(done) > 1 else ""
    who = f"; {which}{told.who}" if told.who else ""
    return f"{', '.join(done[:MOST_QUOTED])}{more} {told.text}{who}"


def least_actions(progress: tuple[LiteralProgress, ...], run: RecordedRun) -> int:
    """Returns a lower bound of the actions that the goal still takes: two for each object to move, one for all else."""
    if not run.every_turn:
        return 0
    last = run.turns[-1].outcome if run.turns else None
    seen = last.observation if last is not None else run.every_turn[-1].seen
    held = [seen.by_id[thing] for thing in seen.agent.holding if thing in seen.by_id]
    needed = 0
    for p in progress:
        missing, moves = max(0, p.literal.count - p.have), p.literal.predicate in ("inside", "on", "away")
        needed += missing * (2 if moves else 1)
        if missing and moves and any(is_a(thing, p.literal.subject) for thing in held):
            needed -= 1
    return needed
