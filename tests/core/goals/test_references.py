"""What "it", "them" and "the cabinet" mean in a task: the thing that was said before, also among several of its name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.goals.formal_text import formal, read_formal
from core.goals.progress import reached
from core.world.vocabulary import Relation
from tests.core.goals.measure_sentences import opened
from tests.core.goals.test_how_people_say_it import goal, told

MANY = "FloorPlan7"
"""A kitchen with thirteen cabinets, four drawers and four burners."""


@pytest.mark.parametrize(("task", "expected"), [
    ("Hide the wine bottle in a cabinet and close it afterwards",
     "inside(wine_bottle, cabinet) then is(cabinet, closed, holding=wine_bottle)"),
    ("Hide the wine bottle in a cabinet and close the cabinet",
     "inside(wine_bottle, cabinet) and is(cabinet, closed, holding=wine_bottle)"),
    ("Open a drawer and put the fork in it", "is(drawer, open, holding=fork) and inside(fork, drawer)"),
    ("Open a drawer, then put the fork in the drawer", "is(drawer, open, holding=fork) and inside(fork, drawer)"),
    ("Put the fork in a drawer and leave it open", "inside(fork, drawer) and is(drawer, open, holding=fork)"),
    ("Put the fork in a drawer and the spoon in a cabinet and close them",
     "inside(fork, drawer) and inside(spoon, cabinet) and is(drawer, closed, holding=fork) and "
     "is(cabinet, closed, holding=spoon)"),
    ("Put the fork in drawer 2 and close it", "inside(fork, drawer_2) and is(drawer_2, closed)"),
    ("Put the fork in a drawer and close a cabinet", "inside(fork, drawer) and is(cabinet, closed)"),
])
def test_it_is_the_one_of_several_places_that_something_was_put_in(task: str, expected: str) -> None:
    assert goal(task, MANY) == expected


def test_another_closed_cabinet_does_not_do() -> None:
    seen = opened(MANY).reveal()
    asked = read_formal("inside(wine_bottle, cabinet) and is(cabinet, closed, holding=wine_bottle)", seen.entities)
    bottle = next(e.id for e in seen.entities if e.cls == "wine_bottle")
    there = replace(seen, relations=(*(r for r in seen.relations if r.subject != bottle),
                                     Relation("inside", bottle, "cabinet_3")))
    ajar = replace(there, entities=tuple(replace(e, states=frozenset({"open"})) if e.id == "cabinet_3" else e
                                         for e in there.entities))
    assert reached(asked, there)
    assert not reached(asked, ajar)
    assert formal(asked) == asked.text


@pytest.mark.parametrize(("task", "expected"), [
    ("Put the mug on the kitchen table and the plate on the desk and wash them",
     "on(mug, kitchen_table, states=clean) and on(plate, desk, states=clean)"),
    ("Put the mug on the kitchen table and bring my glasses to the sofa. Put them on the desk",
     "on(mug, kitchen_table) and on(glasses, desk)"),
    ("slice the apple, put it on a plate and carry it to the desk", "on(apple, plate, states=sliced) and on(plate, desk)"),
])
def test_them_is_more_than_one_and_a_vessel_keeps_what_was_put_on_it(task: str, expected: str) -> None:
    assert goal(task) == expected


def test_whether_the_vessel_or_the_object_is_carried_is_a_guess() -> None:
    assert told("slice the apple, put it on a plate and carry it to the desk")["it"] == "the plate with the apple"


@pytest.mark.parametrize(("task", "expected"), [
    ("Put one mug inside the microwave, then switch on the microwave", "inside(mug, microwave) then is(microwave, on)"),
    ("put the mug in the microwave. Then switch it on", "inside(mug, microwave) then is(microwave, on)"),
    ("put the mug in the microwave and switch it on", "inside(mug, microwave) and is(microwave, on)"),
])
def test_an_order_that_is_said_is_kept(task: str, expected: str) -> None:
    assert goal(task) == expected


def test_what_a_later_clause_undoes_is_told() -> None:
    assert goal("Open the fridge and close it afterwards") == "is(fridge, closed)"
    assert told("Open the fridge and close it afterwards")
    assert not told("open the fridge, put the apple in it, close the fridge")


@pytest.mark.parametrize("but", ["but", "but on", "except on", "other than"])
def test_anywhere_but_a_place_is_any_other_place_told_as_a_guess(but: str) -> None:
    text = f"put the mug anywhere {but} the kitchen table"
    assert goal(text).startswith("on(mug, ")
    assert "kitchen_table" not in goal(text)
    assert "kitchen_counter" in goal(text)
    assert told(text)["anywhere but the kitchen table"].startswith("on the ")
    assert goal("put the mug anywhere but in the kitchen") == "inside(mug, living_room|bedroom|bathroom)"


@pytest.mark.parametrize(("task", "scene", "expected"), [
    ("Turn stove knob 4 on and leave the remaining knobs off", "FloorPlan2",
     "is(stove_knob_4, on) and is(stove_knob_1|stove_knob_2|stove_knob_3|stove_knob_5|stove_knob_6, off, count=every)"),
    ("open drawer 1 and close the others", MANY, "is(drawer_1, open) and is(drawer_2|drawer_3|drawer_4, closed, count=every)"),
    ("open two drawers and close the rest", MANY, "is(drawer, open, count=2) and is(drawer, closed, count=2)"),
    ("put a plate on the desk and another on the nightstand", "four-rooms-1", "on(plate, desk) and on(plate, nightstand)"),
    ("the plate goes in the dishwasher and so does the mug", "four-rooms-1",
     "inside(plate, dishwasher) and inside(mug, dishwasher)"),
    ("put the mug and then the plate in the sink", "four-rooms-1", "inside(mug, sink) then inside(plate, sink)"),
    ("the boys' trousers go on the bed, both pairs of them", "four-rooms-1", "on(clothes_pants, bed, count=2)"),
    ("switch off every lamp except the one on the desk", "four-rooms-1",
     "is(floor_lamp, off, count=every) and is(table_lamp, off, count=every)"),
    ("The agent must hold the mug once it is washed.", MANY, "is(mug, clean) then holds(mug)"),
    ("I want the plate on the desk with the apple on it", "four-rooms-1", "on(plate, desk) and on(apple, plate)"),
])
def test_words_that_stand_for_things_said_before_mean_these(task: str, scene: str, expected: str) -> None:
    assert goal(task, scene) == expected


@pytest.mark.parametrize("task", ["put another plate on the desk", "the other plates go in the dishwasher"])
def test_nothing_is_another_than_what_was_not_said(task: str) -> None:
    assert goal(task).startswith("refused: “")
    assert "how many" in goal(task)


@pytest.mark.parametrize("remark", ["Tommy won't leave it alone", "nobody is using it", "she can't read without it"])
def test_what_others_do_not_do_is_no_part_of_a_task(remark: str) -> None:
    assert goal(f"put the book on the desk, {remark}") == "on(book, desk)"


def test_what_must_not_be_closed_is_what_has_a_door() -> None:
    assert goal("put the milk in the fridge without closing it") == "inside(milk, fridge) and never is(fridge, closed)"
    assert goal("put the milk in the microwave but don't switch it on") == "inside(milk, microwave) and never is(microwave, on)"
