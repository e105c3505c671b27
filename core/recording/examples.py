"""Examples for prompts: good actions and operators' corrections, kept for later episodes and removable one by one."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from core.common.errors import DataError
from core.common.files import replacing
from core.common.json_fields import MOST_EXAMPLE_BYTES, MOST_EXAMPLES, read_json
from core.common.user_folders import data_folder
from core.planning.belief_facets import Belief
from core.planning.examples import Example, alike
from core.planning.facets import Moment, Plan
from core.planning.search_facets import Ranking
from core.recording.reader import Recording, open_recording
from core.recording.takeover import commands_by_turn
from core.session.commands import Edit
from core.session.events import CommandTaken, Shown, TurnBegan
from core.session.turns import Turn, line_of
from core.world.vocabulary import Action, Observation

FILE = "examples.json"
CURE = "correct or remove it"
MOST_SEEN = 40


def examples_folder() -> Path:
    """Returns the default folder of the set."""
    return data_folder()


def examples_of(recording: Recording, moment: Moment | None = None) -> Iterator[Example]:
    """Yields corrections by an operator and, if the goal was reached, every action of that branch that was not refused.

    A correction is an override, or the action that the planner chose after the operator had edited its belief.

    Args:
        recording: the recording; a turn under way is no example yet.
        moment: only this turn; None: all.
    """
    end = recording.snapshot_at()
    episode, corrected = end.outcome, _corrected_beliefs(recording)
    lines: dict[int, tuple[Turn, ...]] = {}
    for turn in end.turns:
        is_example = turn.by == "operator" or turn.moment in corrected or (episode.success and turn.branch == episode.branch)
        if is_example and moment in (None, turn.moment) and turn.outcome is not None and turn.outcome.ok:
            if turn.branch not in lines:
                lines[turn.branch] = line_of(end.turns, end.branches, turn.branch)
            done = tuple(str(t.done) for t in lines[turn.branch] if t.number < turn.number)
            instead = turn.instead_of if turn.by == "operator" else _choice_before_edit(recording, turn.moment, corrected)
            other = "" if instead in (None, turn.done) else str(instead)
            yield Example(recording.metadata.get("goal", ""), done, in_words(_seen(recording, turn)), str(turn.done), other,
                          f"{recording.path.name}, turn {turn.number}")


def example_of(recording: Recording, moment: Moment) -> Example:
    """Returns a turn as an example.

    Raises:
        DataError: it is none.
    """
    found = next(examples_of(recording, moment), None)
    if found is None:
        raise DataError(f"turn {moment.turn} is no example: correct its action or the belief behind it, or choose a turn of an "
                        "episode that reached its goal")
    return found


def _corrected_beliefs(recording: Recording) -> frozenset[Moment]:
    """Returns the turns in which the operator edited the belief."""
    taken = commands_by_turn(recording, recording.numbers[-1])
    return frozenset(moment for moment, found in taken.items() if any(_edits_belief(x) for x in found))


def _edits_belief(taken: CommandTaken) -> bool:
    return taken.ok and isinstance(taken.command, Edit) and isinstance(taken.command.facet, Belief)


def _choice_before_edit(recording: Recording, moment: Moment, corrected: frozenset[Moment]) -> Action | None:
    """Returns what the planner would have done in a turn before the first edit of its belief; None if it had not shown that."""
    if moment not in corrected:
        return None
    plan, ranking = Plan(()), Ranking((), 0, 0)
    marks = [mark for mark in recording.turns() if (mark.branch, mark.number) == (moment.branch, moment.turn)]
    for event in recording.events(marks[-1].first, marks[-1].last):
        what = event.what
        if isinstance(what, CommandTaken) and _edits_belief(what):
            break
        if isinstance(what, Shown) and isinstance(what.facet, Plan):
            plan = what.facet
        elif isinstance(what, Shown) and isinstance(what.facet, Ranking):
            ranking = what.facet
    else:
        return None
    ranked = ranking.actions[0].steps if ranking.actions else ()
    return next(iter((*plan.actions, *ranked)), None)


def _seen(recording: Recording, turn: Turn) -> Observation:
    """Returns the observation at the beginning of a turn."""
    first = next(mark.first for mark in recording.turns() if (mark.branch, mark.number, mark.began)
                 == (turn.branch, turn.number, turn.began))
    what = next(recording.events(first, first)).what
    assert isinstance(what, TurnBegan), "such an event begins every turn"
    return what.seen


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
        added, new = tuple(examples), list[Example]()

        def add(known: tuple[Example, ...]) -> tuple[Example, ...]:
            bare = {replace(e, id=0, origin="") for e in known}
            number = max((e.id for e in known), default=0)
            for example in added:
                one = replace(example, id=0, origin="")
                if one not in bare:
                    bare.add(one)
                    number += 1
                    new.append(replace(example, id=number))
            return (*known, *new)

        self._change(add)
        return tuple(new)

    def remove(self, number: int) -> None:
        """Removes one example.

        Raises:
            DataError: there is none of that number, or the file cannot be written.
        """
        def without(known: tuple[Example, ...]) -> tuple[Example, ...]:
            rest = tuple(e for e in known if e.id != number)
            if len(rest) == len(known):
                raise DataError(f"there is no example {number}: see the list for their numbers")
            return rest

        self._change(without)

    def like(self, instruction: str, most: int = 3, *, but: str = "") -> tuple[Example, ...]:
        """Returns the examples most similar to this task, best first: `core.planning.examples.alike`."""
        return alike(self._examples, instruction, most, but=but)

    def _change(self, change: Callable[[tuple[Example, ...]], tuple[Example, ...]]) -> None:
        """Changes the examples of the file, among them those that others have added by now."""
        with replacing(self.path, makes_folder=True) as draft:
            examples = change(_read(self.path))
            text = json.dumps({"format": 1, "examples": msgspec.to_builtins(examples)}, ensure_ascii=False, indent=1)
            draft.write_bytes(text.encode(errors="backslashreplace"))
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
    except ValueError as error:  # a name that is half a character is no ValidationError
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
    with open_recording(file, checked=True) as recording:
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
