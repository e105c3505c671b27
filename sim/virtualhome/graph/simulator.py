"""VirtualHome's evolving graph behind the common interface. Its executor judges and acts; the robot sees only its room.

With option `rules=room` (default) observation is partial and the vocabulary is the common one. With `rules=package` the package
decides alone, with all its verbs, both hands and everything in sight, as its own programs need it.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from core.common.errors import DataError, UsageError
from core.goals.contradictions import judged
from core.goals.literals import Goal
from core.goals.possibility import Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator, WorldChange
from core.simulator.orbit import Extent, Orbit
from core.world.vocabulary import ADMISSIBLE, POSTURES, Action, ActionSchema, Observation, Outcome, Pose, Verdict
from sim import changes
from sim.needs import Needs, first, no
from sim.virtualhome.common.apartment_state import STATES, Body, Catalogue, Home, catalogue_of, name_of
from sim.virtualhome.common.body import BODY, body_after, body_candidates, body_lines, body_needs
from sim.virtualhome.common.drawing import Drawing
from sim.virtualhome.common.goal_possibility import possible
from sim.virtualhome.common.verbs import COMMON, FURTHER, Case, candidates, check, check_arguments, script_line
from sim.virtualhome.graph.executor import Executor, load, titles

RULES = ("room", "package")
HANDS = ("1", "2")
REMEDIES = {"within reach": "walk", "plugged in": "plug_in", "switched off": "switch_off", "standing": "stand_up"}
"""What the executor says is missing -> the verb that provides it."""
OPTIONS = "rules=room|package and hands=1|2"
THEIRS = {ours: theirs for theirs, ours in STATES.items()}
"""Our states -> VirtualHome's."""
AT_REST = "SITTING", "LYING"


