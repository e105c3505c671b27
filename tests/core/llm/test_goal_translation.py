"""Goals that a language model reads: what of a reply is taken, what is not and why, and what is marked as doubtful."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import DataError, GoalError, ModelError
from core.goals.formal_text import formal, read_formal
from core.goals.literals import Goal, Literal
from core.goals.possibility import POSSIBLE
from core.goals.progress import reached
from core.llm.commonsense import Commonsense
from core.llm.constrained import fits, pattern_grammar
from core.llm.goal_translation import NoGoalError, Translation, goal_request, read_reply, reads_goals, stated, translated
from core.llm.grounding.household_synonyms import WAYS_TO_SAY
from core.llm.human import Human
from core.llm.model import LanguageModel
from core.llm.replay import Replay
from core.llm.stack import assembled
from core.planning.model_requests import ModelReply, ModelRequest
from core.suites.tasks import draw_task
from core.world.vocabulary import DRINKABLE, GRABBABLE, READABLE, SITTABLE, WATCHABLE, spaced
from sim.household.scenes import SCENES_FOLDER
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import home
from tests.long_tests import either

WORLD = home()
ENTITIES = WORLD.reveal().entities
SCENES = ("four-rooms-1", "four-rooms-3", "FloorPlan1", "FloorPlan208", "FloorPlan310", "FloorPlan420",
          str(next(SCENES_FOLDER.glob("graphs/*.json.gz"))))
"""Scenes of all sources."""
A_SCENE, MOST_TRIED = 12, 40
"""The number of goals drawn in each scene, and of seeds tried."""


class Scripted(LanguageModel):
    """Answers as a function says; keeps the requests."""

    name = "scripted"

    def __init__(self, reply: Callable[[ModelRequest], str]):
        self._reply = reply
        self.asked: list[ModelRequest] = []

    @classmethod
    def open(cls, options: object) -> Scripted:
        del options
        return cls(lambda ask: "none")

    @property
    def source(self) -> str:
        return "scripted m"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        del cancelled
        self.asked.append(ask)
        return ModelReply((self._reply(ask),), self.source)


def in_turn(*texts: str) -> Scripted:
    left = iter(texts)
    return Scripted(lambda ask: next(left))


def asked(text: str, model: LanguageModel, world: HouseholdSimulator = WORLD) -> Translation:
    return translated(text, world.reveal().entities, world.possible, model, Cancellation())


# --- what a reply states -------------------------------------------------------------
PLAIN = "inside(apple, fridge) and is(fridge, closed)"


@pytest.mark.parametrize("reply", [
    PLAIN, f"Formal goal: {PLAIN}", f"```\n{PLAIN}\n```", f"```text\n{PLAIN}\n```\nThis closes the fridge as well.",
    f"Sure! Here is the goal:\n\n{PLAIN}.", f"<think>maybe on(apple, desk)?</think>\n{PLAIN}", f'{{"goal": "{PLAIN}"}}',
    "inside(apple, fridge)\nis(fridge, closed)", "- inside(apple, fridge)\n- is(fridge, closed)",
    "inside(apple, fridge), is(fridge, closed)", f"<think>{'hmm ' * 9000}</think>{PLAIN}", f"{PLAIN}\nGoal: sing me something.",
    f"{PLAIN}\n\nAgain: {PLAIN}", f"**{PLAIN}**", "inside(apple,\n fridge) AND is( fridge , closed )",
])
def test_the_goal_is_found_in_what_stands_around_it(reply: str) -> None:
    reading = read_reply(ModelReply((reply,), "m"), "the apple in the fridge", ENTITIES, WORLD.possible)
    assert reading.goal is not None
    assert reading.goal.literals == read_formal(PLAIN, ENTITIES).literals


@pytest.mark.parametrize(("reply", "why"), [
    ("", "states no formal goal"), ("I would put the apple into the fridge.", "states no formal goal"),
    ("not inside(apple, fridge)", "change its meaning"), ("inside(apple, fridge) or on(pear, desk)", "change its meaning"),
    ("if is(fridge, open) then inside(apple, fridge)", "change its meaning"), ("inside(apple, fridge) and", "breaks off"),
    ("inside(apple, fridge) and on(book, so", "breaks off"), ("inside(apple, fridge) unless it is warm", "change its meaning"),
    ("Either inside(apple, fridge) fits,\nelse on(apple, desk) does", "change its meaning"),
    ("First idea: inside(apple, fridge).\nSecond idea: on(apple, desk).", "several different goals"),
    ("on(apple, desk)on(book, desk)", "several different goals"),
])
def test_what_states_no_single_goal_is_not_taken(reply: str, why: str) -> None:
    with pytest.raises(GoalError, match=why) as caught:
        stated(reply)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reply", ["none", "None.", "Formal goal: none", "```\nnone\n```", "none: there is no piano here"])
def test_a_model_may_find_no_goal(reply: str) -> None:
    with pytest.raises(NoGoalError):
        stated(reply)


def test_a_reply_that_was_cut_off_is_not_taken() -> None:
    with pytest.raises(GoalError, match="breaks off"):
        stated("inside(apple, fridge)", cut=True)


@given(st.text(alphabet=st.sampled_from("ab()_,=|+ \n`*:.-nevrthdgo12\x00é"), max_size=300) | st.text(max_size=300)
       | st.lists(st.sampled_from(["inside(apple, fridge)", "never", "and", "then", "or", "none", "Goal:", "is(", ")", "```"]),
                  max_size=12).map(" ".join))
def test_any_reply_is_a_possible_goal_of_this_home_or_refused(text: str) -> None:
    try:
        reading = read_reply(ModelReply((text,), "m"), "put the apple in the fridge", ENTITIES, WORLD.possible)
    except GoalError:
        return
    assert reading.goal is not None
    assert reading.by == "model"
    assert read_formal(formal(reading.goal), ENTITIES).literals == reading.goal.literals


def test_long_replies_are_read_in_bounded_time() -> None:
    for text in (" " * 50_000, "\n" * 50_000, "(" * 50_000, "never " * 9_000, "a(" * 25_000, "formal goal" * 5_000,
                 "inside(apple, fridge) " + "\n" * 50_000 + "on(book, sofa)" * 9, "inside(apple, fridge) and " * 2_000):
        with pytest.raises(GoalError):
            read_reply(ModelReply((text,), "m"), "apple", ENTITIES, WORLD.possible)


# --- the request -----------------------------------------------------------------------
def test_the_request_states_names_and_no_places_of_objects() -> None:
    ask = goal_request("something cold for the apple", ENTITIES)
    text = ask.messages[0].content
    assert text.endswith("Goal: something cold for the apple\nFormal goal:"), "what changes comes last"
    assert text.replace("something cold for the apple", "") == \
        goal_request("zzz", ENTITIES).messages[0].content.replace("zzz", "")
    assert "apple" in text
    assert not any(e.id in text.replace(",", " ").split() for e in ENTITIES if e.id != e.cls)


@pytest.mark.parametrize("goal", ["none", PLAIN, "standing()", "done(read, book) then never robot_in(bedroom)",
                                  "on(apple|pear, kitchen_table, count=every, states=clean, room=kitchen_1)"])
def test_the_form_allows_every_goal_of_this_home(goal: str) -> None:
    assert fits(goal_request("x", ENTITIES).expects, goal)


def test_the_form_is_a_grammar_and_allows_no_other_names() -> None:
    expects = goal_request("x", ENTITIES).expects
    assert pattern_grammar(expects.pattern) is not None
    assert not fits(expects, "inside(zeppelin, fridge)")
    assert not fits(expects, "I would put the apple into the fridge.")
    assert not fits(expects, "inside(apple, fridge")
    for name in sorted({e.cls for e in ENTITIES}):  # a name within another one must not multiply the ways to match
        assert not fits(expects, f"inside({name * 500}")
        assert not fits(expects, "inside(" + f"{name}|" * 400)


# --- the two rounds ----------------------------------------------------------------------
def test_the_second_request_tells_what_was_wrong() -> None:
    model = in_turn("inside(zeppelin, fridge)", "inside(apple, fridge)")
    result = asked("the apple wants to be cold in the fridge", model)
    assert result.reading is not None
    assert result.reading.goal is not None
    assert result.reading.goal.literals == (Literal("inside", "apple", "fridge"),)
    first, second = (ask for ask, _ in result.calls)
    assert second.messages[0] == first.messages[0]
    assert [m.role for m in second.messages] == ["user", "assistant", "user"]
    assert second.messages[1].content == "inside(zeppelin, fridge)"
    assert "there is no thing called “zeppelin” here" in second.messages[2].content


def test_after_two_wrong_answers_the_refusal_shows_the_last() -> None:
    model = in_turn("inside(zeppelin, fridge)", "on(apple, moon)", "inside(apple, fridge)")
    result = asked("the apple wants to be cold", model)
    assert result.reading is None
    assert "“on(apple, moon)”, which is not taken: there is no thing called “moon” here" in result.trouble
    assert len(result.calls) == len(model.asked) == 2


def test_no_goal_is_not_repaired() -> None:
    result = asked("sing me a song", in_turn("none"))
    assert result.reading is None
    assert "finds no goal" in result.trouble
    assert len(result.calls) == 1


def test_a_goal_that_cannot_be_reached_here_is_not_taken() -> None:
    result = asked("nine apples into the fridge, my dear", in_turn(*["inside(apple, fridge, count=9)"] * 2))
    assert result.reading is None
    assert "cannot be done here" in result.trouble


def test_a_model_that_is_down_is_named_and_a_cancelled_one_raises() -> None:
    def fail(kind: str) -> Scripted:
        def answer(ask: ModelRequest) -> str:
            raise ModelError("the server is down: start it", kind, retry=True)
        return Scripted(answer)

    assert "gave no answer: the server is down" in asked("the apple wants to be cold", fail("down")).trouble
    with pytest.raises(ModelError):
        asked("the apple wants to be cold", fail("cancelled"))


def test_only_language_models_and_their_recordings_read_goals() -> None:
    assert reads_goals(assembled(Scripted(lambda ask: "none")))
    assert reads_goals(assembled(Replay({})))
    assert not reads_goals(assembled(Commonsense()))
    assert not reads_goals(assembled(Human()))


def test_a_very_long_sentence_is_not_sent() -> None:
    model = in_turn("inside(apple, fridge)")
    assert "say it shorter" in asked("apple " * 1000, model).trouble
    assert not model.asked


# --- what is doubtful ----------------------------------------------------------------------
def read(text: str, goal: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Returns the guesses as (words, taken), and the words left out."""
    reading = read_reply(ModelReply((goal,), "m"), text, ENTITIES, lambda goal: POSSIBLE)
    assert reading.goal is not None
    for guess in reading.guesses:
        assert all(other.literals and other != reading.goal for _, other in guess.others)
    return [(guess.words, guess.taken) for guess in reading.guesses], [text[start:end] for start, end in reading.unknown]


