"""One row of the library, and the table of its fields. Queries, columns and groups use this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import Annotated, Final, Literal

from core.common.visible import readable


@dataclass(frozen=True, slots=True)
class Between:
    """The range of a field's number, which `core.library.checking` checks in values from a file."""

    least: float
    most: float


Count = Annotated[int, Between(0, 2**62)]
Seed = Annotated[int, Between(-2**62, 2**62)]
Seconds = Annotated[float, Between(0, 2.5e11)]
"""Up to the year 9892, so that each is a date in any time zone."""
Cost = Annotated[float, Between(0, 1e15)]
Rating = Annotated[int, Between(1, 5)]
State = Literal["ok", "recording", "changed", "damaged", "gone"]
"""`recording`: a run is being written to it. `changed`: it changed on disk and is not read again yet. `gone`: the file is not
there any more."""
Result = Literal["reached", "failed", "stopped", "unfinished"]
WHY: Final[Mapping[State, str]] = MappingProxyType({
    "changed": "it is read again soon", "gone": "the file is not there any more"})
"""What a state means that can begin after the file was read."""
Value = str | float | None
"""A value to compare or to search. None: not known."""


@dataclass(frozen=True, slots=True)
class FileState:
    """By what a change of a recording is noticed: size in bytes and time of change in ns, of it and of the labels beside it."""

    size: Count
    modified: Seed
    labels_size: Count = 0
    labels_modified: Seed = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One recording, as it was when it was last read.

    Attributes:
        path: the file.
        file: its size and time when it was read.
        state: whether the file is as the entry says.
        problem: what was wrong with it when it was read, in one line; empty if nothing was.
        identity: the same for each copy of the run, and for no other; empty if the file cannot be read.
        named: False for the autosave of a run that was not recorded.
        began: when the run began, in seconds since 1970; 0: not known.
        result: how the episode came out, as a word to filter by.
        outcome: the same as the run says it, such as `steps used up`.
        preset: the preset and what differs from it, such as `paper+simulations=50`.
        model: who answered the model requests, such as `openai gpt-5`; several are joined by commas.
        world: the name of the simulator.
        goal: the task in words.
        turns: completed turns of the line of branches that its outcome is of.
        calls: model requests that were answered, without those answered from memory.
        tokens: of prompts and replies together.
        cost: in the currency of the recorded prices; None: no prices were recorded.
        interventions: commands with which the operator changed the run.
        labels, annotators: different ones, sorted.
        ratings: of decisions, 1 to 5.
        seconds: length of the recording.
    """

    path: Path
    file: FileState
    state: State = "ok"
    problem: str = ""
    identity: str = ""
    named: bool = True
    began: Seconds = 0.0
    result: Result = "unfinished"
    outcome: str = ""
    planner: str = ""
    preset: str = ""
    model: str = ""
    world: str = ""
    scene: str = ""
    goal: str = ""
    seed: Seed = 0
    turns: Count = 0
    branches: Count = 1
    calls: Count = 0
    tokens: Count = 0
    cost: Cost | None = None
    interventions: Count = 0
    labels: tuple[str, ...] = ()
    ratings: tuple[Rating, ...] = ()
    annotators: tuple[str, ...] = ()
    seconds: Seconds = 0.0

    @property
    def rating(self) -> float | None:
        """The mean of its ratings; None without any."""
        return fmean(self.ratings) if self.ratings else None

    @property
    def trouble(self) -> str:
        """Why the file is not whole, or not as this entry says, in one line; empty if it is."""
        return WHY.get(self.state, self.problem)

    @property
    def day(self) -> str:
        """The day it began, in local time, as `2026-11-23`; empty: not known."""
        return self.date[:10]

    @property
    def date(self) -> str:
        """Day and time at which it began, in local time, as `2026-11-23 14:05`; empty: not known."""
        return _local(self.began) if self.began else ""


@lru_cache(100_000)
def _local(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of entries.

    Attributes:
        name: as queries name it.
        title: as columns name it.
        about: what it holds, in a few words.
        values: returns an entry's values; several for labels, none if nothing is known.
        number: whether they are numbers.
        groups: whether it is of use to group by it.
    """

    name: str
    title: str
    about: str
    values: Callable[[Entry], tuple[Value, ...]]
    number: bool = False
    groups: bool = False

    def key(self, entry: Entry) -> tuple[bool, float | str]:
        """Returns what to sort entries by. Those without a value come first."""
        values = [value for value in self.values(entry) if value is not None]
        if not values:
            return False, 0.0 if self.number else ""
        return True, values[0] if self.number else ", ".join(map(str, values)).casefold()


