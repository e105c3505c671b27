"""Chooses what makes up a task: the cheapest way to cover its words with commands, wishes, prohibitions and remarks.

A shortest path over the tokens (dynamic programming). Commands are cheap, remarks dearer, and words that may change the task
can be skipped at no price, so that a task with such words left over is refused, naming them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.goals.language.beside import beside
from core.goals.language.contrasts import contrasts
from core.goals.language.frames import framed
from core.goals.language.statements import statements
from core.goals.parser import word_classes as words
from core.goals.parser.adverbials import asides, excepted, timed
from core.goals.parser.clauses import asked
from core.goals.parser.edges import ASKS, Edge
from core.goals.parser.remarks import clings, remarks, topic, unknown_command
from core.goals.parser.requests import elliptic
from core.goals.parser.tokens import Tokens

JOINTS = frozenset({"and", "then", "but", "so", "or", "plus"}) | words.ORDER
RUN_ON = 0.6
"""The cost of a clause that no stop divides from the one before it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A place on the way through a task.

    Attributes:
        cost: of all edges so far.
        edge: the last edge; None at the start.
        joint: the words between it and what follows: "", "stop", "and", "then".
        before: the step before.
    """

    cost: float
    edge: Edge | None = None
    joint: str = "stop"
    before: Step | None = None


def covered(t: Tokens, banned: frozenset[tuple[int, int, str]] = frozenset()) -> list[tuple[Edge, str]] | int:
    """Returns the edges of the cheapest cover with the joint before each, or the index of the word that nothing covers.

    Args:
        t: the tokens.
        banned: (start, end, kind) of edges that proved to mean nothing here.
    """
    best: list[dict[tuple[str, str], Step]] = [{} for _ in range(len(t) + 1)]
    best[0]["", "stop"] = Step(0.0)
    furthest = 0
    for i in range(len(t)):
        if not best[i]:
            continue
        furthest = i
        edges = [one for one in _edges(t, i) if (one.start, one.end, one.kind) not in banned]
        for step in list(best[i].values()):
            for edge, cost, joint in _next(t, i, step, edges):
                fresh = Step(step.cost + cost, edge if edge.kind not in ("joint", "filler") else step.edge, joint,
                             step if edge.kind not in ("joint", "filler") else step.before)
                key = (fresh.edge.kind if fresh.edge else "", joint)
                old = best[edge.end].get(key)
                if old is None or fresh.cost < old.cost - 1e-9:
                    best[edge.end][key] = fresh
    ends = [step for step in best[len(t)].values()]
    if not ends:
        return furthest
    return _way(min(ends, key=lambda step: step.cost))


def _way(step: Step) -> list[tuple[Edge, str]]:
    found: list[tuple[Edge, str]] = []
    at: Step | None = step
    while at is not None and at.edge is not None:
        before = at.before
        found.append((at.edge, before.joint if before is not None else "stop"))
        at = before
    return found[::-1]


def _edges(t: Tokens, i: int) -> list[Edge]:
    word = t.at(i)
    found: list[Edge] = []
    if t.is_stop(i):
        return [Edge(i, i + 1, "joint", 0.0)]
    if word in JOINTS:
        found.append(Edge(i, i + 1, "joint", 0.05))
    if word in words.GREETINGS or word in words.SOFT or word in words.FIRST or _limits_nothing(t, i):
        found.append(Edge(i, i + 1, "filler", 0.05))
    found += timed(t, i)
    found += excepted(t, i)
    found += asked(t, i)
    found += framed(t, i)
    found += elliptic(t, i)
    found += remarks(t, i)
    found += statements(t, i)
    found += beside(t, i)
    found += contrasts(t, i)
    found += asides(t, i)
    found += topic(t, i)
    found += unknown_command(t, i)
    return found


def _limits_nothing(t: Tokens, i: int) -> bool:
    """Returns True for "only" before a thing or a command: what is not asked for is not done anyway."""
    after = t.at(i + 1)
    numbered = after in words.NUMBERS or after.isdecimal()
    named = after in words.ARTICLES | words.ORDER | words.SUBJECTS or t.is_noun(i + 1) or bool(t.verbs(i + 1))
    return t.at(i) == "only" and named and not numbered and not (after == "if" or after in words.TIME_RELATIONS)


def _next(t: Tokens, i: int, step: Step, edges: list[Edge]) -> Iterator[tuple[Edge, float, str]]:
    """Yields (edge, cost, joint after it) of the edges that may follow a step."""
    last = step.edge.kind if step.edge is not None else ""
    for edge in edges:
        if edge.kind == "joint":
            yield edge, edge.cost, _joined(t, i, step.joint, last)
        elif edge.kind == "filler":
            yield edge, edge.cost, step.joint if step.joint else ("soft" if last == "remark" else "")
        elif _may_follow(t, edge, step, last):
            run_on = RUN_ON if step.joint in ("", "soft") and last else 0.0
            yield edge, edge.cost + run_on, ""


def _joined(t: Tokens, i: int, before: str, last: str) -> str:
    """Returns the joint of a stop or a word and those before it: "then" outweighs the others, a stop "and"."""
    word = t.at(i)
    if word in words.ORDER or word == "after" or before == "then":
        return "then"
    if t.is_stop(i):
        return before if before not in ("", "soft") else "stop"
    return "stop" if word == "and" and before == "stop" and last else word


def _may_follow(t: Tokens, edge: Edge, step: Step, last: str) -> bool:
    """Returns True if an edge may stand after the last one with this joint."""
    joint, before = step.joint, t.at(edge.start - 1)
    if joint == "or":  # or mum will be angry
        return edge.kind == "remark" and last in ASKS and t.at(edge.start) not in words.NEGATIONS and any(
            t.at(k) in ("will", "'ll", "turns", "gets", "goes", "might", "wo") for k in range(edge.start, edge.end))
    if edge.kind == "contrast":
        return last in ASKS and joint != "then"
    if edge.kind == "exception":
        return last in ASKS and (joint in ("", "soft") or before == ",")
    if edge.kind == "elliptic":
        near = before in ("and", "plus", ",", "then", "or", ".", ";") or before in words.ORDER
        return last in ASKS and near and joint != "" and step.edge is not None and bool(step.edge.shape)
    if edge.kind == "brief":
        return joint not in ("", "soft") and not (last == "remark" and joint == "and")
    if edge.kind == "topic":
        return joint not in ("", "then")
    if edge.kind == "remark":
        return joint != "then" and _may_tell(t, edge, joint, last)
    if joint == "" and last and before and t.at(edge.start) in words.PLACES:
        return False  # the apple on the sofa
    if joint == "" and step.edge is not None and last in ("remark", "topic"):
        negated = words.NEGATIONS & set(t.texts[step.edge.start:step.edge.end])  # I'm not saying you should
        return not clings(t, edge.start) and not (negated and t.at(edge.start) not in words.REQUESTS)
    return not (joint == "and" and last == "remark" and edge.bare)


def _may_tell(t: Tokens, edge: Edge, joint: str, last: str) -> bool:
    """Returns True if a remark may stand after the last edge."""
    if joint == "" and last in ASKS:
        return _may_run_on(t, edge)
    return joint != "" or last != "remark" or t.at(edge.start) in REASON_WORDS | {"to"} or not clings(t, edge.start)


def _may_run_on(t: Tokens, edge: Edge) -> bool:
    """Returns True if a remark may follow a command without a stop: "the book I am reading" says which book."""
    start = edge.start
    verb = bool(t.verbs(start)) and not t.is_noun(start) and t.at(start) not in words.DO | words.HAVE
    if (verb or not t.is_known(start)) and t.at(start) not in words.PEOPLE:
        return False  # the bathroom cabnet, the milk a bit warmer, the pie warmed up: it may be part of the task
    if t.at(start) in REASON_WORDS or t.at(start) in ("to", "for", "if", "when", "before", "while", "by", "not"):
        return True
    lacks_object = t.at(start) in words.SUBJECTS - {"it"} and (bool(t.verbs(edge.end - 1)) or t.at(edge.end - 1)[-3:] == "ing"
                                                               or edge.end - start == 2)
    lacks_object = lacks_object or (
        t.at(start) in ("it", "they", "that") and t.at(edge.end - 1) in words.PREPOSITIONS)  # the cabinet it came from
    things = any(t.is_noun(k) for k in range(start, edge.end))
    negated = t.at(start) in words.SUBJECTS and t.at(start + 2) == "n't"  # I don't know who left it there
    return not lacks_object and not (things and t.at(start + 1) not in words.BE and not negated)


REASON_WORDS = words.REASONS | {"because", "since", "so", "as", "and", "but"}
