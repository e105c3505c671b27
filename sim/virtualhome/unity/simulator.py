"""VirtualHome's Unity executable behind the common interface.

Either the user starts it (option `url`, by default http://127.0.0.1:8080) or names it (option `executable`), and we start it.

Differences between versions: older ones have fewer than 50 apartments, do not know `clear` or `instance_colors` (then the
picture has no boxes), answer scripts with plain text, and write class names without underscores. In all versions the graph is
stale after a script (VirtualHome, issue 89), so it is read again each time. Unity chooses the spot in the room where a
character appears, so an episode repeats except for that spot. Restoring means replaying, because `expand_scene` does not bring
objects back to exactly where they were.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from core.common.errors import DataError, SimulatorError, UsageError
from core.goals.contradictions import judged
from core.goals.literals import Goal
from core.goals.possibility import Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, Pose, Verdict
from sim.rendering.graph import check_graph, read_graph
from sim.virtualhome.common.apartment_state import Catalogue, Home, catalogue_of, graph_of
from sim.virtualhome.common.drawing import Drawing
from sim.virtualhome.common.goal_possibility import possible
from sim.virtualhome.common.verbs import COMMON, Case, candidates, check, check_arguments
from sim.virtualhome.unity import messages
from sim.virtualhome.unity.messages import PARAMETERS, complaint, unity_line
from sim.virtualhome.unity.player import Link, Player, Settings

ENVIRONMENTS = 50
SCENE = "environment-"
EXPANSION = {"randomize": False, "random_seed": -1, "animate_character": False, "ignore_obstacles": False,
             "transfer_transform": True}
FIRST_ROOMS = ("kitchen", "bedroom", "livingroom", "bathroom")
"""The only values that `add_character` accepts for `initial_room`."""
VERBS = {v.schema.verb: v for v in COMMON if v.script != "PLUGIN"}
"""The common verbs except plugging in: Unity knows no plugs. Postures and acts are not offered: we could not try them there."""


class VirtualHomeUnity(Simulator):
    """VirtualHome's Unity executable, over HTTP.

    Args:
        scene: `environment-0` to `environment-49`.
        settings: where Unity is.
    """

    name: ClassVar[str] = "virtualhome-unity"
    slow: ClassVar[bool] = True
    restores: ClassVar[bool] = False
    keeps_shots: ClassVar[int] = 0
    patience: ClassVar[float] = 150.0
    """An executable may take a minute to start, and an apartment half a minute to load."""

    def __init__(self, scene: str, settings: Settings):
        self.scene, self._settings = scene, settings
        self._environment = int(scene.removeprefix(SCENE))
        self._player: Player | None = None
        self._link = Link(settings.url, settings.timeout)
        self._seed, self._steps, self._static = 0, 0, 0
        self._done: list[Action] = []
        self._focus: int | None = None
        self._drawing: Drawing | None = None
        self._raw: dict[str, Any] = {}
        self._catalogue: Catalogue = {}
        self._now: Home | None = None

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens an apartment. Unity is first contacted, or started, when an episode begins. For the options see `Settings`.

        Raises:
            UsageError: no such scene or option.
        """
        if scene not in dict(cls.scenes()):
            raise UsageError(f"unknown scene '{scene}': there is {SCENE}0 to {SCENE}{ENVIRONMENTS - 1}")
        return cls(scene, Settings.read(options))

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the apartments of version 2.3. Older versions have fewer."""
        return tuple((f"{SCENE}{k}", f"VirtualHome apartment {k}") for k in range(ENVIRONMENTS))

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """Returns the common vocabulary."""
        return tuple(verb.schema for verb in VERBS.values())

    # --- episodes -----------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Resets the apartment. The seed chooses the first room among those that VirtualHome allows.

        Raises:
            UsageError: a negative seed.
            SimulatorError: Unity does not answer, or refuses.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        self._begin(seed)
        return self.observe()

    @property
    def _home(self) -> Home:
        if self._now is None:
            raise SimulatorError("no episode has begun in this VirtualHome: reset it first")
        return self._now

    def _begin(self, seed: int) -> None:
        if self._settings.executable and self._player is None:
            self._player = Player(self._settings.executable, self._settings.timeout)
            self._link = self._player.link
        self._link.ask("clear", [self._environment])  # older versions do not know it
        self._link.demand("environment", [self._environment])
        if self._settings.graph:
            graph = read_graph(self._settings.graph)
            self._link.demand("expand_scene", strings=[json.dumps(EXPANSION), json.dumps(graph)])
        self._static = self._cameras()
        rooms = self._first_rooms()
        where = {"character_resource": self._settings.character, "mode": "fix_room",
                 "character_position": {"x": 0.0, "y": 0.0, "z": 0.0}, "initial_room": rooms[seed % len(rooms)]}
        self._link.demand("add_character", strings=[json.dumps(where)])
        self._seed, self._steps, self._done, self._focus = seed, 0, [], None
        self._look(fresh=True)

    def _first_rooms(self) -> tuple[str, ...]:
        """Returns the rooms a character can appear in, as `add_character` spells them.

        Each class comes once, because Unity chooses between rooms of one class.

        Raises:
            SimulatorError: the apartment has none of them.
        """
        rooms = sorted((n["id"], n["class_name"]) for n in self._read()["nodes"] if n["category"] == "Rooms")
        spelled = dict.fromkeys(cls.lower().replace("_", "") for _, cls in rooms)
        first = tuple(cls for cls in spelled if cls in FIRST_ROOMS)
        if not first:
            there, allowed = ", ".join(spelled) or "no rooms", ", ".join(FIRST_ROOMS)
            raise SimulatorError(f"VirtualHome lets a character appear only in a {allowed}, and {self.scene} has {there}: "
                                 "choose another scene")
        return first

    def _cameras(self) -> int:
        value = self._link.demand("camera_count").value
        if not isinstance(value, int) or value < 0:
            raise SimulatorError(f"VirtualHome says it has {str(value)[:40]!r} cameras: start it again")
        return value

    def _read(self) -> dict[str, Any]:
        """Returns the present graph. A graph read before a script is stale."""
        try:
            raw: dict[str, Any] = json.loads(self._link.demand("environment_graph").message)
            check_graph(raw, "VirtualHome's graph")
        except (ValueError, RecursionError, DataError) as error:
            raise SimulatorError(f"VirtualHome's graph cannot be used ({error}): start it again") from error
        return raw

    def _look(self, *, fresh: bool = False) -> None:
        raw = self._read()
        try:
            graph = graph_of(raw, "VirtualHome's graph")
        except DataError as error:
            raise SimulatorError(str(error)) from error
        if fresh or not self._catalogue.keys() <= graph.nodes.keys():
            self._catalogue = catalogue_of(graph)
        self._raw, self._now = raw, Home(self._catalogue, graph, focus=self._focus, plugs=False)
        if fresh:
            self._end_drawing()
            self._drawing = Drawing(raw, self._now)
        self._pose = self._standing()

    def _standing(self) -> Pose:
        """Returns the character's pose from Unity; without coordinates, the pose in our own layout."""
        node = next(n for n in self._raw["nodes"] if n["id"] == self._home.graph.character)
        place = node.get("obj_transform")
        measured = all(n.get("bounding_box") for n in self._raw["nodes"] if n["category"] == "Rooms")
        assert self._drawing is not None, "made with the first look"
        if not measured or not place:
            return self._drawing.pose(self._home)
        try:
            (x, _, y), (_, qy, _, qw) = place["position"], place["rotation"]
            return Pose(float(x), float(y), 2 * math.atan2(-float(qy), float(qw)), -0.25)
        except (KeyError, TypeError, ValueError) as error:
            raise SimulatorError(f"VirtualHome does not say where the character stands ({error}): start it again") from error

    def save(self) -> Saved:
        """Returns canonical JSON: the seed and the actions since."""
        done = [[action.verb, *action.args] for action in self._done]
        return json.dumps({"scene": self.scene, "seed": self._seed, "steps": self._steps, "done": done}, separators=(",", ":"))

    def restore(self, saved: Saved) -> Observation:
        """Returns to a saved state by repeating all actions, which takes as long as before.

        Raises:
            DataError: not a state of this apartment.
            SimulatorError: Unity does not repeat an action.
        """
        try:
            value = json.loads(saved)
            scene, seed, steps = value["scene"], int(value["seed"]), int(value["steps"])
            done = [Action(str(verb), tuple(map(str, args))) for verb, *args in value["done"]]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DataError(f"not a saved state of {self.scene} ({type(error).__name__}): save it again") from error
        if scene != self.scene or seed < 0:
            raise DataError(f"this state was saved in scene {scene!r}, not in {self.scene!r}: load that scene first")
        self._begin(seed)
        for action in done:
            outcome = self.step(action)
            if not outcome.ok:
                raise SimulatorError(f"VirtualHome did not do '{action}' again ({outcome.reason}): reset the episode")
        self._steps = steps
        return self.observe()

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns whether the apartment has such objects, and they are made for the goal. Only Unity knows sizes."""
        del tidy
        return judged(goal, self.reveal, lambda asked: possible(self._home, asked, self.schemas))

    def close(self) -> None:
        """Ends the cameras, and the executable if we started it."""
        self._end_drawing()
        if self._player is not None:
            self._player.close()
            self._player = None

    def _end_drawing(self) -> None:
        if self._drawing is not None:
            self._drawing.close()

    # --- acting ---------------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns the verdict of the graph. Unity may still find no path or no spot."""
        verdict = check_arguments(VERBS, self._home.nodes, action)
        if not verdict.ok:
            return verdict
        return check(action.verb, Case(self._home, tuple(self._home.nodes[a] for a in action.args), 1))

    def step(self, action: Action) -> Outcome:
        """Executes one action.

        Raises:
            SimulatorError: Unity does not answer.
        """
        verdict = self.verdict(action)
        self._steps += 1
        if verdict.ok:
            verdict = self._script(action)
        if verdict.ok:
            self._done.append(action)
        return Outcome.of(action, verdict, self._observation(verdict.reason))

    def _script(self, action: Action) -> Verdict:
        nodes = [self._home.nodes[a] for a in action.args]
        line = unity_line(VERBS[action.verb].script, [self._home.graph.nodes[n] for n in nodes])
        link = self._home.parent(nodes[0]) if action.verb == "grab" else None
        answer = self._link.ask("render_script", strings=[json.dumps(PARAMETERS), line])
        if answer.success:
            at = nodes[-1] if action.verb != "grab" else None if link is None else link[1]
            self._focus = None if at in self._home.rooms else at
        self._look()
        return Verdict(True) if answer.success else Verdict(False, *complaint(answer.message))

    def admissible(self) -> tuple[Action, ...]:
        """Returns walks, then what can be done with what is within reach."""
        return tuple(action for action in candidates(self._home) if self.verdict(action).ok)

    # --- observations -----------------------------------------------------------------------
    def observe(self) -> Observation:
        """Returns what is in sight, and the furniture of the other rooms as on a map."""
        return self._observation("")

    def _observation(self, text: str) -> Observation:
        return self._home.observation(all_of_it=False, hands=1, pose=self._pose, text=text, step=self._steps)

    def reveal(self) -> Observation:
        """Returns everything, including what is in closed containers."""
        return self._home.observation(all_of_it=True, hands=1, pose=self._pose, text="", step=self._steps)

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures Unity's own picture from the character's eyes when drawn, or our dollhouse made from Unity's boxes."""
        if view == "first person":
            camera, names = messages.front_camera(self._static), {i: kind.id for i, kind in self._catalogue.items()}
            return lambda: messages.take(self._link, camera, (width, height), names)
        assert self._drawing is not None, "made with the first look"
        return self._drawing.shot(self._home, self._pose, view, (width, height), still=still)

