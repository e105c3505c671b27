"""The one door by which tasks become goals: rules first; what they do not understand goes to a language model, if there is one.

The command line, the window and the library read tasks here. A refusal names the words, what the model said, and tasks that are
possible in the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.app.goal_suggestions import suggestions, usual_places, without_contradiction
from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, GoalError
from core.common.visible import pasted
from core.goals.formal_text import formal, is_formal, read_formal
from core.goals.literals import Goal
from core.goals.parser.questions import asked_about
from core.goals.parser.sentence import read_sentence
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from core.llm.model import LanguageModel
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.whereabouts import where_is
from core.simulator.base import Simulator

if TYPE_CHECKING:  # imported when the rules leave a task to a model
    from core.llm.goal_translation import Translation

Calls = tuple[tuple[ModelRequest, ModelReply], ...]


@dataclass(frozen=True, slots=True)
class TaskReading:
    """How a task was read.

    Attributes:
        reading: the goal, or the refusal with its suggestions.
        calls: the model requests that it took, with their replies; empty if no model was asked.
    """

    reading: GoalReading
    calls: Calls = ()

    @property
    def goal(self) -> Goal:
        """The goal.

        Raises:
            GoalError: there is none.
        """
        if self.reading.goal is None:
            raise self.reading.refusal or GoalError("the task is not understood")
        return self.reading.goal


def read_task(world: Simulator, text: str, seed: int, model: Callable[[], LanguageModel | None] | None = None,
              cancelled: Cancellation | None = None) -> TaskReading:
    """Returns how a task is read: words, or a goal as formal text.

    Args:
        world: the simulator, reset to the seed.
        text: the task.
        seed: for tasks that are drawn as suggestions.
        model: returns the language model; called only if the rules do not understand the task. None: there is none. The offline
            rules and the operator are no language models and are not asked.
        cancelled: ends a model's request when it is set.

    Raises:
        ModelError: of the kind `cancelled`, soon after `cancelled` was set.
    """
    own, text = world.goal(), pasted(text)
    if own is not None and text.strip() == own.text:
        return TaskReading(GoalReading(own))
    if is_formal(text):
        return read_formal_task(world, text, text.strip(), seed)
    seen = world.reveal()
    lexicon = Lexicon(seen.entities, seen.relations)
    reading, calls = read_sentence(text, lexicon, usual_places(seen)), Calls()
    if reading.goal is not None:
        return TaskReading(_checked(world, lexicon, text, reading, seed))
    refusal = reading.refusal or GoalError("the task is not understood")
    if (question := asked_about(text, lexicon)) is not None:
        told = f"{where_is(question, world.observe())} “{question.text}” asks something: a task says what the robot is to do"
        asked = replace(reading, question=question)
        return TaskReading(_refused(world, lexicon, text, asked, GoalError(told, question.text), seed,
                                    (f"Bring me {question.noun}",)))
    if model is not None and own is None and text.strip():
        answer = _by_model(world, text, model, cancelled or Cancellation())
        if answer.reading is not None:
            return TaskReading(answer.reading, answer.calls)
        calls = answer.calls
        if answer.trouble:
            refusal = GoalError(f"{refusal.cause}; {answer.trouble}", refusal.words, refusal.instead)
    return TaskReading(_refused(world, lexicon, text, reading, refusal, seed), calls)


def read_formal_task(world: Simulator, formal_goal: str, text: str, seed: int) -> TaskReading:
    """Returns the goal that a formal text states, as `--goal` and the console's chips give it.

    Args:
        world: the simulator, reset to the seed.
        formal_goal: the formal text.
        text: the task in words, which the goal keeps.
        seed: for tasks that are drawn as suggestions.
    """
    own, formal_goal, text = world.goal(), pasted(formal_goal), pasted(text)
    if own is not None and formal(own) == formal_goal:
        return TaskReading(GoalReading(own, "formal"))
    entities = world.reveal().entities
    lexicon = Lexicon(entities)
    try:
        reading = GoalReading(read_formal(formal_goal, entities, text), "formal")
    except GoalError as error:
        return TaskReading(_refused(world, lexicon, formal_goal, GoalReading(None, "formal"), error, seed))
    return TaskReading(_checked(world, lexicon, text, reading, seed))


def reads_back(world: Simulator, goal: Goal) -> bool:
    """Returns True if the task's words are read as its goal: a class may have a name that means something else, too."""
    reading = read_sentence(goal.text, Lexicon(world.reveal().entities))
    return reading.goal is not None and reading.goal.literals == goal.literals


def _by_model(world: Simulator, text: str, model: Callable[[], LanguageModel | None],
              cancelled: Cancellation) -> Translation:
    """Returns what the language model reads; nothing, and no trouble, if there is none."""
    from core.llm.goal_translation import Translation, reads_goals, translated

    try:
        asked = model()
    except BelvedereError as error:
        return Translation(None, f"the language model cannot be asked: {error}")
    if asked is None or not reads_goals(asked):
        return Translation(None)
    return translated(text, world.reveal().entities, world.possible, asked, cancelled)


def _checked(world: Simulator, lexicon: Lexicon, text: str, reading: GoalReading, seed: int) -> GoalReading:
    """Returns a reading with a goal, refused if the scene does not allow it."""
    assert reading.goal is not None, "the caller checks this"
    if all(literal.never for literal in reading.goal.literals):
        idle = GoalError("this only says what must not happen, so nothing is left to do: say also what is to be done")
        return _refused(world, lexicon, text, replace(reading, goal=None, guesses=()), idle, seed)
    verdict = world.possible(reading.goal)
    if verdict:
        return reading
    subject = verdict.literal.subject.split("|")[0].replace("_", " ") if verdict.literal is not None else ""
    error = GoalError(f"this cannot be done here: {verdict.reason}", subject)
    nearest = without_contradiction(reading.goal, *verdict.between) if verdict.between is not None else ()
    return _refused(world, lexicon, text, replace(reading, goal=None, guesses=()), error, seed, nearest)


def _refused(world: Simulator, lexicon: Lexicon, text: str, reading: GoalReading, error: GoalError, seed: int,
             nearest: Iterable[str] = ()) -> GoalReading:
    return replace(reading, refusal=error.with_suggestions(suggestions(world, lexicon, text, error, seed, nearest)))
