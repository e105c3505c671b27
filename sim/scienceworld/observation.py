"""One moment of an episode: frozen texts and numbers, and their meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from core.world.vocabulary import GRABBABLE, AgentState, Category, Entity, Observation, Relation
from sim.scienceworld import description_parser

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
        return description_parser.bare(self._phrases[number]) == phrase

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
        name = description_parser.room_of(self.look)
        return self.ids.get(name, name.replace(" ", "_"))

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Returns the task, the rooms around, and everything in sight or carried."""
        lines = description_parser.told(self.look)
        carried = {d.head: d.text for d in description_parser.descriptions(self.inventory)}
        found = [self._thing(name, own, description_parser.line_about(name, lines)) for name, own in self.ids.items()]
        found += [self._thing(name, own, carried.get(name, "")) for name, own in self.held.items()]
        state = "done" if self.score == WON else "failed" if self.score < 0 else "under way"
        return (Entity(TASK, "task", "task", "object", None, frozenset({state})), *found)

    def _thing(self, name: str, own: str, text: str) -> Entity:
        category: Category = description_parser.category_of(name)
        properties = frozenset({GRABBABLE}) if category == "object" else frozenset()
        room = None if category == "room" else self.room
        return Entity(own, name.replace(" ", "_"), name, category, room, description_parser.states_of(text), properties)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Returns what lies where."""
        held = list(description_parser.descriptions(self.inventory))
        return description_parser.relations(self.look, held, self.ids, {**self.ids, **self.held})

    def seen(self, text: str) -> Observation:
        """Returns an observation that begins with `text`."""
        near = tuple(e.id for e in self.entities if e.category != "room" and e.id not in self.held.values() and e.id != TASK)
        agent = AgentState(self.room, near, tuple(self.held.values()), HANDS)
        whole = f"{text}\n\n{self.look}\n\n{self.inventory}".strip()
        return Observation(agent, self.entities, self.relations, (), whole, self.steps, float(self.score))
