"""Clauses that have another form than a command: narrations, lists after a colon, places alone, wishes turned around."""

from __future__ import annotations

import pytest

from tests.core.goals.test_how_people_say_it import goal, read

SAYS: dict[str, str] = {
    "The robot walks to the fridge, opens it, takes the milk out and puts it on the kitchen table.":
        "robot_near(fridge) and is(fridge, open) and on(milk, kitchen_table, source=fridge)",
    "The agent grabs the plum, carries it to the sofa and sits down there.": "on(plum, sofa) and sitting(sofa)",
    "A person puts the book on the desk and then switches off the television.": "on(book, desk) then is(television, off)",
    "Rinse the mug, then give it a spot on the bookshelf": "is(mug, clean) then on(mug, bookshelf)",
    "give the toothbrush a place in the bathroom cabinet": "inside(toothbrush, bathroom_cabinet)",
    "Find a home for the book on the bookshelf": "on(book, bookshelf)",
    "Can you make room for the apple in the fridge?": "inside(apple, fridge)",
    "Cold things go in the fridge: the milk and the apple": "inside(milk, fridge) and inside(apple, fridge)",
    "These belong on the bookshelf: the book and the notes": "on(book, bookshelf) and on(notes, bookshelf)",
    "Put these in the fridge: the milk and the apple": "inside(milk, fridge) and inside(apple, fridge)",
    "In the fridge: the milk": "inside(milk, fridge)",
    "The apple has been left out. Back in the fridge, please!": "inside(apple, fridge)",
    "I left the book I was reading somewhere. Onto the bookshelf.": "on(book, bookshelf)",
    "What I'd like is for the book to be on the desk": "on(book, desk)",
    "What I want is the book on the desk": "on(book, desk)",
    "What you need to do is close the fridge": "is(fridge, closed)",
    "Why don't you close the fridge?": "is(fridge, closed)",
    "Take whichever plum is nearest and put it in the fridge": "inside(plum, fridge)",
    "Put the closest plum in the fridge": "inside(plum, fridge)",
    "Put the book on the desk, not on the sofa": "on(book, desk)",
    "Put the book on the desk rather than on the sofa": "on(book, desk)",
    "I want the apple rather than the plum in the fridge": "inside(apple, fridge)",
    "Off with the television!": "is(television, off)",
    "Would it kill you to close the fridge?": "is(fridge, closed)",
    "See that book? Put it on the bookshelf": "on(book, bookshelf)",
    "Do you see the apple? It goes in the fridge.": "inside(apple, fridge)",
    "Double-check the fridge is shut and the television is off": "is(fridge, closed) and is(television, off)",
    "Have the apple in the fridge by the time I'm back": "inside(apple, fridge)",
    "Make the television to be off": "is(television, off)",
    "Let the apple be in the fridge": "inside(apple, fridge)",
    "Clear the kitchen table of plums": "away(plum, kitchen_table, count=every)",
    "Can you please the television switch off": "is(television, off)",
    "Could you please the fridge close?": "is(fridge, closed)",
    "Put the apple in the fridge. Same for the plum.": "inside(apple, fridge) and inside(plum, fridge)",
    "Wash the mug, and the same goes for the plate": "is(mug, clean) and is(plate, clean)",
    "Put the apple in the fridge, ditto the plum": "inside(apple, fridge) and inside(plum, fridge)",
    "Have a look at the book": "done(look_at, book)",
    "I could murder an apple": "holds(apple)",
    "I'd kill for a plum": "holds(plum)",
    "Close the fridge. Oh, and I'd rather the television was off.": "is(fridge, closed) and is(television, off)",
    "Put the milk in the fridge, which has to be closed": "inside(milk, fridge) and is(fridge, closed)",
    "The milk belongs in the dishwasher! Get it out of there and into the fridge.": "inside(milk, fridge)",
    "Go on, close the fridge": "is(fridge, closed)",
    "Put the plums in the dishwasher, close it and set it going":
        "inside(plum, dishwasher, count=every) and is(dishwasher, closed) and is(dishwasher, on)",
    "Wash the mug and the plate and put the two of them on the kitchen table":
        "is(mug, clean) and is(plate, clean) and on(mug, kitchen_table) and on(plate, kitchen_table)",
    "The plums mustn't stay on the kitchen table": "away(plum, kitchen_table, count=every)",
    "All plums have to leave the kitchen table": "away(plum, kitchen_table, count=every)",
    "Out with the milk from the fridge, it goes on the kitchen table": "on(milk, kitchen_table, source=fridge)",
    "One plum in the fridge, the other on the desk": "inside(plum, fridge) and on(plum, desk)",
    "power up the television": "is(television, on)",
    "put the book on nightstand two": "on(book, nightstand_2)",
    "Get the plums out of wherever they're hiding and put them in the fridge": "inside(plum, fridge, count=every)",
}
UNDER_LIGHT: dict[str, str] = {
    "look at cd under the desklamp.": "is(desk_lamp, on) and done(look_at, cd)",
    "examine the book with the desk lamp": "is(desk_lamp, on) and done(look_at, book)",
    "Look at the pencil by the light of the desk lamp": "is(desk_lamp, on) and done(look_at, pencil)",
}


@pytest.mark.parametrize("text", SAYS)
def test_a_clause_in_another_form_means_what_its_command_means(text: str) -> None:
    assert goal(text) == SAYS[text]


@pytest.mark.parametrize("text", UNDER_LIGHT)
def test_what_is_looked_at_by_a_lamp_needs_the_lamp_on(text: str) -> None:
    assert goal(text, "FloorPlan313") == UNDER_LIGHT[text]


@pytest.mark.parametrize(("text", "count"), [
    ("There are seven statues in this room! Gather any three of them on the dining table.", 3),
    ("I count seven statues. Put five of them on the dining table.", 5)])
def test_some_of_what_a_remark_counts_are_so_many(text: str, count: int) -> None:
    assert goal(text, "FloorPlan227") == f"on(statue, dining_table, count={count})"


@pytest.mark.parametrize("text", ["The notes are still lying on the sofa, so put them on the desk",
                                  "The book is still just sitting on the desk, put it on the bookshelf"])
def test_where_something_lies_is_no_posture_of_the_robot(text: str) -> None:
    reading = read(text)
    assert reading.goal is None or all(x.predicate not in ("lying", "sitting") for x in reading.goal.literals)


@pytest.mark.parametrize("text", ["put the apple in the fridge but not the pear", "the plate and not the mug goes in the sink"])
def test_what_is_left_out_of_one_thing_is_still_refused(text: str) -> None:
    assert read(text).goal is None


@pytest.mark.parametrize(("text", "left_out"), [
    ("Put the nearest plum in the fridge", "nearest"),
    ("Take whichever plum is nearest and put it in the fridge", "is nearest"),
    ("Put the book on the desk, not on the sofa", ", not on the sofa")])
def test_what_does_not_change_the_goal_is_shown_as_left_out(text: str, left_out: str) -> None:
    assert left_out in [text[start:end] for start, end in read(text).unknown]


@pytest.mark.parametrize("text", ["Someone leaves the fridge open all the time.", "Somebody takes my milk every day."])
def test_a_complaint_about_somebody_is_no_task(text: str) -> None:
    assert read(text).goal is None
