"""Reads the clauses of a task from its words: what is asked for in its order, what is forbidden, and what says nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from core.common.errors import GoalError
from core.goals.language.accounting import lost
from core.goals.parser import word_classes as words
from core.goals.parser.commands import INTO
from core.goals.parser.context import refuse
from core.goals.parser.cover import covered
from core.goals.parser.edges import ASKS, Edge
from core.goals.parser.needs import needed
from core.goals.parser.phrases import Phrase, place_phrase
from core.goals.parser.tokens import Tokens

NUMBER = "|".join(sorted(words.NUMBERS, key=len, reverse=True))
PRONOUN = re.compile(
    rf"(?<![\w_])(?:(?:{NUMBER}|some|any|all|both) of (?:them|these|those|it)|it|them"
    r"|(?:this|that) one"
    r"|(?:these|those|this|that|one)(?=$| (?:in|on|into|onto|to|from|off|inside|out|away|back)\b))(?=$| (?!is |are ))"
)
PLACE = re.compile(r" (?:in|on|inside|into|onto) (?:the|a|an|my|our) [a-z_]+$")
COUNTED = re.compile(rf"^(?:(?:the|my|our|your|all|both|some|\d+|{NUMBER}) )+")
HOLDING = frozenset({"get", "fetch", "bring", "take", "pick", "find", "hold"})
BROUGHT = re.compile(r"(bring|get|fetch|pick up|take|find) it((?: to me)?)")
PUT_THERE = re.compile(r"put (.+?) ((?:in|on) .+)")
MOVED = re.compile(r"(bring|get|fetch|pick up|take|find|put|remove) (it|that|them|those|these|both of them|all of them)"
                   r"(?= |$)(.*)")
PUT_IT = re.compile(r"put (?:it|them) ((?:in|on) .+)")
MOVING = HOLDING | {"put", "slice", "cook", "wash", "warm", "toast", "fill", "remove", "throw"}
"""Commands whose object a pronoun after them means."""
CHANGING = frozenset({"cook", "warm", "toast", "wash", "clean", "slice", "fill", "microwave"})
"""Commands before which a place says where the object is now."""
AT = re.compile(r"(?<!that is) (in|on|inside) ")
INSIDE = re.compile(r" (?:in|on|into|onto|inside|from|off|with|of|to|at) $")
SEVERAL = frozenset({"them", "these", "those", "both of them", "all of them"})
MOST_TRIES = 4
"""The most covers of a task that are tried: an edge that means nothing here is left out of the next."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One command in its plain form.

    Attributes:
        words: it begins with a verb.
        then: True if it comes after what the clauses before it ask for.
        never: True if it must not be done.
        edge: the part of the task that says it.
    """

    words: str
    then: bool = False
    never: bool = False
    edge: Edge | None = None


@dataclass
class Told:
    """The clauses of a task.

    Attributes:
        clauses: in the order in which they are to be done.
        guesses: words that are taken as commands -> what they are taken for.
        unused: the first word that no clause uses, as typed; empty if there is none.
        left_out: (start, end) in the typed task of what says nothing about it.
    """

    clauses: list[Clause] = field(default_factory=list)
    left_out: list[tuple[int, int]] = field(default_factory=list)
    guesses: dict[str, str] = field(default_factory=dict)
    unused: str = ""


REFUSED = (
    (re.compile(r"\b(?:(?:one|two|three|\d+) more)\b(?! (?:thing|time|favour|favor|request|job|task|go)\b)"),
     "say how many there are to be in the end"),
    (re.compile(r"\b(?:at most|no more than|(?:less|fewer|more) than|up to(?= (?:\d|one|two|three|four|five|six|ten)\b))"),
     "a goal is so many things at least: say how many"),
    (re.compile(r"\brespectively\b"), "say for each thing where it goes"),
)
"""Words that change a task in ways that goals cannot say, wherever they stand, and the message for each."""
REASONS_WHY: tuple[tuple[frozenset[str], str], ...] = (
    (words.CONDITIONS | {"when", "whenever", "before", "after", "once"},
     "a goal has no conditions and exceptions: name what is to be done, thing by thing"),
    (words.NEGATIONS, "it is not clear what must never be: say “do not” and one action in a sentence of its own"),
    (words.word_set("several few many most half enough plenty lots"), "say how many"),
)
CLAUSE_WORDS = words.word_set("if unless when whenever once until till while before after")
NOT_UNDERSTOOD = "this is not understood: say what to do with which thing, such as put, open, close, switch on, slice, cook, " \
                 "wash, pick up, go to, sit on, read or drink"

NOT_USED = "it is not clear what this says of the task: say it in a sentence of its own"


def told(t: Tokens, banned: frozenset[tuple[int, int, str]]) -> Told:
    """Returns the clauses of a task.

    Raises:
        GoalError: words that may change the task are left over, or it asks for nothing.
    """
    for pattern, why in REFUSED:
        if found := pattern.search(t.plain):
            raise refuse(found[0], why)
    cover = covered(t, banned)
    asks = not isinstance(cover, int) and any(edge.kind in ASKS for edge, _ in cover)
    if not asks and (need := needed(t)) is not None and (need.start, need.end, need.kind) not in banned:
        cover = [(need, "stop")]
    if isinstance(cover, int):
        raise _left_over(t, cover)
    if unknown := next((edge for edge, _ in cover if edge.kind == "unknown"), None):
        raise refuse(_typed(t, unknown.start, unknown.end), NOT_UNDERSTOOD)
    if not any(edge.kind in ASKS for edge, _ in cover):
        raise _asks_nothing(t)
    k = lost(t, [edge for edge, _ in cover])
    return replace(_Assembly(t).all(cover), unused=_typed(t, k, k + 1) if k >= 0 else "")


def _left_over(t: Tokens, i: int) -> GoalError:
    """Returns the error that names the word that nothing covers."""
    k = i
    for n in range(i, min(len(t), i + 12)):
        for some, why in REASONS_WHY:
            if t.at(n) in some:
                end = n + 1
                while t.at(n) in CLAUSE_WORDS and end < len(t) and not t.is_stop(end):
                    end += 1
                return refuse(_typed(t, n, end), why)
        if t.is_stop(n):
            break
    end = k + 1
    while end < len(t) and not t.is_stop(end):
        end += 1
    return refuse(_typed(t, k, end), NOT_UNDERSTOOD)


def _asks_nothing(t: Tokens) -> GoalError:
    if not len(t):
        return GoalError("the task is empty: say what to do with which thing")
    asks = t.at(len(t) - 1) == "?" or t.at(0) in words.QUESTION_WORDS
    return refuse(" ".join(t.typed.split()), "this asks something: say what the robot is to do" if asks else NOT_UNDERSTOOD)


def _typed(t: Tokens, start: int, end: int) -> str:
    """Returns the words as typed, on one line."""
    return " ".join(t.typed[t.tokens[start].start:t.tokens[end - 1].end].split())


def _place_in(t: Tokens, edge: Edge) -> str:
    """Returns the last place that a remark names, with its preposition; empty if it names none, or where something is not."""
    if words.NEGATIONS & set(t.texts[edge.start:edge.end]):
        return ""
    for k in range(edge.end - 1, edge.start - 1, -1):
        place = place_phrase(t, k) if t.at(k) in ("in", "on", "inside") else None
        if place is not None and place.known and place.end <= edge.end:
            return place.said
    return ""


class _Assembly:
    """Puts the clauses of a cover in their order, with the things that remarks named in place of pronouns."""

    def __init__(self, t: Tokens):
        self._t = t
        self._done: list[Clause] = []
        self._topics: list[tuple[Phrase, Edge]] = []
        self._left: list[tuple[int, int]] = []
        self._late: list[tuple[Edge, str]] = []
        self._shape = self._place = self._told = ""
        self._last_then = False

    def all(self, cover: list[tuple[Edge, str]]) -> Told:
        """Returns the clauses of a cover."""
        for k, (edge, joint) in enumerate(cover):
            at_last = self._t.at(edge.end) in words.ORDER and (edge.end + 1 >= len(self._t) or self._t.is_stop(edge.end + 1))
            joint = "then" if at_last and k else joint  # and put it away afterwards
            later = any(one.kind in ASKS for one, _ in cover[k + 1:])
            if edge.kind == "contrast":
                self._left.append(self._span(edge.start, edge.end))
                if not self._done[-1].never:
                    self._done[-1] = replace(self._done[-1], words=f"{self._done[-1].words} {words.UNLIKE} {edge.clauses[0]}")
                continue
            if edge.kind == "exception":
                self._done[-1] = replace(self._done[-1], words=f"{self._done[-1].words} {words.EXCEPT} {edge.clauses[0]}")
                continue
            self._last_then = at_last and len(edge.clauses) > 1
            self._take(edge, "" if self._last_then else joint, later=later, follows=bool(k) and cover[k - 1][0].kind in ASKS)
        self._settle_late()
        if unused := next((edge for phrase, edge in self._topics if edge.kind == "topic"), None):
            raise refuse(_typed(self._t, unused.start, unused.end), NOT_UNDERSTOOD)
        return Told(self._done, self._left, {edge.guess: edge.meaning for edge, _ in cover if edge.guess})

    def _take(self, edge: Edge, joint: str, *, later: bool, follows: bool) -> None:
        if edge.kind in ("remark", "topic"):
            self._leave(edge)
            return
        self._left += [self._span(*part) for part in edge.skipped]
        if edge.kind == "elliptic":
            edge = self._completed(edge)
        else:
            self._shape = edge.shape
        topics = list(self._topics)
        clauses = [self._there(self._resolved(one)) for one in edge.clauses]
        self._topics = topics if edge.kind == "never" else self._topics  # do not cook them, slice them
        self._told = "" if any(map(PLACE.search, clauses)) else self._told
        if edge.object and clauses == list(edge.clauses) and clauses[0].split()[0] in MOVING:
            self._topics = [one for one in self._topics if one[1].kind == "topic"]
        if self._late and self._late[-1][0].object:
            clauses = [PRONOUN.sub(self._late[-1][0].object, one, count=1) for one in clauses]
        if edge.kind in ("early", "late") and follows and self._done and self._done[-1].never:
            raise refuse(_typed(self._t, edge.start, edge.end), "what must never be has no time: say it without one")
        if edge.kind == "never":
            there = (re.sub(r" there$", f" {self._place or 'there'}", one) for one in clauses)
            self._done += [Clause(one, never=True, edge=edge) for one in there]
            return
        if place := PLACE.search(clauses[-1]):
            self._place = place[0].strip()
        if edge.kind == "late" and later and not follows:
            self._late.append((edge, joint))
        elif edge.kind == "early" and follows and self._done and not self._done[-1].never:
            self._take_early(edge, clauses)
        else:
            self._take_last(edge, clauses, joint)

    def _leave(self, edge: Edge) -> None:
        """Keeps what a remark or a topic names for the pronouns after it. A second name of the same thing adds nothing."""
        self._left.append(self._span(edge.start, edge.end))
        self._told = _place_in(self._t, edge) or self._told
        if edge.kind == "topic" and self._topics and self._t.at(edge.topics[0].head) in words.GENERIC:
            return  # the alarm clock? the thing on the side table? it is the clock
        waiting = [one for one in self._topics if one[1].kind == "topic"] if edge.topics else self._topics
        fresh = edge.topics
        if edge.kind == "topic" and waiting and self._t.at(waiting[-1][0].head) in words.GENERIC:
            general, of = waiting.pop()  # two things from the fridge: the milk and the wine
            where = self._t.joined(general.end, of.end)
            fresh = tuple(replace(phrase, words=f"{phrase.words} {where}".strip()) for phrase in fresh)
        self._topics = [*waiting, *((phrase, edge) for phrase in fresh)]

    def _take_early(self, edge: Edge, clauses: list[str]) -> None:
        """Puts clauses before the last one: sit down after you have closed the fridge."""
        main = self._done.pop()
        if main.edge is not None and main.edge.object:
            clauses = [PRONOUN.sub(main.edge.object, one, count=1) for one in clauses]
        self._done += [*(Clause(one, main.then and not n, edge=edge) for n, one in enumerate(clauses)),
                       Clause(main.words, True, edge=main.edge)]

    def _take_last(self, edge: Edge, clauses: list[str], joint: str) -> None:
        last = self._done[-1].edge if self._done else None
        held = BROUGHT.fullmatch(clauses[0]) if len(clauses) == 1 else None
        if held and last is not None and last.kind == "wish" and (put := PUT_THERE.fullmatch(self._done[-1].words)):
            self._done[-1] = Clause(f"{held[1]} {put[1]} that is {put[2]}{held[2]}", self._done[-1].then, edge=edge)
            return  # my phone must be on the desk, could you bring it
        where = PUT_IT.fullmatch(clauses[0]) if edge.kind == "wish" and len(clauses) == 1 else None
        if where and last is not None and self._done[-1].words.split()[0] in HOLDING:
            at = self._done[-1].words.removesuffix(" to me")
            self._done[-1] = replace(self._done[-1], words=f"{at} that is {where[1]}{self._done[-1].words[len(at):]}")
            return  # bring his glasses, they should be on the desk
        moved = MOVED.fullmatch(clauses[0]) if joint != "then" and len(clauses) == 1 else None
        if moved and (lying := self._lying(moved[2])):
            clauses = [f"{moved[1]} {lying}{moved[3]}"]
        then = joint == "then" or edge.kind == "late" or (last is not None and last.kind == "early")
        after = len(clauses) - 1 if self._last_then else -1
        then = then and bool(self._done)
        self._done += [Clause(one.removeprefix(words.LATER), n == after or (then and not n) or one.startswith(words.LATER),
                              edge=edge) for n, one in enumerate(clauses)]
        self._settle_late()

    def _lying(self, pronoun: str) -> str:
        """Removes the phrases with places that come last, to which a pronoun refers: the toys on the sofa, put them on the bed.

        Returns the things with where they are; empty if there are none.
        """
        found: list[str] = []
        while self._done and (last := self._done[-1]).edge is not None and last.edge.kind == "brief":
            put = PUT_THERE.fullmatch(last.words)
            if put is None or (found and pronoun in ("it", "that")):
                break
            found.insert(0, f"{put[1]} that is {put[2]}")
            self._done.pop()
        return " and ".join(found)

    def _there(self, clause: str) -> str:
        """Returns a clause with the place that a remark just named: it looks better on the desk, put it there."""
        told = self._told and clause.startswith("put ") and re.search(r" (?:to )?there$", clause)
        return f"{clause.removesuffix('there').removesuffix('to ')}{self._told}" if told else clause

    def _completed(self, edge: Edge) -> Edge:
        """Returns a phrase or a place alone with the verb of the command before it."""
        said = edge.clauses[0]
        if said.split()[0] in INTO or said.startswith("next to"):
            moves = self._shape.split()[0] in ("go", "stand", "sit", "lie", "face", "look", "type")
            whole = self._shape.replace("{}", edge.shape) if moves else f"put it {said}"
        else:
            whole = self._shape.replace("{}", said)
        return replace(edge, clauses=(whole,))

    def _settle_late(self) -> None:
        for edge, _ in self._late:
            self._done += [Clause(self._resolved(one), not n, edge=edge) for n, one in enumerate(edge.clauses)]
        self._late = []

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self._t.tokens[start].start, self._t.tokens[end - 1].end

    def _resolved(self, clause: str) -> str:
        """Returns a clause with its first pronoun replaced by what a remark just named.

        Raises:
            GoalError: several things may be meant.
        """
        found = PRONOUN.search(clause)
        if found is None or not self._topics or (self._done and INSIDE.search(clause[:found.start()])):
            return clause
        fitting = [(phrase, edge) for phrase, edge in self._topics if phrase.several == (found[0] in SEVERAL)]
        if not fitting and self._done and found[0] in SEVERAL:
            return clause  # I am on the sofa, put them there
        meant = fitting if len(fitting) >= 1 else self._topics
        alone = [phrase for phrase, edge in self._topics if edge.kind == "topic"]
        listed = alone if len(alone) > 1 else [] if fitting else [phrase for phrase, _ in self._topics]
        if found[0] in SEVERAL and len(listed) > 1:  # the laptop, and the mug too, both on the desk
            self._topics = []
            return f"{clause[:found.start()]}{' and '.join(phrase.words for phrase in listed)}{clause[found.end():]}"
        if len(meant) > 1 and self._done and not alone:
            return clause
        if len(meant) > 1:
            raise refuse(found[0], f"say which thing is meant: {' or '.join(phrase.words for phrase, _ in meant)}")
        self._topics = [one for one in self._topics if one[1].kind == "topic" and one[0] is not meant[0][0]]
        words_meant = meant[0][0].words
        if clause.endswith(" it out") and len(at := AT.split(words_meant, maxsplit=1)) > 1:
            return f"remove {at[0]} from {at[-1]}"
        if clause.split()[0] in HOLDING | CHANGING:
            words_meant = AT.sub(r" that is \1 ", words_meant, count=1)  # where it is now
        elif clause.startswith("put "):
            words_meant = AT.sub(" from ", words_meant, count=1)
        some = re.match(rf"({NUMBER}|some|any)(?: of |$)", found[0])
        if some is not None:
            words_meant = f"{some[1]} of the {COUNTED.sub('', words_meant)}"
        return f"{clause[:found.start()]}{words_meant}{clause[found.end():]}"

