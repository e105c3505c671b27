"""Parses ScienceWorld's room descriptions: what is open, on, carried, and what lies where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from core.world.vocabulary import Category, Relation, RelationKind

ROOMS = frozenset({
    "hallway", "kitchen", "bedroom", "bathroom", "living room", "art studio", "workshop", "greenhouse", "outside", "foundry",
})
FIXED = frozenset({
    "door", "table", "chair", "counter", "cupboard", "fridge", "freezer", "oven", "stove", "sink", "bed", "bathtub", "toilet",
    "desk", "couch", "bookshelf", "furnace", "pit", "fountain", "painting", "picture", "drawer", "closet", "plate", "agent",
    "air",
})
"""Last words of the names of what cannot be carried."""
STATES = {
    "door is open": "open", "door is closed": "closed", "that is open": "open", "that is closed": "closed",
    "which is on": "on", "which is off": "off", "turned on": "on", "turned off": "off",
    "is activated": "on", "is deactivated": "off",
}
HERE = re.compile(r"called the ([\w ]+)\.")
LIES = re.compile(r"(On|In) the ([\w ]+?) is: (.*?)\.(?: |$)")
MIDDLE = re.compile(r"\.\s+([,.])")
CONTAINS = re.compile(r"([\w ]+?) \(containing (.+)\)$")
READING = re.compile(r"^(\d+):\s*(.+)$", re.MULTILINE)
CLAUSE = re.compile(r"(?:which|that|currently)\b")
"""Begins a clause about the object listed before it. `a drain, which is closed, a substance called water` are two objects."""
ARTICLE = re.compile(r"^(?:an?|the|some) |^a substance called |^substance called ", re.IGNORECASE)


class Description(NamedTuple):
    """One line of a room or an inventory.

    Attributes:
        head: name of the object it is about.
        text: the whole line.
    """

    head: str
    text: str


def room_of(look: str) -> str:
    """Returns the name of the present room."""
    found = HERE.search(look)
    return found.group(1) if found else ""


def descriptions(text: str) -> Iterator[Description]:
    """Yields the lines that list objects."""
    for line in text.splitlines():
        if line.startswith("\t"):
            yield Description(head_of(line.strip()), line.strip())


def settled(text: str) -> str:
    """Returns the description with its lists sorted, because ScienceWorld's order of similar objects changes with every start.

    A full stop that ends a clause in the middle of a list is left out.
    """
    lines: list[str] = []
    block: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.startswith("\t"):
            block.append(LIES.sub(_listed, MIDDLE.sub(r"\1", line)))
        else:
            lines += [*sorted(block), line]
            block = []
    return "\n".join(lines).rstrip("\n") + "\n"


def _listed(found: re.Match[str]) -> str:
    start, end = found.span(3)
    return f"{found.string[found.start():start]}{_sorted(found.group(3))}{found.string[end:found.end()]}"


def _sorted(listed: str) -> str:
    parts = []
    for part in _parts(listed):
        found = CONTAINS.search(part)
        parts.append(f"{part[:found.start(2)]}{_sorted(found.group(2))}{part[found.end(2):]}" if found else part)
    return ", ".join(sorted(parts)) or listed


def first_of(question: str) -> str:
    """Returns the number of the alphabetically first reading among those an ambiguous request lists."""
    listed = [(words, int(number)) for number, words in READING.findall(question)]
    return str(min(listed)[1]) if listed else "0"


def mentions(text: str, phrase: str) -> bool:
    """Returns True if a description mentions an object. `water in cup` is mentioned as water."""
    return re.search(rf"\b{re.escape(bare(phrase))}\b", text) is not None


def head_of(phrase: str) -> str:
    """Returns the name in a phrase.

    `a glass cup (containing nothing)` -> `glass cup`; `A door to the hallway (that is open)` -> `door to hallway`.
    """
    bare = re.split(r" \(|,|\. ", phrase.strip().rstrip("."))[0]
    for _ in range(2):  # "a substance called water"
        bare = ARTICLE.sub("", bare)
    return bare.removeprefix("substance called ").replace(" to the ", " to ")


def bare(phrase: str) -> str:
    """Returns the name without its place: `drawer in cupboard` -> `drawer`."""
    return re.split(r" (?:in|on|containing) ", phrase)[0]


def line_about(name: str, lines: Mapping[str, str]) -> str:
    """Returns the line that describes an object. Doors are listed by where they lead."""
    leads_to = name.removesuffix(" door")
    return lines.get(name) or ("" if leads_to == name else lines.get(f"door to {leads_to}", ""))


def told(look: str) -> dict[str, str]:
    """Returns object -> its line in a description, including objects listed in and on others."""
    lines = list(descriptions(look))
    inner = {head_of(part): part for line in lines for _, _, listed in LIES.findall(line.text) for part in _parts(listed)}
    return inner | {line.head: line.text for line in lines}


def states_of(text: str) -> frozenset[str]:
    """Returns the states a line gives to the object it is about, not to what lies in or on it."""
    own = LIES.sub("", text)
    return frozenset(state for words, state in STATES.items() if words in own)


def category_of(name: str) -> Category:
    """Returns room, furniture or object. ScienceWorld does not tell, so the last word of the name decides."""
    if name in ROOMS:
        return "room"
    return "furniture" if bare(name.split(" to ")[0]).split()[-1] in FIXED else "object"


def relations(look: str, held: Iterable[Description], here: Mapping[str, str], all_: Mapping[str, str]) -> tuple[Relation, ...]:
    """Returns what lies on and in what, among objects in sight (`here`) or carried."""
    found = [r for line in descriptions(look) for r in _lying(line.text, here)]
    found += [r for line in held for r in _contained(line.text, all_)]
    return tuple(dict.fromkeys(r for r in found if r.subject != r.object))


def _lying(text: str, ids: Mapping[str, str]) -> Iterator[Relation]:
    for preposition, holder, listed in LIES.findall(text):
        kind: RelationKind = "on" if preposition == "On" else "inside"
        for part in _parts(listed):
            yield from _relation(kind, head_of(part), holder, ids)
            yield from _contained(part, ids)
    if " is: " not in text:
        yield from _contained(text, ids)


def _contained(text: str, ids: Mapping[str, str]) -> Iterator[Relation]:
    found = CONTAINS.search(text)
    if found and found.group(2) != "nothing":
        for part in _parts(found.group(2)):
            yield from _relation("inside", head_of(part), head_of(found.group(1)), ids)


def _relation(kind: RelationKind, subject: str, holder: str, ids: Mapping[str, str]) -> Iterator[Relation]:
    inner, outer = _id(subject, ids), _id(holder, ids)
    if inner and outer:
        yield Relation(kind, inner, outer)


def _id(name: str, ids: Mapping[str, str]) -> str:
    """Returns the id for the longest ending of a name that names something: `red apple` is listed as `apple`."""
    words = name.split()
    return next((ids[tail] for k in range(len(words)) if (tail := " ".join(words[k:])) in ids), "")


def _parts(listed: str) -> list[str]:
    """Splits a list at commas outside parentheses that do not begin a clause about the object before."""
    parts, depth = [""], 0
    for k, sign in enumerate(listed):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0 and not CLAUSE.match(listed[k + 1:].lstrip()):
            parts.append("")
        else:
            parts[-1] += sign
    return [p.strip() for p in parts if p.strip() not in ("", "nothing")]
