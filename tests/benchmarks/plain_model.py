"""The rearrangement domain in plain Python, for engines that call back into Python: the rules of `core.search.model` once more.

It is written for speed: integers, bit masks of locations and objects, one list for a state. The test in
`tests/core/search/test_plain_model.py` compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.search.model import AT, CLOSE, GO, GRAB, HELD, IN_HAND, KIND, NEAR, NEAR_TO, OPEN, PUT, ROOM, WALK, Flags, State
from core.search.problem import Problem
from core.search.rollouts import REWARD


class Moment(NamedTuple):
    """A state of the domain with what the robot knows in it, hashable.

    Attributes:
        robot: room, furniture, near and held, as in `State.robot`.
        opened: bits of the open locations.
        where: the location of each object.
        known: bits of the objects whose location is known.
        looked: bits of the locations that were looked into.
    """

    robot: tuple[int, ...]
    opened: int
    where: tuple[int, ...]
    known: int
    looked: int

    @classmethod
    def of(cls, state: State) -> Moment:
        """The same as a state of the kernel."""
        robot, where = tuple(state.robot.tolist()), tuple(state.where.tolist())
        return cls(robot, bits(state.opened), where, bits(state.known), bits(state.looked))


def bits(flags: Flags) -> int:
    """Flags as a bit mask."""
    return sum(1 << int(k) for k in np.flatnonzero(flags))


class PlainModel:
    """A problem's rules."""

    def __init__(self, problem: Problem):
        model = problem.model
        locations = range(len(model.room_of))
        self.size = model.size
        self.room: list[int] = model.room_of.tolist()
        self.furniture: list[int] = model.furniture_of.tolist()
        self.inside: list[bool] = model.inside.tolist()
        self.openable: list[bool] = model.openable.tolist()
        self.usable = [p for p in locations if model.usable[p]]
        self.barred = [bits(row) for row in model.barred]
        self.rooms = len(model.room_start) - 1
        self.in_room = [[p for p in locations if self.room[p] == r] for r in range(self.rooms)]
        self.room_of_furniture: list[int] = model.room_of_furniture.tolist()
        self.wants = [(want.slots, bits(model.target[k]), want.targets, want.number) for k, want in enumerate(problem.wants)]
        self.rivals = bool(model.has_rivals)
        openable = bits(model.openable)
        self.room_bits = [sum(1 << p for p in places) for places in self.in_room]
        self.always_shown = [places & ~openable for places in self.room_bits]

    # --- what holds ---------------------------------------------------------------------------------------------------------
    def satisfied(self, where: list[int]) -> int:
        """How many objects are where the goal wants them."""
        total = 0
        for items, targets, _, number in self.wants:
            have = 0
            for i in items:
                if where[i] >= 0 and targets >> where[i] & 1:
                    have += 1
            total += have if have < number else number
        return total

    def unmet(self, where: tuple[int, ...], known: int) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...], int]]:
        """The wants that do not hold, as far as is known."""
        for want in self.wants:
            items, targets, _, number = want
            if sum(1 for i in items if where[i] >= 0 and targets >> where[i] & 1 and known >> i & 1) < number:
                yield want

    def spare(self, item: int, where: tuple[int, ...], known: int) -> bool:
        """Whether moving it violates no want that holds, as far as is known."""
        return not self.rivals or not any(
            item in items and targets >> where[item] & 1
            and sum(1 for i in items if where[i] >= 0 and targets >> where[i] & 1 and known >> i & 1) <= number
            for items, targets, _, number in self.wants)

    def closed(self, place: int, opened: int) -> bool:
        """Whether it has to be opened first."""
        return self.openable[place] and not opened >> place & 1

    def shown(self, room: int, opened: int) -> int:
        """Bits of the locations whose contents are in sight."""
        return self.always_shown[room] | (self.room_bits[room] & opened)

    # --- what can be done ---------------------------------------------------------------------------------------------------
    def relevant(self, moment: Moment) -> list[int]:
        """The first primitive action of each macro action."""
        (room, at, near, held), opened, where, known, looked = moment
        found = [r for r in range(self.rooms) if r != room]
        for p in self.in_room[room]:
            if not looked >> p & 1 and self.closed(p, opened):
                found.append(OPEN + p if at == self.furniture[p] else WALK + self.furniture[p])
        if held >= 0:
            found += self._layings(moment)
        else:
            for items, targets, _, _ in self.unmet(where, known):
                for i in items:
                    p = where[i]
                    if known >> i & 1 and p >= 0 and self.room[p] == room and not targets >> p & 1 \
                            and targets & ~self.barred[i] and self.spare(i, where, known):
                        found.append(self._towards(i, p, at, near, opened))
        return list(dict.fromkeys(found))

    def _towards(self, item: int, place: int, at: int, near: int, opened: int) -> int:
        here = at == self.furniture[place]
        if self.openable[place]:
            if not here:
                return WALK + self.furniture[place]
            return GRAB + item if opened >> place & 1 else OPEN + place
        return GRAB + item if near == item or (self.inside[place] and here) else NEAR_TO + item

    def _layings(self, moment: Moment) -> list[int]:
        (room, at, _, held), opened, where, known, _ = moment
        barred = self.barred[held]
        wanted = [places for items, _, places, _ in self.unmet(where, known) if held in items]
        targets = [p for places in wanted for p in places if not barred >> p & 1]
        if targets:
            return [self._way(p, room, at, opened)[0] for p in targets if self.room[p] == room]
        free = [p for p in self.usable if not barred >> p & 1]
        here = [p for p in free if self.furniture[p] == at and not self.closed(p, opened)]
        near = [p for p in free if self.room[p] == room and not self.openable[p]]
        ways = [self._way(p, room, at, opened) for p in here or near or free]
        return [min(ways, key=len)[0]] if ways else []

    def _way(self, place: int, room: int, at: int, opened: int) -> list[int]:
        away = self.room[place] != room
        way = [GO + self.room[place]] if away else []
        if away or at != self.furniture[place]:
            way.append(WALK + self.furniture[place])
        if self.closed(place, opened):
            way.append(OPEN + place)
        return [*way, PUT + place]

    # --- what happens -------------------------------------------------------------------------------------------------------
    def moved(self, moment: Moment, action: int) -> tuple[Moment, float]:
        """What an admissible action leads to: the next state and the reward."""
        robot, where = list(moment.robot), list(moment.where)
        _, opened, _, known, looked = moment
        kind, index = action & KIND, action & ~KIND
        gained = 0
        if kind == GO:
            robot[ROOM], robot[AT], robot[NEAR] = index, -1, -1
        elif kind == WALK:
            robot[AT], robot[NEAR] = index, -1
        elif kind == NEAR_TO:
            robot[AT], robot[NEAR] = self.furniture[where[index]], index
        elif kind == GRAB:
            where[index] = IN_HAND
            robot[HELD], robot[NEAR] = index, -1
        elif kind == PUT:
            before = self.satisfied(where)
            where[robot[HELD]] = index
            robot[HELD], robot[NEAR] = -1, -1
            gained = self.satisfied(where) - before
        else:
            assert kind in (OPEN, CLOSE)
            opened ^= 1 << index
        if kind in (GO, OPEN):
            new = self.shown(robot[ROOM], opened) & ~looked
            looked |= new
            for item, place in enumerate(where):
                if place >= 0 and new >> place & 1:
                    known |= 1 << item
        return Moment(tuple(robot), opened, tuple(where), known, looked), REWARD * gained / self.size
