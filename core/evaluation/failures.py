"""The command `failures`: why recorded episodes failed, counted per planner (LLM-MCTS, failure analysis), and as CSV.

A label is proposed from the record, or was accepted or corrected by an operator; the table says how many are what.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import BelvedereError
from core.common.files import replacing
from core.common.visible import path_text, readable, visible_lines
from core.llm.model import OFFLINE
from core.planners.registry import PLANNERS, contestant, planner_class
from core.recording.annotations import read_annotations
from core.recording.exports.decisions import safe_cell
from core.recording.failures.causes import propose
from core.recording.failures.labels import CAUSES, Cause, Proposal, State, cause_of, decided_label, state_of
from core.recording.failures.run import READ
from core.recording.reader import Recording, open_recording, recordings_in
from core.session.events import Began
from core.suites.table import grid, titled
from core.views.wording import count

PAPER: tuple[Cause, ...] = ("policy failure", "world model failure", "translation failure")
"""The columns that are always there."""
STATES: tuple[State, ...] = ("proposed", "accepted", "corrected")
HEAD = ("file", "planner", "scene", "seed", "provider", "goal", "success", "turns", "label", "state", "proposed", "share",
        "lost_turns", "because", "note", "annotator", "notice")


@dataclass(frozen=True, slots=True)
class Labelled:
    """One recorded episode.

    Attributes:
        planner: the planner with its preset and what differs from it, as `evaluate` takes it.
        offline: whether its requests were answered by rules, not by a language model.
        label: why it failed: the operator's label, otherwise the proposed one; None if it reached the goal.
        state: whether the label is only proposed.
        proposal: what is proposed now; None if it reached the goal.
        note, annotator: of the operator's label.
        notice: what of the recording cannot be read; empty if it is whole.
    """

    file: Path
    began: Began
    planner: str
    offline: bool
    turns: int
    label: Cause | None = None
    state: State = "proposed"
    proposal: Proposal | None = None
    note: str = ""
    annotator: str = ""
    notice: str = ""


def failures(args: argparse.Namespace, say: Callable[[str], None]) -> bool:
    """Prints the table; writes the CSV if a file is given, and prints the evidence if asked.

    Args:
        args: `paths`, `out` and `evidence`.
        say: receives messages on files that could not be read, and on what was written.

    Returns:
        True if every recording could be read.

    Raises:
        UsageError: there is no recording.
        DataError: the CSV cannot be written.
    """
    found, broken = [], 0
    for file in recordings_in(args.paths):
        try:
            with open_recording(file, checked=True) as recording:
                labelled = labelled_run(recording)
        except BelvedereError as error:
            broken += 1
            say(f"left out: {error}")
            continue
        if labelled is None:
            say(f"left out: {file} holds no turn")
        else:
            found.append(labelled)
            if labelled.notice:
                say(labelled.notice)
    if args.evidence:
        sys.stdout.write(visible_lines("".join(f"{line}\n" for one in found for line in evidence_lines(one)) + "\n"))
    sys.stdout.write(visible_lines(table(found)))
    if args.out is not None:
        write_csv(found, args.out)
        say(f"wrote {args.out}")
    return not broken


def labelled_run(recording: Recording) -> Labelled | None:
    """Returns a recorded episode with its label; None if it has not begun.

    Raises:
        DataError: the recording is damaged.
    """
    end = recording.snapshot_at()
    began, outcome = end.began, end.outcome
    if began is None or end.turn < 1:
        return None
    name, known = contestant(began.planner, began.parameters), began.planner in PLANNERS and not PLANNERS.problem(began.planner)
    offline = began.provider == OFFLINE and known and planner_class(began.planner).asks
    proposal = None if outcome.success else propose(recording.of_kind(*READ), outcome.branch)
    if proposal is None:
        return Labelled(recording.path, began, name, offline, len(end.line), notice=recording.notice)
    decided = decided_label(read_annotations(recording)[0].in_order(), outcome.branch)
    label = proposal.label if decided is None else cause_of(decided.label)
    note, annotator = ("", "") if decided is None else (decided.note, decided.annotator)
    return Labelled(recording.path, began, name, offline, proposal.turns, label, state_of(decided), proposal, note, annotator,
                    recording.notice)


def table(runs: Sequence[Labelled]) -> str:
    """Returns the counts per planner as Markdown: the paper's labels first, then the others that occur."""
    present = {run.label for run in runs}
    columns = [*PAPER, *(cause for cause in CAUSES if cause not in PAPER and cause in present)]
    groups: dict[str, list[Labelled]] = {}
    for run in runs:
        groups.setdefault(titled(run.planner, (run.planner,) if run.offline else ()), []).append(run)
    rows = [_row(name, group, columns) for name, group in sorted(groups.items())]
    rows += [_row("all", list(runs), columns)] if len(groups) > 1 else []
    head = ["", "episodes", "failed", *columns, *STATES]
    meaning = "\n".join(f"- {cause}: {CAUSES[cause]}." for cause in columns)
    return (f"Why episodes failed. Labels are proposed from the record; an operator may have accepted or corrected them.\n\n"
            f"{grid(head, rows)}\n\n{meaning}\n")


def _row(name: str, runs: list[Labelled], columns: Sequence[Cause]) -> list[str]:
    failed = [run for run in runs if run.label is not None]
    labels, states = Counter(run.label for run in failed), Counter(run.state for run in failed)
    return [name, str(len(runs)), str(len(failed)), *(str(labels[c]) for c in columns), *(str(states[s]) for s in STATES)]


def evidence_lines(run: Labelled) -> Iterator[str]:
    """Yields what speaks for the label of a run, one line each."""
    if run.proposal is None:
        return
    instead = f" (proposed: {run.proposal.label})" if run.label != run.proposal.label else ""
    yield f"{readable(run.file.name)}: {run.label}, {run.state}{instead}: {run.proposal.because}"
    for one in run.proposal.evidence:
        cost = f", {count(one.cost, 'turn')} lost" if one.cost else ""
        yield f"  {one.label}{cost}. {one.sentence} Compared: {one.compared}."


def write_csv(runs: Sequence[Labelled], path: Path) -> None:
    """Writes one line per episode.

    Raises:
        DataError: the file cannot be written.
    """
    with replacing(path) as draft, draft.open("w", newline="", encoding="utf-8", errors="backslashreplace") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEAD)
        writer.writerows(map(safe_cell, _cells(run)) for run in runs)


def _cells(run: Labelled) -> tuple[object, ...]:
    began, proposal = run.began, run.proposal
    about = (path_text(run.file), run.planner, began.scene, began.seed, began.provider, began.goal.text, proposal is None,
             run.turns)
    if proposal is None:
        return (*about, *[""] * (len(HEAD) - len(about) - 1), run.notice)
    return (*about, run.label, run.state, proposal.label, round(proposal.share, 3), proposal.lost, proposal.because, run.note,
            run.annotator, run.notice)
