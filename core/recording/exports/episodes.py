"""A recording as an episode to learn from: the decisions that led to its outcome, and the observation before each.

Verbs and entity classes have the same numbers in every export of every simulator. The numbers are in
`resources/export/action_numbers.json`, which is only appended to: see `build_action_numbers.py` beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.common.visible import readable
from core.planning.facets import Moment, View
from core.recording.exports.decisions import Decision, decisions
from core.recording.label_turns import TurnLabels
from core.recording.losses import turn_words
from core.recording.reader import Recording
from core.session.commands import SetGoal
from core.session.events import CommandTaken, TurnBegan
from core.session.outcome import Outcome
from core.session.turns import Turn, line_of
from core.world.vocabulary import Action, Observation

FILE: Final = RESOURCES / "export" / "action_numbers.json"
NONE: Final = 0
"""The action has no such argument."""
OTHER: Final = 1
"""A verb or class without a number; the action's text names it."""
FIRST: Final = 2
ORDINAL: Final = re.compile(r"_\d+$")
MOST_ARGUMENTS: Final = 2
"""The maximum over all verbs of all simulators."""


@dataclass(frozen=True, slots=True)
class ActionNumbers:
    """The numbers of verbs and classes.

    Attributes:
        verbs: the first has the number `FIRST`, the others follow.
        classes: of objects, furniture and rooms; numbered likewise.
    """

    verbs: tuple[str, ...]
    classes: tuple[str, ...]

    @classmethod
    def load(cls) -> Self:
        """Returns the numbers of this version.

        Raises:
            DataError: the file is missing or damaged.
        """
        try:
            table = json.loads(FILE.read_text("utf-8"))
            return cls(tuple(table["verbs"]), tuple(table["classes"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(f"{FILE} cannot be read: {error}; install Belvedere again") from error

    def of(self, action: Action) -> tuple[int, int, int]:
        """Returns the numbers of the verb and of the classes of its first and second argument."""
        first, second = (self._class(id_) for id_ in (*action.args, "", "")[:MOST_ARGUMENTS])
        return self.verb(action.verb), first, second

    def verb(self, verb: str) -> int:
        """Returns the number of a verb."""
        return FIRST + self.verbs.index(verb) if verb in self.verbs else OTHER

    def _class(self, id_: str) -> int:
        if not id_:
            return NONE
        name = ORDINAL.sub("", id_)
        return FIRST + self.classes.index(name) if name in self.classes else OTHER


Source = Callable[[], Recording]
"""Opens a recording; always the same one."""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision whose action was executed.

    Attributes:
        task: the goal at that time, in words.
        text: the simulator's text before it.
        objects: ids of the entities in view before it, without rooms.
    """

    decision: Decision
    task: str
    text: str
    objects: tuple[str, ...]

    @property
    def turn(self) -> Turn:
        """The turn of the decision."""
        return self.decision.turn

    @property
    def action(self) -> Action | None:
        """The executed action."""
        return self.turn.done


@dataclass(frozen=True, slots=True)
class Episode:
    """The content of one recording.

    Attributes:
        name: the name of its file.
        world: the simulator it was recorded in.
        steps: the completed turns of the branch whose outcome is the episode's, including those of its parents.
        left_out: number of completed turns of other branches.
        gaps: for each camera that took pictures, the numbers of the turns in `steps` it has none of.
        certainty: whether each picture states that it shows its step's state; before format 3 only its arrival is known.
        about: the recording's own metadata.
        notice: what of the recording cannot be read; empty if it is whole.
        labels: all its labels, as `TurnLabels.row` states them.
        beside: the turns with labels that are none of `steps`, in words.
    """

    name: str
    world: str
    steps: tuple[Step, ...]
    left_out: int
    outcome: Outcome
    gaps: Mapping[View, tuple[int, ...]]
    certainty: Literal["of the turn", "about the turn", "none"]
    about: Mapping[str, str]
    notice: str = ""
    labels: tuple[Mapping[str, Any], ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[str, ...]:
        """The goals in words, in the order they were set."""
        return tuple(dict.fromkeys(step.task for step in self.steps))


def read_episode(source: Source) -> Episode:
    """Reads everything but the pictures.

    Raises:
        DataError: the recording cannot be read.
    """
    with source() as recording:
        end, labels = recording.snapshot_at(), TurnLabels.of(recording)
        made = decisions(recording, labels)
        line = {turn.moment: None for turn in line_of(end.turns, end.branches, end.outcome.branch)}
        kept = {decision.turn.moment: decision for decision in made}  # if a turn was played again, the last time counts
        steps = _steps(recording, [kept[moment] for moment in line])
        pictures = recording.picture_rows
        found = {view: [pictures.of(view, step.turn.moment) for step in steps] for view in pictures.views}
        gaps = {view: tuple(step.turn.number for step, shot in zip(steps, shots, strict=True) if shot is None)
                for view, shots in found.items()}
        phases = {shot[1] for shots in found.values() for shot in shots if shot is not None}
        name, simulator = readable(recording.path.name), recording.metadata.get("simulator", "") or "unknown"
        return Episode(name, simulator, steps, len(made) - len(steps),
                       end.outcome, gaps, "none" if not phases else "about the turn" if "about" in phases else "of the turn",
                       dict(recording.metadata), recording.notice, tuple(map(labels.row, labels.given)),
                       tuple(turn_words(moment, labels.state(moment)) for moment in labels.elsewhere(line)))


def _steps(recording: Recording, made: list[Decision]) -> tuple[Step, ...]:
    seen: dict[Moment, Observation] = {}
    for event in recording.of_kind("TurnBegan"):
        if isinstance(event.what, TurnBegan):
            seen[event.moment] = event.what.seen
    task = recording.metadata.get("goal", "") or recording.path.stem
    is_changed = any(isinstance(event.what, CommandTaken) and isinstance(event.what.command, SetGoal)
                     for event in recording.of_kind("CommandTaken"))
    steps = []
    for decision in made:
        turn = decision.turn
        goal = recording.snapshot_at(recording.number_at(turn=turn.number, branch=turn.branch)).goal if is_changed else None
        now = seen.get(turn.moment)
        steps.append(Step(decision, goal.text if goal is not None else task, "" if now is None else now.text,
                          () if now is None else tuple(e.id for e in now.entities if e.category != "room")))
    return tuple(steps)
