"""Remarks around a task, wishes, goal lists, prohibitions and short spelling, in many words that mean the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.app.goal_suggestions import usual_places
from core.goals.formal_text import formal
from core.goals.parser.sentence import read_sentence
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from tests.core.goals.measure_sentences import opened
from tests.long_tests import some_pairs

SCENE = "four-rooms-1"
COMMANDS = {
    "close the fridge": "is(fridge, closed)",
    "put two plates on the kitchen table": "on(plate, kitchen_table, count=2)",
    "turn the television off": "is(television, off)",
    "bring the book to the bedroom": "inside(book, bedroom)",
}
REMARKS = (
    "it's getting dark", "it's freezing in here", "I'm expecting guests at six", "we're having a party tonight",
    "my back hurts",
    "the baby is sleeping", "Mum's coming over", "I can't see anything", "she can't sleep", "he has a headache",
    "you must be tired", "I'm off to work", "we like it cold", "I don't mind", "dinner is ready", "I've just got home",
)
AROUND = ("{remark}, {command}", "{remark}; {command}.", "{remark} - {command}", "{remark}. {command}!",
          "{remark}, so {command}",
          "{remark} so please {command}", "as {remark}, {command}", "{command}, {remark}", "{command} because {remark}",
          "{command}. {remark}.", "{command} since {remark}")


def read(text: str, scene: str = SCENE) -> GoalReading:
    seen = opened(scene).reveal()
    return read_sentence(text, Lexicon(seen.entities, seen.relations), usual_places(seen))


def goal(text: str, scene: str = SCENE) -> str:
    reading = read(text, scene)
    return formal(reading.goal) if reading.goal is not None else f"refused: {reading.refusal}"


def told(text: str, scene: str = SCENE) -> dict[str, str]:
    """Returns the guesses of a reading: words -> the meaning taken."""
    return {guess.words: guess.taken for guess in read(text, scene).guesses}


@pytest.mark.parametrize("around", AROUND)
def test_a_remark_is_left_out_and_shown_as_no_part_of_the_task(around: str) -> None:
    for (command, expected), remark in some_pairs(list(COMMANDS.items()), REMARKS, 2):
        text = around.format(remark=remark, command=command)
        reading = read(text)
        assert reading.goal is not None, (text, str(reading.refusal))
        assert formal(reading.goal) == expected, text
        assert any(remark in text[start:end] for start, end in reading.unknown), text


@pytest.mark.parametrize("remark", REMARKS)
def test_a_remark_alone_is_no_task(remark: str) -> None:
    reading = read(remark)
    assert reading.goal is None
    assert reading.unknown


@pytest.mark.parametrize(("text", "expected"), [
    ("There's an apple on the sofa, please put it in the fridge", "inside(apple, fridge, source=sofa)"),
    ("There are plates on the kitchen table, put them in the dishwasher",
     "inside(plate, dishwasher, count=every, source=kitchen_table)"),
    ("There are two mugs in the kitchen cabinet, put one of them on the desk", "on(mug, desk, source=kitchen_cabinet)"),
    ("there's stuff on the bed, put all of it on the desk", "on(thing, desk, count=every, source=bed)"),
    ("I can't find my book, could you bring it to the sofa?", "on(book, sofa)"),
    ("He keeps losing his crayons; put them on the desk", "on(crayons, desk)"),
    ("The milk has been out all day, put it back in the fridge", "inside(milk, fridge)"),
    ("The plates are dirty, wash them", "is(plate, clean, count=every)"),
    ("The television is on, turn it off please", "is(television, off)"),
    ("The mug on the desk wants washing, so put it in the sink",
     "is(mug, clean, source=desk) and inside(mug, sink, source=desk)"),
    ("since nobody is using the television, turn it off", "is(television, off)"),
    ("the mug and the plate, put them in the sink", "inside(mug, sink) and inside(plate, sink)"),
    ("All the dirty plates: wash them", "is(plate, clean, count=every, was=dirty)"),
    ("wash the plates, every single one", "is(plate, clean, count=every)"),
    ("she's in a wheelchair and can't reach the plate, put it on the kitchen table", "on(plate, kitchen_table)"),
])
def test_a_pronoun_refers_to_what_a_remark_names(text: str, expected: str) -> None:
    assert goal(text) == expected


@pytest.mark.parametrize(("text", "words"), [
    ("put the apples in the fridge, I don't like warm ones", "don't"),
    ("put the fruit on the desk, he can't eat apples", "can't"), ("put all the food in the fridge, we never eat pudding",
    "never"),
    ("bring me a drink, I don't drink wine", "don't"), ("wash the plates, I only need two", "only"),
    ("put the fruit in the fridge, I like it unless it is cold", "unless"), ("bring me the book i'm reading", "reading"),
    ("wait until I'm back, then close the fridge", "until"),
    ("I'll put the book on the desk", "book"), ("I told you to put the mug on the desk", "mug"),
])
def test_a_remark_that_limits_the_task_is_refused(text: str, words: str) -> None:
    reading = read(text)
    assert reading.goal is None
    assert words in f"{reading.refusal} {[text[a:b] for a, b in reading.unknown]}".lower()


@pytest.mark.parametrize("text", [
    "the book on the desk would be great", "can I have the book on the desk", "could we have the book on the desk please",
    "is there any chance of the book on the desk", "any chance of you putting the book on the desk?",
    "how about the book on the desk",
    "what about putting the book on the desk", "it would be great to have the book on the desk",
    "I'd love the book on the desk",
    "be a love and stick the book on the desk, ta", "the goal is the book on the desk", "Goal: book on desk",
    "Target state: the book on the desk.", "your task is to put the book on the desk", "the book onto the desk, please",
    "The robot should put the book on the desk", "put ur book on da desk plz", "cud u put the book on the desk thx",
    "I was wondering whether you could put the book on the desk", "put the book on the desk before dinner, cheers",
    "Before you do anything else, put the book on the desk",
    "put the book on the desk for me",
])
def test_wishes_in_all_forms_are_the_same_goal(text: str) -> None:
    assert goal(text) == "on(book, desk)"


@pytest.mark.parametrize(("text", "expected"), [
    ("Target state: book on desk, milk in fridge, all mugs on the kitchen table",
     "on(book, desk) and inside(milk, fridge) and on(mug, kitchen_table, count=every)"),
    ("The desired state is the book on the bed and the television off.", "on(book, bed) and is(television, off)"),
    ("1. go to the kitchen 2. wash the plate 3. sit on the sofa", "robot_in(kitchen) then is(plate, clean) then sitting(sofa)"),
    ("First go to the kitchen; second, wash the plate; third, sit on the sofa",
     "robot_in(kitchen) then is(plate, clean) then sitting(sofa)"),
    ("After the bread has been sliced, go to the bedroom", "is(bread_slice, sliced) then robot_in(bedroom)"),
    ("once the television has been turned off, go to the bedroom", "is(television, off) then robot_in(bedroom)"),
    ("Watch the television, then turn it off", "done(watch, television) then is(television, off)"),
    ("make sure the mug is both clean and on the desk", "on(mug, desk, states=clean)"),
    ("ensure the television is plugged in and switched on", "is(television, plugged_in) and is(television, on)"),
    ("make sure there's no food on the sofa", "away(food, sofa, count=every)"),
    ("no food on the bed please", "away(food, bed, count=every)"),
    ("there should be no mugs on the coffee table", "away(mug, coffee_table, count=every)"),
])
def test_lists_and_orders(text: str, expected: str) -> None:
    assert goal(text) in (expected, expected.replace("on(mug, desk, states=clean)", "is(mug, clean) and on(mug, desk)"))


FORBIDDEN = (
    "{task}, but under no circumstances open the fridge", "{task} and make sure not to open the fridge",
    "whatever you do, don't open the fridge; {task}", "on no account open the fridge. {task}.", "no opening the fridge; {task}",
    "{task} without ever opening the fridge", "{task}, avoid opening the fridge",
    "You're not allowed to open the fridge. {task}.",
    "opening the fridge is forbidden; {task}", "I'd rather you didn't open the fridge; {task}",
    "The agent must never open the fridge; {task}", "dont open the fridge just {task}",
    "{task}, making sure you never open the fridge",
    "do not, under any circumstances, open the fridge. {task}", "I don't want you to open the fridge, just {task}",
)


@pytest.mark.parametrize("sentence", FORBIDDEN)
def test_prohibitions_in_all_forms_are_the_same(sentence: str) -> None:
    assert goal(sentence.format(task="put the book on the bed")) == "on(book, bed) and never is(fridge, open)"


@pytest.mark.parametrize(("text", "expected"), [
    ("wash the plate but leave the mug alone", "is(plate, clean) and never holds(mug) and never done(touch, mug)"),
    ("please leave the candle where it is and put the book on the desk",
     "on(book, desk) and never holds(candle) and never done(touch, candle)"),
    ("put the apple in the fridge but don't cut it", "inside(apple, fridge) and never is(apple, sliced)"),
    ("take the apple, don't slice it", "holds(apple) and never is(apple, sliced)"),
    ("wash the plate but do not put it in the kitchen cabinet", "is(plate, clean) and never inside(plate, kitchen_cabinet)"),
])
def test_prohibitions_about_things_named_before(text: str, expected: str) -> None:
    assert goal(text) == expected


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(COMMANDS)), st.lists(st.sampled_from(REMARKS), max_size=3),
       st.lists(st.sampled_from(REMARKS), max_size=2))
def test_any_number_of_remarks_leaves_the_task_as_it_is(command: str, before: list[str], after: list[str]) -> None:
    text = ". ".join([*before, command, *after])
    reading = read(text)
    assert reading.goal is not None, (text, str(reading.refusal))
    assert formal(reading.goal) == COMMANDS[command], text
    shown = " ".join(text[start:end] for start, end in reading.unknown)
    assert all(remark in shown for remark in (*before, *after))
