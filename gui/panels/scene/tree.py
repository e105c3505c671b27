"""An observation as a tree: rooms, furniture, the objects in and on it, and the objects in and on those. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.world.vocabulary import Entity, Observation, Relation
from gui.widgets import Names
from gui.widgets.names import split_id

ROBOT = "robot"
"""Id of the row under which held objects are listed."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A row and the rows under it.

    Attributes:
        relation: its relation to the row above: in, on, held, or empty.
        states: its states, sorted.
        seen: True if it is in sight; otherwise it is known from the map and its states are unknown.
        also: other relations as text, such as "controls sink 1"; for the robot, its room.
    """

    id: str
    name: str
    category: str
    relation: str = ""
    states: tuple[str, ...] = ()
    seen: bool = True
    also: str = ""
    under: tuple[Branch, ...] = ()

    @property
    def size(self) -> int:
        """The number of rows, including this one."""
        return 1 + sum(branch.size for branch in self.under)


class BranchBuilder:
    """Builds trees from successive observations. A room without changes keeps the same Branch object."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Part, Branch]] = {}
        self._names: Names | None = None

    def build(self, seen: Observation, names: Names) -> tuple[Branch, ...]:
        """Returns the robot with what it holds, then a branch for each room, then the entities without a room."""
        if names is not self._names:
            self._names, self._kept = names, {}
        parts = _parts(seen)
        rooms = [e for e in (*seen.landmarks, *seen.entities) if e.category == "room"]
        branches = tuple(self._room(room, parts.pop(room.id, Part()), names) for room in rooms)
        held = PartBuilder(parts.pop(ROBOT, Part()), names).all("held")
        rest = tuple(b for part in parts.values() for b in PartBuilder(part, names).all(""))
        at = seen.agent.room
        robot = Branch(ROBOT, "robot", "robot", also=f"in the {names.display(at)}" if at is not None else "", under=held)
        return (robot, *branches, *rest)

    def _room(self, room: Entity, part: Part, names: Names) -> Branch:
        kept = self._kept.get(room.id)
        if kept is None or kept[0] != part:
            kept = part, Branch(room.id, names.display(room.id), room.category, under=PartBuilder(part, names).all(""))
            self._kept[room.id] = kept
        return kept[1]


@dataclass(slots=True)
class Part:
    """The entities and relations from which one branch is built.

    Attributes:
        seen: entities in sight.
        known: entities known from the map.
        relations: the relations whose subject is one of these entities.
    """

    seen: list[Entity] = field(default_factory=list)
    known: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


def _parts(seen: Observation) -> dict[str, Part]:
    """Returns entities and relations by room. Held objects, and what lies in or on them, belong to the robot."""
    held, waiting = set[str](), list(seen.agent.holding)
    while waiting:
        held_id = waiting.pop()
        if held_id not in held:
            held.add(held_id)
            waiting += seen.contents.get(held_id, ())
    parts: dict[str, Part] = {}
    place: dict[str, str] = {}
    for entity in seen.entities:
        if entity.category != "room":
            place[entity.id] = ROBOT if entity.id in held else entity.room or ""
            parts.setdefault(place[entity.id], Part()).seen.append(entity)
    for entity in seen.landmarks:
        if entity.category != "room" and entity.id not in place:
            place[entity.id] = entity.room or ""
            parts.setdefault(place[entity.id], Part()).known.append(entity)
    for relation in seen.relations:
        if relation.subject in place:
            parts[place[relation.subject]].relations.append(relation)
    return parts


class PartBuilder:
    """Builds the branches of one part."""

    def __init__(self, part: Part, names: Names):
        self._names = names
        self._entities = {e.id: e for e in (*part.known, *part.seen)}
        self._in_sight = {e.id for e in part.seen}
        self._under: dict[str, list[tuple[str, str]]] = {}
        self._has_holder: set[str] = set()
        self._controls: dict[str, list[str]] = {}
        for kind, subject, target in part.relations:
            if kind == "controls":
                self._controls.setdefault(subject, []).append(names.display(target))
            elif target in self._entities and subject not in self._has_holder:
                self._under.setdefault(target, []).append((subject, _word(kind)))
                self._has_holder.add(subject)
        self._placed: set[str] = set()

    def all(self, relation: str) -> tuple[Branch, ...]:
        """Returns the entities that have no holder, with all rows under them.

        If entities hold each other in a circle, any of them comes first.
        """
        top = [(i, relation) for i in self._entities if i not in self._has_holder]
        branches = self._build_all(top)
        while lost := [(i, relation) for i in self._entities if i not in self._placed]:
            branches += self._build_all(lost[:1])
        return tuple(branches)

    def _build_all(self, found: list[tuple[str, str]]) -> list[Branch]:
        new = [pair for pair in found if pair[0] not in self._placed]
        if len(new) > 1:
            new.sort(key=self._order)
        return [self._build(self._entities[i], relation) for i, relation in new]

    def _order(self, pair: tuple[str, str]) -> tuple[bool, str, int]:
        entity = self._entities[pair[0]]
        return entity.category == "object", entity.name, _number(entity.id)

    def _build(self, entity: Entity, relation: str) -> Branch:
        self._placed.add(entity.id)
        inside = self._under.get(entity.id)
        under = tuple(self._build_all(inside)) if inside else ()
        controls = self._controls.get(entity.id)
        return Branch(entity.id, self._names.display(entity.id), entity.category, relation,
                      tuple(sorted(entity.states)) if entity.states else (), entity.id in self._in_sight,
                      f"controls {', '.join(controls)}" if controls else "", under)


def _word(kind: str) -> str:
    return "in" if kind == "inside" else kind


def _number(entity_id: str) -> int:
    number = split_id(entity_id)[1]
    return int(number) if number else 0


def matching(branch: Branch, words: tuple[str, ...]) -> Branch | None:
    """Returns the branch with only the rows that match all words, and the rows above them; None if no row matches.

    Each row must match by itself. A row that matches keeps the rows under it.
    """
    text = " ".join((branch.name, branch.relation, branch.also, *branch.states)).casefold()
    if all(word in text for word in words):
        return branch
    under = tuple(found for b in branch.under if (found := matching(b, words)) is not None)
    if not under:
        return None
    return replace(branch, under=under)


def walk(branches: tuple[Branch, ...]) -> Iterator[Branch]:
    """Yields all rows, from the top."""
    for branch in branches:
        yield branch
        yield from walk(branch.under)


def arranged(branch: Branch, *, by_states: bool, backwards: bool) -> Branch:
    """Returns the branch with the rows under it in another order: by name or by states. Rows without states come last."""
    under = [arranged(b, by_states=by_states, backwards=backwards) for b in branch.under]
    if by_states:
        under.sort(key=lambda b: b.states, reverse=backwards)
        under.sort(key=lambda b: not b.states)
    elif backwards:
        under.reverse()
    return replace(branch, under=tuple(under))
