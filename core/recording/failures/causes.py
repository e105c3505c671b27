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
from types import MappingProxyType
from typing import Final

from core.goals.kinds import is_a
from core.goals.literals import Literal, LiteralProgress
from core.recording.failures.beliefs import POOR, Beliefs, best_place, better_place, is_pinned, probability_at, ratio
from core.recording.failures.choices import REPLACED, Choices
from core.recording.failures.labels import CAUSES, Cause, Evidence, Proposal
from core.recording.failures.lost_turns import ON_THE_WAY, Course, Yield, course_of, furniture_words, phrase_of
from core.recording.failures.missed import PRIORITY, Step, missed_steps, step_of
from core.recording.failures.moments import is_progress, key_moments, results, where_it_went_wrong
from core.recording.failures.replies import LONGEST, fault_of, shortened
from core.recording.failures.run import MOST_TURNS, RecordedRun, RecordedTurn, read_run
from core.recording.failures.searches import evidence_of_searches, unjudged
from core.session.events import Event
from core.world.vocabulary import Action, in_words, spaced

HIDDEN: Final = frozenset({"free floor", "size", "room", "range", "grip", "kind"})
"""Preconditions that the robot cannot observe beforehand. All others are stated in the observation or follow from it."""
END: Final = "the end of the record"


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
        weight: how directly the turn shows that, as in `Choice`. The sentence of a group tells of the first turn with the
            highest weight.
        instead: the action that the sentence names as the better one; None if it names none.
        missed: the step towards the goal that was not taken instead; None if none is known.
    """

    cause: Cause
    turn: RecordedTurn
    text: str
    compared: str
    group: tuple[str, int | str]
    acts: bool = True
    who: str = ""
    weight: int = 0
    instead: Action | None = None
    missed: Step | None = None


class _Judge:
    def __init__(self, run: RecordedRun, course: Course):
        self._run, self._course = run, course
        self._beliefs = Beliefs(run, course)
        self._choices = Choices(run, self._beliefs)
        self._steps = missed_steps(run) if course.rooms else ()

    # --- the label ---------------------------------------------------------------
    def proposal(self) -> Proposal:
        run = self._run
        losses = self._losses()
        evidence = [*_grouped(losses), *self._replies(losses), *self._never_taken(losses), *self._stalled(), *self._mentions()]
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
            searches = tuple(evidence_of_searches(self._course, self._choices.of_turns(searched, "the places")))
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
            sensible = Evidence("too few turns", (), 0, f"{turns - total} of {turns} turns brought something, and {what}",
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
        return least, f"at least {least} more {'turn was' if least == 1 else 'turns were'} needed"

    def _made(self, label: Cause, share: float, because: str, evidence: list[Evidence], lost: int) -> Proposal:
        order = sorted(evidence, key=lambda one: (one.label != label, -bool(one.cost), one.turns))
        run = self._run
        last = run.every_turn[-1].number
        nearer = max((one.turn.number for one in self._course.yields if is_progress(one)), default=0)
        if self._used_up and nearer and last - nearer > ON_THE_WAY and label not in ("long search", "too few turns"):
            because += f"; nothing brought the goal nearer after turn {nearer}"
        say = self._course.in_names
        moments = key_moments(run, self._course.yields, label, order)
        course = {at: replace(one, text=say(one.text)) for at, one in results(self._course.yields, order).items()}
        return Proposal(run.branch, label, share, say(because), tuple(replace(one, text=say(one.text)) for one in order),
                        len(run.turns), last, lost, run.at, tuple(replace(one, text=say(one.text)) for one in moments),
                        where_it_went_wrong(run, moments), MappingProxyType(course))

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
        asked = self._choices.calls[-1]
        if asked:
            wrong = [words for g in run.last.groundings if (words := fault_of(g))]
            if wrong:
                return Evidence("translation failure", (run.last.number,), left, f"{text}; {wrong[-1]}", compared)
            said = next((call.said for call in reversed(asked) if call.said), "")
            return Evidence("policy failure", (run.last.number,), left, f"{text}; the reply was “{shortened(said)}”", compared)
        choice, told = self._choices.carried_out()
        if choice is None:
            return Evidence("unclear", (run.last.number,), 0, text, compared)
        return Evidence(choice.cause, (run.last.number,), left, f"{text}; {choice.who}", f"{compared}; {choice.compared}", told)

    def _refused_at_end(self) -> list[int]:
        found: list[int] = []
        for one in reversed(self._course.yields):
            if one.kind != "refused":
                break
            found.insert(0, one.turn.number)
        return found if len(found) > 1 else []

    def _mentions(self) -> list[Evidence]:
        """Returns what the operator did, and that the run spoils answers on purpose, which cost nothing by themselves."""
        acts = [Evidence("operator intervened", (turn.number,), 0, f"the operator changed the run: {', '.join(turn.acts)}",
                         "the operator's commands") for turn in self._run.every_turn if turn.acts]
        share = self._choices.wrong_answers
        text = f"the parameter wrong_answers replaces {share:.0%} of the policy's answers by random actions"
        return [*acts, Evidence("policy failure", (), 0, text, "the planner's parameters")] if share else acts

    def _stalled(self) -> list[Evidence]:
        """Returns that the world's own score did not rise any more, and who chose the actions meanwhile. It costs nothing."""
        scores = [turn.outcome.observation.score for turn in self._run.turns if turn.outcome is not None]
        if not scores or scores[-1] is None or not self._used_up:
            return []
        rises = [k for k, one in enumerate(self._course.yields) if is_progress(one)]
        after = range(rises[-1] + 1 if rises else 0, len(scores))
        if len(after) <= ON_THE_WAY:
            return []
        turns = tuple(self._run.turns[k].number for k in after)
        cause: Cause = "policy failure" if self._choices.asks_policy else "planner failure"
        text = f"the score, {scores[-1]:g}, did not rise in {len(turns)} turns; {self._choices.of_turns(after, 'the actions')}"
        return [Evidence(cause, turns, 0, text, "the score of the world after each turn")]

    def _never_taken(self, losses: list[_Loss]) -> list[Evidence]:
        """Returns the steps towards the goal that were never taken, if no lost turn tells of them. They cost nothing."""
        told = {loss.missed.literal for loss in losses if loss.missed is not None}
        last, found = self._run.turns[-1].number if self._run.turns else 0, dict[Literal, Evidence]()
        reached = {p.literal for p in self._progress if p.reached}
        for step in sorted(self._steps, key=lambda step: PRIORITY.index(step.kind)):
            open_till_end = not step.taken and step.turns[-1] == last and last - step.since >= ON_THE_WAY
            if open_till_end and step.literal not in {*told, *reached, *found}:
                found[step.literal] = self._mention_of(step)
        return list(found.values())

    def _mention_of(self, step: Step) -> Evidence:
        told = next(iter(step.possible), step.since)
        k = next(k for k, turn in enumerate(self._run.turns) if turn.number == told)
        turn, choice = self._run.turns[k], self._choices.of(k, self._course.yields[k])
        done = f"in turn {told}, “{phrase_of(turn.action)}” was done"
        text = f"{step.text}; {done}; {choice.who}{self._choices.prior_of(step.action, turn)}"
        compared = f"what was known and in reach in each turn; {choice.compared}"
        turns = step.possible if step.kind == "possible" else step.turns
        return Evidence(choice.cause, turns, 0, text, compared, told, step.action)

    def _lacks(self, label: Cause) -> list[Evidence]:
        """Returns what is not in the record, for the label `unclear`."""
        if label != "unclear":
            return []
        nothing = "this world shows no rooms, or nothing that actions change: only refusals can be compared"
        lacks = [] if self._course.rooms else [nothing]
        lacks += [] if any(t.belief is not None for t in self._run.turns) else ["no belief about positions was recorded"]
        lacks += [] if any(t.ranking is not None for t in self._run.turns) else ["no ranking of actions was recorded"]
        return [Evidence("unclear", (), 0, text, "the kinds of data in the record") for text in lacks]

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
        group: tuple[str, int | str] = (one.kind, together.get(one.kind, self._choices.deciding[k]))
        if turn.by_operator:
            return _Loss("operator intervened", turn, f"{one.why}; the operator chose it", one.compared, group)
        if one.kind == "refused" and turn.outcome is not None and turn.outcome.precondition in HIDDEN:
            return _Loss("world refused", turn, one.why, "the failed precondition, which the robot cannot see", group)
        missed = step_of(self._steps, turn.number) if one.kind in ("loop", "aimless") else None
        choice = self._choices.of(k, one)
        who, instead = choice.who, choice.instead
        if missed is not None:
            group = ("missed", str(missed.literal))
            instead = instead if choice.weight == REPLACED else missed.action  # the model's own reply is what it was asked for
            who += self._choices.prior_of(missed.action, self._run.turns[self._choices.deciding[k]])
        return _Loss(choice.cause, turn, one.why, f"{one.compared}; {choice.compared}", group, who=who, weight=choice.weight,
                     instead=instead, missed=missed)

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
            deciding = self._run.turns[self._choices.deciding[k]]
            instead = _looking_into(misled[2], deciding) if misled[2] else None
            return _Loss("world model failure", turn, misled[0], misled[1], ("misled " + cls, 0), acts=False, instead=instead)
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
        choice = self._choices.of(k, one)
        deciding = self._run.turns[self._choices.deciding[k]]
        text = (f"looked into {furniture_words(one.looked)} for the {spaced(cls)} (belief {here:.0%}), while "
                f"{furniture_words([best])} had {share:.0%}; in turn {deciding.number}, {choice.who}")
        compared = f"the belief and the places that were looked into; {choice.compared}"
        return _Loss(choice.cause, one.turn, text, compared, ("against", k), weight=choice.weight,
                     instead=choice.instead or _looking_into(best, deciding))

    # --- replies and decisions ------------------------------------------------------
    def _replies(self, losses: list[_Loss]) -> list[Evidence]:
        """Returns replies to the policy's requests that were not understood and are not part of a lost turn yet."""
        counted = {loss.turn.number for loss in losses}
        found: dict[str, list[int]] = {}
        for k, turn in enumerate(self._run.turns):
            digests = {call.digest for call in self._choices.calls[k]}
            faults = [f for g in turn.groundings if g.prompt in digests and not g.meant and (f := fault_of(g))]
            if faults and turn.number not in counted and self._course.yields[k].kind == "approach":
                found.setdefault(faults[0], []).append(turn.number)
        return [Evidence("translation failure", tuple(turns), len(turns), text, "the reply and the offered choices")
                for text, turns in found.items()]

