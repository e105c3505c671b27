"""A second simulator that repeats a run, live or recorded, up to a moment: to look at its world without disturbing the run.

Episodes are deterministic, so the actions and the operator's changes of the world lead to the same state again.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.common.errors import DataError, UsageError
from core.planning.facets import Moment, Phase
from core.session.snapshot import Snapshot
from core.simulator.base import Saved, Simulator, WorldChange, difference
from core.world.vocabulary import Action, AgentState, Relation

KEEP_EVERY = 8
"""Steps between two states that are kept, to return to."""
OTHER = "the world of this turn cannot be made again: "

World = tuple[str, str, int]
"""The name of a simulator, its scene and a seed."""


@dataclass(frozen=True, slots=True)
class WorldMoment:
    """A state of the world of a run.

    Attributes:
        world: what the run began with.
        steps: the actions, and the changes of the world, that led here.
        agent: the robot here, as the run observed it.
        relations: what else the run observed here; empty if that is not kept.
        turn: the turn, and whether its action is done: `phase` is "before" or "after" it.
        branch: the branch of the turn.
    """

    world: World
    steps: tuple[Action | WorldChange, ...]
    agent: AgentState
    relations: tuple[Relation, ...]
    turn: int
    phase: Phase
    branch: int

    @property
    def moment(self) -> Moment:
        """The turn and its branch."""
        return Moment(self.branch, self.turn)


def moment_of(snapshot: Snapshot) -> WorldMoment | None:
    """Returns the state of the world that a snapshot shows; None if it has none.

    After the action of a turn this is the state before it, if that is what the snapshot's picture of the house shows.
    """
    began, seen = snapshot.began, snapshot.seen
    if began is None or seen is None:
        return None
    changes = [(mark.turn, mark.change) for mark in snapshot.world_changes if mark.change is not None]
    steps: list[Action | WorldChange] = []
    acted = 0
    for turn in snapshot.line:
        if turn.outcome is not None:
            steps += (change for number, change in changes if acted < number <= turn.number)
            steps.append(turn.outcome.action)
            acted = turn.number
    world, here, picture = (began.simulator, began.scene, began.seed), max(1, snapshot.turn), snapshot.frames.get("dollhouse")
    if acted == here and picture is not None and picture.moment == snapshot.moment and picture.phase == "before":
        return WorldMoment(world, tuple(steps[:-1]), snapshot.line[-1].agent, (), here, "before", snapshot.branch)
    steps += (change for number, change in changes if number > acted)
    return WorldMoment(world, tuple(steps), seen.agent, seen.relations, here, "after" if acted == here else "before",
                       snapshot.branch)


class Replica:
    """A simulator that is brought to any moment of one run. Not thread-safe.

    Args:
        simulator: freshly opened. It is closed with the replica.
        seed: the seed of the run.
    """

    def __init__(self, simulator: Simulator, seed: int):
        self._simulator = simulator
        self._simulator.reset(seed)
        self._path: list[Action | WorldChange] = []
        self._kept: list[Saved] = [simulator.save()]
        """States after 0, `KEEP_EVERY`, 2·`KEEP_EVERY` … steps of the path."""

    def bring(self, moment: WorldMoment) -> Simulator:
        """Returns the simulator in the state of a moment.

        Raises:
            DataError: the state differs from what the run observed.
            BelvedereError: the simulator refuses.
        """
        path, steps = self._path, moment.steps
        most = min(len(path), len(steps))
        shared = next((k for k in range(most) if path[k] != steps[k]), most)
        if shared < len(path):
            back = shared // KEEP_EVERY
            del path[back * KEEP_EVERY:], self._kept[back + 1:]
            self._simulator.restore(self._kept[back])
        for step in steps[len(path):]:
            if isinstance(step, WorldChange):
                self._simulator.change(step)
            else:
                self._simulator.step(step)
            path.append(step)
            if len(path) % KEEP_EVERY == 0:
                self._kept.append(self._simulator.save())
        if other := difference(self._simulator.reveal(), moment.agent, moment.relations):
            raise DataError(OTHER + other)
        return self._simulator

    def try_change(self, moment: WorldMoment, change: WorldChange) -> str:
        """Returns why the world cannot be changed so at a moment; empty if it can."""
        simulator = self.bring(moment)
        now = simulator.save()
        try:
            simulator.change(change)
        except UsageError as refused:
            return str(refused)
        finally:
            simulator.restore(now)
        return ""

    def close(self) -> None:
        """Closes the simulator."""
        self._simulator.close()
