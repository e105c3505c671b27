"""Finds prohibitions: do not open it, without opening it, keep out of the bedroom, opening the fridge is forbidden."""

from __future__ import annotations

from collections.abc import Iterator

from core.goals.parser import word_classes as words
from core.goals.parser.commands import Said, said_at, verb_at
from core.goals.parser.earlier import OPPOSITE
from core.goals.parser.edges import MOST_ASKING, Edge, ends_clause
from core.goals.parser.phrases import noun_list, place_phrase
from core.goals.parser.plain_form import COMMANDS, plain
from core.goals.parser.requests import coordinated
from core.goals.parser.tokens import Tokens

NOT_TO = words.word_set(
    "do does you robot agent please must should may can could shall ca wo will would to ever be are is was sure make_sure "
    "take_care careful allowed under on in at any account circumstances circumstance case point time and but the it told "
    "asked said so making taking being you'd not n't never no nobody avoid refrain from try forbidden whatever remember "
    "mind just that ensure 're 'm did i we 'd rather want like would , not_to without while also however")
"""Words of a prohibition before its verb."""


def forbidden(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields a prohibition: do not open it, without opening it, no running."""
    k, negated = i, ""
    if t.at(i) == "n't":
        return  # needn't
    while k < len(t) and k - i < MOST_ASKING and t.at(k) in NOT_TO | words.SOFT:
        word = t.at(k)
        negated = negated or (word if word in words.NEGATIONS or word in ("avoid", "refrain", "forbidden") else "")
        n = k + 1
        if negated and not (t.at(n) in NOT_TO and verb_at(t, n) is None and verb_at(t, n, "ing") is None):
            said = _forbidden_verb(t, n, negated)
            if said is not None and (said.object or said.places) and not _only_told(t.texts[i:n]):
                yield from _never(t, i, said)
                return
        k += 1
    yield from _dispensed(t, i, k, negated)


def _forbidden_verb(t: Tokens, n: int, negated: str) -> Said | None:
    """Returns the verb after the words of a prohibition, in the form that they take: without opening, not to open."""
    before = t.at(n - 1)
    if negated not in ("without", "no", "avoid", "refrain") and before != "not":
        return said_at(t, n) or (said_at(t, n, "ing") if before == "while" else None)
    said = said_at(t, n, "ing")
    plain_too = before in ("not", "to") or (negated in ("no", "not", "nobody") and before != negated)
    return said or (said_at(t, n) if plain_too else None)


def _only_told(said: list[str]) -> bool:
    """Returns True for negations of others: I can't reach it, it doesn't get lost, you did not open it."""
    if ("did" in said and "rather" not in said) or {"just", "simply"} & set(said[-1:]):
        return True
    asks = {"you", "robot", "agent", "bot", "machine", "assistant"} & set(said)
    unable = {"ca", "can", "could", "may", "might"} & set(said[:-1]) and not asks and not {"nobody", "it"} & set(said[:-1])
    its = "it" in said and not {"forbidden", "allowed", "is"} & set(said)
    return bool(unable) or its or (bool({"i", "we"} & set(said)) and "you" not in said)


WHOLE = words.word_set("whole uncut unsliced")
UNWANTED = frozenset({"i do n't want", "we do n't want", "i do n't need", "we do n't need"})


def _dispensed(t: Tokens, i: int, k: int, negated: str) -> Iterator[Edge]:
    """Yields "don't bother with the plates" and "no need to wash it" as remarks, if something follows."""
    named = None
    if negated == "n't" and t.at(k) == "forget" and (one := noun_list(t, k + 1)) is not None and one.end < len(t):
        yield Edge(i, one.end, "remark", 1.2, topics=(one,))  # don't forget the book, put it
        return
    if negated == "n't" and t.at(k) in ("bother", "worry"):
        place, doing = place_phrase(t, k + 1, several=True), said_at(t, k + 1, "ing")
        end = place.end if place is not None else doing.end if doing is not None else k + 1
    elif t.joined(i, i + 4) in UNWANTED and (one := noun_list(t, i + 4)) is not None:
        after = one.end
        while t.at(after) in words.SOFT | {"any", "more", "anymore", "longer"}:
            after += 1
        end = after if t.is_stop(after) or t.at(after) in words.SUBJECTS | {"but"} else len(t)  # I don't want the apple
        named = one
    elif negated and t.at(k) in ("need", "have") and t.at(k + 1) == "to" and (said := said_at(t, k + 2)) is not None:
        end, named = said.end, said.object
    else:
        return
    if end < len(t):
        about = (named,) if named is not None and named.known and named.words not in ("it", "them") else ()
        yield Edge(i, end, "remark", 1.2, topics=about)


def _never(t: Tokens, start: int, said: Said) -> Iterator[Edge]:
    """Yields the edge of forbidden commands; "do not leave it open" asks for the opposite."""
    end, more = coordinated(t, said)
    forbidden = [said, *more]
    while t.at(end) in ("or", "nor", "and", ","):
        k = end + 1 + (t.at(end) == "," and t.at(end + 1) in ("or", "nor", "and"))
        k += t.at(k) == "to"
        other = said_at(t, k, said.verb.form)
        if other is None or (t.at(end) == "," and t.at(k - 1) == ",") or (t.at(end) == "and" and said.verb.form == "base"):
            break
        forbidden.append(other)
        end = other.end
    if said.verb.frame == "put" and said.state in OPPOSITE | {"shut": "open"}:
        opposite = OPPOSITE[{"shut": "closed"}.get(said.state, said.state)]
        yield Edge(start, end, "command", 1.0, (f"{COMMANDS[opposite]} {said.object.words if said.object else 'it'}",))
        return
    if said.verb.lemma in ("move", "disturb") and not said.places and said.object is not None:
        yield Edge(start, end, "never", 1.0, (f"touch {said.object.words}",))
        return
    yield Edge(start, end, "never", 1.0, tuple(one for other in forbidden for one in plain(other)))


def kept_out(t: Tokens, i: int) -> Iterator[Edge]:
    """Yields "keep out of the bedroom", "hands off the mug" and "leave the mug alone"."""
    k = i + 1
    if t.at(i) == "leave" and (rest := noun_list(t, k)) is not None and rest.words == "the rest" and ends_clause(t, rest.end):
        yield Edge(i, rest.end, "remark", 1.0)
        return
    if t.at(i) in ("keep", "stay") and t.at(k) in ("out", "out_of", "away", "off", "clear"):
        verb = "enter" if t.at(k).startswith("out") else "approach"
        k += 1 + (t.at(k + 1) in ("of", "from"))
    elif t.at(i) == "avoid":
        verb = "approach"
    elif t.at(i) == "hands" and t.at(k) == "off":
        verb, k = "touch", k + 1
    elif t.at(i) == "leave" and (one := noun_list(t, k)) is not None and (
            t.at(one.end) in ("alone", "be", "untouched") or (t.at(one.end) == "where" and t.at(one.end + 2) in words.BE)):
        yield Edge(i, one.end + (3 if t.at(one.end) == "where" else 1), "never", 0.9, (f"touch {one.words}",))
        return
    elif t.at(i) in ("leave", "keep") and (one := noun_list(t, k)) is not None and t.at(one.end) in WHOLE:
        yield Edge(i, one.end + 1, "never", 0.9, (f"slice {one.words}",))
        return
    elif (said := said_at(t, i, "ing")) is not None and said.object is not None and t.at(said.end) in words.BE and (
            t.at(said.end + 1) in ("forbidden", "banned") or t.joined(said.end + 1, said.end + 3) == "not allowed"):
        yield Edge(i, said.end + 2 + (t.at(said.end + 1) == "not"), "never", 0.9, tuple(plain(said)))
        return
    else:
        return
    place = noun_list(t, k)
    if place is not None:
        yield Edge(i, place.end, "never", 0.9, (f"{verb} {place.words}",))
