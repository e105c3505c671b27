"""What the cloned policy is trained on: for each step of the expert, what it reads, and which choice the expert took.

A detour changes a trajectory: before one of its walks, the robot looks into rooms and containers that the expert does not need.
The expert knows where everything is, so its actions afterwards stay the same. Without detours no trajectory shows how to go on
when something is not where it was looked for. They are ours, not the paper's, and off unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from core.planners.cloned_policy.text import MOST_PAST, Scene, choices_of, goal_clauses, parsed_clauses, seen_clauses
from core.planning.trajectories import Trajectory
from core.world.vocabulary import spaced

MOST_ROOMS, MOST_OPENED = 2, 4
"""The maximum numbers of other rooms visited in a detour, and of containers opened in each room of it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One step: what is read, and the index of the expert's choice."""

    scene: Scene
    taken: int


@dataclass(frozen=True, slots=True)
class Home:
    """What the texts of a home tell.

    Attributes:
        rooms: the names of its rooms.
        doors: room -> the names of its furniture with doors.
        contents: such furniture -> what was in it whenever it was open.
    """

    rooms: tuple[str, ...]
    doors: Mapping[str, tuple[str, ...]]
    contents: Mapping[str, tuple[tuple[str, ...], ...]]

    @classmethod
    def of(cls, observations: Iterable[tuple[str, ...]]) -> Home:
        """Returns the home of the clauses of observations. A room holds something and lies nowhere itself."""
        names, holders, doors, contents = set[str](), set[str](), set[tuple[str, str]](), set[tuple[str, tuple[str, ...]]]()
        for seen in observations:
            found = list(parsed_clauses(seen))
            names.update(c.name for c in found)
            holders.update(c.holder for c in found)
            doors.update((c.holder, c.name) for c in found if c.state)
            for opened in (c.name for c in found if c.state == "open"):
                contents.add((opened, tuple(c.name for c in found if c.holder == opened)))
        rooms = tuple(sorted(holders - names - {""}))
        return cls(rooms, {room: tuple(sorted(name for holder, name in doors if holder == room)) for room in rooms},
                   {name: tuple(sorted(held for opened, held in contents if opened == name)) for _, name in doors})


def homes_of(trajectories: Iterable[Trajectory]) -> dict[str, Home]:
    """Returns scene -> home."""
    found: dict[str, set[str]] = {}
    for t in trajectories:
        found.setdefault(t.scene, set()).update(step.observation for step in t.steps)
    return {scene: Home.of(map(seen_clauses, texts)) for scene, texts in found.items()}


def samples_of(t: Trajectory, home: Home, rng: np.random.Generator | None = None) -> Iterator[Sample]:
    """Yields the steps of a trajectory. With random numbers: after a detour, from the step it precedes."""
    goal, past, opened = goal_clauses(t.goal), list[str](), dict[str, tuple[str, ...]]()
    walks = [k for k, step in enumerate(t.steps) if step.phrase.startswith("walk to ")]
    first = walks[int(rng.integers(len(walks)))] if rng is not None and walks else -1
    for k, step in enumerate(t.steps):
        if rng is not None and k == first:
            detour, opened = _detour(t, k, home, rng)
            past += detour
        if rng is None or 0 <= first <= k:
            seen = _with_open(seen_clauses(step.observation), opened)
            choices = tuple(dict.fromkeys((*choices_of(seen, past, home.rooms), step.phrase)))
            yield Sample(Scene(goal, tuple(past[-MOST_PAST:]), seen, choices), choices.index(step.phrase))
        past.append(step.phrase)


def _detour(t: Trajectory, k: int, home: Home, rng: np.random.Generator) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Returns the phrases of a detour before step k, and what it opens -> what is in it, without objects of the goal."""
    wanted = [spaced(x.subject) for x in t.goal]
    needed = {step.phrase for step in t.steps}
    here = next((c.holder for c in parsed_clauses(seen_clauses(t.steps[k].observation)) if c.holder in home.rooms), "")
    others = [room for room in home.rooms if room != here and f"walk to the {room}" not in needed]
    tour = [others[int(i)] for i in rng.permutation(len(others))[:rng.integers(MOST_ROOMS + 1)]]
    phrases, opened = list[str](), dict[str, tuple[str, ...]]()
    for room in (*tour, here):
        if tour and room:
            phrases.append(f"walk to the {room}")
        doors = [name for name in home.doors.get(room, ()) if f"open the {name}" not in needed]
        for i in rng.permutation(len(doors))[:rng.integers(MOST_OPENED + 1)]:
            phrases += (f"walk to the {doors[i]}", f"open the {doors[i]}")
            held = home.contents.get(doors[i], ()) or ((),)
            opened[doors[i]] = tuple(name for name in held[int(rng.integers(len(held)))]
                                     if not any(name.startswith(cls) for cls in wanted))
    return phrases, opened


def _with_open(seen: tuple[str, ...], opened: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Returns the clauses of an observation in which some containers are open. `opened`: container -> what is in it."""
    if not opened:
        return seen
    found = list(parsed_clauses(seen))
    now = [c.name for c in found if c.state == "closed" and c.name in opened]
    known = {c.name for c in found}
    changed = (f"{clause.removesuffix('closed')}open" if c.name in now else clause
               for clause, c in zip(seen, found, strict=True))
    inside = (f"the {thing} is inside the {name}" for name in now for thing in opened[name] if thing not in known)
    return (*changed, *inside)
