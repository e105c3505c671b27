"""The world of the decision lab: a sheet on which a product is written, or cities between which one flies.

Scenes are kinds of problem by their size; the seed draws the problem. The observation states the whole problem, except the
flights of real routes: these are asked from memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Self

import numpy as np

from core.common.errors import DataError, UsageError
from core.common.registry import near_misses
from core.goals.literals import Goal, Literal
from core.goals.possibility import POSSIBLE, Possibility
from core.planners.decision_lab.problem import Journey, Multiplication, Problem
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator
from core.views.wording import count
from core.world.vocabulary import (
    ADMISSIBLE,
    Action,
    ActionSchema,
    AgentState,
    Entity,
    Observation,
    Outcome,
    Verdict,
    WorldKind,
)
from sim.decision_lab import maps, pictures
from sim.decision_lab.maps import FlightMap
from sim.decision_lab.routes import GROUPS, Routes, read_routes

MOST_DIGITS, MOST_FLIGHTS = 9, 6
OPTIONS = ("cities", "routes", "group")
CITIES = 20
"""The default number of cities."""
SHEET = Entity("sheet", "sheet", "sheet", "room")
DIGITS = tuple(Entity(f"digit_{k}", "digit", str(k), "object", SHEET.id) for k in range(10))
LONGEST = 2 * MOST_DIGITS + 2
"""The number of digits there is room for on the sheet."""
WRITE = ActionSchema("write", ("digit",), "write the digit {0}", "appends a digit to the number on the sheet")
HAND_IN = ActionSchema("hand_in", (), "hand in the sheet", "needs a number on the sheet")
START_OVER = ActionSchema("start_over", (), "start over", "empties the sheet, or goes back to the city of departure")
TRAVEL = ActionSchema("travel", ("city",), "fly to {0}", "needs a direct flight from the present city")


@dataclass(frozen=True, slots=True)
class State:
    """The state of an episode.

    Attributes:
        scene: the kind of problem.
        cities: the number of cities on the map.
        seed: draws the problem.
        written: the digits on the sheet, or the id of the present city; empty: the city of departure.
        handed_in: True if the sheet is handed in.
        steps: the number of executed actions.
    """

    scene: str
    cities: int
    seed: int
    written: str = ""
    handed_in: bool = False
    steps: int = 0


class DecisionLab(Simulator):
    """Multiplications and journeys by generated flights, for a language model as policy or as world model."""

    name: ClassVar[str] = "decision-lab"
    title: ClassVar[str] = "Decision lab"
    kind: ClassVar[WorldKind] = "questions"
    own_task: ClassVar[bool] = True
    most_steps: ClassVar[int] = 30

    def __init__(self, scene: str, cities: int, routes: Routes | None = None, group: str = "all"):
        self._scene, self._cities, self._routes, self._group = scene, cities, routes, group
        self._map: FlightMap | None = None
        self.reset(0)

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens a kind of problem.

        Options of journeys: `cities` (how many a generated map has), or `routes` (a file of real routes) and `group` (which of
        its cities journeys connect: all, large, middle).

        Raises:
            UsageError: no such scene or option, or an invalid value.
            DataError: the file of routes cannot be read.
        """
        if scene not in dict(cls.scenes()):
            hint = near_misses(scene, dict(cls.scenes()))
            raise UsageError(f"unknown scene '{scene}'{hint}; there is multiplication-N with N up to {MOST_DIGITS}, and "
                             f"journey-N with N up to {MOST_FLIGHTS}")
        for option in options:
            if option not in OPTIONS or not scene.startswith("journey"):
                raise UsageError(f"unknown world option '{option}': decision-lab has cities=N, or routes=FILE and group=NAME, "
                                 "for journeys")
        group = options.get("group", "all")
        if group not in GROUPS:
            raise UsageError(f"group={group}: choose {', '.join(GROUPS)}")
        if ("group" in options and "routes" not in options) or {"cities", "routes"} <= set(options):
            raise UsageError("journeys between groups of real cities need a file of routes: set the world option routes, and "
                             "leave out cities")
        if "routes" in options:
            routes = read_routes(Path(options["routes"]))
            return cls(scene, len(routes.flights), routes, group)
        text = options.get("cities", str(CITIES))
        if not text.isdecimal() or not maps.FEWEST <= int(text) <= maps.MOST:
            raise UsageError(f"cities={text}: give a whole number of {maps.FEWEST} to {maps.MOST}")
        return cls(scene, int(text))

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the kinds of problem."""
        return (*((f"multiplication-{n}", f"Multiply two numbers of {count(n, 'digit')}")
                  for n in range(1, MOST_DIGITS + 1)),
                *((f"journey-{n}", f"A journey of {count(n, 'flight')}")
                  for n in range(1, MOST_FLIGHTS + 1)))

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """The verbs of this kind of problem."""
        return (WRITE, HAND_IN, START_OVER) if self._map is None else (TRAVEL, START_OVER)

    # --- episodes --------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Draws the problem of a seed.

        Raises:
            UsageError: a negative seed, or no map of this size has such a journey.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        self._begin(State(self._scene, self._cities, seed))
        return self.observe()

    def _begin(self, state: State) -> None:
        """Draws the problem of a state, and makes it the present one."""
        kind, _, size = self._scene.partition("-")
        if kind == "multiplication":
            self._problem: Problem = _multiplication(state.seed, int(size))
            self._ids: Mapping[str, str] = MappingProxyType({})
        else:
            drawn = maps.drawn(state.seed, self._cities, int(size)) if self._routes is None else (
                self._routes.drawn(state.seed, int(size), self._group))
            self._map = drawn
            self._problem = Journey(drawn.start, drawn.goal, drawn.flights)
            self._ids = MappingProxyType({f"city_{k}": name for k, name in enumerate(drawn.flights, 1)})
        self._state = state

    def save(self) -> Saved:
        """See the base class."""
        return json.dumps(asdict(self._state))

    def restore(self, saved: Saved) -> Observation:
        """See the base class."""
        try:
            state = State(**json.loads(saved))
            if not self._is_valid(state):
                raise ValueError("another world")
        except (ValueError, TypeError, RecursionError) as error:
            raise DataError("this is no saved state of this scene of decision-lab") from error
        self._begin(state)
        return self.observe()

    def _is_valid(self, state: State) -> bool:
        """Returns True if every field of a state that was read has its type and a possible value."""
        numbers = all(type(number) is int and number >= 0 for number in (state.seed, state.steps))
        if not numbers or type(state.handed_in) is not bool or type(state.written) is not str:
            return False
        if (state.scene, state.cities) != (self._scene, self._cities):
            return False
        if self._map is not None:
            return not state.handed_in and (not state.written or state.written in self._ids)
        return len(state.written) <= LONGEST and all(c in "0123456789" for c in state.written)

    def goal(self) -> Goal:
        """Returns the only goal there is here: the problem is solved."""
        return Goal((Literal("is", "task", states=frozenset({"done"})),), self._problem.text.splitlines()[0])

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns POSSIBLE for the task itself. No other goal can be judged."""
        del tidy
        if goal.literals == self.goal().literals:
            return POSSIBLE
        return Possibility("not a task here", f"decision-lab judges only its own task: {self.goal().text}")

    def close(self) -> None:
        """Does nothing: nothing is open."""

    # --- observations --------------------------------------------------------------
    @property
    def is_solved(self) -> bool:
        """True if the right product is handed in, or the destination is reached."""
        match self._problem:
            case Multiplication(first, second):
                return self._state.handed_in and self._state.written == str(int(first) * int(second))
            case Journey(goal=goal):
                return self._ids.get(self._state.written) == goal

    @property
    def _city(self) -> str:
        """The name of the present city."""
        assert isinstance(self._problem, Journey), "only journeys have cities"
        return self._ids.get(self._state.written, self._problem.start)

    def observe(self) -> Observation:
        """Returns the problem as text, with the digits or the cities. Real flights are hidden."""
        if self._routes is not None and isinstance(self._problem, Journey):
            return self._seen(self._problem.kept_back)
        return self._seen(self._problem)

    def reveal(self) -> Observation:
        """Returns the same, with all flights."""
        return self._seen(self._problem)

    def _seen(self, problem: Problem) -> Observation:
        state = self._state
        task = Entity("task", "task", "task", "object", states=frozenset({"done"} if self.is_solved else ()))
        if self._map is None:
            agent, entities = AgentState(SHEET.id), (SHEET, *DIGITS, task)
        else:
            cities = tuple(Entity(id_, "city", name, "room") for id_, name in self._ids.items())
            here = next(id_ for id_, name in self._ids.items() if name == self._city)
            agent, entities = AgentState(here), (*cities, task)
        return Observation(agent, entities, (), text=problem.text, step=state.steps, score=100.0 * self.is_solved)

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures the task as a page of text, or the map of the flights."""
        del still
        drawn, state = self._map, self._state
        if drawn is not None and view == "dollhouse":
            city = self._city
            return lambda: pictures.flight_map(drawn, city, view, width, height)
        now = f"In {self._city}." if drawn is not None else (
            f"On the sheet: {state.written or 'nothing'}{', handed in' if state.handed_in else ''}")
        text = f"{now}\n\n{self.observe().text}"
        return lambda: pictures.page(text, view, width, height)

    # --- acting --------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """See the base class."""
        state = self._state
        match action.verb, action.args:
            case "start_over", ():
                return ADMISSIBLE
            case "travel", (city,) if city in self._ids:
                if self._ids[city] in self._flights:
                    return ADMISSIBLE
                return Verdict(False, "direct flight", f"there is no direct flight from {self._city} to {self._ids[city]}")
            case "write", (digit,) if self._map is None and digit in _DIGIT_OF:
                if state.handed_in:
                    return Verdict(False, "not handed in", "the sheet is handed in", Action("start_over"))
                room = len(state.written) < LONGEST
                return ADMISSIBLE if room else Verdict(False, "room", "the sheet is full", Action("start_over"))
            case "hand_in", () if self._map is None:
                if state.handed_in:
                    return Verdict(False, "not handed in", "the sheet is handed in", Action("start_over"))
                return ADMISSIBLE if state.written else Verdict(False, "a number", "there is no number on the sheet")
        return Verdict(False, "possible", f"“{action}” is not possible here")

    @property
    def _flights(self) -> tuple[str, ...]:
        """The names of the cities with a direct flight from the present one."""
        return self._map.flights[self._city] if self._map is not None else ()

    def admissible(self) -> tuple[Action, ...]:
        """See the base class."""
        if self._map is None:
            actions = (*(Action("write", (digit.id,)) for digit in DIGITS), Action("hand_in"))
        else:
            actions = tuple(Action("travel", (id_,)) for id_ in self._ids)
        return tuple(a for a in (*actions, Action("start_over")) if self.verdict(a).ok)

    def step(self, action: Action) -> Outcome:
        """See the base class."""
        verdict, state = self.verdict(action), replace(self._state, steps=self._state.steps + 1)
        if verdict.ok:
            match action.verb, action.args:
                case "write", (digit,):
                    state = replace(state, written=state.written + _DIGIT_OF[digit])
                case "travel", (city,):
                    state = replace(state, written=city)
                case "hand_in", _:
                    state = replace(state, handed_in=True)
                case _:
                    state = replace(state, written="", handed_in=False)
        self._state = state
        return Outcome.of(action, verdict, self.observe())


_DIGIT_OF: Mapping[str, str] = MappingProxyType({digit.id: digit.name for digit in DIGITS})


def _multiplication(seed: int, digits: int) -> Multiplication:
    """Returns two factors with exactly so many digits, drawn uniformly."""
    rng = np.random.default_rng((seed, digits, 43))
    low = 10 ** (digits - 1) if digits > 1 else 0
    first, second = (int(x) for x in rng.integers(low, 10**digits, 2))
    return Multiplication(str(first), str(second))
