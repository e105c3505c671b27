"""Continues live from a moment of a recording: the same simulator and planner, the same actions up to there, then new ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core.common.cancellation import Cancellation
from core.common.errors import DataError, ModelError, UsageError
from core.llm.model import LanguageModel
from core.llm.replay import Replay
from core.planning.facets import Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.recording.calls import replay_of
from core.recording.reader import Recording
from core.session import commands as c
from core.session import events as e
from core.session.setup import Scripted, Setup
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from core.world.vocabulary import Action


@dataclass(frozen=True, slots=True)
class TakeOver:
    """A recorded past from which a run continues.

    Attributes:
        began: how the recorded run began: its seed, goal and parameters are used.
        script: its turns up to the moment, and the operator's changes in the turn under way.
        answers: returns the recorded replies again; None if there are none.
    """

    began: e.Began
    script: tuple[Scripted, ...]
    answers: Replay | None


def take_over(recording: Recording, number: int, *then: c.Command) -> TakeOver:
    """Returns the past up to an event, and commands to execute there.

    Raises:
        DataError: the recording does not hold the run's beginning, or a part of it is damaged.
    """
    now = recording.snapshot_at(number)
    if now.began is None:
        raise DataError(f"{recording.path.name} does not hold the run's beginning: it cannot be taken over")
    taken = commands_by_turn(recording, number)
    commands: dict[Moment, tuple[c.Command, ...]] = defaultdict(tuple)
    commands.update((moment, tuple(x.command for x in found)) for moment, found in taken.items())
    early = commands.pop(Moment(0, 0), ())
    turns = [_scripted(turn, commands[turn.moment]) for turn in now.line]
    last = now.line[-1].number if len(now.line) else 0
    here = Moment(now.branch, last + 1)  # a change of the world may have reached the goal before this turn began
    under_way = (*commands[here], *then)  # also if the run was stopped in mid-turn
    script = [*turns, Scripted(tuple(x for x in under_way if x.is_replayed))]
    script[0] = replace(script[0], commands=(*(x for x in early if x.is_replayed), *script[0].commands))
    script[-1] = replace(script[-1], commands=(*script[-1].commands, *_missing_commands(now, script)))
    script = [replace(step, commands=tuple(map(_in_first_round, step.commands))) for step in script]
    answers = replay_of(recording) if len(now.calls) or now.waiting else None
    return TakeOver(now.began, tuple(script), answers)


def _in_first_round(command: c.Command) -> c.Command:
    """Returns a command for a run that is not resampled: the request that it answers is made in the first round."""
    return replace(command, ask=replace(command.ask, fresh=0)) if isinstance(command, c.GiveReply) else command


def _missing_commands(now: Snapshot, script: Sequence[Scripted]) -> Iterator[c.Command]:
    """Yields commands for bans and breakpoints that the script leaves out.

    Breakpoints hold on all branches; the script plays one.
    """
    banned: set[Action] = set()
    for command in (command for step in script for command in step.commands):
        if isinstance(command, c.Ban):
            banned.add(command.action)
        elif isinstance(command, c.Unban):
            banned.discard(command.action)
    yield from (c.Ban(action) for action in sorted(now.banned - banned, key=str))
    yield from (c.Unban(action) for action in sorted(banned - now.banned, key=str))
    for point in now.breakpoints:
        yield c.SetBreakpoint(point)
        if point in now.disabled:
            yield c.EnableBreakpoint(point, enabled=False)


def commands_by_turn(recording: Recording, number: int) -> dict[Moment, tuple[e.CommandTaken, ...]]:
    """Returns the commands executed in each turn, up to an event.

    A branch forked from a turn under way begins with the commands of that turn; another one with those that were executed
    before the turn began, which belong to its beginning.
    """
    commands: dict[Moment, tuple[e.CommandTaken, ...]] = defaultdict(tuple)
    early: dict[Moment, tuple[e.CommandTaken, ...]] = defaultdict(tuple)
    began: dict[Moment, int] = {}
    for mark in recording.turns():
        began.setdefault(Moment(mark.branch, mark.number), mark.first)
    left: dict[int, tuple[int, int]] = {}
    for event in recording.of_kind("CommandTaken", "Rewound"):
        what = event.what
        if event.number > number:
            break
        if isinstance(what, e.CommandTaken) and what.ok:
            place = event.moment if event.turn else Moment(0, 0)
            commands[place] = (*commands[place], what)
            if event.turn and (isinstance(what.command, c.ChangeWorld) or event.number < began.get(place, event.number)):
                early[place] = (*early[place], what)
        elif isinstance(what, e.Rewound):
            left[what.branch] = what.parent, what.turn
            new, old = Moment(what.branch, what.turn), _played_on(what.parent, what.turn, left)
            commands[new] = commands[old] if what.present else early[old]
            early[new] = early[old]
    return commands


def _played_on(branch: int, turn: int, left: Mapping[int, tuple[int, int]]) -> Moment:
    """Returns where a turn of a branch's line was played: on the branch, or on the one it left before that turn.

    Args:
        branch: its number.
        turn: the turn.
        left: for each branch but the first, its parent and the turn in which it left it.
    """
    while branch in left and turn < left[branch][1]:
        branch = left[branch][0]
    return Moment(branch, turn)


def _scripted(turn: Turn, commands: tuple[c.Command, ...]) -> Scripted:
    outcome = turn.outcome
    assert outcome is not None, "turns are kept when they were acted out"
    planner_knows = not any(isinstance(x, c.Override) and x.action == outcome.action and not x.told for x in commands)
    changes = tuple(x for x in commands if x.is_replayed)
    return Scripted(changes, outcome.action, turn.by, turn.because, turn.instead_of, planner_knows, outcome.ok)


def continued(setup: Setup, past: TakeOver) -> Setup:
    """Returns a setup with the parts of `setup` that goes on from the recorded past."""
    began = past.began
    models = setup.models if past.answers is None else {
        name: RecordedFirst(past.answers, model) for name, model in setup.models.items()}
    return replace(setup, goal=began.goal, seed=began.seed, planner_seed=began.planner_seed, most_steps=began.most_steps,
                   models=models, script=past.script)


class RecordedFirst(LanguageModel):
    """Returns the recorded reply if there is one, and asks another provider if there is none."""

    name: ClassVar[str] = "recorded first"

    def __init__(self, recorded: Replay, other: LanguageModel):
        self._recorded, self._other = recorded, other

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Refuses: it needs a recording and another provider."""
        raise UsageError("this provider is made when a recording is taken over, and cannot be chosen")

    @property
    def source(self) -> str:
        """The source that answers what was not recorded."""
        return self._other.source

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Returns the recorded reply, marked as cached, or a new one."""
        try:
            return replace(self._recorded.answer(ask, cancelled), cached=True, seconds=0.0)
        except ModelError:  # the recording does not hold this request
            return self._other.answer(ask, cancelled)

    def close(self) -> None:
        """Closes the other provider."""
        self._other.close()
