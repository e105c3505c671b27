"""The search's model of the world agrees with the household simulator: what can be done there, and what it leads to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from core.search.macros import ADMISSIBLE
from core.search.model import AT, CLOSE, GO, GRAB, HELD, KIND, NEAR, NEAR_TO, NOWHERE, OPEN, PUT, ROOM, WALK, State
from core.search.problem import Problem
from core.search.rearrangement import NO_SPACE, Rearrangement
from core.search.translation import to_actions
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of, home

TURNS = 60
LIKELY = {WALK: 1.0, GRAB: 4.0, PUT: 6.0, OPEN: 40.0, CLOSE: 40.0}
"""How often a random robot does what changes something, beside walking."""
CASES = [("four-rooms-1", "put one apple inside the fridge and one book on the sofa", 0),
         ("four-rooms-2", "put two mugs on the desk", 1), ("four-rooms-4", "put one apple inside the fridge", 2),
         ("FloorPlan7", "put one apple inside the fridge", 3), ("FloorPlan201", "put one book on the sofa", 4)]


class Named(NamedTuple):
    """What a state says, in the names of the world."""

    room: int
    at: int
    near: str | None
    held: str | None
    where: dict[str, int]
    opened: tuple[bool, ...]

    @classmethod
    def of(cls, state: State, names: list[str]) -> Named:
        robot = state.robot.tolist()
        where = {name: place for name, place in zip(names, state.where.tolist(), strict=True) if place != NOWHERE}
        near, held = (names[robot[k]] if robot[k] >= 0 else None for k in (NEAR, HELD))
        return cls(robot[ROOM], robot[AT], near, held, where, tuple(state.opened.tolist()))


class Robot:
    """One that knows what it has seen, and does something at random."""

    def __init__(self, simulator: HouseholdSimulator, text: str, seed: int):
        self.simulator, self._rng = simulator, np.random.default_rng(seed)
        self.mind = Rearrangement(goal_of(simulator, text), simulator.schemas, clutter=True)
        self.mind.see(simulator.observe())
        self.standing_on = {i.id: i.holder.id for i in simulator.scene.items if i.category == "furniture" and i.holder}

    def primitives(self, problem: Problem) -> list[int]:
        """Every primitive action about something that was found."""
        found = [i for i, thing in enumerate(self.mind.things) if thing is not None]
        usable = [k for k in range(len(problem.model.usable)) if problem.model.usable[k]]
        furniture = [k for k, room in enumerate(problem.model.room_of_furniture) if room >= 0]
        return [*(GO + r for r in range(len(problem.layout.rooms))), *(WALK + k for k in furniture),
                *(kind + i for kind in (NEAR_TO, GRAB) for i in found),
                *(kind + k for kind in (PUT, OPEN, CLOSE) for k in usable)]

    @staticmethod
    def floors(problem: Problem) -> list[int]:
        """What counts as furniture only because things lie there."""
        return [k for k, room in enumerate(problem.model.room_of_furniture) if room < 0]

    def action(self, knowledge: State, primitive: int) -> Action:
        """A primitive action as the world calls it."""
        return to_actions(self.mind.layout, self.mind.names, (primitive,), int(knowledge.robot[HELD]))[0]

    def compare(self, problem: Problem, knowledge: State) -> int:
        """Every primitive action is admissible in both or in neither; returns how many are."""
        admissible = 0
        for primitive in self.primitives(problem):
            if primitive & KIND == PUT and knowledge.robot[HELD] < 0:
                assert not problem.step(knowledge.copy(), primitive)
                continue
            action = self.action(knowledge, primitive)
            verdict, can = self.simulator.verdict(action), problem.step(knowledge.copy(), primitive)
            at = problem.layout.spots[knowledge.robot[AT]] if knowledge.robot[AT] >= 0 else ""
            if can and primitive & KIND == PUT and verdict.precondition in NO_SPACE:
                continue  # what a place holds is learned by trying
            if not can and primitive & KIND == PUT and self.standing_on.get(at) == action.args[1]:
                continue  # at a sink that is set into a worktop, the worktop is within reach too
            assert can == verdict.ok, (action, verdict)
            admissible += can
        return admissible

    def act(self, problem: Problem, knowledge: State) -> int:
        """Does something, and compares what became of it; returns what kind of action it was."""
        moves = [move.action for move in problem.moves(knowledge, ADMISSIBLE)]
        weights = np.array([LIKELY.get(move & KIND, 0.2) for move in moves])
        primitive = int(self._rng.choice(moves, p=weights / weights.sum()))
        outcome = self.simulator.step(self.action(knowledge, primitive))
        names = self.mind.names
        self.mind.update(outcome)
        self.mind.see(outcome.observation)
        after, now = self.mind.problem()
        if not outcome.ok:
            assert not after.step(now.copy(), primitive), "it has learned from the refusal"
            return -1
        assert problem.step(knowledge, primitive)
        meant, real = Named.of(knowledge, names), Named.of(now, self.mind.names)
        assert meant.where.items() <= real.where.items(), "the rest was found just now"
        if primitive & KIND == GRAB:  # whoever takes something out of a fridge still stands beside what else is there
            real = real._replace(near=meant.near)
        if knowledge.robot[AT] in self.floors(problem):  # the floor is nothing that one stands at
            meant = meant._replace(at=-1)
        assert meant._replace(where={}) == real._replace(where={}), outcome.action
        return primitive & KIND


@pytest.mark.parametrize(("scene", "text", "seed"), CASES)
def test_they_agree(scene: str, text: str, seed: int) -> None:
    done, admissible = list[int](), 0
    with home(scene, seed) as simulator:
        robot = Robot(simulator, text, seed)
        for _ in range(TURNS):
            problem, knowledge = robot.mind.problem()
            admissible += robot.compare(problem, knowledge)
            done.append(robot.act(problem, knowledge))
    assert {NEAR_TO, GRAB, PUT, OPEN} <= set(done), "all of it was tried"
    assert admissible > 5 * TURNS
