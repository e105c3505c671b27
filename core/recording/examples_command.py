"""The command `examples`: lists, adds and removes prompt examples."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.planning.examples import Example
from core.recording.examples import ExampleSet, examples_of
from core.recording.reader import open_recording


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
