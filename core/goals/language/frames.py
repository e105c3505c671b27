"""Fills frames from the phrases of a clause, whatever their order: things, what is wanted of them, words that ask.

    milk, fridge · into the fridge with the milk · on the table I'd like two plates · the mug wants washing
    the desk is where the folders belong · it's the remote I'd like you to bring me · I'd prefer you in the kitchen

A clause is a frame only if every word of it has its slot, or changes nothing, or is reported as left out. Words of telling, a
negation, a condition or a number without a thing keep a clause from being one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.goals.language.bags import PERSON_LEADS, Bag, bag_of, may_lead, parts_of
from core.goals.language.chunks import SHIFTS, SIGNALS, Chunk, chunked
from core.goals.language.wanted import WOULD, wanted
from core.goals.parser import word_classes as words
from core.goals.parser.commands import INTO, said_at
from core.goals.parser.edges import Edge, ends_clause
from core.goals.parser.phrases import noun_list, place_phrase
from core.goals.parser.plain_form import plain
from core.goals.parser.tokens import Tokens

LONGEST = 40
"""The most tokens of a clause."""
CLOSERS = words.word_set("when by_the_time as whenever though although whereas otherwise instead_of rather_than not without")
"""Words before which a clause may end as well."""
COST, FRAGMENT_COST, LEFT_OUT_COST = 1.2, 1.55, 0.3


def framed(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields the frames that may begin at a token, with each end that a clause may have."""
    before = t.at(i - 1)
    if i and not t.is_stop(i - 1) and before not in words.COORDINATORS - {"or", "nor"} | words.ORDER:
        return
    for j in range(i + 1, min(len(t), i + LONGEST) + 1):
        if j < len(t) and t.is_stop(j) and t.at(j)[:1] in ".!?;":
            yield from _frame(t, i, j)
            return
        if ends_clause(t, j) or t.at(j) in CLOSERS:
            yield from _frame(t, i, j)


def _frame(t: Tokens, i: int, j: int) -> Iterator[Edge]:
    if (known := _kept(t, i, j) or _has_room(t, i, j)) is not None:
        yield known
        return
    chunks = chunked(t, i, j)
    if (emptied := _emptied(t, i, j, chunks)) is not None:
        yield emptied
        return
    later = words.LATER if chunks and chunks[-1].word == "afterwards" else ""
    chunks = chunks[:-1] if later else chunks
    while chunks and chunks[-1].kind in ("comma", "and"):
        chunks.pop()
    if not chunks or any(one.kind == "bar" for one in chunks):
        return
    if (command := _command(t, i, j, chunks) or _fronted(t, i, j, chunks)) is not None:
        yield command
        return
    clauses: list[str] = []
    left_out: list[Chunk] = []
    asks = fragment = False
    shape = ""
    for part in parts_of(chunks):
        bag = bag_of(t, part)
        if bag is None:
            return
        found = wanted(t, bag, asks=asks, alone=(i, j))
        if found is None:
            return
        asks = asks or bool(set(bag.function) & SIGNALS)
        fragment = fragment or not (asks or bag.linked)
        clauses += [f"{later}{found[0]}", *found[1:]] if not clauses else found
        left_out += bag.left_out
        shape = _shape(found[-1], bag)
    if clauses:
        cost = (FRAGMENT_COST if fragment else COST) + LEFT_OUT_COST * len(left_out)
        guess = t.said(i, j) if fragment else ""
        yield Edge(i, j, "wish", cost, tuple(clauses), tuple((one.start, one.end) for one in left_out), shape=shape,
                   guess=guess, meaning=" and ".join(one.replace("_", " ") for one in clauses) if guess else "")


def _kept(t: Tokens, i: int, j: int) -> Edge | None:
    """Returns "the phone remains where it is" and "only the lamp can stay as it is"."""
    k = i
    while t.at(k) in words.SOFT | words.GREETINGS | {"only"}:
        k += 1
    one = noun_list(t, k, subject=True)
    if one is None or not one.known or one.end >= j:
        return None
    n = one.end
    while t.at(n) in words.MODALS | words.SOFT | {"to", "has", "have"}:
        n += 1
    if t.at(n) not in SHIFTS:
        return None
    n += 1
    same = t.at(n) in ("where", "as") and t.at(n + 1) in ("it", "they") and t.at(n + 2) in words.BE
    end = n + 3 if same else n + 1 if t.at(n) in ("untouched", "put", "alone") else n
    while t.at(end) in words.SOFT:
        end += 1
    return Edge(i, j, "wish", COST, (f"{words.KEEP} {one.words}",)) if end == j > n else None


def _has_room(t: Tokens, i: int, j: int) -> Edge | None:
    """Returns "there's room on the counter" after what is to leave its place."""
    leaves = {"off", "out_of", "away"} & set(t.texts[:i])
    said = t.at(i) == "there" and t.at(i + 1) in ("'s", "is") and leaves
    k = i + 2 + (t.at(i + 2) in ("plenty", "enough", "still", "some")) + (t.at(i + 3) == "of")
    if not said or t.at(k) not in ("room", "space"):
        return None
    place = place_phrase(t, k + 1)
    if place is None or not place.known or place.end != j or place.preposition not in INTO:
        return None
    return Edge(i, j, "wish", COST - 0.2, (f"put it {place.said}",), guess=t.said(i, j), meaning=f"put it {place.said}")


