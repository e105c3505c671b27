"""Problems of the search made at random, states of knowledge in them, and worlds that fit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from core.search.macros import ADMISSIBLE
from core.search.model import IN_HAND, NOWHERE, Ints, State, reveal, reveals
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.rearrangement import Vector


class Task(NamedTuple):
    """A problem, what is known in it, and where the ghosts are believed to be.

    Attributes:
        problem: goal and map.
        knowledge: what the robot knows.
        ghosts: objects that were not found.
        belief: [G, P] probability of each location; none where it was looked into.
        world: the same with a location for each ghost, where it is likely.
    """

    problem: Problem
    knowledge: State
    ghosts: tuple[int, ...]
    belief: Vector
    world: State


def is_same(one: State, other: State) -> bool:
    """Whether two states are equal in all that they hold."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def random_layout(rng: np.random.Generator) -> Layout:
    """One to four rooms; furniture with an inside, a top or both; a floor for each room."""
    rooms, places = int(rng.integers(1, 5)), list[Place]()
    for k in range(int(rng.integers(1, 10))):
        room, inside, opens = int(rng.integers(rooms)), rng.random() < 0.6, bool(rng.random() < 0.7)
        if inside:
            places.append(Place(f"piece_{k}", "piece", "inside", room, opens))
        if not inside or rng.random() < 0.3:
            places.append(Place(f"piece_{k}", "piece", "on", room, False))
    floors = [Place(f"room_{r}", "room", "floor", r, False) for r in range(rooms)]
    return Layout(tuple((f"room_{r}", "room") for r in range(rooms)), (*places, *floors))


def random_problem(rng: np.random.Generator) -> Problem:
    """One to four wants over one to seven objects; an object may serve two; some locations refuse some objects."""
    layout = random_layout(rng)
    objects, usable = int(rng.integers(1, 8)), len(layout.places) - len(layout.rooms)
    in_goal = int(rng.integers(1, objects + 1))
    wants = []
    for _ in range(int(rng.integers(1, 5))):
        items = rng.choice(in_goal, int(rng.integers(1, in_goal + 1)), replace=False)
        targets = np.sort(rng.choice(usable, int(rng.integers(1, min(3, usable) + 1)), replace=False))
        wants.append(Want(tuple(items.tolist()), tuple(targets.tolist()), int(rng.integers(1, len(items) + 1))))
    barred = rng.random((objects, len(layout.places))) < rng.choice([0.0, 0.15])
    barred[:, usable:] = True
    return Problem(layout, tuple(wants), objects, barred, in_goal)


def random_task(seed: int, walk: int = 12) -> Task:
    """A problem in the middle of an episode: known objects anywhere, some opened and looked into, and a few actions done."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    model, objects = problem.model, len(problem.model.barred)
    locations = len(model.room_of)
    opened = model.openable & (rng.random(locations) < 0.3)
    looked = (rng.random(locations) < 0.4) | opened
    ghosts = tuple(i for i in range(model.in_goal) if rng.random() < 0.5)
    belief = np.where(looked, 0.0, rng.random((len(ghosts), locations)) + 0.01)
    if looked.all():
        ghosts, belief = (), np.zeros((0, locations))
    belief = belief / belief.sum(axis=1, keepdims=True)
    where = rng.integers(0, locations, objects)
    held = -1
    if rng.random() < 0.3:
        held = int(rng.integers(objects))
        held = -1 if held in ghosts else held
    for k, ghost in enumerate(ghosts):
        where[ghost] = rng.choice(locations, p=belief[k])
    where[held:held + 1 or None] = IN_HAND if held >= 0 else where[held:held + 1 or None]
    world = knowledge_of((int(rng.integers(len(problem.layout.rooms))), -1, -1, held), opened, where.tolist(), looked)
    world.known[list(ghosts)] = False
    see(problem, world, ghosts)
    for _ in range(int(rng.integers(walk + 1))):
        moves = problem.moves(world, ADMISSIBLE)
        if moves:
            act(problem, world, ghosts, moves[int(rng.integers(len(moves)))].action)
    missing = tuple(g for g in ghosts if not world.known[g])
    left = np.where(world.looked, 0.0, belief[[k for k, g in enumerate(ghosts) if g in missing]])
    return Task(problem, known_of(world), missing, left / left.sum(axis=1, keepdims=True), world)


def see(problem: Problem, world: State, ghosts: tuple[int, ...]) -> Ints:
    """What `reveal` finds."""
    found = np.zeros(len(ghosts), np.int32)
    return found[:reveal(problem.model, world, np.array(ghosts, np.int32), found)]


def act(problem: Problem, world: State, ghosts: tuple[int, ...], action: int) -> bool:
    """Does a primitive action in a world, and sees what it brings into sight."""
    done = problem.step(world, action)
    if done and reveals(action):
        see(problem, world, ghosts)
    return done


def known_of(world: State) -> State:
    """What the robot knows in a world."""
    knowledge = world.copy()
    knowledge.where[~world.known] = NOWHERE
    return knowledge


tasks = st.integers(0, 2**32 - 1).map(random_task)
"""Tasks for property tests; they shrink to those of small seeds."""
