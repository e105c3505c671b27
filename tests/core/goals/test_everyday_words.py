"""Everyday verbs with their particles, clauses about a thing, pronouns and household words are read as people mean them."""

from __future__ import annotations

import pytest

from core.app.goal_suggestions import usual_places
from core.goals.formal_text import formal
from core.goals.parser.sentence import read_sentence
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from tests.core.goals.measure_sentences import opened

HOME, KITCHEN, LOUNGE = "four-rooms-3", "FloorPlan1", "FloorPlan203"


def read(text: str, scene: str = HOME) -> GoalReading:
    seen = opened(scene).reveal()
    return read_sentence(text, Lexicon(seen.entities, seen.relations), usual_places(seen))


def said(text: str, scene: str = HOME) -> str:
    reading = read(text, scene)
    assert reading.goal is not None, reading.refusal
    return formal(reading.goal)


@pytest.mark.parametrize("text", [
    "pop the book back on the bookshelf", "stick the book on the bookshelf", "plonk the book down on the bookshelf",
    "shove the book onto the bookshelf", "return the book to the bookshelf", "relocate the book to the bookshelf",
    "lob the book onto the bookshelf", "lay the book on the bookshelf", "leave the book on the bookshelf",
    "take the book over to the bookshelf", "put the book straight back on the bookshelf", "line the book up on the bookshelf",
    "get out the book and put it on the bookshelf", "pick the book up and put it on the bookshelf",
    "dig out the book and stick it on the bookshelf", "serve the book on the bookshelf",
])
def test_verbs_of_placing(text: str) -> None:
    assert said(text) == "on(book, bookshelf)"


@pytest.mark.parametrize(("text", "goal"), [
    ("fill the mug up with water", "is(mug, filled)"), ("wash the plates up", "is(plate, clean, count=every)"),
    ("cut the apple up", "is(apple, sliced)"), ("chop the carrot into pieces", "is(carrot, sliced)"),
    ("warm the milk up", "is(milk, cooked)"), ("microwave the milk", "is(milk, cooked, by=microwave)"),
    ("preheat the oven", "is(stove, on)"), ("give the mug a good wash", "is(mug, clean)"),
    ("pull the curtains shut", "is(curtain, closed, count=every)"),
    ("flick the radio on", "is(radio, on)"), ("power the computer off", "is(computer, off)"),
    ("get the dishwasher running", "is(dishwasher, on)"), ("the towel wants washing", "is(towel, clean)"),
    ("plonk yourself down on the armchair", "sitting(armchair)"), ("take a seat on the sofa", "sitting(sofa)"),
    ("stretch out on the bed", "lying(bed)"),
    ("orient yourself towards the television", "robot_facing(television)"), ("navigate to the kitchen", "robot_in(kitchen)"),
    ("nip to the kitchen", "robot_in(kitchen)"), ("park yourself by the sofa", "robot_near(sofa)"),
    ("look at yourself in the mirror", "done(look_at, mirror)"), ("look in the mirror", "done(look_at, mirror)"),
    ("read the book to me", "done(read, book)"), ("have a drink of milk", "done(drink, milk)"),
    ("hold the mug for me a sec", "holds(mug)"), ("take some coffee to the desk", "on(mug, desk, states=filled)"),
    ("brew some coffee into the mug", "is(mug, filled)"),
    ("bring the towel to the mirror", "holds(towel) and robot_near(mirror)"),
    ("unload the plates from the dishwasher", "away(plate, dishwasher, count=every)"), ("pass the milk", "holds(milk)"),
    ("put the milk in the fridge, then shut the door", "inside(milk, fridge) then is(fridge, closed)"),
    ("bring me all bottles of wine", "holds(wine, count=every)"), ("bring me a glass of wine", "holds(wine)"),
])
def test_verbs_with_particles(text: str, goal: str) -> None:
    assert said(text) == goal


