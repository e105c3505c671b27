"""ScienceWorld behind the common interface: scenes are tasks, the seed is the variation, sentences are actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

from core.common.errors import DataError, SimulatorError, UsageError
from core.common.registry import near_misses
from core.goals.literals import Goal, Literal
from core.goals.possibility import POSSIBLE, Possibility
from core.planning.facets import Frame, View
from core.simulator.base import Saved, Simulator
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, Verdict, WorldKind
from sim.scienceworld import java_process, observation
from sim.scienceworld.java_process import Machine
from sim.scienceworld.observation import Moment, Names
from sim.scienceworld.sentences import RESTART, Grammar, Offers, missing_for
from sim.scienceworld.settings import NAME, OPTIONS, VARIATIONS, read_saved, simplification_of, titles, to_saved, variation_of

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