@pytest.mark.parametrize(("text", "goal", "guesses", "left_out"), [
    ("the apple goes in the fridge", "inside(apple, fridge)", [], []),
    ("my refrigerator wants the aplle", "inside(apple, fridge)", [], []),
    ("the apple wants to be cold", "inside(apple, fridge)", [("", "fridge")], []),
    ("the apple and the pear want to be in the fridge", "inside(apple, fridge)", [], ["pear"]),
    ("lovely, apples in the fridge", "inside(apple, fridge, count=2)", [("", "2")], []),
    ("two apples in the fridge", "inside(apple, fridge, count=2)", [], []),
    ("an apple in the fridge", "inside(apple, fridge) and on(book, sofa)", [("", "book, sofa")], []),
    ("an apple on the table", "on(apple, kitchen_table)", [("table", "kitchen table")], []),
    ("off to the bedroom, the book can wait", "robot_in(bedroom)", [], ["book"]),
    ("the fridge is mine, hands off", "never is(fridge, open)", [], []),
    ("the fridge is yours", "never is(fridge, open)", [("", "never: fridge is open")], []),
    ("read for a while", "done(read, book)", [("", "book")], []),
    ("on your feet", "standing()", [], []),
])
def test_what_no_word_means_is_marked(text: str, goal: str, guesses: list[tuple[str, str]], left_out: list[str]) -> None:
    assert read(text, goal) == (guesses, left_out)