def _text(name: str, title: str, about: str, get: Callable[[Entry], str], *, groups: bool = False) -> Field:
    return Field(name, title, about, lambda entry: (get(entry),), groups=groups)


def _number(name: str, title: str, about: str, get: Callable[[Entry], float | None]) -> Field:
    return Field(name, title, about, lambda entry: (get(entry),), number=True)


_FIELDS = (
    _text("outcome", "Outcome", "how the episode came out", lambda x: x.outcome, groups=True),
    _text("goal", "Goal", "the task in words", lambda x: x.goal, groups=True),
    _text("planner", "Planner", "the planner's name", lambda x: x.planner, groups=True),
    _text("preset", "Preset", "its preset and what differs from it", lambda x: x.preset, groups=True),
    _text("model", "Model", "who answered the model requests", lambda x: x.model, groups=True),
    _text("world", "World", "the simulator", lambda x: x.world, groups=True),
    _text("scene", "Scene", "the home", lambda x: x.scene, groups=True),
    _number("seed", "Seed", "the seed of world and planner", lambda x: x.seed),
    _number("turns", "Turns", "completed turns up to the outcome", lambda x: x.turns),
    _number("branches", "Branches", "branches of the run", lambda x: x.branches),
    _number("calls", "Calls", "answered model requests", lambda x: x.calls),
    _number("tokens", "Tokens", "tokens of prompts and replies", lambda x: x.tokens),
    _number("cost", "Cost", "in the currency of the recorded prices", lambda x: x.cost),
    _number("interventions", "Interventions", "the operator's changes of the run", lambda x: x.interventions),
    Field("label", "Labels", "a label given during the run or later", lambda x: x.labels, groups=True),
    Field("rating", "Rating", "the mean rating of its decisions, 1 to 5", lambda x: (x.rating,), number=True),
    Field("annotator", "Annotators", "who labelled it", lambda x: x.annotators, groups=True),
    _text("date", "Date", "when it began, as 2026-11-23", lambda x: x.date),
    _text("day", "Day", "the day it began", lambda x: x.day, groups=True),
    _number("length", "Length", "in seconds; 90s, 5m and 1h are understood", lambda x: x.seconds),
    _text("file", "File", "its name", lambda x: readable(x.path.name)),
    _text("folder", "Folder", "the folder it is in", lambda x: readable(x.path.parent), groups=True),
    _text("problem", "Problem", "what is wrong with the file", lambda x: x.trouble),
)
FIELDS: Final[Mapping[str, Field]] = MappingProxyType({field.name: field for field in _FIELDS})
"""By name, in the order of the columns."""
WORDS: Final[Mapping[str, Callable[[Entry], bool]]] = MappingProxyType({
    "reached": lambda x: x.result == "reached",
    "failed": lambda x: x.result == "failed",
    "stopped": lambda x: x.result == "stopped",
    "unfinished": lambda x: x.result == "unfinished",
    "labelled": lambda x: bool(x.labels),
    "rated": lambda x: bool(x.ratings),
    "unrecorded": lambda x: not x.named,
    "recording": lambda x: x.state == "recording",
    "changed": lambda x: x.state == "changed",
    "damaged": lambda x: x.state == "damaged",
    "gone": lambda x: x.state == "gone",
    "trouble": lambda x: x.state in ("changed", "damaged", "gone"),
})
"""Words with a meaning of their own in queries. In quotes they are searched for as text."""