MOST_QUOTED: Final = 3
"""The maximum number of actions that one sentence names."""


def _grouped(losses: list[_Loss]) -> list[Evidence]:
    """Returns one piece of evidence for the losses that have the same reason."""
    groups: dict[tuple[Cause, tuple[str, int | str]], list[_Loss]] = {}
    for loss in losses:
        groups.setdefault((loss.cause, loss.group), []).append(loss)
    found = []
    for (cause, _), group in groups.items():
        told = max(group, key=_tells_most)  # of equal ones the first
        turns = tuple(one.turn.number for one in group)
        found.append(Evidence(cause, turns, len(group), _text(group, told), told.compared, told.turn.number, told.instead))
    return found


def _tells_most(one: _Loss) -> tuple[int, bool, bool]:
    missed = one.missed
    return (one.weight, missed is not None and missed.kind == "possible",
            missed is not None and one.turn.number in missed.possible)


def _text(group: list[_Loss], told: _Loss) -> str:
    if not told.acts:
        return told.text
    done = list(dict.fromkeys(f"“{in_words(one.turn.action)}”" for one in group if one.turn.action is not None))
    others = len(done) - MOST_QUOTED
    more = f" and {others} other {'action' if others == 1 else 'actions'}" if others > 0 else ""
    missed = f"{told.missed.text}; instead, " if told.missed is not None else ""
    what = told.text if told.missed is None or len({one.text for one in group}) == 1 else "brought nothing"
    which = f"in turn {told.turn.number}, " if told.who and len(done) > 1 else ""
    who = f"; {which}{told.who}" if told.who else ""
    return f"{missed}{', '.join(done[:MOST_QUOTED])}{more} {what}{who}"


def _looking_into(place: str, turn: RecordedTurn) -> Action:
    """Returns the best ranked action of a turn that is about a place; without one, walking there."""
    rows = turn.ranking.actions if turn.ranking is not None else ()
    return next((row.steps[-1] for row in rows if place in row.steps[-1].args), Action("walk", (place,)))


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
