"""Ways of seeing: the interface, and `room`, as in VirtualHome: everything in the robot's room except in closed containers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from core.world.vocabulary import ADMISSIBLE, CONTAINER, Action, ActionSchema, Verdict
from sim.household.geometry import Floor
from sim.household.household import Household
from sim.needs import named, no


class Seeing(ABC):
    """What the robot sees, what it can touch, and how it moves.

    Attributes:
        moves: verbs of this way of seeing, beside those of the rules.
        home: the household.
        floor: its free floor.
    """

    moves: tuple[ActionSchema, ...] = ()

    def __init__(self, home: Household, floor: Floor):
        self.home, self.floor = home, floor

    @abstractmethod
    def visible(self) -> tuple[str, ...]:
        """Returns the ids of what is visible now, including held objects."""

    def shown(self) -> tuple[str, ...]:
        """Returns the ids an observation lists: what is visible, and what was visible while looking around just now."""
        return self.visible()

    @abstractmethod
    def in_sight(self, entity_id: str) -> bool:
        """Returns True if actions may name the entity."""

    @abstractmethod
    def unseen(self, entity_id: str) -> Verdict:
        """Returns the refusal to walk to an entity that is not in sight."""

    def can_walk_to(self, entity_id: str) -> Verdict:
        """Returns whether the robot can walk there: another room, or an entity in sight that it can reach."""
        home = self.home
        if entity_id in home.rooms:
            if home.rooms[entity_id] == home.state.room:
                return no("another room", f"the robot is already in {named(entity_id)}")
            return ADMISSIBLE
        if not self.in_sight(entity_id):
            return self.unseen(entity_id)
        if home.is_held(entity_id):
            return no("not held", f"{named(entity_id)} is in the hand")
        if entity_id == home.state.focus:
            return no("elsewhere", f"the robot already stands at {named(entity_id)}")
        if not self.could_reach(entity_id):
            return no("free floor", f"there is no free floor within reach of {named(entity_id)}")
        return ADMISSIBLE

    @abstractmethod
    def near(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to use the entity."""

    @abstractmethod
    def can_pick(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to take the object itself."""

    @abstractmethod
    def reachable(self) -> Iterator[str]:
        """Yields the ids within reach."""

    def walk(self, entity_id: str) -> None:
        """Moves the robot to a room or an entity."""
        if entity_id in self.home.rooms:
            room = self.home.rooms[entity_id]
            self.home.walk_into(room)
            self.home.state.focus, self.home.state.pose = None, self.floor.enter(self.home, room)
            return
        self.home.walk_into(self.home.room_of(entity_id))
        self.home.state.focus, self.home.state.pose = entity_id, self.floor.beside(self.home, entity_id)

    def could_reach(self, entity_id: str) -> bool:
        """Returns True if there is a pose from which the entity is within reach where it is now."""
        del entity_id
        return True

    def moved(self, action: Action) -> None:
        """Executes one of `moves`."""
        raise NotImplementedError(action.verb)

    def can_move(self, action: Action) -> Verdict:
        """Returns whether one of `moves` is admissible."""
        del action
        return ADMISSIBLE

    def holder_of_grabbed(self, action: Action) -> str | None:
        """Returns the holder of the object that is about to be grabbed; None for other actions."""
        place = self.home.place(action.args[0]) if action.verb == "grab" else None
        return place.holder if place is not None and place.holder else None

    def settle(self, action: Action, left_behind: str | None) -> None:
        """Updates the focus after a rule was applied: the robot no longer stands at an object it holds."""
        state = self.home.state
        if action.verb == "grab" and state.focus is not None and self.home.is_held(state.focus):
            state.focus = left_behind
        elif action.verb in ("put_in", "put_on"):
            state.focus = action.args[1]

    def at(self) -> tuple[str, ...]:
        """Returns the entity the robot stands at and what that lies on or in, outwards."""
        focus = self.home.state.focus
        if focus is None or self.home.is_held(focus):
            return ()
        return (focus, *(p.holder for p in self.home.holders(focus) if p.holder))

    def held(self) -> Iterator[str]:
        """Yields what is in the hands, and what lies on and in that."""
        for thing in self.home.state.held:
            yield thing
            yield from self.home.within(thing)


class RoomSeeing(Seeing):
    """The robot sees the whole room and uses what it walked to.

    At an open container everything inside is within reach. An object on a surface needs a walk of its own, because a table is
    larger than an arm.
    """

    def visible(self) -> tuple[str, ...]:
        """Returns everything in the room that no closed container hides."""
        return (*self.home.in_room(self.home.state.room), *self.held())

    def in_sight(self, entity_id: str) -> bool:
        """Returns True if the entity is in this room and not hidden."""
        home = self.home
        return home.room_of(entity_id) == home.state.room and not home.is_hidden(entity_id)

    def unseen(self, entity_id: str) -> Verdict:
        """Returns the refusal for an entity in another room or in a closed container."""
        return no("in sight", f"{named(entity_id)} is not in sight")

    def near(self, entity_id: str) -> bool:
        """Returns True for what the robot stands at and for the contents of a container there."""
        return entity_id in self.at() or self._in_open_container(entity_id)

    def can_pick(self, entity_id: str) -> bool:
        """Returns True for the object the robot walked to and for the contents of an open container there."""
        return entity_id == self.home.state.focus or self._in_open_container(entity_id)

    def _in_open_container(self, entity_id: str) -> bool:
        at = self.at()
        return any(p.relation == "inside" and p.holder in at and CONTAINER in self.home.items[p.holder].properties
                   for p in self.home.holders(entity_id)) and not self.home.is_hidden(entity_id)

    def reachable(self) -> Iterator[str]:
        """Yields what the robot stands at, then the contents of open containers there."""
        at = self.at()
        yield from at
        for holder in at:
            if CONTAINER in self.home.items[holder].properties and not self.home.is_closed(holder):
                for thing in self.home.within(holder):
                    if thing not in at and self._in_open_container(thing):
                        yield thing
