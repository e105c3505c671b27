"""The event streams of runs, as digests: `python -m tests.goldens.streams` compares, with `--write` it writes them anew.

A stream is the run of one planner in one scene from one seed. What it measures of this machine (times, versions) is left out of
the digest, and figures are rounded: another processor may compute the last digit differently.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from core.app.launch import build
from core.app.run_request import Request
from core.recording.codec import Codec
from core.recording.encoder import array_of
from core.recording.pictures import without_pixels
from core.session.events import Event
from core.session.session import Session
from sim.registry import simulator_class

FILE = Path(__file__).with_name("streams.json")
TURNS = 8
SEEDS = 0, 1, 2
HOMES = "four-rooms-1", "four-rooms-2", "FloorPlan1", "FloorPlan301"
MINDS = {
    "household": ("oracle", "llm-mcts", "llm-mcts-fully-observable", "uct", "llm-policy", "bcr", "llm-state", "greedy",
                  "progprompt", "cloned-policy", "inner-monologue"),
    "decision-lab": ("lab-policy", "lab-model"),
}
"""The planners that play in each world without a package of somebody else's."""
SETTINGS: dict[str, dict[str, int]] = {name: {"simulations": 100} for name in ("llm-mcts", "llm-mcts-fully-observable", "uct")}
MEASURED = frozenset({"number", "at", "worked", "seconds", "first_token", "rate", "thinking", "waiting", "acting", "compiling",
                      "versions"})
"""Fields that say something of the machine; the number of an event is its place."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Stream:
    """What is played."""

    planner: str
    world: str
    scene: str
    seed: int

    def __str__(self) -> str:
        return f"{self.planner} {self.scene or self.world} {self.seed}"

    def events(self) -> list[Event]:
        """Plays it and returns its events."""
        request = Request(planner=self.planner, simulator=self.world, scene=self.scene, seed=self.seed, max_steps=TURNS,
                          parameters=SETTINGS.get(self.planner, {}), cache=False)
        session, events = Session(build(request, simulator_class)), list[Event]()
        session.subscribe(events.append)
        session.run()
        return events


def streams() -> Iterator[Stream]:
    """Yields all streams."""
    for world, planners in MINDS.items():
        for scene in HOMES if world == "household" else ("",):
            yield from (Stream(planner, world, scene, seed) for planner in planners for seed in SEEDS)


def digest(events: list[Event], codec: Codec) -> list[str]:
    """Returns, for each turn, the number of its events and a digest of them."""
    turns: dict[int, list[str]] = {}
    for (turn, _), group in groupby(events, key=lambda event: (event.turn, type(event.what))):
        told = [json.dumps(_comparable(json.loads(codec.encode(without_pixels(event)))), sort_keys=True) for event in group]
        turns.setdefault(turn, []).extend(sorted(told))  # replies that are fetched at once come in any order
    return [f"{len(told)} {hashlib.sha256(''.join(told).encode()).hexdigest()[:12]}" for told in turns.values()]


def _comparable(value: Any) -> Any:
    """Returns plain data without what is measured, and with rounded figures."""
    if isinstance(value, dict) and value.get("$") == "array":
        return _comparable(array_of(value, value["dtype"]).tolist())
    if isinstance(value, dict):
        return {key: _comparable(part) for key, part in value.items() if key not in MEASURED}
    if isinstance(value, list):
        return [_comparable(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def recorded() -> dict[str, list[str]]:
    """Returns the digests as they were written."""
    found: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))
    return found


def first_difference(before: list[str], now: list[str]) -> str:
    """Returns where two streams part; empty if they are equal."""
    for turn, (one, other) in enumerate(zip(before, now, strict=False)):
        if one != other:
            return f"turn {turn}: {one} before, {other} now"
    return "" if len(before) == len(now) else f"{len(before)} turns before, {len(now)} now"


def main() -> int:
    """Compares all streams with what was written, or writes them."""
    codec, found, before = Codec(), dict[str, list[str]](), {} if "--write" in sys.argv else recorded()
    for stream in streams():
        found[str(stream)] = now = digest(stream.events(), codec)
        if before and (difference := first_difference(before[str(stream)], now)):
            print(f"{stream}: {difference}")
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(found, indent=0) + "\n", "utf-8")
    print(f"{len(found)} streams, {sum(map(len, found.values()))} turns")
    return int(bool(before) and found != before)


if __name__ == "__main__":
    sys.exit(main())