@pytest.mark.parametrize(("text", "goal"), [
    ("sing me a song", "inside(apple, fridge)"), ("water the garden", "on(book, sofa) and is(fridge, closed)"),
    ("my apple", "robot_in(bedroom)"), ("the apple", "standing()"), ("hello", "done(read, book)"),
])
def test_a_goal_about_nothing_that_was_said_is_not_taken(text: str, goal: str) -> None:
    with pytest.raises(GoalError, match="nothing that the sentence mentions"):
        read(text, goal)


# --- nine good answers in ten ------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """A sentence in a scene, and the goal that it states."""

    scene: str
    text: str
    goal: Goal


PLACED = ("wouldn't {thing} look better {relation} the {place}", "{relation} the {place}: that is where {thing} ought to live",
          "my grandmother always had {thing} {relation} the {place}", "oh dear, {thing}! {relation} the {place} with it",
          "it would make my day to discover {thing} {relation} the {place}")
STATED = ("nothing beats having {thing} {state}", "{state}, that is how I love {thing}", "how about {thing} being {state}")
ABOUT_ROBOT = (
    (SITTABLE, Literal("sitting", ""), "your feet must hurt, and that {} is so soft"),
    (READABLE, Literal("done", "", act="read"), "go through that {} from cover to cover"),
    (DRINKABLE, Literal("done", "", act="drink"), "the {} is getting stale, please see it off in one gulp"),
    ("room", Literal("robot_in", ""), "nobody minds the {} at the moment, so that is where you belong"),
    (WATCHABLE, Literal("robot_facing", ""), "eyes on the {}, my friend"),
    (GRABBABLE, Literal("holds", ""), "would it be in your hand, that {}"),
)
"""Property or category of the subject, a literal about the robot, and how it is said."""
NUMBERS = {1: "one", 2: "two", 3: "three"}


