"""The interface of a suite: cells of a table, one episode per seed and cell, and the measures of an episode.

A suite lies with its planner. Suites of other packages are entry points of the group belvedere.suites.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from core.llm.model import LanguageModel
from core.simulator.base import Simulator
from core.suites.contestant import Contestant
from core.suites.origin import Origin

Worlds = Callable[[str, Mapping[str, str]], Simulator]
"""Returns the simulator of a scene with options, opened now or before. The maker of the function closes it."""
Models = Callable[[str], LanguageModel]
"""Returns the model for a scene. The offline provider leaves the statistics of the scene's own room out of its prior."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of an episode, averaged over a cell.

    Attributes:
        key: its name in `Row.figures`.
        title: its title in the table, with its unit.
        rate: it is 0 or 1; shown in per cent, with an interval.
        digits: number of decimals shown.
    """

    key: str
    title: str
    rate: bool = False
    digits: int = 1


SUCCESS = Measure("success", "Success, %", rate=True)
STEPS = Measure("steps", "Steps (a failed episode counts as all of them)")
REQUESTS = Measure("requests", "Model requests per decision")
SECONDS = Measure("seconds", "Seconds in the planner per episode", digits=2)


@dataclass(frozen=True, slots=True)
class Row:
    """One episode: the contestant, the cell, the seed, and the figures of the suite's measures.

    Attributes:
        origin: what it was played from; None: an earlier version or a suite that does not log its episodes played it.
    """

    contestant: str
    cell: str
    seed: int
    figures: Mapping[str, float]
    origin: Origin | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it did not reach its goal. Without its origin, the figure of success decides, if there is one."""
        return not self.origin.success if self.origin is not None else not self.figures.get(SUCCESS.key, 1.0)


class Suite(ABC):
    """A suite. A new one is one class and one line in the registry, or an entry point of the group belvedere.suites.

    Attributes:
        name: its name in the registry.
        simulator: the simulator it is played in.
        cells: the table's columns, in order.
        contestants: the default contestants, in the notation of `core.planners.registry.Choice`.
        max_steps: default number of actions before an episode is given up.
        trials: default number of seeds per cell.
        measures: the measures in the table; published figures and the plot are about the first.
        published: row title -> figures of the first measure, one per cell (None: not published).
        published_errors: row title -> their standard errors, if the paper prints them.
        printed: key of a further measure -> row title -> its cells as the paper prints them, with its deviations.
        method: the published row of the paper's own method.
        edition: the number of its definition. Results of different editions are never kept in one folder.
        means: title -> cells whose mean is a further column.
        note: what a reader must know before comparing.
    """

    name: ClassVar[str]
    simulator: ClassVar[str] = "household"
    cells: ClassVar[tuple[str, ...]]
    contestants: ClassVar[tuple[str, ...]]
    max_steps: ClassVar[int] = 30
    trials: ClassVar[int] = 200
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, STEPS, REQUESTS, SECONDS)
    published: ClassVar[Mapping[str, tuple[float | None, ...]]]
    published_errors: ClassVar[Mapping[str, tuple[float, ...]]] = MappingProxyType({})
    printed: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType({})
    method: ClassVar[str]
    edition: ClassVar[int] = 1
    means: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    note: ClassVar[str]

    @abstractmethod
    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Plays one episode without a window, and returns a figure for every measure.

        Equal arguments give equal figures, except for seconds.
        """

    def plot(self, rows: Sequence[Row], path: Path, offline: Collection[str]) -> bool:
        """Draws a plot of the suite's own as PNG. Needs matplotlib.

        Args:
            rows: the episodes.
            path: the file to write.
            offline: contestants whose requests no language model answered.

        Returns:
            False if the suite has none: then the first measure is drawn as bars (`core.suites.table.plot`).
        """
        del rows, path, offline
        return False

    def details(self, rows: Sequence[Row], offline: Collection[str]) -> str:
        """Returns further tables of the suite's own as Markdown; empty if there are none.

        Args:
            rows: the episodes.
            offline: contestants whose requests no language model answered.
        """
        del rows, offline
        return ""
