"""An observation as a tree: room, furniture, things in and on it, things in and on those. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.world.vocabulary import Entity, Observation, Relation
from gui.widgets import Names
from gui.widgets.names import split_id

HAND = "robot"
"""Id of the row under which held things are listed."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One row and those under it.

    Attributes:
        relation: how it is to the row above: in, on, held, or empty.
        states: what holds of it, sorted.
        seen: whether it is in sight; otherwise it is known from the map, and its states are not known.
        also: other relations in words, such as controls sink 1; of the robot, where it is.
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
        """Rows, with this one."""
        return 1 + sum(branch.size for branch in self.under)


def branches(seen: Observation, names: Names) -> tuple[Branch, ...]:
    """The robot with what it holds, then a branch for each room, then what is nowhere."""
    return Grower().grow(seen, names)


class Grower:
    """Grows trees from one observation after the other; a room where nothing changed keeps its very branch."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Part, Branch]] = {}
        self._names: Names | None = None

    def grow(self, seen: Observation, names: Names) -> tuple[Branch, ...]:
        """All branches."""
        if names is not self._names:
            self._names, self._kept = names, {}
        parts = _parts(seen)
        rooms = [e for e in (*seen.landmarks, *seen.entities) if e.category == "room"]
        grown = tuple(self._room(room, parts.pop(room.id, Part()), names) for room in rooms)
        held = Growth(parts.pop(HAND, Part()), names).all("held")
        rest = tuple(b for part in parts.values() for b in Growth(part, names).all(""))
        at = seen.agent.room
        robot = Branch(HAND, "robot", "robot", also=f"in the {names.display(at)}" if at is not None else "", under=held)
        return (robot, *grown, *rest)

    def _room(self, room: Entity, part: Part, names: Names) -> Branch:
        kept = self._kept.get(room.id)
        if kept is None or kept[0] != part:
            kept = part, Branch(room.id, names.display(room.id), room.category, under=Growth(part, names).all(""))
            self._kept[room.id] = kept
        return kept[1]


@dataclass(slots=True)
class Part:
    """What one branch is grown from.

    Attributes:
        seen: entities in sight.
        known: entities known from the map.
        relations: those whose subject is one of them.
    """

    seen: list[Entity] = field(default_factory=list)
    known: list[Entity] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)


def _parts(seen: Observation) -> dict[str, Part]:
    """Entities and relations by room; what is held, and what lies on it, belongs to the robot."""
    held, waiting = set[str](), list(seen.agent.holding)
    while waiting:
        thing = waiting.pop()
        if thing not in held:
            held.add(thing)
            waiting += seen.contents.get(thing, ())
    parts: dict[str, Part] = {}
    place: dict[str, str] = {}
    for entity in seen.entities:
        if entity.category != "room":
            place[entity.id] = HAND if entity.id in held else entity.room or ""
            parts.setdefault(place[entity.id], Part()).seen.append(entity)
    for entity in seen.landmarks:
        if entity.category != "room" and entity.id not in place:
            place[entity.id] = entity.room or ""
            parts.setdefault(place[entity.id], Part()).known.append(entity)
    for relation in seen.relations:
        if relation.subject in place:
            parts[place[relation.subject]].relations.append(relation)
    return parts


class Growth:
    """Grows the branches of one part."""

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
        """What lies on nothing else, with all that lies on it; things in a circle begin anywhere."""
        top = [(i, relation) for i in self._entities if i not in self._has_holder]
        grown = self._grow_all(top)
        while lost := [(i, relation) for i in self._entities if i not in self._placed]:
            grown += self._grow_all(lost[:1])
        return tuple(grown)

    def _grow_all(self, found: list[tuple[str, str]]) -> list[Branch]:
        new = [pair for pair in found if pair[0] not in self._placed]
        if len(new) > 1:
            new.sort(key=self._order)
        return [self._grow(self._entities[i], relation) for i, relation in new]

    def _order(self, pair: tuple[str, str]) -> tuple[bool, str, int]:
        entity = self._entities[pair[0]]
        return entity.category == "object", entity.name, _number(entity.id)

    def _grow(self, entity: Entity, relation: str) -> Branch:
        self._placed.add(entity.id)
        inside = self._under.get(entity.id)
        under = tuple(self._grow_all(inside)) if inside else ()
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
    """The branch with only rows that match all words by themselves, and those above them; a match keeps what is under it."""
    text = " ".join((branch.name, branch.relation, branch.also, *branch.states)).casefold()
    if all(word in text for word in words):
        return branch
    under = tuple(found for b in branch.under if (found := matching(b, words)) is not None)
    if not under:
        return None
    return replace(branch, under=under)


def walk(grown: tuple[Branch, ...]) -> Iterator[Branch]:
    """All rows, from the top."""
    for branch in grown:
        yield branch
        yield from walk(branch.under)


def arranged(branch: Branch, *, by_states: bool, backwards: bool) -> Branch:
    """The branch with the rows under it in another order: by name, or by what holds of them; those without states last."""
    under = [arranged(b, by_states=by_states, backwards=backwards) for b in branch.under]
    if by_states:
        under.sort(key=lambda b: b.states, reverse=backwards)
        under.sort(key=lambda b: not b.states)
    elif backwards:
        under.reverse()
    return replace(branch, under=tuple(under))
