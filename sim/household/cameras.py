"""The household's cameras: the pictures people see, and the `camera` way of seeing, as in AI2-THOR.

What the robot sees follows from view frustum, distance and occlusion, computed from the drawn geometry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from core.planning.facets import Frame, View
from core.simulator.orbit import Extent, Orbit
from core.world.vocabulary import ADMISSIBLE, Action, Pose, Verdict
from sim.household.geometry import Floor, distance_to, eye_height, house_of, robot_of
from sim.household.household import Household
from sim.household.room_seeing import Seeing
from sim.household.scene import Scene
from sim.needs import MOVES, named, no, standing
from sim.rendering.cameras import extent_of, first_person
from sim.rendering.service import Cameras
from sim.rendering.visibility import Visibility

ARM = 1.75
"""Distance within which objects can be used, metres (from the LLM-MCTS authors' wrapper of AI2-THOR)."""
SIGHT = 8.0
"""Distance beyond which nothing is recognised, metres."""
STEP, TURN = 0.25, math.radians(30)
"""Length of a step in metres, and angle of a turn in radians."""
LOWEST, HIGHEST = math.radians(-60), math.radians(30)
"""Limits of the camera's tilt, radians."""


class HomeCameras(Cameras):
    """The two cameras of a household: first person, and the whole house without its roof."""

    def capture(self, home: Household, view: View, size: tuple[int, int], *, still: bool) -> Callable[[], Frame]:
        """Captures the household as it is now. The returned function draws the frame and may run on any thread."""
        return self.shot(house_of(home), robot_of(home), view, size, still=still)

    def capture_from(self, home: Household, orbit: Orbit, size: tuple[int, int], *, still: bool) -> Frame:
        """Returns the household as it is now without its roof, from a free viewpoint."""
        return self.draw_from(orbit, house_of(home), robot_of(home), size, still=still)


def extent(scene: Scene) -> Extent:
    """Returns the box around the rooms of a scene."""
    return extent_of(scene.house)


class CameraSeeing(Seeing):
    """The robot sees what the camera sees, walks to what it has seen, and uses what is visible and near."""

    moves = MOVES

    def __init__(self, home: Household, floor: Floor):
        super().__init__(home, floor)
        self._key: object = None
        self._eyes: Visibility | None = None
        self._seen: frozenset[str] = frozenset()

    def visible(self) -> tuple[str, ...]:
        """Returns what the camera sees, the visible contents of what the robot stands at, and what it holds."""
        home = self.home
        key = ((home.state.pose, home.state.posture), home.state.focus, home.state.held, tuple(home.state.places.items()),
               tuple(home.state.states.items()))
        if key != self._key:
            if self._key is None or key[2:] != self._key[2:]:  # type: ignore[index]
                self._eyes = Visibility(house_of(home))
            self._key, self._seen = key, self._look(home.state.pose)
            home.state.known |= self._seen
        order = [i for i in home.items if i in self._seen]
        return tuple(order)

    def shown(self) -> tuple[str, ...]:
        """Returns what is visible now or was seen in the scan just done."""
        seen = {*self.visible(), *self.home.state.glanced}
        return tuple(i for i in self.home.items if i in seen)

    def _look(self, pose: Pose | None) -> frozenset[str]:
        """Returns the ids seen from a pose, including held objects and the open contents of what the robot stands at."""
        assert self._eyes is not None, "built by visible()"
        assert pose is not None, "the robot has a pose from the start"
        height = eye_height(self.home)
        found = set(self._eyes.seen(first_person(pose.x, pose.y, pose.yaw, pose.pitch, height), SIGHT))
        found |= set(self.held())
        for thing in self.at():          # the robot bends over what it uses
            if not self.home.is_hidden(thing):
                found.add(thing)
                found |= {t for t in self.home.within(thing) if not self.home.is_hidden(t)}
        return frozenset(found & set(self.home.items))

    def in_sight(self, entity_id: str) -> bool:
        """Returns True if the entity was seen before and is not in a closed container: the robot remembers positions."""
        self.visible()
        return entity_id in self.home.state.known and not self.home.is_hidden(entity_id)

    def unseen(self, entity_id: str) -> Verdict:
        """Returns the refusal for an entity that was not seen. Its remedy is a scan."""
        return no("seen", f"{named(entity_id)} has not been seen yet: look around", Action("scan"))

    def could_reach(self, entity_id: str) -> bool:
        """Returns True if free floor lies within an arm's length."""
        pose = self.floor.beside(self.home, entity_id)
        return distance_to(self.home, entity_id, pose.x, pose.y) <= ARM

    def near(self, entity_id: str) -> bool:
        """Returns True if the entity is visible and within an arm's length."""
        pose = self.home.state.pose
        if pose is None or entity_id not in self.visible():
            return False
        return entity_id in self.at() or distance_to(self.home, entity_id, pose.x, pose.y) <= ARM

    def can_pick(self, entity_id: str) -> bool:
        """Returns True if the object is visible and near."""
        return self.near(entity_id) and not self.home.is_hidden(entity_id)

    def reachable(self) -> Iterator[str]:
        """Yields what the robot stands at, then everything else that is near."""
        at = [i for i in self.at() if i in self.visible()]
        yield from at
        yield from (i for i in self.visible() if i not in at and not self.home.is_held(i) and self.near(i))

    def can_move(self, action: Action) -> Verdict:
        """Returns whether a move is admissible: steps need free floor, the tilt has limits; on a seat only the head moves."""
        state = self.home.state
        if state.seat and action.verb.startswith(("move", "turn")):
            return standing(state.posture, state.seat) or ADMISSIBLE
        pose = self._after(action)
        if action.verb in ("move_ahead", "move_back") and not self._is_free(pose):
            return no("free floor", "something is in the way")
        if action.verb in ("look_up", "look_down") and not LOWEST - 1e-6 <= pose.pitch <= HIGHEST + 1e-6:
            return no("range", f"the camera cannot {action.verb.replace('_', ' ')} further")
        return ADMISSIBLE

    def _is_free(self, pose: Pose) -> bool:
        """Returns True if a free cell lies closer to the pose than one cell."""
        cells = self.floor.cells
        return bool((abs(cells[:, 0] - pose.x) + abs(cells[:, 1] - pose.y)).min() < self.floor.grid.step)

    def _after(self, action: Action) -> Pose:
        """Returns the pose after a move."""
        pose = self.home.state.pose
        assert pose is not None, "the robot has a pose from the start"
        match action.verb:
            case "turn_left":
                return pose._replace(yaw=_wrapped(pose.yaw + TURN))
            case "turn_right":
                return pose._replace(yaw=_wrapped(pose.yaw - TURN))
            case "look_up":
                return pose._replace(pitch=pose.pitch + TURN)
            case "look_down":
                return pose._replace(pitch=pose.pitch - TURN)
            case "move_ahead" | "move_back":
                step = STEP if action.verb == "move_ahead" else -STEP
                return pose._replace(x=pose.x - math.sin(pose.yaw) * step, y=pose.y + math.cos(pose.yaw) * step)
        return pose

    def moved(self, action: Action) -> None:
        """Turns, steps, tilts or scans."""
        state = self.home.state
        if action.verb == "scan":
            self._scan()
            return
        state.pose = self._after(action)
        state.facing = state.facing if action.verb.startswith("look") else ""
        if action.verb.startswith("move"):
            state.focus = None
            state.room = self.floor.room_at(state.pose.x, state.pose.y, self.home, state.room)
            self.home.walk_into(state.room)

    def _scan(self) -> None:
        """Looks in twelve directions, level and down, and at everything close by. The robot keeps its pose."""
        home, pose = self.home, self.home.state.pose
        assert pose is not None, "the robot has a pose from the start"
        self.visible()
        found = {i for i in home.in_room(home.state.room) if distance_to(home, i, pose.x, pose.y) <= ARM}
        for k in range(12):
            for pitch in (-0.1, -0.6):
                found |= self._look(Pose(pose.x, pose.y, pose.yaw + k * TURN, pitch))
        home.state.glanced = frozenset(found)
        home.state.known |= home.state.glanced


def _wrapped(angle: float) -> float:
    """Returns the angle in -pi..pi."""
    return (angle + math.pi) % (2 * math.pi) - math.pi
