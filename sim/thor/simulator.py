"""AI2-THOR behind the common interface: an iTHOR room run by its Unity player, or by any program with the same protocol."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

from core.common.errors import DataError, SimulatorError, UsageError
from core.common.registry import near_misses
from core.goals.contradictions import judged
from core.goals.literals import Goal
from core.goals.possibility import Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator, WorldChange
from core.world.vocabulary import Action, ActionSchema, Entity, Observation, Outcome, Verdict, spaced
from sim import ithor_types
from sim.changes import candidates as possible_at_all
from sim.thor import action_requests, changes, observation, player
from sim.thor.observation import Cell, Moment, Names, read
from sim.thor.player import Player, Setting
from sim.thor.rules import RULES, candidates, check, possible


class Past(NamedTuple):
    """An action that was done, and whether it worked."""

    action: Action
    ok: bool


@dataclass
class Episode:
    """What happened since the reset.

    Attributes:
        seed: of the reset.
        names: our ids for AI2-THOR's.
        past: all actions, including refused ones, and the changes that the robot did not make.
        refused: what AI2-THOR itself refused since the last change. Its room and reach cannot be predicted.
        unfit: verb and types (such as put_in, Apple, Drawer) that AI2-THOR never lets go together.
    """

    seed: int
    names: Names
    past: list[Past | WorldChange] = field(default_factory=list)
    refused: dict[Action, Verdict] = field(default_factory=dict)
    unfit: dict[tuple[str, ...], Verdict] = field(default_factory=dict)


def write_saved(scene: str, episode: Episode) -> Saved:
    """Returns the seed and the actions, with the indices of those that failed, and the changes between them, as text."""
    acted = [done for done in episode.past if isinstance(done, Past)]
    value: dict[str, Any] = {
        "world": "thor", "scene": scene, "seed": episode.seed, "actions": [[d.action.verb, *d.action.args] for d in acted],
        "failed": [k for k, done in enumerate(acted) if not done.ok]}
    changes = [[k, d.thing, d.kind, d.to, d.point] for k, d in enumerate(episode.past) if isinstance(d, WorldChange)]
    return json.dumps(value | ({"changes": changes} if changes else {}))


def read_saved(saved: Saved, scene: str) -> tuple[int, list[Past | WorldChange]]:
    """Returns seed, actions and changes of a saved state.

    Raises:
        DataError: it is not a state of this scene.
    """
    try:
        value: Any = json.loads(saved)
        same = (value["world"], value["scene"]) == ("thor", scene)
        seed, failed = int(value["seed"]), {int(k) for k in value["failed"]}
        actions = [Action(str(verb), tuple(map(str, args))) for verb, *args in value["actions"]]
        past: list[Past | WorldChange] = [Past(action, k not in failed) for k, action in enumerate(actions)]
        for place, thing, kind, to, point in value.get("changes", ()):
            past.insert(int(place), WorldChange(thing, kind, to, None if point is None else (float(point[0]), float(point[1]))))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"this is not a saved state of AI2-THOR's {scene}") from error
    if not same or seed < 0:
        raise DataError(f"this state was saved in another world than AI2-THOR's {scene}")
    return seed, past


HORIZON = 30.0
"""Camera angle at the start, degrees downwards."""


class ThorSimulator(Simulator):
    """One room and one robot with one hand. The robot sees what its camera sees.

    All queries between two steps are answered from the player's last answer. Only `reset`, `step` and `restore` call the
    player, so queries may come on another thread while it works.
    """

    name: ClassVar[str] = "thor"
    slow: ClassVar[bool] = True
    restores: ClassVar[bool] = False
    changes = frozenset({"inside", "on", "state"})
    keeps_shots: ClassVar[int] = 24

    def __init__(self, scene: str, setting: Setting):
        self.scene, self._mapped = scene, setting.mapped
        self._room = _room(scene)
        self.player = Player(scene, setting)
        self._fresh = True
        self._now: Moment | None = None
        self._episode = Episode(0, Names())

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens an iTHOR room by AI2-THOR's name. For the options see `Setting`.

        Raises:
            UsageError: no such scene or option.
            MissingPart: the package or its player is not here.
            SimulatorError: the player does not start.
        """
        if scene not in ithor_types.scene_names():
            hint = near_misses(scene, ithor_types.scene_names()) or ": there are FloorPlan1-30, 201-230, 301-330 and 401-430"
            raise UsageError(f"unknown AI2-THOR scene '{scene}'{hint}")
        return cls(scene, Setting.read(options))

    @classmethod
    def missing(cls) -> str:
        """Returns why it cannot be opened here and what to do; empty if it can."""
        return player.unavailable()

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the 120 iTHOR rooms."""
        return ithor_types.titles()

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """Returns the household's verbs, then the camera's."""
        return tuple(rule.schema for rule in RULES.values())

    @property
    def moment(self) -> Moment:
        """Returns the moment of the player's last answer."""
        if self._now is None:
            self.reset(0)
        assert self._now is not None, "just reset"
        return self._now

    # --- episodes ------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Resets the room as AI2-THOR furnishes it. The seed decides where the robot starts.

        Raises:
            UsageError: a negative seed.
            SimulatorError: the player has ended.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        if not self._fresh:
            self.player.reset(self.scene)
        self._fresh = False
        cells, height = self._cells()
        self._hang_camera()
        start = random.Random(f"{self.scene} {seed}")
        cell = start.choice(cells)
        pose = {"x": cell[0], "z": cell[1], "rotation": 30.0 * start.randrange(12), "horizon": HORIZON}
        event = action_requests.place(self.player, pose, height)
        self._episode = Episode(seed, Names())
        self._now = read(event, self._episode.names, self._room, 0, None, frozenset(), cells, self._mapped)
        return self.observe()

    def _cells(self) -> tuple[tuple[Cell, ...], float]:
        """Returns where the robot can stand, and the height of these cells, metres."""
        points = self.player.ask("GetReachablePositions", renderImage=False).metadata["actionReturn"]
        if not points:
            raise SimulatorError(f"AI2-THOR: the robot can stand nowhere in {self.scene}")
        return tuple(sorted((round(p["x"], 4), round(p["z"], 4)) for p in points)), float(points[0]["y"])

    def _hang_camera(self) -> None:
        """Adds a camera above the room. Without it there is no view from above, and the picture says so."""
        event = self.player.ask("GetMapViewCameraProperties", renderImage=False)
        if event.metadata["lastActionSuccess"]:
            self.player.ask("AddThirdPartyCamera", **event.metadata["actionReturn"], skyboxColor="black", renderImage=False)

    def save(self) -> Saved:
        """Returns the seed and the actions since, each with its success.

        AI2-THOR cannot save its state, but it repeats itself.
        """
        return write_saved(self.scene, self._episode)

    def restore(self, saved: Saved) -> Observation:
        """Begins again and repeats the same actions.

        Raises:
            DataError: not a state of this scene.
            SimulatorError: the player has ended, or an action ends differently. The message says which and why.
        """
        seed, past = read_saved(saved, self.scene)
        self.reset(seed)
        for number, done in enumerate(past, 1):
            if isinstance(done, WorldChange):
                self.change(done)
            else:
                self._repeat(done, f"{number} of {len(past)}")
        return self.observe()

    def _repeat(self, done: Past, number: str) -> None:
        outcome = self.step(done.action)
        if outcome.ok == done.ok:
            return
        now = "now works and did not then" if outcome.ok else f"worked then and now does not ({outcome.reason})"
        raise SimulatorError(f"AI2-THOR's {self.scene} could not be restored: action {number}, '{done.action}', {now}: "
                             "reset the episode")

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns whether the room has such objects, made for the goal and within reach. AI2-THOR judges whether they fit."""
        del tidy
        return judged(goal, self.reveal, lambda asked: possible(self.moment, asked, self.schemas))

    def close(self) -> None:
        """Ends the player."""
        self.player.close()

    def possible_changes(self, thing: str) -> tuple[WorldChange, ...]:
        """Returns the changes that the metadata allows. AI2-THOR itself judges whether an object fits."""
        now = self.moment
        return tuple(change for change in possible_at_all(now.everything, thing) if changes.verdict(now, change).ok)

    def change(self, change: WorldChange) -> Observation:
        """Changes the room by AI2-THOR's own actions. Where it finds no room, the object is put back.

        Raises:
            UsageError: the metadata or AI2-THOR refuse it.
            SimulatorError: the player has ended.
        """
        now, episode, verdict = self.moment, self._episode, changes.verdict(self.moment, change)
        if not verdict.ok:
            raise UsageError(verdict.reason)
        event, complaint = changes.make(self.player, now, change)
        moved = frozenset({change.thing} if change.kind != "state" and not complaint else ())
        link = now.layout.holder.get(change.thing)
        left = now.focus if now.focus not in moved else None if link is None else link.object
        self._now = read(event, episode.names, self._room, now.steps, left, (now.remembered | now.visible) - moved, now.cells,
                         self._mapped, now.glanced - moved)
        if complaint:
            raise UsageError(complaint)
        episode.refused = {}
        episode.past.append(change)
        return self.observe()

    # --- acting --------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns whether an action is admissible according to the metadata, and was not refused just now."""
        verdict = self._episode.refused.get(action) or check(self.moment, action)
        return (self._episode.unfit.get(self._types(action)) or verdict) if verdict.ok else verdict

    def _types(self, action: Action) -> tuple[str, ...]:
        """Returns the verb and AI2-THOR's types of its arguments."""
        return (action.verb, *(self.moment.metas[a]["objectType"] for a in action.args if a in self.moment.metas))

    def step(self, action: Action) -> Outcome:
        """Executes one action.

        Raises:
            SimulatorError: the player has ended.
        """
        now, episode, verdict = self.moment, self._episode, self.verdict(action)
        if verdict.ok:
            done = action_requests.do(self.player, now, episode.names, action)
            verdict = self._after(done, action)
        else:
            self._now = replace(now, steps=now.steps + 1)
        episode.past.append(Past(action, verdict.ok))
        return Outcome.of(action, verdict, self.moment.seen(verdict.reason))

    def _after(self, done: action_requests.Done, action: Action) -> Verdict:
        """Takes over the new moment.

        A refusal is remembered until something changes, a refusal of types for the whole episode.
        """
        now, episode = self.moment, self._episode
        verdict = Verdict(done.ok, done.precondition, done.complaint)
        if done.precondition == "placement":
            episode.unfit[self._types(action)] = verdict
        if done.ok:
            episode.refused = {}
        else:
            episode.refused = {**episode.refused, action: verdict}
        seen = now.remembered | now.visible | done.seen
        self._now = read(done.event, episode.names, self._room, now.steps + 1, done.focus, seen, now.cells, self._mapped,
                         done.seen)
        return verdict

    def admissible(self) -> tuple[Action, ...]:
        """Returns moves, walks to what was seen, then what can be done with what is within reach."""
        found = (a for a in candidates(self.moment) if self.verdict(a).ok)
        return tuple(dict.fromkeys(found))

    # --- observations --------------------------------------------------------------
    def observe(self) -> Observation:
        """Returns what the robot sees now."""
        return self.moment.seen("")

    def reveal(self) -> Observation:
        """Returns everything, including what is in closed containers."""
        return self.moment.everything

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures the camera's picture, or the room from above. AI2-THOR draws both with every answer."""
        del still
        return observation.shot(self.moment.event, self.moment.names, view, width, height)


def _room(scene: str) -> Entity:
    cls = ithor_types.ROOM_CLASS[ithor_types.kind_of(scene)]
    return Entity(f"{cls}_1", cls, spaced(cls), "room")
