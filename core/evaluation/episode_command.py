"""The command `episode`: lists the failed episodes of a results folder, or plays one again from its seed and records it.

The recording is made by the same code as the episode was played. Its actions and outcome are compared with the folder's row.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.common.errors import BelvedereError, DataError, ModelError, UsageError
from core.common.files import replace_file
from core.common.priority import lower_priority
from core.evaluation.episode_log import EpisodeLog
from core.evaluation.results import Results, class_table, read_results
from core.evaluation.suites import suite
from core.evaluation.worker import Job, OpenWorld, OpenWorlds, SweepWork
from core.llm.model import provider_class
from core.planning.facets import View
from core.recording.recorder import Recorder
from core.suites.origin import Origin
from core.suites.suite import Row
from core.suites.table import grid

RECORDINGS = "episodes"
"""The folder of recordings within a folder of results."""
VIEWS: tuple[View, ...] = ("first person", "dollhouse")
TIMES = ("seconds",)
"""Figures that differ each time."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """An episode that was played again.

    Attributes:
        path: its recording.
        turn: the turn where it went wrong; 0 if it reached its goal, or no turn was begun.
        differs: how it differs from the row, in one line; empty if it is the same.
        sentence: where it went wrong and why, in one sentence; empty if it reached its goal.
        evidence: what speaks for that, in sentences.
    """

    path: Path
    turn: int
    differs: str
    sentence: str
    evidence: tuple[str, ...] = ()


def recording_of(folder: Path, row: Row) -> Path:
    """Returns where the recording of an episode is kept."""
    return folder / RECORDINGS / (re.sub(r"[^\w.+=,-]+", "_", f"{row.contestant}, {row.cell}, {row.seed}") + ".mcap")


def play_again(results: Results, row: Row, opener: Callable[[str], OpenWorld], out: Path,
               views: tuple[View, ...] = VIEWS) -> Repetition:
    """Plays an episode again from its seed and records it.

    Replies of a language model come from the cache; it is not called.

    Args:
        results: the folder's content.
        row: the episode.
        opener: returns what opens the scenes of a simulator, by its name.
        out: the recording; an existing one is replaced.
        views: the pictures to record.

    Raises:
        DataError: the folder is of another edition of the suite, or does not say what is needed; the model's replies are gone.
        UsageError: the planner cannot be made any more.
    """
    job = _job(results, opener)
    work, worlds = None, OpenWorlds()
    part = out.with_name(f".{out.name}.part.mcap")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        work = SweepWork(job, worlds)
        troubles: list[str] = []
        recorder = Recorder(part, lambda what: troubles.append(what.message), secrets=work.secrets)
        try:
            log = work.log_of(row.contestant)
            log.followers, log.views = (recorder.on_event,), views
            now = work.episode(row.contestant, row.cell, row.seed, log)
        finally:
            recorder.close()
        if recorder.broken or recorder.completed is None:
            raise DataError(f"{out.name} cannot be recorded: {recorder.broken or '; '.join(troubles)}")
        repetition = _repetition(out, log, difference(row, now))
        part.replace(out)
        replace_file(out.with_suffix(".json"), json.dumps(asdict(repetition), default=str).encode())
    except ModelError as error:
        raise DataError(f"cannot be repeated: a reply of {results.model} is not in the cache ({error})") from error
    except OSError as error:
        raise DataError(f"cannot write {out}: {error}") from error
    finally:
        if work is not None:
            work.close()
        worlds.close()
        part.unlink(missing_ok=True)
    return repetition


def kept(folder: Path, row: Row) -> Repetition | None:
    """Returns the recording of an episode that was played again before; None if it was not, or if that cannot be read."""
    path = recording_of(folder, row)
    try:
        values = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return repetition_of(values) if path.is_file() else None
    except (OSError, ValueError, TypeError, KeyError):  # it is made again
        return None


def repetition_of(values: Mapping[str, Any]) -> Repetition:
    """Returns what `episode --json` has printed.

    Raises:
        TypeError: it is something else.
    """
    found = Repetition(**values)
    return replace(found, path=Path(found.path), evidence=tuple(found.evidence))


def _job(results: Results, opener: Callable[[str], OpenWorld]) -> Job:
    settings, plan, chosen = results.settings, results.plan, suite(results.suite)
    if settings.get("edition", 1) != chosen.edition:
        raise DataError(f"{results.folder} was played with edition {settings.get('edition', 1)} of the suite {results.suite}, "
                        f"this version has edition {chosen.edition}: its episodes cannot be played again")
    provider, noted = str(settings.get("provider")), settings.get("settings", {})
    if plan is None and provider_class(provider).is_model:
        raise DataError(f"{results.folder} does not say how its model was asked (an earlier version made it)")
    options = tuple(plan.options.items()) if plan is not None else ()
    return Job(results.suite, int(settings["max_steps"]), provider, options, True, None, opener(chosen.simulator),
               tuple(noted.get("world", {}).items()), str(noted.get("beside", "")))


def difference(row: Row, now: Row) -> str:
    """Returns how an episode that was played again differs from its row, in one line; empty if it is the same."""
    before, after = row.origin, now.origin
    if before is not None and after is not None:
        for name in ("scene", "goal", "world_seed", "seed", "turns", "actions", "success", "ended"):
            one, other = getattr(before, name), getattr(after, name)
            if one != other:
                what = "its actions" if name == "actions" else f"its {name.replace('_', ' ')} ({one}, now {other})"
                return f"played again it went differently: {what}; this version of the program may play otherwise"
    for key, value in row.figures.items():
        if key not in TIMES and key in now.figures and now.figures[key] != value:
            return f"played again it went differently: {key} was {value:g}, now {now.figures[key]:g}"
    return ""


def _repetition(out: Path, log: EpisodeLog, differs: str) -> Repetition:
    proposal, origin = log.proposal, log.origin
    if proposal is None or origin is None:
        return Repetition(out, 0, differs, "")
    where = f"turn {origin.turn}" if origin.turn else "before its first turn"
    evidence = tuple(f"{one.label}: {one.sentence}" for one in proposal.evidence)
    return Repetition(out, origin.turn, differs, f"went wrong in {where}: {proposal.label} ({proposal.because})", evidence)


def episode(args: argparse.Namespace, opener: Callable[[str], OpenWorld], say: Callable[[str], None]) -> Repetition | None:
    """Lists the failed episodes of a folder; with a seed, plays one again and says where it went wrong.

    Args:
        args: `folder`, `planner`, `cell`, `seed`, `out`, `json`.
        opener: returns what opens the scenes of a simulator, by its name.
        say: receives messages.

    Returns:
        What was found; None if episodes were listed.

    Raises:
        UsageError: no episode, or more than one, is named.
        DataError: the folder cannot be read, or the episode cannot be played again.
    """
    results = read_results(args.folder)
    rows = [row for row in results.rows if args.planner in ("", row.contestant) and args.cell in ("", row.cell)
            and args.seed in (None, row.seed)]
    if results.note:
        say(results.note)
    if args.seed is None:
        sys.stdout.write(listing(results, [row for row in rows if row.has_failed]))
        return None
    if len(rows) != 1:
        raise UsageError(f"{len(rows)} episodes have seed {args.seed}" + (
            ": name one with --planner and --cell" if rows else f" in {args.folder}"))
    row = rows[0]
    if args.json:
        lower_priority()  # the window asks
    say(f"plays {row.contestant} in {row.cell} with seed {row.seed} again")
    try:
        repetition = play_again(results, row, opener, args.out or recording_of(args.folder, row))
    except BelvedereError as error:
        if not args.json:
            raise
        sys.stdout.write(json.dumps({"error": " ".join(str(error).split())}) + "\n")
        return None
    if args.json:
        sys.stdout.write(json.dumps(asdict(repetition), default=str) + "\n")
        return repetition
    lines = repetition.differs, repetition.sentence or "it reached its goal", *repetition.evidence, f"wrote {repetition.path}"
    for line in filter(None, lines):
        say(line)
    return repetition


def listing(results: Results, failed: list[Row]) -> str:
    """Returns the failure classes with their counts, and the failed episodes, as Markdown."""
    if not failed:
        return "No failed episodes.\n"
    lines = [[row.contestant, row.cell, str(row.seed), *_told(row.origin)] for row in failed]
    return f"{grid(*class_table(results))}\n\n{grid(['planner', 'cell', 'seed', 'turns', 'failure', 'turn', 'goal'], lines)}\n"


def _told(origin: Origin | None) -> tuple[str, str, str, str]:
    return ("", "", "", "") if origin is None else (str(origin.turns), origin.label, str(origin.turn), origin.task)
