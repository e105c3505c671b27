"""One moment of an episode: what ScienceWorld's descriptions say, names that last, and the page of text shown as a picture."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from core.planning.facets import Frame, View
from core.world.vocabulary import GRABBABLE, AgentState, Category, Entity, Observation, Relation, RelationKind

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


def lines_of(look: str) -> dict[str, str]:
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


TASK = "task_1"
WON = 100
Everywhere = Callable[[], Mapping[str, list[str]]]
"""Returns every object of the world by number, with the phrases that may mean it."""
HANDS = 99
"""Number of hands: this world does not limit what is carried."""


class Names:
    """Maps ScienceWorld's object numbers, which change with every start, to ids that do not: numbered by first sight."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._phrases: dict[str, str] = {}
        self._taken: set[str] = {TASK}
        self._near: dict[str, None] = {}

    def id(self, number: str, phrase: str) -> str:
        """Returns the id of an object. The first phrase that means it becomes its name for the episode."""
        if number not in self._ids:
            base = phrase.replace(" ", "_")
            name, count = base, 1
            while name in self._taken:
                count += 1
                name = f"{base}_{count}"
            self._taken.add(name)
            self._ids[number], self._phrases[number] = name, phrase
        return self._ids[number]

    def known(self, number: str, phrase: str) -> str:
        """Returns the id of an object that was seen, otherwise one made of its phrase.

        Listing what is valid must not give names.
        """
        return self._ids.get(number) or phrase.replace(" ", "_")

    def moved_on(self, in_sight: Mapping[str, str], carried: Iterable[str], everywhere: Everywhere) -> dict[str, str]:
        """Returns the phrase of each carried object -> its id.

        The list of objects in sight leaves out what is carried, and the inventory has no numbers. An object that was in sight
        or in the hand a moment ago and matches the phrase is meant. At the start it is the newest object that matches.
        """
        held: dict[str, str] = {}
        for phrase in carried:
            taken = [n for n in self._near if n not in in_sight and n not in held.values() and self._means(phrase, n)]
            number = taken[0] if taken else self._latest(phrase, in_sight, everywhere)
            self.id(number, phrase)
            held[phrase] = number
        self._near = dict.fromkeys((*held.values(), *in_sight))
        return {phrase: self._ids[number] for phrase, number in held.items()}

    def _means(self, phrase: str, number: str) -> bool:
        return bare(self._phrases[number]) == phrase

    @staticmethod
    def _latest(phrase: str, in_sight: Mapping[str, str], everywhere: Everywhere) -> str:
        found = [int(n) for n, phrases in everywhere().items() if phrase in phrases and n not in in_sight]
        return str(max(found)) if found else f"carried {phrase}"


@dataclass(frozen=True)
class Moment:
    """What ScienceWorld reports now.

    Attributes:
        task: the task, in ScienceWorld's words.
        reply: its answer to the last action; empty at the start.
        look: its description of the room.
        inventory: its description of what is carried.
        ids: the phrase of each object in sight -> our id.
        held: the phrase of each carried object -> our id.
        score: -100 if the episode is lost, otherwise 0 to 100.
        steps: steps so far.
    """

    task: str
    reply: str
    look: str
    inventory: str
    ids: Mapping[str, str]
    held: Mapping[str, str]
    score: int
    steps: int

    @cached_property
    def room(self) -> str:
        """Returns the id of the present room."""
        name = room_of(self.look)
        return self.ids.get(name, name.replace(" ", "_"))

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Returns the task, the rooms around, and everything in sight or carried."""
        lines = lines_of(self.look)
        carried = {d.head: d.text for d in descriptions(self.inventory)}
        found = [self._thing(name, own, line_about(name, lines)) for name, own in self.ids.items()]
        found += [self._thing(name, own, carried.get(name, "")) for name, own in self.held.items()]
        state = "done" if self.score == WON else "failed" if self.score < 0 else "under way"
        return (Entity(TASK, "task", "task", "object", None, frozenset({state})), *found)

    def _thing(self, name: str, own: str, text: str) -> Entity:
        category: Category = category_of(name)
        properties = frozenset({GRABBABLE}) if category == "object" else frozenset()
        room = None if category == "room" else self.room
        return Entity(own, name.replace(" ", "_"), name, category, room, states_of(text), properties)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Returns what lies where."""
        held = list(descriptions(self.inventory))
        return relations(self.look, held, self.ids, {**self.ids, **self.held})

    def seen(self, text: str) -> Observation:
        """Returns an observation that begins with `text`."""
        near = tuple(e.id for e in self.entities if e.category != "room" and e.id not in self.held.values() and e.id != TASK)
        agent = AgentState(self.room, near, tuple(self.held.values()), HANDS)
        whole = f"{text}\n\n{self.look}\n\n{self.inventory}".strip()
        return Observation(agent, self.entities, self.relations, (), whole, self.steps, float(self.score))


PAPER, INK, MARGIN = (24, 26, 30), (225, 225, 220), 12
LARGEST, SMALLEST = 18, 8
LEADING = 1.35
FOOT = 44
"""Pixels left free below the text if possible, because a caption may cover the lower edge of a picture."""


def shot(now: Moment, view: View, width: int, height: int) -> Callable[[], Frame]:
    """Returns a function that draws the room (first person), or the task, the score and the inventory (view from above)."""
    about = f"{now.task}\n\nScore {now.score} of 100\n\n{now.inventory}\n\n{now.reply}"
    text = now.look if view == "first person" else about
    ids = {**now.ids, **now.held}
    return lambda: _page(text, ids, view, width, height)


def _page(text: str, ids: dict[str, str], view: View, width: int, height: int) -> Frame:
    """Returns the page in the largest font that fits. Every line that lists an object belongs to that object."""
    sizes = range(LARGEST, SMALLEST, -1)
    size = next((s for s in sizes if len(_set(text, s, width)) * s * LEADING + MARGIN + FOOT <= height), SMALLEST)
    lines = _set(text, size, width)
    font = ImageFont.load_default(size)
    page = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(page)
    numbers = np.zeros((height, width), np.uint16)
    known = ("", *sorted(set(ids.values())))
    boxes: dict[str, tuple[int, int, int, int]] = {}
    for k, (line, source) in enumerate(lines):
        top, bottom = MARGIN + int(k * size * LEADING), min(height, MARGIN + int((k + 1) * size * LEADING))
        if top >= height:
            break
        pen.text((MARGIN, top), line, font=font, fill=INK)
        thing = ids.get(head_of(source)) if source.startswith("\t") else None
        right = min(width, MARGIN + int(pen.textlength(line, font=font)) + 1)
        if thing is not None and bottom > top and right > MARGIN:
            numbers[top:bottom, MARGIN:right] = known.index(thing)
            boxes.setdefault(thing, (MARGIN, top, right, bottom))
    pixels = np.array(page, np.uint8)
    pixels.flags.writeable = False
    numbers.flags.writeable = False
    title = "Room as text" if view == "first person" else "Task as text"
    return Frame(view, pixels, numbers, known, tuple(boxes.items()), title=title)


def _set(text: str, size: int, width: int) -> list[tuple[str, str]]:
    """Returns the text wrapped for a font size: each line with the line it came from."""
    columns = max(10, int((width - 2 * MARGIN) / (size * 0.55)))
    return [(part, source) for source in text.splitlines()
            for part in textwrap.wrap(source.replace("\t", "  "), columns, subsequent_indent="    ") or [""]]
