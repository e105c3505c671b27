"""The household simulator: scene, rules, one way of seeing and the cameras behind the common interface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar, Self

from core.common.errors import DataError, UsageError
from core.goals.contradictions import judged
from core.goals.literals import Goal
from core.goals.possibility import Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator, WorldChange
from core.simulator.orbit import Extent, Orbit
from core.world.vocabulary import (
    ADMISSIBLE,
    Action,
    ActionSchema,
    AgentState,
    Entity,
    FloorPoint,
    Observation,
    Outcome,
    Pose,
    Relation,
    Verdict,
)
from sim.household import acts, changes
from sim.household.acts import ALL_RULES
from sim.household.cameras import CameraSeeing, HomeCameras, extent
from sim.household.geometry import Floor
from sim.household.goal_possibility import possible
from sim.household.household import Household
from sim.household.initial_state import OPTIONS, Circumstances, begin, free_grid
from sim.household.room_seeing import RoomSeeing, Seeing
from sim.household.rules import Case, candidates, run_appliances
from sim.household.scene import Scene, State
from sim.household.scenes import load_scene, scene_titles
from sim.needs import first, named, no, wrong_call

LEAST_HANDS, MOST_HANDS = 1, 2
NEEDS_HAND = frozenset({"open", "close", "switch_on", "switch_off"})
"""Verbs that take a free hand where circumstances say so."""


class HouseholdSimulator(Simulator):
    """Belvedere's own simulator.

    Args:
        scene: what episodes start from.
        seeing: `room` (everything in the robot's room except in closed containers) or `camera` (what the picture shows).
        hands: how many objects the robot can hold, 1 or 2.
        cameras: draws pictures; if None, made with the first picture.
        circumstances: how episodes begin, and what is harder than usual.

    Raises:
        UsageError: an unknown way of seeing, or a number of hands that is not 1 or 2.
    """

    name: ClassVar[str] = "household"
    changes = frozenset({"inside", "on", "state"})
    free_view: ClassVar[bool] = True

    def __init__(self, scene: Scene, seeing: str = "room", hands: int = 1, cameras: HomeCameras | None = None,
                 circumstances: Circumstances | None = None):
        if seeing not in ("room", "camera"):
            raise UsageError(f"unknown way of seeing '{seeing}': it is 'room' or 'camera'")
        if not LEAST_HANDS <= hands <= MOST_HANDS:
            raise UsageError(f"{hands} hands: a robot here has {LEAST_HANDS} or {MOST_HANDS}")
        self.scene, self.hands = scene, hands
        self._way, self._set = seeing, circumstances or Circumstances()
        self._floor = Floor(scene, free_grid(scene, self._set.extra))
        self._cameras = cameras
        self._slips: frozenset[str] = frozenset()
        self._home, self._seeing = self._begin(0)
        self._schemas = {schema.verb: schema for schema in self.schemas}

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens a scene by name or a VirtualHome graph by path.

        Options are `seeing`, `hands` and those of `Circumstances`.

        Raises:
            UsageError: no such scene or option.
            DataError: the scene's file is damaged.
        """
        for option in options:
            if option not in ("seeing", "hands", *OPTIONS):
                raise UsageError(f"unknown world option '{option}': the household has seeing=room|camera, hands=1|2, "
                                 "extra=class=number, lit=yes, free_hand=yes and slippery=share")
        hands = options.get("hands", "1")
        if hands not in ("1", "2"):
            raise UsageError(f"hands={hands}: give 1 or 2")
        return cls(load_scene(scene), options.get("seeing", "room"), int(hands),
                   circumstances=Circumstances.read(options))

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the homes, then of the iTHOR rooms."""
        return scene_titles()

    def _begin(self, seed: int) -> tuple[Household, Seeing]:
        home = begin(self.scene, seed, self._floor, self._set.extra, lit=self._set.lit)
        self._slips = self._set.slips(home, seed) if self._set.slippery else frozenset()
        return home, CameraSeeing(home, self._floor) if self._way == "camera" else RoomSeeing(home, self._floor)

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """Returns the verbs of the rules, then those of the way of seeing."""
        return (*(rule.schema for rule in ALL_RULES.values()), *self._seeing.moves)

    # --- episodes ------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Begins an episode. The seed decides what a home holds and where the robot starts.

        Raises:
            UsageError: a negative seed.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        self._home, self._seeing = self._begin(seed)
        return self.observe()

    def save(self) -> Saved:
        """Returns canonical JSON: the episode's seed and everything that has changed since."""
        return self._home.state.to_json(self.scene.name)

    def restore(self, saved: Saved) -> Observation:
        """Returns to a saved state of any episode in this scene.

        Raises:
            DataError: not a state of this scene.
        """
        state = State.from_json(saved, self.scene.name)
        if state.seed != self._home.state.seed:
            self._home, self._seeing = self._begin(state.seed)
        if state.focus is not None and state.focus not in self._home.items:
            raise DataError(f"the state stands at unknown '{state.focus}': it was saved elsewhere")
        self._home.load(state)
        return self.observe()

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns whether sizes, objects and appliances allow the goal."""
        return judged(goal, self.reveal, lambda asked: possible(self._home, asked, self._seeing.could_reach, self._slips,
                                                                tidy=tidy))

    def close(self) -> None:
        """Ends the cameras."""
        if self._cameras is not None:
            self._cameras.close()
            self._cameras = None

    def possible_changes(self, thing: str) -> tuple[WorldChange, ...]:
        """Returns the states that an entity could get, and all places with room for it."""
        return tuple(changes.possible_changes(self._home, self.reveal(), thing))

    def change(self, change: WorldChange) -> Observation:
        """Changes the household. Running appliances do their work after the robot's next action, as always."""
        verdict = changes.verdict(self._home, self.reveal(), change)
        if not verdict.ok:
            raise UsageError(verdict.reason)
        changes.make(self._home, change)
        return self.observe()

    # --- acting ------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns whether an action is admissible. An admissible action does not fail, unless objects are slippery."""
        refusal = wrong_call(action, self._schemas.get(action.verb), self._schemas)
        if refusal is not None:
            return refusal
        rule = ALL_RULES.get(action.verb)
        if rule is None:
            return self._seeing.can_move(action)
        verdict = first(rule.needs(self._case(action)))
        return self._hampered(action) if verdict.ok and (self._slips or self._set.free_hand) else verdict

    def _hampered(self, action: Action) -> Verdict:
        """Returns the refusal that circumstances add to an action that the rules admit."""
        if action.verb == "grab" and action.args[0] in self._slips:
            return no("grip", f"{named(action.args[0])} slips from the gripper: it cannot be carried")
        held = self._home.state.held
        if self._set.free_hand and action.verb in NEEDS_HAND and len(held) >= self.hands:
            return no("a free hand", f"no hand is free to {action.verb.replace('_', ' ')} {named(action.args[0])}: put "
                                     f"{named(held[0])} down first")
        return ADMISSIBLE

    def _case(self, action: Action) -> Case:
        return Case(self._home, self._seeing, action.args, self.hands)

    def step(self, action: Action) -> Outcome:
        """Executes one action. Running appliances then do their work."""
        verdict = self.verdict(action)
        self._home.state.steps += 1
        if verdict.ok:
            self._apply(action)
        return Outcome.of(action, verdict, self._observation(verdict.reason))

    def _apply(self, action: Action) -> None:
        rule = ALL_RULES.get(action.verb)
        self._home.state.glanced = frozenset()
        if rule is None:
            self._seeing.moved(action)
            return
        left_behind = self._seeing.holder_of_grabbed(action)
        rule.apply(self._case(action))
        self._seeing.settle(action, left_behind)
        run_appliances(self._home)

    def admissible(self) -> tuple[Action, ...]:
        """Returns the moves, walks to rooms and entities, what can be done with what is within reach, postures and acts."""
        home, seeing = self._home, self._seeing
        found = [a for a in (Action(m.verb) for m in seeing.moves) if self.verdict(a) is ADMISSIBLE]
        known = tuple(i for i in home.items if i in home.state.known) if self._way == "camera" else seeing.visible()
        near = tuple(seeing.reachable())
        found += [Action("walk", (i,)) for i in (*home.room_ids, *known)
                  if home.state.posture == "standing" and seeing.can_walk_to(i).ok]
        found += [a for a in candidates(home, near, self.hands) if self.verdict(a).ok]
        found += [a for a in acts.candidates(home, near, known) if self.verdict(a).ok]
        return tuple(found)

    # --- observations ------------------------------------------------------------
    def observe(self) -> Observation:
        """Returns what the robot sees now, and the furniture it knows from the map of its home."""
        return self._observation("")

    def reveal(self) -> Observation:
        """Returns everything, including what is in closed containers."""
        home = self._home
        entities = tuple(home.entity(i) for i in home.items)
        return Observation(self._agent(), (*home.room_entities, *entities), self._relations(tuple(home.items)), (), "",
                           home.state.steps)

    def _observation(self, text: str) -> Observation:
        home = self._home
        ids = self._seeing.shown()
        entities = (*home.room_entities, *map(home.entity, ids))
        return Observation(self._agent(), entities, self._relations(ids), self._landmarks(ids), text, home.state.steps,
                           partial=self._way == "camera")

    def _agent(self) -> AgentState:
        home, state = self._home, self._home.state
        return AgentState(home.room_ids[state.room], tuple(self._seeing.reachable()), state.held, self.hands, state.pose,
                          state.posture, state.seat, state.facing, state.acts)

    def _relations(self, ids: tuple[str, ...]) -> tuple[Relation, ...]:
        home = self._home
        found = [r for r in map(home.relation, ids) if r is not None]
        seen = set(ids)
        return (*found, *(r for r in home.fixed_relations if r.subject in seen))

    def _landmarks(self, ids: tuple[str, ...]) -> tuple[Entity, ...]:
        """Returns the furniture of the other rooms without its states: the robot has a map of its home."""
        if self._way == "camera":
            return ()
        return self._home.landmarks[self._home.state.room]

    def way(self, start: Pose, end: Pose) -> tuple[FloorPoint, ...]:
        """Returns a path around furniture and through doors."""
        return self._floor.ways.way(start, end)

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures a picture from the robot's head, or of the whole house without its roof."""
        if self._cameras is None:
            self._floor.prepare_ways()  # pictures show the robot's path
        take = self._opened_cameras().capture(self._home, view, (width, height), still=still)
        return take if view == "first person" else self._with_ways(take)

    def view_from(self, orbit: Orbit, width: int = 640, height: int = 480, *, still: bool = False) -> Frame:
        """Returns a picture of the house without its roof, from a free viewpoint."""
        return self._with_ways(lambda: self._opened_cameras().capture_from(self._home, orbit, (width, height), still=still))()

    def _with_ways(self, take: Callable[[], Frame]) -> Callable[[], Frame]:
        """Returns a function that adds the robot's ways from where it stands now. They are found when the picture is drawn."""
        home, floor, start = self._home, self._floor, self._home.state.pose
        if start is None:
            return take
        ends = {room: floor.enter(home, k) for k, room in enumerate(home.room_ids)}
        ends |= {item.id: floor.beside(home, item.id) for item in home.items.values() if item.category == "furniture"}
        return lambda: replace(take(), ways=floor.ways.ways(start, ends))

    def tops(self) -> Mapping[str, float]:
        """Returns at which height objects lie on furniture and on objects that are not held."""
        return changes.tops(self._home)

    def extent(self) -> Extent:
        """Returns the box around the rooms."""
        return extent(self.scene)

    def _opened_cameras(self) -> HomeCameras:
        if self._cameras is None:
            self._cameras = HomeCameras()
        return self._cameras
