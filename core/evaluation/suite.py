"""The interface of a suite: cells of a table, one episode per seed and cell, and the measures of an episode.

Suites of other packages are entry points of the group belvedere.suites. Contestants are written as text: `llm-mcts`,
`llm-mcts:paper`, `llm-mcts+wrong_answers=0.4`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

from core.common import registry
from core.common.errors import UsageError
from core.evaluation.onlooker import Onlooker
from core.llm.model import LanguageModel
from core.planners.registry import make_planner, parted, read_choice
from core.planning.planner import Planner
from core.simulator.base import Simulator

if TYPE_CHECKING:  # it loads what reads recordings, and the command line only needs the names of suites
    from core.evaluation.episode import EpisodeWatch
    from core.evaluation.episode_log import Origin

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
        contestants: the default contestants, in the notation of `core.evaluation.suite`.
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
            False if the suite has none: then the first measure is drawn as bars (`core.evaluation.table.plot`).
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


@dataclass(frozen=True, slots=True)
class Contestant:
    """A planner with a preset and single parameters that override it.

    Attributes:
        beside: a second planner that only thinks; None: there is none.
        log: receives what happens in the episode; a suite passes it on to `core.evaluation.episode.drive`. None: there is none.
    """

    text: str
    planner: str
    preset: str
    settings: tuple[tuple[str, str], ...]
    beside: Onlooker | None = None
    log: EpisodeWatch | None = None

    def make(self) -> Planner:
        """Returns a new planner.

        Raises:
            UsageError: there is no such planner, preset or parameter.
        """
        return make_planner(self.planner, self.preset, dict(self.settings))


def named(text: str) -> str:
    """Returns the planner's name alone."""
    return parted(text).planner


def contestant(text: str) -> Contestant:
    """Parses `planner[:preset][+name=value …]`, and checks that such a planner can be made.

    Raises:
        UsageError: it cannot.
    """
    choice = read_choice(text)
    found = Contestant(text, choice.planner, choice.preset, choice.settings)
    found.make()
    return found


def with_settings(text: str, pairs: Sequence[str]) -> str:
    """Returns the text of a contestant with further settings of the form NAME=VALUE.

    Raises:
        UsageError: there are settings, but no contestant.
    """
    if pairs and not text:
        raise UsageError(f"--beside-set {pairs[0]}: name the planner that only thinks, too, with --beside PLANNER")
    return "+".join((text, *pairs))


SUITES = registry.Registry("suite", "belvedere.suites", {
    "blocking": "core.evaluation.blocking:Blocking",
    "rearrangement": "core.evaluation.rearrangement:Rearrangement",
    "llm-state": "core.evaluation.llm_state:LlmStateSuite",
    "scienceworld": "core.evaluation.scienceworld:ScienceWorld",
    "decision-complexity": "core.evaluation.decision_complexity.suite:DecisionComplexity",
    "flight-routes": "core.evaluation.decision_complexity.suite:FlightRoutes",
}, base=Suite)


def suite(name: str) -> Suite:
    """Returns a suite by name.

    Raises:
        UsageError: there is no such suite.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Suite], SUITES.load(name))()
