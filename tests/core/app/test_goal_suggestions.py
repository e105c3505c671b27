"""Suggestions in place of a task that cannot be done: each is possible in its scene, and each cause has its message."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.goal_reading import read_task
from core.app.goal_suggestions import MOST
from core.common.errors import GoalError
from core.goals.literals import Goal, Literal
from core.goals.parser.noun_phrases import span_of
from core.goals.progress import reached
from core.simulator.base import Simulator
from sim.household.scenes import SCENES_FOLDER
from sim.registry import simulator_class
from tests.long_tests import either, some_pairs

SCENES = ("four-rooms-1", "four-rooms-3", "FloorPlan1", "FloorPlan208", "FloorPlan310", "FloorPlan420",
          str(next(SCENES_FOLDER.glob("graphs/*.json.gz"))))
BAD = (
    "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet",
    "drink the television",
    "play the piano for me",
    "tidy up",
    "hello",
    "open the bed",
    "put all dragons in the dishwasher",
    "put 40 apples in the fridge",
    "put the towel on the moon",
    "switch off the light in the home office",
    "put one bed inside the fridge",
    "put the mug next to the plate",
    "bring grandma her mug",
    "sing a song",
    "water the moon",
    "do not open the fridge",
    "put a submarine in the sink",
    "put the blue mug on the table",
    "wash the sofa",
    "cook the fridge",
    "slice the mug",
    "close the apple",
    "put the unicorn somewhere",
    "put the pillow in the toaster",
    "switch on the book",
    "put it away",
    "put the toaster in the mug",
    "empty the moon",
    "lie down in the fridge",
    "put everything away",
    "go to the attic",
    "put two frdges in the sink",
    "?",
    "put",
    "put the apple",
)


@pytest.fixture(params=SCENES, scope="module")
def world(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    with simulator_class("household").open(request.param, {}) as world:
        world.reset(3)
        yield world


def refusal(read: Callable[[], object]) -> GoalError | None:
    try:
        read()
    except GoalError as error:
        return error
    return None


@pytest.mark.parametrize(("world", "text"), some_pairs(SCENES, BAD, 1), indirect=["world"])
def test_every_suggestion_works_in_the_scene(world: Simulator, text: str) -> None:
    error = read_task(world, text, 3).reading.refusal
    if error is None:
        return
    assert 1 <= len(error.suggestions) <= MOST
    for suggestion in error.suggestions:
        goal = read_task(world, suggestion, 3).goal
        assert world.possible(goal)
        assert not reached(goal, world.reveal())
    assert "\n" not in str(error)
    assert not any(command in str(error) for command in ("python ", "belvedere ", "pip ", "--"))


@pytest.mark.parametrize("world", either(SCENES[:2], SCENES), indirect=True)
def test_the_corpus_is_bad_in_most_scenes(world: Simulator) -> None:
    assert sum(read_task(world, text, 3).reading.refusal is not None for text in BAD) > len(BAD) * 0.8


@pytest.mark.parametrize(("text", "start"), [
    ("wave at the mug", "Put one mug"),
    ("mug", "Put one mug"),
    ("put the blue apple on the kitchen table", "put the apple on the kitchen table"),
    ("put the apple next to the kitchen sink", "put the apple on"),
])
def test_the_first_suggestion_is_near_to_the_task(text: str, start: str) -> None:
    with simulator_class("household").open("four-rooms-1", {}) as world:
        world.reset(3)
        with pytest.raises(GoalError) as caught:
            assert read_task(world, text, 3).goal
        assert caught.value.suggestions[0].startswith(start)


@pytest.mark.parametrize(("literal", "cause", "words"), [
    (Literal("inside", "apple", "fridge", 9), "too few", "only one apple here, and 9 are wanted"),
    (Literal("inside", "unicorn", "fridge"), "too few", "no unicorn"),
    (Literal("inside", "apple", "moon"), "too few", "no moon"),
    (Literal("is", "bed", None, 1, frozenset({"open"})), "not made for it", "a bed cannot be opened"),
    (Literal("is", "apple", None, 1, frozenset({"on"})), "not made for it", "an apple cannot be switched on"),
    (Literal("inside", "bed", "fridge"), "not made for it", "a bed cannot be carried"),
    (Literal("inside", "apple", "bed"), "not made for it", "nothing can be put inside the bed"),
    (Literal("inside", "pillow", "toaster"), "no room", "no pillow fits inside the toaster"),
    (Literal("inside", "book", "microwave", every=True), "no room", "fit inside the microwave, and all must"),
])
def test_each_cause_has_its_own_message(literal: Literal, cause: str, words: str) -> None:
    with simulator_class("household").open("four-rooms-1", {}) as world:
        world.reset(3)
        verdict = world.possible(Goal((literal,)))
    assert not verdict
    assert verdict.cause == cause
    assert words in verdict.reason
    assert verdict.literal == literal


@pytest.mark.parametrize(("text", "words", "marked"), [
    ("Put all  Glasses in it", "glasses", "Glasses"), ("put the Mug away!", "put the mug away", "put the Mug away"),
    ("turn the Blue Lamp on", "blue lamp", "Blue Lamp"), ("Put it  in the home office", "home office", "home office"),
    ("reglasses glasses", "glasses", "glasses"), ("anything", "something else", ""), ("make it", "", ""),
])
def test_the_wrong_words_are_found_as_they_were_typed(text: str, words: str, marked: str) -> None:
    start, end = span_of(text, words)
    assert text[start:end] == marked


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_words_have_a_span_inside_the_text(text: str, words: str) -> None:
    start, end = span_of(text, words)
    assert 0 <= start <= end <= len(text)