FREE = words.word_set(
    "there should ought must may can be to left lying standing sitting remain remains stays stay it i we want see at all "
    "any in of still please is are would like sits")
FREED = words.DUTY | words.word_set("want ought may can left like")


def _emptied(t: Tokens, i: int, j: int, chunks: list[Chunk]) -> Edge | None:
    """Returns "there ought to be nothing left in the microwave" and "on the table it should be nothing"."""
    places = [one for one in chunks if one.kind == "place" and one.word in ("in", "on", "inside")]
    empty = [k for k in range(i, j) if t.at(k) in ("nothing", "none")]
    if len(places) != 1 or len(empty) != 1 or (place := places[0].phrase) is None:
        return None
    rest = {t.at(k) for k in range(i, j) if not (places[0].start <= k < places[0].end or k == empty[0] or t.at(k) == ",")}
    asks = rest <= FREE | words.SOFT | words.GREETINGS and rest & FREED and t.at(j) != "?"
    return Edge(i, j, "wish", COST - 0.5, (f"empty {place.words}",)) if asks else None


def _shape(clause: str, bag: Bag) -> str:
    subject = " ".join(one.phrase.words for one in bag.things[:1] if one.phrase)
    shape = clause.replace(f" {subject}", " {}", 1) if subject else ""
    return shape if "{}" in shape else ""


# --- commands ------------------------------------------------------------------------
def _command(t: Tokens, i: int, j: int, chunks: list[Chunk]) -> Edge | None:
    """Returns the frame of a verb after words of asking of which some may be unknown: it is imperative to close the fridge."""
    empty = chunks[0].word == "it" and len(chunks) > 1 and chunks[1].word in words.BE | words.MODALS
    chunks = [replace(one, kind="func") if (empty and not n) or one.word == "do" else one for n, one in enumerate(chunks)]
    head = next((n for n, one in enumerate(chunks) if one.kind in ("verb", "thing", "place", "state")), -1)
    if head < 1 or chunks[head].kind != "verb":
        return None
    before, last = chunks[:head], chunks[head - 1]
    function = {one.word for one in before}
    if not may_lead(t, before) or not _signals(function, before) or last.word in PERSON_LEADS:
        return None
    cleft = last.word in ("is", "'s") and {"what", "do"} <= function  # what you have to do is close it
    if not (cleft or last.word in HINGES | {"to"} or last.kind == "you"):
        return None
    said = said_at(t, chunks[head].start, "ing" if last.word in HINGES else "base")
    if said is None or not (said.object or said.places) or _after(t, said.end) < j:
        return None
    left_out = [one for one in before if one.kind == "unknown"]
    clauses = tuple(plain(said))
    skipped = (*said.skipped, *((one.start, one.end) for one in left_out))
    return Edge(i, j, "request", COST + LEFT_OUT_COST * len(left_out), clauses, skipped,
                object=said.object.words if said.object else "") if clauses else None


def _fronted(t: Tokens, i: int, j: int, chunks: list[Chunk]) -> Edge | None:
    """Returns a command whose place or thing comes first: on the desk put two candles; the book you put it on the sofa."""
    kinds = [one.kind for one in chunks if one.kind != "comma"]
    if kinds[:2] != ["place", "verb"] and kinds[:3] != ["thing", "you", "verb"]:
        return None
    first = chunks[0].phrase
    said = said_at(t, next(one.start for one in chunks if one.kind == "verb"))
    if said is None or first is None or _after(t, said.end) < j or said.verb.frame not in ("put", "bring", "hold", "take"):
        return None
    pronoun = said.object is None or said.object.words in ("it", "them")
    if kinds[0] == "place" and said.object is not None:
        said.places.append(first)
    elif kinds[0] == "thing" and pronoun:
        said.object = first
    else:
        return None
    clauses = tuple(plain(said))
    return Edge(i, j, "command", COST, clauses, tuple(said.skipped)) if clauses else None


HINGES = words.word_set("by with of about for start begin")
"""Words after which a verb has the form in -ing."""


def _after(t: Tokens, k: int) -> int:
    while t.at(k) in words.SOFT or t.at(k) in words.GREETINGS or t.at(k) == ",":
        k += 1
    return k


def _signals(function: set[str], chunks: list[Chunk]) -> bool:
    """Returns True if words ask: want, should, could you, it would be nice."""
    you = any(one.kind == "you" for one in chunks)
    return bool(function & SIGNALS - words.WELCOME) or (you and bool(function & words.REQUESTS)) or (
        bool(function & words.WELCOME | {one.word for one in chunks if one.kind == "unknown"}) and bool(function & WOULD))


