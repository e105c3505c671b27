"""ScienceWorld behind the common interface: scenes are tasks, the seed is the variation, sentences are actions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

from core.common.errors import DataError, SimulatorError, UsageError
from core.common.registry import near_misses
from core.goals.literals import Goal, Literal
from core.goals.possibility import POSSIBLE, Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, Verdict, WorldKind, spaced
from sim.scienceworld import java_process, observation
from sim.scienceworld.java_process import Machine
from sim.scienceworld.observation import Moment, Names
from sim.scienceworld.sentences import RESTART, Grammar, Offers, missing_for

VARIATIONS = {
    "boil": 30, "change-the-state-of-matter-of": 30, "chemistry-mix": 32, "chemistry-mix-paint-secondary-color": 36,
    "chemistry-mix-paint-tertiary-color": 36, "find-animal": 300, "find-living-thing": 300,
    "find-non-living-thing": 300, "find-plant": 300, "freeze": 30, "grow-fruit": 126, "grow-plant": 126,
    "identify-life-stages-1": 14, "identify-life-stages-2": 10, "inclined-plane-determine-angle": 168,
    "inclined-plane-friction-named-surfaces": 1386, "inclined-plane-friction-unnamed-surfaces": 162,
    "lifespan-longest-lived": 125, "lifespan-longest-lived-then-shortest-lived": 125, "lifespan-shortest-lived": 125,
    "measure-melting-point-known-substance": 436, "measure-melting-point-unknown-substance": 300, "melt": 30,
    "mendelian-genetics-known-plant": 120, "mendelian-genetics-unknown-plant": 480, "power-component": 20,
    "power-component-renewable-vs-nonrenewable-energy": 20, "test-conductivity": 900,
    "test-conductivity-of-unknown-substances": 600, "use-thermometer": 540,
}
"""Task by ScienceWorld's name -> its number of variations."""
NAME = "scienceworld"
OPTIONS = ("variation", "simplification")
SIMPLER = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")


def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every task."""
    return tuple((name, title(name)) for name in VARIATIONS)


def title(name: str) -> str:
    """Returns a task's title: `find-plant` -> `Find plant, 300 variations`."""
    return f"{spaced(name.replace('-', '_')).capitalize()}, {VARIATIONS[name]} variations"


def variation_of(task: str, text: str | None) -> int | None:
    """Returns the requested variation; None leaves it to the seed.

    Raises:
        UsageError: the task has no such variation.
    """
    if text is None:
        return None
    if not text.isdecimal() or int(text) >= VARIATIONS[task]:
        raise UsageError(f"variation={text}: {task} has 0 to {VARIATIONS[task] - 1}")
    return int(text)


def simplification_of(text: str) -> str:
    """Returns ScienceWorld's own simplifications, separated by commas.

    Raises:
        UsageError: one is unknown.
    """
    for part in filter(None, text.split(",")):
        if part not in SIMPLER:
            raise UsageError(f"simplification={part}: there is {', '.join(SIMPLER)}")
    return text


def to_saved(task: str, variation: int, seed: int, earlier: int, actions: list[Action]) -> Saved:
    """Returns task, variation, the steps before the episode was last restarted, and the actions since, as text."""
    listed = [[a.verb, *a.args] for a in actions]
    return json.dumps({"world": NAME, "task": task, "variation": variation, "seed": seed, "earlier": earlier,
                       "actions": listed})


