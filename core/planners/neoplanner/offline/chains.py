"""Everyday sequences: fill a vessel at a tap, mix the contents of two vessels, heat or cool a vessel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from core.planners.neoplanner.offline_knowledge import (
    COLD,
    HOT,
    LITTLE,
    TEXTS,
    VESSELS,
    Recollection,
    Surroundings,
    Task,
    has_words,
    head,
)

Scored = tuple[float, tuple[str, ...]]
MIXING = re.compile(r"\bmix|chemistry|recipe")
TREATMENTS = ((HOT, re.compile(r"\bboil|melt|heat|combust")), (COLD, re.compile(r"freez|cool")))
HOLDING = r"is: [^\n]*containing (?!nothing)"


def chains(here: Surroundings, memory: Recollection, task: Task) -> Iterator[Scored]:
    """Yields the plans of everyday knowledge with their scores."""
    vessels = [n for n in dict.fromkeys((*here.things, *here.carried)) if (n.split() or [""])[-1] in VESSELS and head(n) == n]
    full = {v: here.contents(v) for v in vessels}
    wanted = [v for v in vessels if any(task.mention(x) >= LITTLE for x in full[v].split(", ") if x)]
    if "water" in task.text and not any("water" in inside.split(", ") for inside in full.values()):
        yield from _filling(here, full)
    for vessel in wanted:
        if vessel in here.things:
            yield 1.5, (f"pick up {vessel}",)
        if "," in full[vessel]:
            yield 2.5, (f"mix {vessel}",)
    if MIXING.search(task.text):
        solids = [n for n in dict.fromkeys((*here.carried, *here.things))
                  if here.named(n) and n not in full and not n.startswith("substance ") and not TEXTS.search(n)]
        yield from _mixing(full, wanted, solids)
    for places, asked in TREATMENTS:
        if asked.search(task.task):
            yield from _treating(here, memory, places, wanted)


def _mixing(full: Mapping[str, str], wanted: list[str], solids: list[str]) -> Iterator[Scored]:
    """Yields plans that bring all relevant substances into one vessel and mix them; vessels with some of them are preferred.

    Args:
        full: vessel -> its contents.
        wanted: vessels that contain something relevant to the task.
        solids: objects named in the task that are here or carried.
    """
    for vessel, inside in full.items():
        others = list({full[v]: v for v in wanted if v != vessel and full[v] != inside}.values())
        loose = [s for s in solids if s not in inside.split(", ")]
        if len(others) + len(loose) + (vessel in wanted) > 1 and (vessel in wanted or not inside):
            adding = (*(f"pour {other} in {vessel}" for other in others), *(f"move {solid} to {vessel}" for solid in loose))
            yield 2.2 + 0.3 * (vessel in wanted), (*adding, f"mix {vessel}")


def _filling(here: Surroundings, full: dict[str, str]) -> Iterator[Scored]:
    """Yields plans that get water from a sink."""
    empty = [v for v, inside in full.items() if not inside]
    if "sink" in here.things:
        yield 2.2 if "sink, which is turned off" in here.look else -2.0, ("activate sink",)
        for vessel in empty:
            yield 2.0, (f"move {vessel} to sink",)
    for vessel in empty:
        if vessel in here.things:
            yield 1.2, (f"pick up {vessel}",)


def _treating(here: Surroundings, memory: Recollection, places: tuple[str, ...], wanted: list[str]) -> Iterator[Scored]:
    """Yields plans that bring vessels to a heating or cooling appliance, switch it on, and wait."""
    near = [n for n in here.things if any(has_words(n, p) for p in places) and head(n) == n]
    for place in near:
        for vessel in wanted:
            yield 2.6, (f"move {vessel} to {place}",)
        if f"{place}, which is turned off" in here.look:
            yield 2.2, (f"activate {place}",)
        if here.says_of(place, "door is closed"):
            yield 1.8, (f"open {place}",)
        if here.says_of(place, HOLDING):
            yield 2.4, ("wait", "wait")
    if not near and set(wanted) & set(here.carried):
        for name, room in sorted(memory.seen.items()):
            path = memory.way(here.room, room) if any(has_words(name, p) for p in places) else []
            if path:
                yield 2.3, tuple(memory.walk(here.room, path))