class VirtualHomeGraph(Simulator):
    """VirtualHome's evolving graph: 518 real apartments, and the executor that comes with them.

    Args:
        scene: its name, written into saved states.
        raw: its graph, as VirtualHome writes it.
        rules: `room` or `package`, see the module.
        hands: how many objects the robot holds, 1 or 2. A robot with both hands full cannot open anything.
    """

    name: ClassVar[str] = "virtualhome-graph"
    changes = frozenset({"inside", "on", "state"})
    free_view: ClassVar[bool] = True

    def __init__(self, scene: str, raw: dict[str, Any], rules: str = "room", hands: int = 1):
        self.scene, self._raw = scene, raw
        self._free = rules == "package"
        self._hands = 2 if self._free else hands
        self._verbs = {v.schema.verb: v for v in ((*COMMON, *FURTHER) if self._free else (*COMMON, *BODY))}
        self._body_verbs = frozenset(() if self._free else (v.schema.verb for v in BODY))
        self._body = Body()
        self._executor = Executor(raw, scene)
        graph = self._executor.graph()
        self._catalogue: Catalogue = catalogue_of(graph)
        known = graph.nodes.values() if self._free else (kind.node for kind in self._catalogue.values())
        self._nodes = {name_of(node): node.id for node in known}
        self._drawing: Drawing | None = None
        self._focus: int | None = None
        self._steps = 0
        self._begin(0)
        self._drawing = Drawing(raw, self._home)
        self._look()

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens an apartment of the package by name, or a VirtualHome graph by path. Options are `rules` and `hands`.

        Raises:
            UsageError: no such scene or option.
            DataError: the scene's file is damaged.
            MissingPart: the package is not installed.
        """
        for option, value in options.items():
            if (option, value) not in {*(("rules", r) for r in RULES), *(("hands", h) for h in HANDS)}:
                raise UsageError(f"unknown world option '{option}={value}': virtualhome-graph has {OPTIONS}")
        return cls(scene, load(scene), options.get("rules", "room"), int(options.get("hands", "1")))

    @classmethod
    def missing(cls) -> str:
        """Returns how to install the package with the simulator and its apartments; empty if it is installed."""
        found = importlib.util.find_spec("virtualhome_eval") is not None
        return "" if found else "needs the package 'virtualhome-eval': pip install --no-deps virtualhome-eval"

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the package's apartments.

        Raises:
            MissingPart: the package is not installed.
        """
        return titles()

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """Returns the common vocabulary; with rules=package all of VirtualHome's."""
        return tuple(verb.schema for verb in self._verbs.values())

    # --- episodes ---------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Begins an episode. Seed 0 starts in the room where the apartment's file has the character, others in the next rooms.

        Raises:
            UsageError: a negative seed.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        self._begin(seed)
        return self.observe()

    def _begin(self, seed: int) -> None:
        self._executor.begin()
        self._focus, self._steps, self._body = None, 0, Body()
        self._look()
        nodes, home = self._home.graph.nodes, self._home
        seated = not nodes[home.graph.character].states.isdisjoint(AT_REST)
        start = home.rooms[(home.rooms.index(home.room) + seed) % len(home.rooms)]
        lines = ["[STANDUP]"] if seated and (not self._free or start != home.room) else []
        lines += [script_line("WALK", [nodes[start]])] if start != home.room else []
        self._do(lines)

    def _do(self, lines: list[str], *lifted: int) -> None:
        """Runs lines that are admissible. What lies on held objects, or on those `lifted` now, stays on them."""
        cargo = set(() if self._free else self._home.cargo({*self._home.graph.held, *lifted}))
        refusal = self._executor.run(lines)
        if refusal is not None:
            raise DataError(f"{self.scene}: VirtualHome does not begin ({refusal.reason}): choose another scene")
        self._look()
        if not self._free:
            self._carry_along(cargo)

    def _carry_along(self, cargo: set[tuple[int, str, int]]) -> None:
        """Moves what lies on a carried object along. The package would drop it and leave it in its room."""
        lost = cargo - set(self._home.cargo(set(self._home.graph.held)))
        if self._executor.attach(sorted(link for link in lost if link[0] not in self._home.graph.held)):
            self._look()
        home = self._home
        rooms = {i: home.room_of(i) for i, kind in self._catalogue.items() if kind.category != "room"}
        strays = {i: room for i, room in rooms.items() if room not in home.graph.inside.get(i, ())}
        if strays:
            self._executor.relocate(strays)
            self._look()

    def _look(self) -> None:
        self._home = Home(self._catalogue, self._executor.graph(), focus=self._focus, all_seen=self._free, body=self._body)
        self._pose = self._drawing.pose(self._home) if self._drawing is not None else Pose(0.0, 0.0, 0.0)

    def save(self) -> Saved:
        """Returns canonical JSON: what differs from the apartment's file."""
        value: dict[str, Any] = {"scene": self.scene, "steps": self._steps, "focus": self._focus, **self._executor.changes()}
        if self._body != Body():
            value["body"] = [self._body.seat, self._body.facing, [[a.verb, *a.args] for a in self._body.acts]]
        return json.dumps(value, separators=(",", ":"), allow_nan=False)

    def restore(self, saved: Saved) -> Observation:
        """Returns to a saved state of this apartment.

        Raises:
            DataError: not a state of this apartment.
        """
        before, body_before = self._executor.changes(), self._body
        try:
            value = json.loads(saved)
            if value["scene"] != self.scene:
                raise DataError(f"this state was saved in scene {value['scene']!r}, not {self.scene!r}: load that scene first")
            steps, focus = int(value["steps"]), None if value["focus"] is None else int(value["focus"])
            body = self._read_body(value.get("body"))
            self._executor.load(value)
            self._focus, self._steps, self._body = focus, steps, body
            self._look()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration) as error:
            self._executor.load(before)
            self._body = body_before
            raise DataError(f"not a saved state of {self.scene} ({type(error).__name__}): save it again") from error
        return self.observe()

    def _read_body(self, value: Any) -> Body:
        """Returns what `save` wrote of the robot. Raises ValueError for entities that are not in this apartment."""
        if value is None:
            return Body()
        seat, facing, acts = value
        body = Body(seat, facing, tuple(Action(verb, (thing,)) for verb, thing in acts))
        strange = {body.seat, body.facing, *(thing for act in body.acts for thing in act.args)} - {"", *self._nodes}
        if strange or not {act.verb for act in body.acts} <= self._verbs.keys():
            raise ValueError(f"unknown {sorted(strange)}")
        return body

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns whether the apartment has such objects, and they are made for the goal."""
        del tidy          # the graph has no sizes: there is always room
        return judged(goal, self.reveal, lambda asked: possible(self._home, asked, self.schemas))

    def close(self) -> None:
        """Ends the cameras."""
        if self._drawing is not None:
            self._drawing.close()

    def possible_changes(self, thing: str) -> tuple[WorldChange, ...]:
        """Returns the states that an entity could get, and all places of its kind: the graph has no sizes."""
        world = self.reveal()
        return tuple(change for change in changes.candidates(world, thing) if first(self._change_needs(world, change)).ok)

    def _change_needs(self, world: Observation, change: WorldChange) -> Needs:
        yield from changes.change_needs(world, change)
        if change.kind == "state" and change.to not in THEIRS:
            yield no("known", f"the evolving graph has no state {change.to}: name one of {', '.join(THEIRS)}")

    def change(self, change: WorldChange) -> Observation:
        """Changes the graph at once. A point means nothing here."""
        refusal = first(self._change_needs(self.reveal(), change))
        if not refusal.ok:
            raise UsageError(refusal.reason)
        thing, home = self._nodes[change.thing], self._home
        if change.kind == "state":
            self._executor.set_state(thing, THEIRS[change.to], THEIRS.get(changes.STATES[change.to][0], ""))
        else:
            cargo, link = tuple(home.cargo({thing})), home.parent(thing)
            if self._focus in {thing, *(i for i, _, _ in cargo)}:
                self._focus = None if link is None else link[1]
            self._executor.put(thing, "INSIDE" if change.kind == "inside" else "ON", self._nodes[change.to], cargo)
        self._look()
        self._carry_along(set())
        return self.observe()

    # --- acting -------------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns the verdict of our own needs, then of the executor."""
        verdict = check_arguments(self._verbs, self._nodes, action)
        if not verdict.ok:
            return verdict
        nodes = tuple(self._nodes[a] for a in action.args)
        if not self._free:
            case = Case(self._home, nodes, self._hands)
            verdict = first(body_needs(action.verb, case)) if action.verb in self._body_verbs else check(action.verb, case)
            if not verdict.ok:
                return verdict
        refusal = self._executor.attempt(self._lines(action.verb, nodes))
        if refusal is None:
            return ADMISSIBLE
        return Verdict(False, refusal.precondition, refusal.reason, self._remedy(refusal.precondition, action))

    def _remedy(self, precondition: str, action: Action) -> Action | None:
        """Returns the action that resolves a refusal of the executor, if there is one."""
        verb = REMEDIES.get(precondition, "")
        if verb not in self._verbs or verb == action.verb:
            return None
        return Action(verb, action.args[-1:] if self._verbs[verb].schema.roles else ())

    def _lines(self, verb: str, nodes: tuple[int, ...]) -> list[str]:
        """Returns an action as a script. VirtualHome opens nothing that runs, so opening switches it off first."""
        known = self._home.graph.nodes
        if verb in self._body_verbs:
            return body_lines(verb, self._verbs[verb].script, self._home, nodes)
        line = script_line(self._verbs[verb].script, [known[n] for n in nodes])
        if verb == "open" and not self._free and self._home.has_state(nodes[0], "ON"):
            return [script_line("SWITCHOFF", [known[nodes[0]]]), line]
        return [line]

    def step(self, action: Action) -> Outcome:
        """Executes one action."""
        verdict = self.verdict(action)
        self._steps += 1
        if verdict.ok:
            nodes = tuple(self._nodes[a] for a in action.args)
            lines = self._lines(action.verb, nodes)
            self._focus = self._next_focus(action.verb, nodes)
            self._body = body_after(self._home.body, action, turns=not self._free)
            self._do(lines, *(nodes if action.verb == "grab" else ()))
        return Outcome.of(action, verdict, self._observation(verdict.reason))

    def _next_focus(self, verb: str, nodes: tuple[int, ...]) -> int | None:
        """Returns what the robot stands at after an action."""
        if verb == "grab":
            link = self._home.parent(nodes[0])
            return None if link is None else link[1]
        if not nodes or (verb in self._body_verbs and verb not in POSTURES):
            return self._focus
        return None if nodes[-1] in self._home.rooms else nodes[-1]

    def admissible(self) -> tuple[Action, ...]:
        """Returns walks, then what can be done with what is within reach; with rules=package every verb with everything."""
        found = self._anything() if self._free else (*candidates(self._home), *body_candidates(self._home))
        return tuple(action for action in found if self.verdict(action).ok)

    def _anything(self) -> list[Action]:
        home = self._home
        held = [self._catalogue[i].id for i in home.graph.held if i in self._catalogue]
        near = [self._catalogue[i].id for i in home.near]
        every = [kind.id for kind in self._catalogue.values()]
        alone = [Action(v, (i,)) for v, verb in self._verbs.items() if len(verb.schema.roles) == 1
                 for i in (every if v in ("walk", "run", "find") else near + held)]
        two = [v for v, verb in self._verbs.items() if len(verb.schema.roles) == 2]
        pairs = [Action(v, (h, i)) for v in two for h in held for i in near]
        return [*alone, *pairs, *(Action(v) for v, verb in self._verbs.items() if not verb.schema.roles)]

    # --- observations ---------------------------------------------------------------------
    def observe(self) -> Observation:
        """Returns what is in sight, and the furniture of the other rooms as on a map."""
        return self._observation("")

    def _observation(self, text: str) -> Observation:
        return self._home.observation(all_of_it=False, hands=self._hands, pose=self._pose, text=text, step=self._steps)

    def reveal(self) -> Observation:
        """Returns everything, including what is in closed containers."""
        return self._home.observation(all_of_it=True, hands=self._hands, pose=self._pose, text="", step=self._steps)

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures the apartment as laid out by its graph, in first person or without its roof."""
        assert self._drawing is not None, "made with the simulator"
        return self._drawing.shot(self._home, self._pose, view, (width, height), still=still)

    def extent(self) -> Extent:
        """Returns the box around the rooms."""
        assert self._drawing is not None, "made with the simulator"
        return self._drawing.extent

    def view_from(self, orbit: Orbit, width: int = 640, height: int = 480, *, still: bool = False) -> Frame:
        """Returns the apartment as laid out by its graph without its roof, from a free viewpoint."""
        assert self._drawing is not None, "made with the simulator"
        return self._drawing.view_from(orbit, self._home, self._pose, (width, height), still=still)