def read_saved(saved: Saved, task: str) -> tuple[int, int, int, list[Action]]:
    """Returns seed, variation, earlier steps and actions of a saved state.

    Raises:
        DataError: it is not a state of this task.
    """
    try:
        value: Any = json.loads(saved)
        same = (value["world"], value["task"]) == (NAME, task)
        seed, variation, earlier = int(value["seed"]), int(value["variation"]), int(value.get("earlier", 0))
        actions = [Action(str(verb), tuple(map(str, args))) for verb, *args in value["actions"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"this is not a saved state of ScienceWorld's {task}") from error
    if not same or seed < 0 or earlier < 0:
        raise DataError(f"this state was saved in another world than ScienceWorld's {task}")
    return seed, variation, earlier, actions


AMBIGUOUS = "Ambiguous request"
BEGUN_ANEW = "The episode starts over."
FOREVER = -1.0

T = TypeVar("T")


@dataclass
class Episode:
    """What happened since the episode began.

    Attributes:
        variation: of the task.
        seed: of the episode.
        earlier: steps made before it was restarted.
        names: ids of the objects.
        actions: actions since the start or restart.
    """

    variation: int
    seed: int
    earlier: int = 0
    names: Names = field(default_factory=Names)
    actions: list[Action] = field(default_factory=list)


class ScienceWorldSimulator(Simulator):
    """One experiment.

    Queries are answered from the last moment. Java is asked only for valid actions, once per moment and on demand.
    """

    name: ClassVar[str] = NAME
    kind: ClassVar[WorldKind] = "sentences"
    own_task: ClassVar[bool] = True
    slow: ClassVar[bool] = True
    most_steps: ClassVar[int] = 100
    restores: ClassVar[bool] = False

    def __init__(self, task: str, variation: int | None = None, simplification: str = ""):
        self.task, self._fixed, self._simplification = task, variation, simplification
        self._machine = Machine()
        self._episode = Episode(variation or 0, 0)
        self._offers: Offers | None = None
        self._now: Moment | None = None

    @classmethod
    def missing(cls) -> str:
        """Returns why it cannot be opened here and what to do; empty if it can."""
        return java_process.unavailable()

    @classmethod
    def open(cls, scene: str, options: Mapping[str, str]) -> Self:
        """Opens a task by name. Options are `variation` (otherwise the seed chooses it) and `simplification`.

        Raises:
            UsageError: no such task or option.
            MissingPart: there is no Java, or the package is not installed.
            SimulatorError: Java does not start.
        """
        if scene not in VARIATIONS:
            hint = near_misses(scene, VARIATIONS)
            command = "" if hint else "see: python main.py list scenes --sim scienceworld"
            raise UsageError(f"unknown ScienceWorld task '{scene}'{hint}", command=command)
        for option in options:
            if option not in OPTIONS:
                known = "variation=N and simplification=easy|openDoors|…"
                raise UsageError(f"unknown world option '{option}': scienceworld has {known}")
        return cls(scene, variation_of(scene, options.get("variation")), simplification_of(options.get("simplification", "")))

    @classmethod
    def scenes(cls) -> tuple[tuple[str, str], ...]:
        """Returns (name, title) of the thirty tasks."""
        return titles()

    @property
    def offers(self) -> Offers:
        """Returns the admissible sentences. The templates of a world do not change in an episode."""
        if self._offers is None:
            _ = self.moment
            self._offers = Offers(self._machine, Grammar(self._machine.ask(java_process.templates)))
        return self._offers

    @property
    def schemas(self) -> tuple[ActionSchema, ...]:
        """Returns ScienceWorld's templates, and `do` for any sentence."""
        return self.offers.grammar.schemas

    @property
    def moment(self) -> Moment:
        """Returns the present moment."""
        if self._now is None:
            self.reset(0)
        assert self._now is not None, "just reset"
        return self._now

    @property
    def pid(self) -> int:
        """Returns the id of the Java process."""
        return self._machine.pid

    def ask(self, question: Callable[[Any], T]) -> T:
        """Calls ScienceWorld's own Java interface.

        Raises:
            SimulatorError: Java has ended.
        """
        return self._machine.ask(question)

    # --- episodes ------------------------------------------------------------
    def reset(self, seed: int) -> Observation:
        """Begins an episode. Unless the variation is fixed, it is the seed modulo the number of variations.

        Raises:
            UsageError: a negative seed.
            SimulatorError: Java has ended.
        """
        if seed < 0:
            raise UsageError(f"seed {seed}: seeds are whole numbers from 0")
        variation = seed % VARIATIONS[self.task] if self._fixed is None else self._fixed
        self._begin(Episode(variation, seed), "")
        return self.observe()

    def _begin(self, episode: Episode, reply: str) -> None:
        self._episode = episode
        self._machine.ask(lambda world: java_process.load(world, self.task, episode.variation, self._simplification))
        self._now = self._read(reply, episode.earlier)

    def _read(self, reply: str, steps: int) -> Moment:
        """Returns the present moment. Free looks cost no move."""
        look, inventory, task, score, in_sight = self._machine.ask(lambda world: (
            str(world.freeActionLook()), str(world.freeActionInventory()), str(world.getTaskDescription()),
            float(world.getScore()), java_process.referents(world)))
        names = self._episode.names
        ids = {phrase: names.id(number, phrase) for number, phrase in sorted(in_sight.items(), key=lambda x: int(x[0]))}
        look, inventory = observation.settled(look), observation.settled(inventory)
        carried = [d.head for d in observation.descriptions(inventory)]
        held = names.moved_on(in_sight, carried, lambda: self._machine.ask(java_process.everywhere))
        return Moment(task, reply, look, inventory, ids, held, round(100 * score), steps)

    def save(self) -> Saved:
        """Returns task, variation and the actions since the episode began or restarted. ScienceWorld repeats itself exactly."""
        episode = self._episode
        return to_saved(self.task, episode.variation, episode.seed, episode.earlier, episode.actions)

    def restore(self, saved: Saved) -> Observation:
        """Begins again and repeats the same actions.

        Raises:
            DataError: not a state of this task.
            SimulatorError: Java has ended.
        """
        seed, variation, earlier, actions = read_saved(saved, self.task)
        if variation != (seed % VARIATIONS[self.task] if self._fixed is None else self._fixed):
            raise DataError(f"this state was saved in variation {variation} of {self.task}")
        self._begin(Episode(variation, seed, earlier), BEGUN_ANEW if earlier else "")
        for action in actions:
            self.step(action)
        return self.observe()

    def goal(self) -> Goal:
        """Returns the only goal there is here: the experiment succeeds."""
        return Goal((Literal("is", "task", states=frozenset({"done"})),), self.moment.task)

    def possible(self, goal: Goal, *, tidy: bool = False) -> Possibility:
        """Returns POSSIBLE for the task itself. No other goal can be judged."""
        del tidy
        if goal.literals == self.goal().literals:
            return POSSIBLE
        return Possibility("not a task here", f"ScienceWorld judges only its own task: {self.moment.task}")

    def expert(self, goal: Goal) -> tuple[Action, ...]:
        """Returns ScienceWorld's own solution from the start, as sentences. Computing it takes seconds."""
        if not self.possible(goal):
            return ()
        episode = self._episode

        def work_out(world: Any) -> list[str]:
            java_process.load(world, self.task, episode.variation, self._simplification, gold=True)
            return list(world.getGoldActionSequence())

        sentences = self._machine.ask(work_out)
        self.restore(self.save())
        return tuple(Action("do", (s,)) for s in sentences)

    def close(self) -> None:
        """Ends Java."""
        self._machine.close()

    # --- acting --------------------------------------------------------------
    def verdict(self, action: Action) -> Verdict:
        """Returns whether ScienceWorld lists the action as valid now. Free sentences are only judged when they are tried.

        While Java is busy with a step, or has ended, nothing is admissible. The step itself reports what is wrong.
        """
        try:
            return self.offers.verdict(action, self.moment, self._episode.names, java_process.PATIENCE)
        except SimulatorError as error:
            return Verdict(False, "free", str(error))

    def step(self, action: Action) -> Outcome:
        """Sends the sentence. ok is False if ScienceWorld's answer is a refusal; its clock advances all the same.

        `restart` restarts the episode with the same variation. It is no move and does not count as a step. The answer to a
        request that ScienceWorld calls ambiguous counts as one more step.

        Raises:
            SimulatorError: Java has ended.
        """
        now, episode = self.moment, self._episode
        verdict = self.offers.verdict(action, now, episode.names, FOREVER)
        if verdict.ok and action.verb == RESTART.verb:
            self._begin(Episode(episode.variation, episode.seed, now.steps), BEGUN_ANEW)
            return Outcome(action, True, "", self.moment.seen(BEGUN_ANEW))
        reply, steps = verdict.reason, now.steps + 1
        if verdict.ok:
            reply, sent = self._say(self.offers.sentence(action, now, episode.names, FOREVER))
            steps = now.steps + sent
            self._now = self._read(reply, steps)
            if missing := missing_for(reply):
                verdict = Verdict(False, missing, f"ScienceWorld: {reply}")
        else:
            self._now = replace(now, reply=reply, steps=steps)
        episode.actions.append(action)
        return Outcome.of(action, verdict, self._now.seen(reply))

    def _say(self, sentence: str) -> tuple[str, int]:
        """Returns the answer and the number of sentences sent: of an ambiguous sentence the first reading is chosen.

        The first is the alphabetically first one, because ScienceWorld's own order changes with every start and episodes must
        repeat.
        """
        def say(world: Any) -> tuple[str, int]:
            reply = str(world.step(sentence))
            return (str(world.step(observation.first_of(reply))), 2) if reply.startswith(AMBIGUOUS) else (reply, 1)

        return self._machine.ask(say)

    def admissible(self) -> tuple[Action, ...]:
        """Returns everything ScienceWorld lists as valid now, and `restart`."""
        return (*self.offers.sentences(self.moment, self._episode.names, java_process.PATIENCE), Action(RESTART.verb))

    # --- observations --------------------------------------------------------------
    def observe(self) -> Observation:
        """Returns the task, the room and the inventory."""
        return self.moment.seen(self.moment.task)

    def reveal(self) -> Observation:
        """Returns the same: the progress of the task is in its state and score."""
        return self.observe()

    def shot(self, view: View, width: int = 640, height: int = 480, *, still: bool = False) -> Callable[[], Frame]:
        """Captures the room, or the task and the inventory, as a page of text."""
        del still
        return observation.shot(self.moment, view, width, height)
