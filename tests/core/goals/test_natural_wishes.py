"""What visitors, cooks and carers say: needs, where something is done, pairs, coffee, and what is taken for what is told."""

from __future__ import annotations

import pytest

from core.goals.formal_text import formal
from tests.core.goals.test_how_people_say_it import goal, read, told
from tests.core.goals.test_references import MANY


@pytest.mark.parametrize(("text", "expected"), [
    ("I'm thirsty", "holds(drink)"), ("I'm so thirsty after that walk", "holds(drink)"), ("grandma is hungry", "holds(food)"),
    ("make it dark", "is(light, off, count=every)"), ("it's too dark in here", "is(light, on, count=every)"),
    ("I'd like it brighter in the bedroom please", "is(light, on, count=every, room=bedroom)"),
    ("it's way too bright in here for a film, make it dark please", "is(light, off, count=every)"),
    ("tidy up the living room", "away(thing, coffee_table|desk_1|sofa, count=every)"),
    ("pour me a glass of wine", "holds(wine)"), ("I could do with something sweet", "holds(sweets)"),
])
def test_a_need_is_a_goal_and_a_guess(text: str, expected: str) -> None:
    assert goal(text) == expected
    assert told(text) or text.startswith("I could")


def test_a_need_is_no_task_beside_one_or_where_it_is_denied() -> None:
    assert goal("I'm thirsty, bring me the milk") == "holds(milk)"
    for text in ("I'm not thirsty", "I'm thirsty, xyzzy the milk", "don't make it dark", "it's getting dark"):
        assert goal(text).startswith("refused"), text
    assert "“thirsty”: there is no drink" in goal("I'm thirsty", "FloorPlan402")


@pytest.mark.parametrize(("text", "scene", "expected"), [
    ("read the book at the desk", "FloorPlan301", "robot_near(desk) and done(read, book)"),
    ("read a magazine in the armchair", "four-rooms-2", "sitting(armchair) and done(read, magazine)"),
    ("eat an apple at the kitchen table", "four-rooms-2", "robot_near(kitchen_table) and done(eat, apple)"),
    ("bring the book to the sofa, read it there", "four-rooms-1", "on(book, sofa) and robot_near(sofa) and done(read, book)"),
    ("tidy the pen away into a drawer", "FloorPlan301", "inside(pen, drawer)"),
    ("put both pairs of pants on the bed", "four-rooms-2", "on(clothes_pants, bed, count=2)"),
    ("put a pair of candles on the desk", "four-rooms-1", "on(candle, desk, count=2)"),
    ("wash the cup and make me a coffee in it", "FloorPlan1", "is(cup, clean) and is(cup, filled, by=coffee_machine)"),
])
def test_where_something_is_done_and_how_many_a_pair_is(text: str, scene: str, expected: str) -> None:
    assert goal(text, scene) == expected


def test_all_dishes_are_those_that_can_be_washed_and_the_rest_is_told() -> None:
    assert goal("wash all the dishes", "FloorPlan1") == "is(bowl|cup|fork|mug|plate|spoon, clean, count=every)"
    assert told("wash all the dishes", "FloorPlan1") == {"every dish": "all but butter knife, knife, which cannot be washed"}


def test_another_thing_than_was_said_is_told() -> None:
    assert told("put the cup on the desk")["cup"] == "mug"
    assert told("bring me a glass of wine")["glass of wine"].startswith("the wine: a glass")
    assert told("bring me a coffee", MANY)["coffee"] == "filled mug"
    assert "mug" not in told("put the mug in the sink", MANY)


def test_coffee_comes_from_the_coffee_machine_unless_the_operator_says_otherwise() -> None:
    for text in ("make coffee", "fill the mug with coffee"):
        reading = read(text, MANY)
        assert reading.goal is not None
        assert formal(reading.goal) == "is(mug, filled, by=coffee_machine)", text
        others = [(words, formal(other)) for words, other in reading.guesses[0].others]
        assert others == [("from any source", "is(mug, filled)")]


@pytest.mark.parametrize(("text", "expected"), [
    ("some light please", "is(light, on, count=every)"), ("a glass of milk, please", "holds(milk)"),
    ("The final state has the mug on the desk, the TV off, and the fridge closed.",
     "on(mug, desk) and is(television, off) and is(fridge, closed)"),
    ("Navigate to the kitchen, pick up a mug, navigate to the living room and place it on the coffee table.",
     "robot_in(kitchen) then on(mug, coffee_table) and robot_in(living_room)"),
    ("put the fork in the sink, but first bring me the knife", "holds(knife) then inside(fork, sink)"),
    ("I don't need the mug any more, put it on the desk", "on(mug, desk)"),
    ("do not forget to close the fridge", "is(fridge, closed)"),
])
def test_more_ways_of_saying_it(text: str, expected: str) -> None:
    assert goal(text).replace("cutlery_", "") == expected


@pytest.mark.parametrize("text", [
    "wash the mug, and the plate needs it too", "put the apple in the bowl and it in the fridge", "get me a cloth",
    "put the plate back in the cabinet it came from", "put the mug and the plate in the same cabinet", "bring him his pills",
])
def test_what_cannot_be_said_as_a_goal_is_refused_and_not_dropped(text: str) -> None:
    assert goal(text).startswith("refused")
