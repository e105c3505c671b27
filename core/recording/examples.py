"""Examples for prompts: good actions and operators' corrections, kept for later episodes and removable one by one."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs

from core.common.errors import DataError
from core.common.json_fields import MOST_EXAMPLE_BYTES, MOST_EXAMPLES, read_json
from core.planning.examples import Example, alike
from core.recording.exports.decisions import Decision, decisions
from core.recording.reader import Recording, open_recording
from core.session.events import TurnBegan
from core.session.turns import line_of
from core.world.vocabulary import Observation

FILE = "examples.json"
CURE = "correct or remove it"
MOST_SEEN = 40


def examples_folder() -> Path:
    """Returns the default folder of the set."""
    return Path(platformdirs.user_data_dir("belvedere", appauthor=False))


def examples_of(recording: Recording) -> Iterator[Example]:
    """Yields corrections by an operator and, if the goal was reached, every action of that branch that was not refused."""
    end = recording.snapshot_at()
    episode = end.outcome
    line = [str(turn.done) for turn in line_of(end.turns, end.branches, episode.branch)]
    began = {(mark.branch, mark.number, mark.began): mark.first for mark in recording.turns()}
    history: dict[int, list[str]] = {}
    for decision in decisions(recording):
        turn = decision.turn
        done = history.setdefault(turn.branch, line[:turn.number - 1] if turn.branch else [])
        outcome = turn.outcome
        reached = episode.success and turn.branch == episode.branch
        if outcome is not None and outcome.ok and (turn.by == "operator" or reached):
            seen = _seen(recording, began[turn.branch, turn.number, turn.began])
            yield _example(recording, decision, seen, tuple(done))
        if outcome is not None:
            done.append(str(outcome.action))


def _seen(recording: Recording, number: int) -> Observation:
    """Returns the observation at the beginning of a turn, by the number of its event."""
    what = next(recording.events(number, number)).what
    assert isinstance(what, TurnBegan), "such an event begins every turn"
    return what.seen


def _example(recording: Recording, decision: Decision, seen: Observation, history: tuple[str, ...]) -> Example:
    turn = decision.turn
    corrected = str(turn.instead_of) if turn.by == "operator" and turn.instead_of else ""
    return Example(recording.metadata.get("goal", ""), history, in_words(seen), str(turn.done), corrected,
                   f"{recording.path.name}, turn {turn.number}")


def in_words(seen: Observation) -> str:
    """Returns an observation as prompts state it. Empty furniture is left out."""
    agent = seen.agent
    parts = [f"you are in the {_named(agent.room or 'house')}"]
    parts += [f"you are holding the {_named(held)}" for held in agent.holding]
    parts += [f"the {_named(r.subject)} is {r.kind} the {_named(r.object)}"
              for r in seen.relations[:MOST_SEEN] if r.kind != "controls"]
    return ", ".join(parts) + "."


def _named(entity_id: str) -> str:
    return entity_id.replace("_", " ")


class ExampleSet:
    """Examples in a JSON file that people can read.

    Args:
        folder: the folder of the file; made when the first example is added.

    Raises:
        DataError: the file is damaged.
    """

    def __init__(self, folder: Path | None = None):
        self.path = (folder or examples_folder()) / FILE
        self._examples = _read(self.path)

    def __iter__(self) -> Iterator[Example]:
        return iter(self._examples)

    def __len__(self) -> int:
        return len(self._examples)

    def add(self, examples: Iterable[Example]) -> tuple[Example, ...]:
        """Adds examples, each once. Returns the new ones, with their numbers.

        Raises:
            DataError: they cannot be written.
        """
        known = {replace(e, id=0, origin="") for e in self._examples}
        number = max((e.id for e in self._examples), default=0)
        new = []
        for example in examples:
            bare = replace(example, id=0, origin="")
            if bare not in known:
                known.add(bare)
                number += 1
                new.append(replace(example, id=number))
        self._write((*self._examples, *new))
        return tuple(new)

    def remove(self, number: int) -> None:
        """Removes one example.

        Raises:
            DataError: there is none of that number, or the file cannot be written.
        """
        rest = tuple(e for e in self._examples if e.id != number)
        if len(rest) == len(self._examples):
            raise DataError(f"there is no example {number}: see the list for their numbers")
        self._write(rest)

    def like(self, instruction: str, most: int = 3, *, but: str = "") -> tuple[Example, ...]:
        """Returns the examples most similar to this task, best first: `core.planning.examples.alike`."""
        return alike(self._examples, instruction, most, but=but)

    def _write(self, examples: tuple[Example, ...]) -> None:
        text = json.dumps({"format": 1, "examples": msgspec.to_builtins(examples)}, ensure_ascii=False, indent=1)
        new = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with new.open("w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(self.path)
        except OSError as error:
            raise DataError(f"cannot write {self.path}: {error.strerror or error}") from error
        self._examples = examples


class _File(msgspec.Struct):
    format: Literal[1]
    examples: list[Example]


def _read(path: Path) -> tuple[Example, ...]:
    if not path.exists():
        return ()
    value = read_json(path, CURE, most_bytes=MOST_EXAMPLE_BYTES)
    try:
        found = msgspec.convert(value, _File).examples
    except msgspec.ValidationError as error:
        raise DataError(f"{path} is damaged ({error}); {CURE}") from error
    if len(found) > MOST_EXAMPLES:
        raise DataError(f"{path} holds {len(found):,} examples, at most {MOST_EXAMPLES:,} are read; {CURE}")
    return tuple(found)


def examples(args: Namespace) -> Iterator[str]:
    """Executes the command. Yields its output lines.

    Raises:
        DataError: the set or the recording is damaged, or there is no such example.
    """
    kept = ExampleSet()
    match args.act:
        case "add":
            yield from added(kept, args.file, args.turn)
        case "remove":
            for number in dict.fromkeys(args.number):
                kept.remove(number)
                yield f"example {number} is forgotten"
        case _:
            yield from (in_a_line(e) for e in kept) if len(kept) else ("no examples are kept: add some from a recording",)


def added(kept: ExampleSet, file: Path, turns: Sequence[int]) -> Iterator[str]:
    """Adds the corrections and successes of a recording, or only those of some turns. Yields the output lines."""
    with open_recording(file) as recording:
        if recording.notice:
            yield recording.notice
        found = list(examples_of(recording))
        chosen = [e for e in found if not turns or turn_of(e) in turns]
        new = kept.add(chosen)
    yield from (in_a_line(e) for e in new)
    yield f"{len(new)} new of {len(chosen)}; {len(kept)} are kept in {kept.path}"


def turn_of(example: Example) -> int:
    """Returns the turn an example is from; 0 if it is unknown."""
    number = example.origin.rpartition(", turn ")[2]
    return int(number) if number.isdecimal() else 0


def in_a_line(e: Example) -> str:
    """Returns number, task, action and origin of an example."""
    instead = f" instead of {e.instead_of}" if e.instead_of else ""
    return f"{e.id:4d}  {e.instruction}: {e.action}{instead}  ({e.origin})"