def said(literal: Literal, rng: random.Random) -> str:
    """Returns a literal in words that are not commands, with other names for things where there are any."""
    def name(cls: str) -> str:
        return rng.choice([spaced(cls), *WAYS_TO_SAY.get(spaced(cls), ())[:1]])

    thing = f"{NUMBERS[literal.count]} {name(literal.subject)}"
    if literal.predicate == "is":
        return rng.choice(STATED).format(thing=thing, state=" and ".join(sorted(literal.states)))
    return rng.choice(PLACED).format(thing=thing, relation=literal.predicate, place=name(literal.target or ""))


@lru_cache
def world_of(scene: str) -> HouseholdSimulator:
    return home(scene, 3)


@lru_cache
def cases() -> tuple[Case, ...]:
    return tuple(case for scene in SCENES for case in drawn(scene))


def drawn(scene: str) -> Iterator[Case]:
    """Yields sentences with the goals that were drawn for them, each goal once."""
    found: dict[tuple[Literal, ...], Goal] = {}
    for seed in range(MOST_TRIED):
        if len(found) < A_SCENE:
            goal = draw_task(world_of(scene), seed)
            found.setdefault(goal.literals, goal)
    for k, literals in enumerate(found):
        rng = random.Random(f"{Path(scene).name} {k}")  # the same wherever the checkout is
        yield Case(scene, "; also, ".join(said(literal, rng) for literal in literals), Goal(literals))
    world = world_of(scene)
    for flag, literal, text in ABOUT_ROBOT:
        classes = sorted({e.cls for e in world.reveal().entities if flag in (*e.properties, e.category)})
        goals = (Goal((replace(literal, subject=cls),)) for cls in classes)
        fitting = next((g for g in goals if world.possible(g) and not reached(g, world.reveal())), None)
        if fitting is not None:
            yield Case(scene, text.format(spaced(fitting.literals[0].subject)), fitting)


