"""How many of the collected answers are grounded rightly, wrongly, or left ungrounded."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from core.llm.embeddings import Embedder
from core.llm.grounding import alike_to, ground_choice, ground_places

FOLDER = Path(__file__).parent
WORLDS: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "worlds.json").read_text("utf-8"))
PLACE = re.compile(r"(inside|on) the (.+) in the (.+)")
Half = Literal["development", "held_out"]
Kind = Literal["positions", "actions"]


class Spot(NamedTuple):
    """A place on offer."""

    cls: str
    room: str
    inside: bool


@dataclass(frozen=True)
class Graded:
    """What became of one answer: right, wrong (another is meant), or missed (left ungrounded, though it means something)."""

    grade: str
    text: str
    found: tuple[str, ...]
    how: str
    score: float
    means: tuple[str, ...]


def spots(phrases: list[str]) -> list[Spot]:
    found = [PLACE.fullmatch(phrase) for phrase in phrases]
    return [Spot(match.group(2), match.group(3), match.group(1) == "inside") for match in found if match is not None]


def answers(half: Half, kind: Kind) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((FOLDER / f"{half}.json").read_text("utf-8"))[kind]
    return rows


def grade(row: dict[str, Any], kind: Kind, embedder: Embedder | None) -> Graded:
    """Ground one answer. Right is a part of what it may mean, or nothing where it means nothing."""
    choices = row.get("choices") or WORLDS[row["world"]][kind]
    alike = alike_to(row["text"], choices, embedder) if embedder is not None else ()
    if kind == "positions":
        places = ground_places(row["text"], spots(choices), alike)
        first = places.answers[0] if places.answers else None
        found = tuple(choices[k] for k in first.spots) if first is not None else ()
        how, score = places.how, first.score if first is not None else 0.0
    else:
        match = ground_choice(row["text"], [tuple(choice.split(", ")) for choice in choices], alike)
        found = (choices[match.candidate],) if match.candidate is not None else ()
        how, score = match.how, match.score
    means = set(row["means"])
    if found:
        graded = "right" if means.issuperset(found) else "wrong"
    else:
        graded = "right" if not means or row.get("or_none") else "missed"
    return Graded(graded, row["text"], found, how, score, tuple(row["means"]))


def graded(half: Half, kind: Kind, embedder: Embedder | None = None) -> list[Graded]:
    return [grade(row, kind, embedder) for row in answers(half, kind)]


def shares(grades: list[Graded]) -> dict[str, float]:
    counts = Counter(g.grade for g in grades)
    return {name: counts[name] / max(1, len(grades)) for name in ("right", "wrong", "missed")}
