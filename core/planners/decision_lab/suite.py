"""The suite `decision-complexity`: multiplications and journeys, answered by a policy or computed with a world model.

LLM-MCTS, sections 1 and 4.1, and figure 2.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from core.common.errors import DataError, UsageError
from core.planners.decision_lab import description_length, suite_plot
from core.planners.decision_lab.description_length import Lengths
from core.planners.decision_lab.planner import LabModel, LabPlanner
from core.planners.decision_lab.problem import Multiplication, problem_in
from core.suites.contestant import Contestant
from core.suites.suite import SECONDS, SUCCESS, Measure, Models, Row, Suite, Worlds
from core.views.wording import count

DIGITS = (1, 2, 3, 4, 5)
MAPS: Mapping[int, tuple[int, ...]] = MappingProxyType({20: (1, 2, 3), 60: (2, 3, 4)})
"""Number of cities -> numbers of flights in the shortest path. The numbers of flights are those of figure 2."""
FACTS = Measure("facts", "Answers of the language model that are right, % (mean over episodes)")
CALLS = Measure("calls", "Model calls per episode")
LENGTH = Measure("length", "Description length of the method, log10 of bits", digits=2)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a kind of problem and its size.

    Attributes:
        name: its title in the table.
        group: the panel of the plot it belongs to.
        size: the number of digits of a factor, or of flights of the shortest path.
        scene: the scene of the simulator `decision-lab`.
        options: its options.
    """

    name: str
    group: str
    size: int
    scene: str
    options: Mapping[str, str]


CELLS = (
    *(Cell(f"multiplication, {count(n, 'digit')}", suite_plot.MULTIPLICATION, n, f"multiplication-{n}", {}) for n in DIGITS),
    *(Cell(f"{cities} cities, {count(n, 'flight')}", f"journeys between {cities} cities", n, f"journey-{n}",
           {"cities": str(cities)}) for cities, flights in MAPS.items() for n in flights),
)
ROUTE_CELLS = tuple(
    Cell(f"{title}, {count(n, 'flight')}", title, n, f"journey-{n}", {"group": group})
    for group, title, flights in (("large", "large cities", (1, 2, 3)), ("middle", "middle-size cities", (2, 3, 4)))
    for n in flights)
"""The cells of figure 2."""


class DecisionComplexity(Suite):
    """A language model as policy against a language model as world model, by the size of the problem.

    Attributes:
        sizes: its cells with their sizes and scenes.
    """

    name: ClassVar[str] = "decision-complexity"
    simulator: ClassVar[str] = "decision-lab"
    sizes: ClassVar[tuple[Cell, ...]] = CELLS
    cells: ClassVar[tuple[str, ...]] = tuple(cell.name for cell in CELLS)
    contestants: ClassVar[tuple[str, ...]] = ("lab-model", "lab-policy")
    max_steps: ClassVar[int] = 30
    trials: ClassVar[int] = 100
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, FACTS, CALLS, LENGTH, SECONDS)
    method: ClassVar[str] = "GPT-4 as policy"
    published: ClassVar[Mapping[str, tuple[float | None, ...]]] = MappingProxyType({
        "GPT-4 as policy": (100.0, 99.0, None, 4.0, *(None,) * (len(CELLS) - 4)),
    })
    note: ClassVar[str] = (
        "The published figures are those section 1 of LLM-MCTS quotes; of 5 digits it says “fails almost completely”. It shows "
        "journeys in figure 2 only, without numbers: real flights, which GPT-3.5 was asked from memory. Our cities are "
        "generated and do not exist, so the prompts of both methods hold the whole timetable: these rows ask whether a model "
        "combines flights, not whether it remembers them. The number of flights is that of the shortest path; any path of "
        "existing flights counts. The size of an algorithm is that of our Python function, compressed. The rules of "
        "`commonsense` compute every answer: their rows check the apparatus only.")

    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Plays one problem.

        Raises:
            UsageError: the contestant does not answer questions.
        """
        chosen, planner = self.sizes[self.cells.index(cell)], contestant.make()
        if not isinstance(planner, LabPlanner):
            raise UsageError(f"{contestant.text} does not play {self.name}: choose lab-model or lab-policy")
        simulator = worlds(chosen.scene, chosen.options)
        simulator.reset(seed)
        problem, goal = problem_in(simulator.reveal().text), simulator.goal()
        if problem is None or goal is None:
            raise DataError(f"{chosen.scene} states no problem: was its simulator replaced?")
        run = contestant.drive(planner, simulator, goal, models(chosen.scene), seed, max_steps)
        if isinstance(problem, Multiplication):
            lengths = description_length.multiplication(chosen.size)
        else:
            lengths = description_length.journey(len(problem.flights), sum(map(len, problem.flights.values())) // 2)
        right = [problem.is_right(answer) for answer in planner.answers]
        return {"success": run.success, "facts": 100 * sum(right) / max(1, len(right)), "calls": sum(n for _, n in run.asks),
                "length": math.log10(_length(lengths, planner)), "seconds": run.seconds + run.waiting}

    def plot(self, rows: Sequence[Row], path: Path, offline: Collection[str]) -> bool:
        """Draws accuracy by size, as in figure 2, and the description lengths below."""
        suite_plot.draw(self, [(cell.name, cell.group, cell.size) for cell in self.sizes], rows, path, offline)
        return True


class FlightRoutes(DecisionComplexity):
    """The same over real routes, asked from memory as in figure 2. The file of routes is given with `--world routes=FILE`."""

    name: ClassVar[str] = "flight-routes"
    sizes: ClassVar[tuple[Cell, ...]] = ROUTE_CELLS
    cells: ClassVar[tuple[str, ...]] = tuple(cell.name for cell in ROUTE_CELLS)
    method: ClassVar[str] = "GPT-3.5 as policy"
    published: ClassVar[Mapping[str, tuple[float | None, ...]]] = MappingProxyType({
        "GPT-3.5 as policy": (None,) * len(ROUTE_CELLS), "GPT-3.5 as model": (None,) * len(ROUTE_CELLS)})
    note: ClassVar[str] = (
        "Figure 2 of LLM-MCTS shows these results without numbers. The routes are those of the operator's file and count in "
        "both directions; large cities have more than 5 million people, middle-size ones 0.5 to 2 million, as in the paper, "
        "which took large cities of different countries only. The prompt names no flights. An answer about a "
        "city's flights counts as right only if it names them all and no others.")


def _length(lengths: Lengths, planner: LabPlanner) -> float:
    return lengths.model if isinstance(planner, LabModel) else lengths.policy
