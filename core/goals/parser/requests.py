"""Finds commands and requests: put the mug away; could you, I want you to, do me a favour and.

    command := [do | to] verb phrases
    request := words of asking (you | to | and) command

A request is told by its words of asking, whatever their order; a negation, a clock time or a noun of a household among them
ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.goals.parser import word_classes as words
from core.goals.parser.commands import INTO, Said, said_at, verb_at
from core.goals.parser.edges import AGENTS, ASKERS, MOST_ASKING, Edge, Kind, ends_clause, soft
from core.goals.parser.phrases import Phrase, noun_list, place_phrase
from core.goals.parser.plain_form import plain
from core.goals.parser.predicates import predicates
from core.goals.parser.tokens import Tokens
from core.goals.parser.wishes import wish_head

OPENERS = words.WELCOME | words.word_set(
    "angel star sweetheart dear darling hope hoping wonder wondering think suppose chance favour favor love like appreciate "
    "ask asked told tell tells wants want need needs job goal goals task aim objective mission possibility able try "
    "remember let going time willing careful wish reckon way instruction says said expect get have say supposed needing "
    "wanting wanted forget make_sure ensure be_sure see_to_it check take_care about go come ahead care begin start")
"""Words of asking."""


DOES_IT = "the robot is to do it"
BESIDE = "left out: goals know only in and on, and no order of things there"
POURED = "it is brought: nothing can be poured here"


def edge_of(t: Tokens, start: int, said: Said, kind: Kind, cost: float, *, bare: bool = False) -> Iterator[Edge]:
    """Yields the edge of a command, with those that share its object."""
    if said.verb.frame == "do" and said.object is not None and said.object.words in ("it", "that", "this"):
        yield Edge(start, said.end, "remark", 1.0)  # you can do it
        return
    end, more = coordinated(t, said)
    if start and t.at(start - 1) in ("but", "and") and t.at(end) in words.FIRST and ends_clause(t, end + 1):
        kind, end = "early", end + 1  # but wash your hands first
    elif t.at(start - 1) in words.FIRST and t.at(start - 2) == "but":
        kind = "early"  # but first wash your hands
    clauses = [*plain(said), *(one for other in more for one in plain(other))]
    if clauses:
        skipped = tuple(part for one in (said, *more) for part in one.skipped)
        poured = said.verb.lemma in ("pour", "serve") and said.object is not None and not said.has_goal
        taken = (t.said(said.start, end), POURED) if poured else ("", "")
        taken = (t.said(*said.beside), BESIDE) if said.beside is not None else taken
        guess, meaning = (said.person, words.NOT_GIVEN) if said.person else taken
        yield Edge(start, end, kind, cost, tuple(clauses), skipped, bare=bare, guess=guess, meaning=meaning,
                   shape=_shape(said) if not more else "",
                   object=said.object.words if said.object else said.places[0].words if said.places else "")


def _shape(said: Said) -> str:
    """Returns the last clause of a command with "{}" for its object; empty if it has none."""
    if said.object is None and said.places and said.verb.frame in ("go", "face", "look", "type"):
        last = said.places[-1]
        return (plain(replace(said, places=[*said.places[:-1], replace(last, words="{}")])) or [""])[-1]
    if said.object is None:
        return ""
    clauses = plain(replace(said, object=replace(said.object, words="{}")))
    return clauses[-1] if clauses and "{}" in clauses[-1] else ""


def elliptic(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a phrase or a place alone that goes on with the command before it: and the pear; then onto the plate."""
    start = i
    if t.at(i) == "so" and t.at(i + 1) in words.BE | words.DO | words.MODALS | {"goes", "go"}:
        i += 2  # and so does the mug
    k = soft(t, i)
    k += t.at(k) == "back"
    if t.at(k) in INTO and (place := place_phrase(t, k)) is not None:
        if ends_clause(t, place.end):
            yield Edge(start, place.end, "elliptic", 1.3, (place.said,), shape=place.words)
        return
    one = noun_list(t, k)
    if one is not None and one.known and t.at(k) not in words.OBJECT_PRONOUNS:
        end = soft(t, one.end) + (t.at(soft(t, one.end)) == "there")  # and the mug there as well
        if ends_clause(t, soft(t, end)):
            yield Edge(start, end, "elliptic", 1.4, (one.words,))


def coordinated(t: Tokens, said: Said) -> tuple[int, list[Said]]:
    """Returns the end and the commands that share an object with one before them: wash and put away the plate."""
    if said.object is not None or said.places or said.verb.frame in ("go", "stand", "sit", "lie", "rise", "look", "stay"):
        return said.end, []
    k = said.end
    k += t.at(k) == ","
    if t.at(k) not in ("and", "or", "then") and k == said.end:
        return said.end, []
    while t.at(k) in ("and", "then", "or"):
        k += 1
    other = said_at(t, k)
    if other is None or other.object is None:
        return said.end, []
    said.object, end = other.object, other.end
    other.object = Phrase(k, k, "it" if not other.object.several else "them", True)
    return end + (t.at(end) == "," and False), [other]