@pytest.mark.parametrize(("text", "goal"), [
    ("take the phone that's lying on the bathroom counter and put it on the desk",
     "on(cellphone, desk, source=bathroom_counter)"),
    ("bring me the mug that is on the kitchen table", "holds(mug, source=kitchen_table)"),
    ("take the book on the desk and put it on the bookshelf", "on(book, bookshelf, source=desk)"),
    ("wash the mug which is dirty", "is(mug, clean, was=dirty)"),
    ("wipe the plates clean", "is(plate, clean, count=every)"), ("wipe the mug clean", "is(mug, clean)"),
    ("wash the dirty dishes", "is(dish, clean, count=every, was=dirty)"),
    ("clean the dirty mug on the coffee table", "is(mug, clean, source=coffee_table, was=dirty)"),
    ("put everything that's on the sofa on the bed", "on(thing, bed, count=every, source=sofa)"),
    ("put one of the books on the desk", "on(book, desk)"),
    ("switch on the radio that is in the bedroom", "is(radio, on, room=bedroom)"),
])
def test_clauses_about_a_thing_restrict_it(text: str, goal: str) -> None:
    assert said(text) == goal


def test_a_cup_of_coffee_is_a_cup_where_there_are_cups() -> None:
    assert said("make me a cup of coffee", KITCHEN) == "is(cup, filled, by=coffee_machine)"
    assert said("make me a cup of coffee") == "is(mug, filled, by=coffee_machine)"


def test_all_of_them_is_every_one() -> None:
    assert said("switch on the lamps in the bedroom, all of them") == said("switch on all lamps in the bedroom")


def test_a_clause_after_a_place_is_about_the_place() -> None:
    assert said("put the mug on the desk that's in the bedroom") == said("put the mug on the desk in the bedroom")
    assert said("put the mug on the table with the candle on it", "four-rooms-1").startswith("on(mug, ")


def test_each_place_gets_one() -> None:
    assert said("put a candle on each nightstand") == "on(candle, nightstand_1) and on(candle, nightstand_2)"
    assert read("put the mug on every nightstand").goal is None


@pytest.mark.parametrize(("text", "taken", "other"), [
    ("move the plate to the kitchen table and put the bread on top of it", "on(bread_slice, plate)",
     "on(bread_slice, kitchen_table)"),
    ("put the bowl on the desk and put an apple in it", "inside(apple, dish_bowl)", "on(apple, desk)"),
])
def test_what_was_moved_and_can_hold_things_is_it(text: str, taken: str, other: str) -> None:
    reading = read(text)
    assert reading.goal is not None
    assert taken in formal(reading.goal)
    assert any(other in formal(goal) for guess in reading.guesses for _, goal in guess.others)


@pytest.mark.parametrize(("word", "cls", "scene"), [
    ("cushion", "pillow", HOME), ("settee", "sofa", HOME), ("tea cup", "mug", HOME), ("salad bowl", "dish_bowl", HOME),
    ("jumper", "clothes_shirt", HOME), ("specs", "glasses", HOME), ("biscuit", "crackers", HOME),
    ("washer", "washing_machine", HOME),
    ("drapes", "curtain", HOME), ("icebox", "fridge", KITCHEN), ("work surface", "counter_top", KITCHEN),
    ("spigot", "faucet", KITCHEN), ("trashcan", "garbage_can", KITCHEN), ("car keys", "key_chain", LOUNGE),
])
def test_household_words(word: str, cls: str, scene: str) -> None:
    assert said(f"walk up to the {word}", scene) == f"robot_near({cls})"


@pytest.mark.parametrize(("text", "named"), [
    ("put the pie in the open box", "open box"), ("heat the milk for five minutes", "for five minutes"),
    ("put the mug next to the sofa", "next to"), ("put half the apples in the fridge", "half"),
])
def test_what_cannot_be_said_is_named(text: str, named: str) -> None:
    reading = read(text)
    assert reading.goal is None
    assert named in str(reading.refusal)