def unrelated(case: Case) -> str:
    """Returns another goal of the scene, without any name of the case's own."""
    own = {name for x in case.goal.literals for name in (x.subject, x.target)}
    for seed in range(100, 400):
        other = draw_task(world_of(case.scene), seed)
        if not own & {name for x in other.literals for name in (x.subject, x.target)}:
            return formal(other)
    raise DataError("every task has one of these names")


def of_another_scene(case: Case) -> str:
    known = {e.cls for e in world_of(case.scene).reveal().entities}
    return next(formal(other.goal) for other in cases() if not {x.subject for x in other.goal.literals} & known)


NONSENSE: dict[str, Callable[[Case], str]] = {
    "another scene's": of_another_scene,
    "prose": lambda case: f"What a lovely thought. {case.text.capitalize()}!",
    "empty": lambda case: "",
    "wrong grammar": lambda case: formal(case.goal).replace("(", "[").replace(")", "]"),
    "wrong predicate": lambda case: "fetch" + formal(case.goal)[formal(case.goal).index("("):],
    "unrelated": unrelated,
    "denied": lambda case: f"The goal is not {formal(case.goal)}",
    "several": lambda case: f"{formal(case.goal)} or maybe {unrelated(case)}",
    "cut": lambda case: formal(case.goal) + " and on(",
    "too many": lambda case: formal(case.goal).replace(")", ", count=49)"),
    "a web page": lambda case: "<!doctype html><html><body>502 Bad Gateway</body></html>",
    "an apology": lambda case: "I'm sorry, but as an AI language model I cannot move objects.",
    "endless": lambda case: "on(on(on(" * 3000,
}


def test_the_set_is_large_and_from_many_scenes() -> None:
    assert len(cases()) >= 60
    assert len({case.scene for case in cases()}) == len(SCENES)
    assert sum(len(case.goal.literals) > 1 for case in cases()) >= 10


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_never_becomes_a_goal_silently(kind: str) -> None:
    """A model that repeats its nonsense when it is told the error: nothing is taken, and the refusal shows what it said."""
    for case in cases()[::either(3, 1)]:
        nonsense = NONSENSE[kind](case)
        result = asked(case.text, Scripted(lambda ask, text=nonsense: text), world_of(case.scene))  # type: ignore[misc]
        if result.reading is not None:  # only a goal that is partly about what was said, and then the rest is marked
            assert kind in ("unrelated", "another scene's")
            assert result.reading.guesses
            continue
        shown = " ".join(nonsense.split())[:20].strip()
        assert shown in result.trouble or not shown or "nothing" in result.trouble
        assert "\n" not in result.trouble


@pytest.mark.parametrize("kind", NONSENSE)
def test_with_one_nonsense_in_ten_at_least_nine_in_ten_are_right(kind: str) -> None:
    right, chosen = 0, cases()[::either(3, 1)]
    for k, case in enumerate(chosen):
        good, bad = formal(case.goal), NONSENSE[kind](case)
        result = asked(case.text, Scripted(lambda ask, text=bad if k % 10 == 4 else good: text),  # type: ignore[misc]
                       world_of(case.scene))
        if result.reading is not None and not result.reading.guesses:
            assert result.reading.goal == replace(case.goal, text=case.text), "what is not marked is what was meant"
        right += result.reading is not None and result.reading.goal == replace(case.goal, text=case.text)
    assert right >= 0.9 * len(chosen) - 0.5


def test_a_model_that_errs_now_and_then_is_repaired() -> None:
    """Each answer is nonsense with one chance in ten, of any kind."""
    rng, right, marked = random.Random(7), 0, 0
    for case in cases():
        def answer(ask: ModelRequest, case: Case = case) -> str:
            return formal(case.goal) if rng.random() < 0.9 else NONSENSE[rng.choice(list(NONSENSE))](case)

        result = asked(case.text, Scripted(answer), world_of(case.scene))
        is_right = result.reading is not None and result.reading.goal == replace(case.goal, text=case.text)
        right += is_right
        if result.reading is not None:
            marked += bool(result.reading.guesses)
            assert is_right or result.reading.guesses
    assert right >= 0.95 * len(cases())
    assert marked <= 0.15 * len(cases()), "a mark that is everywhere says nothing"
