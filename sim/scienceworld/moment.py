"""One moment of an episode: frozen texts and numbers, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from core.world.vocabulary import GRABBABLE, AgentState, Category, Entity, Observation, Relation
from sim.scienceworld import reading

TASK = "task_1"
WON = 100
Everywhere = Callable[[], Mapping[str, list[str]]]
"""Asks for every object of the world, by number, with the phrases that may mean it."""
HANDS = 99
"""Nobody counts hands in this world."""


class Names:
    """ScienceWorld's object numbers, which change with every start, and our ids, which do not: numbered by first sight."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._phrases: dict[str, str] = {}
        self._taken: set[str] = {TASK}
        self._near: dict[str, None] = {}

    def id(self, number: str, phrase: str) -> str:
        """The id of an object; the first phrase that means it becomes its name for the episode."""
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
        """The id of an object that was seen, else one made of its phrase: asking what is valid must name nothing."""
        return self._ids.get(number) or phrase.replace(" ", "_")

    def moved_on(self, in_sight: Mapping[str, str], carried: Iterable[str], everywhere: Everywhere) -> dict[str, str]:
        """The phrase of each thing carried -> its id.

        The list of things in sight leaves out what is carried, and the inventory gives no numbers: what was here or in
        the hand a moment ago and goes by the phrase is meant, and at the start what was made last of all that does.
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
        return reading.bare(self._phrases[number]) == phrase

    @staticmethod
    def _latest(phrase: str, in_sight: Mapping[str, str], everywhere: Everywhere) -> str:
        found = [int(n) for n, phrases in everywhere().items() if phrase in phrases and n not in in_sight]
        return str(max(found)) if found else f"carried {phrase}"


@dataclass(frozen=True)
class Moment:
    """What ScienceWorld says now.

    Attributes:
        task: what is to be done, in its words.
        reply: its answer to the last action; empty at the start.
        ids: the phrase of each thing in sight -> our id.
        held: the phrase of each thing carried -> our id.
        score: -100 when the episode is lost, else 0 to 100.
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
        """The id of the room one is in."""
        name = reading.room_of(self.look)
        return self.ids.get(name, name.replace(" ", "_"))

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The task, the rooms around, and all that is in sight or carried."""
        lines = reading.told(self.look)
        carried = {d.head: d.text for d in reading.descriptions(self.inventory)}
        found = [self._thing(name, own, reading.line_about(name, lines)) for name, own in self.ids.items()]
        found += [self._thing(name, own, carried.get(name, "")) for name, own in self.held.items()]
        state = "done" if self.score == WON else "failed" if self.score < 0 else "under way"
        return (Entity(TASK, "task", "task", "object", None, frozenset({state})), *found)

    def _thing(self, name: str, own: str, text: str) -> Entity:
        category: Category = reading.category_of(name)
        properties = frozenset({GRABBABLE}) if category == "object" else frozenset()
        room = None if category == "room" else self.room
        return Entity(own, name.replace(" ", "_"), name, category, room, reading.states_of(text), properties)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """What lies where."""
        held = list(reading.descriptions(self.inventory))
        return reading.relations(self.look, held, self.ids, {**self.ids, **self.held})

    def seen(self, text: str) -> Observation:
        """An observation with what was said first."""
        near = tuple(e.id for e in self.entities if e.category != "room" and e.id not in self.held.values() and e.id != TASK)
        agent = AgentState(self.room, near, tuple(self.held.values()), HANDS)
        whole = f"{text}\n\n{self.look}\n\n{self.inventory}".strip()
        return Observation(agent, self.entities, self.relations, (), whole, self.steps, float(self.score))
