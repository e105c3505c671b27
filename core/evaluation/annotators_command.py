"""The command `agreement`: how far two annotators of recordings agree, as a table, JSON or CSV."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from typing import Any

from core.common.errors import UsageError
from core.common.visible import visible_lines
from core.recording.agreement.compare import Agreement, Disagreement, Episode, Row, compare, episode_of
from core.recording.agreement.matching import Tolerance
from core.recording.exports.decisions import safe_cell
from core.recording.reader import read_each, recordings_in
from core.session.annotation import Annotation
from core.suites.table import grid

COEFFICIENTS = {"label": "κ", "cause": "κ", "rating": "α"}


def annotators_command(args: argparse.Namespace, say: Callable[[str], object]) -> bool:
    """Prints how far two annotators agree.

    Args:
        args: `paths`, `pair`, `overlap`, `turns`, `json` and `csv`.
        say: receives a line for each file that cannot be read, and if there are no two annotators.

    Returns:
        True if two annotators labelled the same recording, and every recording could be read.

    Raises:
        UsageError: there is no recording, or `pair` names somebody who labelled none.
    """
    left_out: list[str] = []
    episodes = read_each(recordings_in(args.paths), episode_of, left_out.append)
    for line in left_out:
        say(line)
    if len(args.pair) == 2 and args.pair[0] == args.pair[1]:
        raise UsageError(f"--pair {args.pair[0]} {args.pair[1]}: name two annotators")
    found = compare(episodes, args.pair, Tolerance(args.overlap, args.turns))
    if args.json:
        sys.stdout.write(json.dumps(as_json(found, episodes), ensure_ascii=False, indent=2) + "\n")
    elif args.csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(csv_rows(found))
    else:
        sys.stdout.write(visible_lines(as_text(found, episodes)))
    if not found.episodes:
        say(f"no recording has labels of two annotators; found labels of: {', '.join(found.annotators) or 'no one'}")
    return bool(found.episodes) and not left_out


def as_text(found: Agreement, episodes: Sequence[Episode]) -> str:
    """Returns the table as Markdown, and the open disagreements, one line each."""
    if not found.episodes:
        return ""
    first, second = (name or "no name" for name in found.pair)
    head = ["label", "units", first, second, "matched", "overlap", "same", "κ or α"]
    rows = [[row.label if row.measure != "rating" else f"{row.label} (rating)", str(row.units), str(row.first), str(row.second),
             str(row.matched), number(row.overlap), number(row.observed),
             f"{COEFFICIENTS[row.measure]} {number(row.coefficient)}"] for row in found.rows]
    still = [d for d in found.disagreements if d.settled is None]
    lines = [f"{episodes[d.episode].name} turn {d.example.turn}: {d.label}: {words(d, found.pair)}" for d in still]
    settled = len(found.disagreements) - len(still)
    return (f"{first} and {second}: {found.episodes} recordings, {found.turns} turns\n\n{grid(head, rows)}\n\n"
            f"{len(still)} open disagreements, {settled} settled\n" + "".join(f"- {line}\n" for line in lines))


def number(value: float | None) -> str:
    """Returns a coefficient with two digits; – if it is undefined."""
    return "–" if value is None else f"{value:.2f}"


def words(d: Disagreement, pair: Sequence[str]) -> str:
    """Returns what both say, in words."""
    first, second = (name or "no name" for name in pair)
    match d.kind:
        case "rating":
            return f"{first} {d.first and d.first.rating}, {second} {d.second and d.second.rating}"
        case "cause":
            return f"{first} {d.first and d.first.label}, {second} {d.second and d.second.label}"
        case "extent":
            return "the intervals differ"
        case _:
            return f"only {first if d.second is None else second}"


def as_json(found: Agreement, episodes: Sequence[Episode]) -> dict[str, Any]:
    """Returns everything as plain data."""
    return {"annotators": list(found.annotators), "pair": list(found.pair), "recordings": found.episodes, "turns": found.turns,
            "agreement": [{**{f.name: v for f, v in zip(fields(row), astuple(row), strict=True)},
                           "coefficient_name": "krippendorff_alpha_ordinal" if row.measure == "rating" else "cohen_kappa"}
                          for row in found.rows],
            "disagreements": [{"recording": episodes[d.episode].name, "label": d.label, "kind": d.kind,
                               "first": _plain(d.first), "second": _plain(d.second), "settled": _plain(d.settled)}
                              for d in found.disagreements]}


def _plain(a: Annotation | None) -> dict[str, Any] | None:
    return None if a is None else {f.name: v for f, v in zip(fields(a), astuple(a), strict=True) if v not in (None, "", ())}


def csv_rows(found: Agreement) -> list[list[object]]:
    """Returns a line of column names, and one for each row of the table."""
    names = [f.name for f in fields(Row)]
    rows = [[safe_cell(value) if value is not None else "" for value in astuple(row)] for row in found.rows]
    return [["first_annotator", "second_annotator", *names], *([*map(safe_cell, found.pair), *row] for row in rows)]
