"""What a suite is: cells of a table, each with one episode a seed, and what is measured of an episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from core.evaluation.contestant import Contestant
from core.llm.model import LanguageModel
from core.simulator.base import Simulator

Worlds = Callable[[str, Mapping[str, str]], Simulator]
"""Opens a scene of the suite's simulator with options, or hands out the one that is open; whoever made it closes it."""
Models = Callable[[str], LanguageModel]
"""Who answers in a scene: the offline provider leaves the statistics of a room that is being played out of its prior."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure of an episode, averaged over a cell.

    Attributes:
        key: its name in `Row.figures`.
        title: as the table says it, with its unit.
        rate: it is 0 or 1: shown in per cent, with an interval.
        digits: decimals shown.
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
    """One episode: who played which cell with which seed, and the figures of the suite's measures."""

    contestant: str
    cell: str
    seed: int
    figures: Mapping[str, float]


class Suite(ABC):
    """A suite. A new one is one class and one line in the registry, or an entry point of the group belvedere.suites.

    Attributes:
        name: in the registry.
        simulator: the world it is played in.
        cells: the table's columns, in order.
        contestants: who takes part unless named, as `core.evaluation.contestant` writes them.
        max_steps: actions before an episode is given up, unless said otherwise.
        trials: seeds a cell unless said otherwise.
        measures: what the table shows; the first is the one that published figures stand beside and the plot shows.
        published: row title -> figures of the first measure, one a cell (None: not published).
        method: the published row of the paper's own method.
        means: title -> cells whose mean is a further column.
        note: what a reader has to know before comparing.
    """

    name: ClassVar[str]
    simulator: ClassVar[str] = "household"
    cells: ClassVar[tuple[str, ...]]
    contestants: ClassVar[tuple[str, ...]]
    max_steps: ClassVar[int] = 30
    trials: ClassVar[int] = 200
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, STEPS, REQUESTS, SECONDS)
    published: ClassVar[Mapping[str, tuple[float | None, ...]]]
    method: ClassVar[str]
    means: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    note: ClassVar[str]

    @abstractmethod
    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Play one episode, headless, and return a figure for every measure. Equal arguments, equal figures, save seconds."""
