"""Asks a language model what a sentence means as a goal: the request, its check against the scene, one round of repair.

The prompt has the format of Listing 3 in Zhao et al. (LLM-MCTS): an instruction, examples, the sentence last. Ours also states
the names of the scene, and the answer is formal text (`core.goals.formal_text`). A reply is taken only if it states one goal,
all its names exist, the scene allows it, and it has to do with the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from core.common.cancellation import Cancellation
from core.common.errors import GoalError, ModelError
from core.goals.formal_text import EVERY, MOST_LITERALS, OPTIONS, PREDICATES, STATES, read_formal
from core.goals.kinds import FLOOR, KINDS, LIGHT, THING
from core.goals.literals import Goal
from core.goals.possibility import Possibility
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from core.llm.grounding.match import THINKING
from core.llm.grounding.mentions import Sentence
from core.llm.model import LanguageModel
from core.llm.server_errors import shortened
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest, prompt, prompt_text
from core.planning.prompt_facts import GoalFacts
from core.world.vocabulary import ACTS, TREATED_BY, TURNED, UNPLUGGED, Entity

GOAL_READING = "goal reading"
ROUNDS = 2
"""The number of requests for one sentence: the second one tells what was wrong with the reply to the first."""
MOST_READ, MOST_SHOWN = 8000, 160
"""The maximum number of characters of a reply without its thoughts, and of its part that a refusal shows."""
LONGEST_SENTENCE = 1000
"""The maximum number of characters of a sentence that is sent."""
MOST_TOKENS = 400
NO_GOAL = re.compile(r"\W*none\b", re.I)
MARK = re.compile(r"formal goal\W{0,8}:", re.I)
NEXT_GOAL = re.compile(r"^[ \t*#>-]{0,8}goal\s{0,4}:", re.I | re.M)
"""A base model continues with another sentence that it invents."""
CALL = re.compile(rf"(?:\bnever\s+)?\b(?:(?:{'|'.join(PREDICATES)})\s*|[a-z]\w*)\([^()]*\)", re.I)
"""A literal, or what is meant as one."""
BETWEEN = re.compile(r"[\s,;*`\-•]*(and|then)?(?:\s+(then))?[\s,;*`\-•]*", re.I)
FARTHEST = 40
"""The maximum number of characters between two literals of one goal."""
ELSE = "not|no|or|if|unless|until|when|while|without|avoid|except|instead|either|neither"
CHANGES_MEANING = re.compile(rf"\b(?:{ELSE}|never)\W*$", re.I)
CHANGES_AFTER = re.compile(rf"\W*(?:{ELSE}|never|and|then)\b", re.I)
"""Words around a literal that would make another goal of it."""


@dataclass(frozen=True, slots=True)
class Translation:
    """What came of asking.

    Attributes:
        reading: the goal with what is doubtful about it; None if no reply was taken.
        trouble: why the last reply was not taken, or why there was none; one line, empty if there is a goal.
        calls: the requests and their replies.
    """

    reading: GoalReading | None
    trouble: str = ""
    calls: tuple[tuple[ModelRequest, ModelReply], ...] = ()


def reads_goals(model: LanguageModel) -> bool:
    """Returns True if a language model answers, or a recording of one. The offline rules and the operator read no goals."""
    return model.provider.is_model or model.provider.repeats


def translated(text: str, known: Iterable[Entity], possible: Callable[[Goal], Possibility], model: LanguageModel,
               cancelled: Cancellation) -> Translation:
    """Returns what a language model reads in a sentence.

    Args:
        text: the sentence.
        known: the entities of the world.
        possible: returns whether a goal can be reached in the scene.
        model: the language model.
        cancelled: set when the goal is no longer wanted.

    Raises:
        ModelError: of the kind `cancelled`, soon after `cancelled` was set.
    """
    if len(text) > LONGEST_SENTENCE:
        return Translation(None, f"a language model is asked about at most {LONGEST_SENTENCE:,} characters: say it shorter")
    entities = tuple(known)
    ask, calls, trouble = goal_request(text, entities), list[tuple[ModelRequest, ModelReply]](), ""
    for _ in range(ROUNDS):
        try:
            reply = model.answer(ask, cancelled)
        except ModelError as error:
            if error.kind == "cancelled":
                raise
            return Translation(None, f"the language model gave no answer: {error}", tuple(calls))
        calls.append((ask, reply))
        try:
            return Translation(read_reply(reply, text, entities, possible), "", tuple(calls))
        except NoGoalError as error:
            return Translation(None, str(error), tuple(calls))
        except GoalError as error:
            said = shortened(_said(reply)[:MOST_SHOWN]) or "nothing"
            trouble = f"the language model answered “{said}”, which is not taken: {error.cause}"
            ask = _repair(ask, reply, error.cause)
    return Translation(None, trouble, tuple(calls))


# --- the request -----------------------------------------------------------------------
def goal_request(text: str, known: Iterable[Entity]) -> ModelRequest:
    """Returns the request to translate a sentence. It states names and possible states, not what is where."""
    entities = tuple(known)
    here = {e.cls for e in entities}
    kinds = sorted(kind for kind, classes in KINDS.items() if classes & here)
    messages = prompt(
        "goal_reading", "goal", acts=", ".join(ACTS), objects=_listed(entities, "object"), rooms=_listed(entities, "room"),
        furniture=_listed(entities, "furniture"), kinds=", ".join((THING, LIGHT, *kinds)),
        states=", ".join(_states(entities)), goal=" ".join(text.split()))
    facts = GoalFacts(text, tuple(Lexicon(entities).words.values()))
    return ModelRequest(GOAL_READING, messages, text, facts, Expects(pattern=_pattern(entities)), max_tokens=MOST_TOKENS)


def _repair(ask: ModelRequest, reply: ModelReply, error: str) -> ModelRequest:
    """Returns the request with the refused reply and the reason added."""
    said = (reply.texts[0] if reply.texts else "")[:MOST_READ]
    again = Message("user", prompt_text("goal_reading", "repair", error=error))
    return replace(ask, messages=(*ask.messages, Message("assistant", said or "(no answer)"), again))


def _listed(entities: tuple[Entity, ...], category: str) -> str:
    return ", ".join(sorted({e.cls for e in entities if e.category == category})) or "none"


def _states(entities: tuple[Entity, ...]) -> list[str]:
    """Returns the states that something here can be brought to."""
    flags = {flag for e in entities for flag in e.properties}
    found = {state for state, flag in TURNED.items() if flag in flags} \
        | {state for state, (own, by) in TREATED_BY.items() if by in flags and (not own or own in flags)}
    found |= {"sliced"} if "sliceable" in flags else set()
    found |= {"plugged in"} if any(UNPLUGGED in e.states or "plugged in" in e.states for e in entities) else set()
    return sorted(state.replace(" ", "_") for state in found) or ["none"]


def _pattern(entities: tuple[Entity, ...]) -> str:
    """Returns an expression of formal goals with the names of a world.

    It is looser than the grammar, so that it holds the names only twice: which predicate takes which is checked afterwards.
    Every item ends with a mark, so that matching takes linear time.
    """
    here = {e.cls for e in entities}
    kinds = {kind for kind, classes in KINDS.items() if classes & here}
    names = "|".join(map(re.escape, sorted(here | kinds | {THING, LIGHT, FLOOR})))
    words = "|".join((*sorted(state.replace(" ", "_") for state in STATES), *ACTS, EVERY, "[0-9]+"))
    item = rf"(?:(?:{'|'.join(OPTIONS)})=)?(?:(?:{names})(?:_[0-9]+)?|{words})"
    predicates = "|".join(name for name in PREDICATES if name != "standing")
    return rf"none|(?:(?:never )?(?:standing\(|(?:{predicates})\((?:{item}(?:, |[|+]))*{item})\)(?: and | then )?)+"


# --- the reply --------------------------------------------------------------------------
class NoGoalError(GoalError):
    """The model says that the sentence states no goal. There is nothing to repair."""


def read_reply(reply: ModelReply, text: str, known: Iterable[Entity], possible: Callable[[Goal], Possibility]) -> GoalReading:
    """Returns the goal that a reply states, with what is doubtful about it.

    Args:
        reply: the reply.
        text: the sentence.
        known: the entities of the world.
        possible: returns whether a goal can be reached in the scene.

    Raises:
        NoGoalError: the model finds no goal in the sentence.
        GoalError: the reply states no goal, or none that can be taken; the cause says why.
    """
    entities = tuple(known)
    goal = read_formal(stated(_said(reply), cut=reply.misfit == "cut"), entities, text)
    verdict = possible(goal)
    if not verdict:
        raise GoalError(f"this cannot be done here: {verdict.reason}")
    doubts = Sentence(text, entities).doubts(goal)
    if doubts.unrelated:
        raise GoalError("this goal is about nothing that the sentence mentions")
    return GoalReading(goal, "model", doubts.guesses, None, doubts.unknown)


def _said(reply: ModelReply) -> str:
    """Returns a reply without what the model thought before."""
    answer = (reply.texts[0] if reply.texts else "").rpartition("</think>")[2]
    return THINKING.sub("\n", answer).strip() if len(answer) <= MOST_READ else answer


def stated(said: str, *, cut: bool = False) -> str:
    """Returns the formal text in a reply, without the prose and marks around it.

    Args:
        said: the reply.
        cut: True if its end is missing.

    Raises:
        NoGoalError: it says that there is no goal.
        GoalError: it is too long, states none, several different ones, or one with words around it that change its meaning.
    """
    if len(said) > MOST_READ:
        raise GoalError(f"it is longer than {MOST_READ:,} characters")
    marks = list(MARK.finditer(said))
    answer = said[marks[-1].end():] if marks and said[marks[-1].end():].strip() else said
    other = NEXT_GOAL.search(answer)
    answer = answer[:other.start()] if other is not None and CALL.search(answer[:other.start()]) else answer
    if NO_GOAL.match(answer):
        raise NoGoalError("the language model finds no goal in it that can be stated here")
    goals = _goals(answer)
    if not goals:
        raise GoalError("it states no formal goal, such as inside(apple, fridge)")
    if cut:
        raise GoalError("it breaks off before its end")
    if len(set(goals)) > 1:
        raise GoalError("it states several different goals: state one, with “and” or “then” between its literals")
    return goals[0]


def _goals(answer: str) -> list[str]:
    """Returns the runs of literals in an answer, joined by "and" and "then"."""
    calls = list(CALL.finditer(answer))[:2 * MOST_LITERALS]
    goals, end = list[str](), 0
    for k, call in enumerate(calls):
        before, literal = answer[end:call.start()], " ".join(call.group().split())
        between = _between(before) if goals else None
        if between is not None:
            goals[-1] += f" {(between[2] or between[1] or 'and').lower()} {literal}"
        elif CHANGES_MEANING.search(before[-FARTHEST:]):
            raise GoalError(f"the words before {literal} change its meaning: state the goal by literals only")
        else:
            goals.append(literal)
        end = call.end()
        rest = answer[end:calls[k + 1].start() if k + 1 < len(calls) else None]
        if (k + 1 == len(calls) or _between(rest) is None) and CHANGES_AFTER.match(rest[:FARTHEST].split("\n\n", 1)[0]):
            raise GoalError(f"the words after {literal} change its meaning, or it breaks off: state the whole goal")
    return goals


def _between(words: str) -> re.Match[str] | None:
    return BETWEEN.fullmatch(words) if words and len(words) <= FARTHEST else None
