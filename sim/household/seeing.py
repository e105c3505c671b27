"""The `room` way of seeing, as VirtualHome's: everything in one's room, except what is inside closed containers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from core.world.vocabulary import ADMISSIBLE, CONTAINER, Action, ActionSchema, Verdict
from sim.household.household import Household
from sim.household.needs import named, no
from sim.household.standing import Floor


class Seeing(ABC):
    """What the robot sees, what it can touch, and how it moves. The rules know it as `needs.Reach`."""

    moves: tuple[ActionSchema, ...] = ()
    """Verbs of this way of seeing, beside those of the rules."""

    def __init__(self, home: Household, floor: Floor):
        self.home, self.floor = home, floor

    @abstractmethod
    def visible(self) -> tuple[str, ...]:
        """Ids of what is in sight now, held things included."""

    def shown(self) -> tuple[str, ...]:
        """Ids of what an observation tells of: what is in sight, and what was while looking around just now."""
        return self.visible()

    @abstractmethod
    def in_sight(self, entity_id: str) -> bool:
        """Whether the robot can speak of the entity."""

    @abstractmethod
    def unseen(self, entity_id: str) -> Verdict:
        """The refusal to walk to what is not in sight."""

    def can_walk_to(self, entity_id: str) -> Verdict:
        """To another room; to what is in sight and can be reached, unless one stands there."""
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
        """Whether it stands close enough to use the entity."""

    @abstractmethod
    def can_pick(self, entity_id: str) -> bool:
        """Whether it stands close enough to take the thing itself."""

    @abstractmethod
    def reachable(self) -> Iterator[str]:
        """What is within reach."""

    def walk(self, entity_id: str) -> None:
        """Go to a room or a thing."""
        if entity_id in self.home.rooms:
            room = self.home.rooms[entity_id]
            self.home.walk_into(room)
            self.home.state.focus, self.home.state.pose = None, self.floor.enter(self.home, room)
            return
        self.home.walk_into(self.home.room_of(entity_id))
        self.home.state.focus, self.home.state.pose = entity_id, self.floor.beside(self.home, entity_id)

    def could_reach(self, entity_id: str) -> bool:
        """Whether there is a place to stand from which the entity is within reach, where it is now."""
        del entity_id
        return True

    def moved(self, action: Action) -> None:
        """Do one of `moves`."""
        raise NotImplementedError(action.verb)

    def can_move(self, action: Action) -> Verdict:
        """Whether one of `moves` is admissible."""
        del action
        return ADMISSIBLE

    def holder_of_grabbed(self, action: Action) -> str | None:
        """What a grab is about to leave the robot standing at."""
        place = self.home.place(action.args[0]) if action.verb == "grab" else None
        return place.holder if place is not None and place.holder else None

    def settle(self, action: Action, left_behind: str | None) -> None:
        """Keep the focus true after a rule was applied: what is in the hand is no longer a place to stand at."""
        state = self.home.state
        if action.verb == "grab" and state.focus is not None and self.home.is_held(state.focus):
            state.focus = left_behind
        elif action.verb in ("put_in", "put_on"):
            state.focus = action.args[1]

    def at(self) -> tuple[str, ...]:
        """The thing the robot stands at and what that lies on or in, outwards."""
        focus = self.home.state.focus
        if focus is None or self.home.is_held(focus):
            return ()
        return (focus, *(p.holder for p in self.home.holders(focus) if p.holder))

    def held(self) -> Iterator[str]:
        """What is in the hands, and on and in that."""
        for thing in self.home.state.held:
            yield thing
            yield from self.home.within(thing)


class RoomSeeing(Seeing):
    """See the whole room; touch what one walked to.

    Standing at an open container, all inside it is within reach; a thing on a surface needs a walk to it, because a table is
    larger than an arm (facts/llm-mcts-calibration.md, Domain).
    """

    def visible(self) -> tuple[str, ...]:
        """All in the room but what closed containers hide."""
        return (*self.home.in_room(self.home.state.room), *self.held())

    def in_sight(self, entity_id: str) -> bool:
        """In this room and not hidden."""
        home = self.home
        return home.room_of(entity_id) == home.state.room and not home.is_hidden(entity_id)

    def unseen(self, entity_id: str) -> Verdict:
        """In another room, or behind a door."""
        return no("in sight", f"{named(entity_id)} is not in sight")

    def near(self, entity_id: str) -> bool:
        """What one stands at, or what a container one stands at holds."""
        return entity_id in self.at() or self._in_open_container(entity_id)

    def can_pick(self, entity_id: str) -> bool:
        """The thing one walked to, or what lies in the open container one stands at."""
        return entity_id == self.home.state.focus or self._in_open_container(entity_id)

    def _in_open_container(self, entity_id: str) -> bool:
        at = self.at()
        return any(p.relation == "inside" and p.holder in at and CONTAINER in self.home.items[p.holder].properties
                   for p in self.home.holders(entity_id)) and not self.home.is_hidden(entity_id)

    def reachable(self) -> Iterator[str]:
        """What one stands at, then the contents of containers there."""
        at = self.at()
        yield from at
        for holder in at:
            if CONTAINER in self.home.items[holder].properties and not self.home.is_closed(holder):
                for thing in self.home.within(holder):
                    if thing not in at and self._in_open_container(thing):
                        yield thing