def _lacks(t: Tokens, k: int, said: Said) -> bool:
    """Returns True if a verb has none of the phrases that it needs, or is rather a noun."""
    alone = not (said.object or said.places or said.particles or said.noun)
    return alone and (said.verb.frame in NEED_OBJECT or t.is_noun(k))


NEED_OBJECT = words.word_set(
    "have act look type put bring hold take empty clear turn on off open close plug change make bin swap load reach face")


def imperative(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields an imperative: [do] put the mug on the desk."""
    before = t.at(i) == "do" or (t.at(i) == "to" and (not i or t.at(i - 1) in words.GREETINGS | {"and", "then", "after"}))
    k = i + (before and verb_at(t, i + 1) is not None)
    said = said_at(t, k)
    if said is None or (t.at(i) == "have" and wish_head(t, i)):
        return
    if said.verb.frame in ("do", "have") and said.object is None and not said.noun:
        return
    if _lacks(t, k, said) and not (
            (t.at(i - 1) in ("and", "then", ",") and ends_clause(t, soft(t, said.end))) or t.at(said.end) == "and"):
        return
    if t.is_noun(k) and t.at(k) != "set" and said.object is None and not said.particles and said.verb.frame not in (
            "go", "stand", "sit", "look"):
        return  # a noun
    if said.verb.frame == "stay" and all(one.words == "there" for one in said.places) and ends_clause(t, soft(t, said.end)):
        yield Edge(i, said.end, "remark", 1.2)
        return
    turns = said.verb.lemma == "turn" and said.object is None and said.has("round", "around", "about")
    moves = (said.verb.frame in ("go", "stay") or turns) and not said.places
    if moves and t.at(said.end) == "and" and verb_at(t, said.end + 1):
        yield from _after_hinge(t, i, said.end + 1, "command", bare=True)  # go and sit on the sofa
        return
    if said.verb.frame == "go" and not said.places and verb_at(t, said.end) is not None and said.object is None:
        yield from _after_hinge(t, i, said.end, "command", bare=True)
        return
    if said.verb.lemma == "use" and said.object is not None and t.at(said.end) == "to" and (
            work := said_at(t, said.end + 1)) is not None:
        work.places.append(replace(said.object, preposition="with"))
        said = work
    yield from edge_of(t, i, said, "command", 1.0, bare=True)


def meanwhile(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields "while sitting on the sofa", "holding a mug" and "with the lamp on", which hold at the same time."""
    k = i + (t.at(i) in ("while", "with"))
    one = noun_list(t, k, subject=True) if k > i and t.at(k) not in AGENTS else None
    if one is not None and one.known and (held := predicates(t, one, one.end, wished=True)) is not None and held[1]:
        yield Edge(i, held[0], "request", 1.0, held[1], held[2])  # look at the book while the desk lamp is on
        return
    if t.at(i) == "while":
        k += (t.at(k) in words.ARTICLES)
        k += (t.at(k) in AGENTS) + (t.at(k + 1) in words.BE and t.at(k) in AGENTS)
    said = said_at(t, k, "ing") or (said_at(t, k, "s") or said_at(t, k) if k > i + 1 else None)
    if said is None or not (said.object or said.places):
        return
    before = i - 1
    while t.at(before) in words.SOFT:
        before -= 1
    if k == i and ((t.is_noun(i - 1) and said.object is None) or t.at(before) in words.BE):
        return  # there is a chicken sitting on the counter; the notes are still lying there
    if said.verb.frame in ("hold", "sit", "lie", "stand", "face", "stay", "bring"):
        yield from edge_of(t, i, said, "request", 1.1)


def _after_hinge(t: Tokens, start: int, k: int, kind: Kind, *, bare: bool = False) -> Iterator[Edge]:
    said = said_at(t, soft(t, k)) or said_at(t, soft(t, k), "ing")
    if said is not None:
        yield from edge_of(t, start, said, kind, 1.0, bare=bare)


def requested(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a command after words of asking: could you, I want you to, would you mind, the robot must, let's."""
    opened, k, agent = False, i, False
    if t.at(i) in words.WANTS | words.REASONS | words.CONDITIONS - {"if"} | {"so", "and", "but", "because", "that"}:
        return
    while k < len(t) and k - i <= MOST_ASKING:
        word = t.at(k)
        if k > i and opened and _is_hinge(t, k - 1, agent=agent):
            n = soft(t, k)
            said = said_at(t, n) or (said_at(t, n, "ing") if t.at(k - 1) != "to" else None) or (
                said_at(t, n, "s") if t.at(k - 1) in AGENTS - {"you"} and k - i <= 2 else None)
            if said is not None and not (t.at(n) in ("have", "get") and t.at(k - 1) in ("i", "we")) and not _lacks(t, n, said):
                if t.at(k - 1) == "to" and not agent and _is_about_others(t, i, k):
                    return
                own = t.at(k - 1) == "to" and not agent and any(t.at(x) in ("i", "we") for x in range(i, k))
                other = not agent and t.at(i) in ("it", "they", "this", "that", "these", "those") and not any(
                    t.at(x) in words.WELCOME | NEEDED or t.joined(x, x + 2) == "is need"
                    for x in range(i, k))
                if not (own and said.object is None and not said.places) and not other:
                    told = t.said(i, k) if own else ""  # I want to watch the television
                    asked = edge_of(t, i, said, "request", 1.0)
                    yield from (replace(edge, guess=told, meaning=DOES_IT) if told else edge for edge in asked)
                return
        strange = not t.is_known(k) and word not in OPENERS | words.PEOPLE | AGENTS
        thing = t.is_noun(k) and word not in AGENTS
        if t.is_stop(k) or strange or thing or word in words.CONDITIONS - {"if"} or word in words.CLOCK:
            return
        if word in words.NEGATIONS and not _asks_anyway(t, k):
            return
        agent = agent or word in ASKERS or word in AGENTS
        opened = opened or _opens(t, i, k)
        k += 1


def _is_about_others(t: Tokens, start: int, end: int) -> bool:
    """Returns True if the words of asking say what others want to do: visitors need somewhere to sit."""
    others = any(t.at(k) in words.PEOPLE or t.at(k) in ("he", "she", "they") for k in range(start, end))
    return others and not any(t.at(k) in ("i", "we") for k in range(start, end))


def _opens(t: Tokens, i: int, k: int) -> bool:
    """Returns True if the word at k asks: of two like "could you", the later one."""
    word, before = t.at(k), t.at(k - 1)
    while k - 1 > i and before in words.SOFT | {"n't", "not"}:
        k -= 1
        before = t.at(k - 1)
    if word in ("told", "asked"):
        return t.at(k + 1) == "me" or (t.at(k + 1) == "you" and before not in ("i", "we"))
    if word in OPENERS:
        return True
    first = k == i or (k == i + 1 and before in words.ARTICLES)
    if first and word in AGENTS and t.at(k + 1) == "to":
        return False
    agent, after_agent = word in ASKERS or word in AGENTS, before in ASKERS or before in AGENTS
    return (agent and ((before in words.REQUESTS and k > i) or (first and word in AGENTS))) or (
        after_agent and word in words.REQUESTS | words.DUTY | {"'ll", "are", "is", "'re", "have", "has", "do"})


def _asks_anyway(t: Tokens, k: int) -> bool:
    """Returns True for a negation that asks: won't you, why don't you, I don't suppose, if you don't mind."""
    able = t.joined(k + 1, k + 3) == "be able"
    return able or t.at(k + 1) in ("you", "suppose", "mind", "forget") or t.at(k - 1) in ("wo", "ca")


def _is_hinge(t: Tokens, k: int, *, agent: bool) -> bool:
    """Returns True if a command may follow the token: could you, want you to, do me a favour and."""
    word = t.at(k)
    while word in words.SOFT or word in words.FIRST or word in words.GREETINGS - AGENTS:
        k -= 1
        word = t.at(k)
    if t.at(k - 1) in ("when", "whenever", "hate", "hates", "if") and word == "you" and t.at(k - 1) != "if":
        return False
    if word == "to":
        return t.joined(k - 2, k) in ("n't forget", "not forget") or t.at(k - 1) not in NOT_ASKED
    if word in ASKERS or word in AGENTS:
        return True
    if word == "mind" or word in words.DUTY or (word in words.REQUESTS | {"'ll"} and agent):
        return agent or word == "mind"
    if (word == "about" and t.at(k - 1) in ("what", "how")) or (word == "by" and t.at(k - 1) in ("start", "begin")):
        return True
    if word == "and":
        return t.at(k - 1) in words.WELCOME | FAVOURS
    lets = t.at(k - 1) == "let" and word in ("'s", "us")
    return lets or (word == "of" and t.at(k - 1) == "chance" and not agent)


FAVOURS = words.word_set("check love dear darling angel favour favor ahead try go come")
"""Do me a favour and; be a love and."""
NOT_ASKED = words.word_set("forgot forget late wrong refuses refused used")
"""Words before "to" that ask for nothing: he refuses to."""
NEEDED = words.word_set("necessary needed important required")
