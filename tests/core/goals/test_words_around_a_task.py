"""What people say around a task is told from it by its form; what changes the task is never dropped."""

from __future__ import annotations

import itertools

import pytest

from core.goals.formal_text import formal
from tests.core.goals.test_how_people_say_it import COMMANDS, goal, read

BEFORE = (
    "mum says we have visitors, so {}", "mum told me to {}", "grandad wants you to {}", "as it's getting late, {}",
    "to be safe, {}",
    "if it's not too much trouble, {}", "if you wouldn't mind, {}", "when you get a moment {}", "as a favour, {}",
    "I know you're busy but {}", "oh dear, {}", "thanks for yesterday, now {}", "sorry to be a pain but {}",
    "quick favour: {}", "would you be so good as to {}",
    "I'd be over the moon if you could {}", "do me a favour and {}", "could I trouble you to {}",
    "I don't suppose you could {}", "the neighbours are coming round, so {}", "at some point today {}", "after lunch, {}",
    "now that everyone has left, {}", "I've had no sleep, {}", "I need the space, so {}", "reminder: {}", "trial 4. {}",
)
AFTER = (
    "{}, pretty please", "{} if that's all right with you", "{} when you're done", "{} so that she can rest", "{} for later",
    "{} for when he wakes up", "{} before anyone notices", "{} by the time I'm back", "{}, or mum will be angry",
    "{} while she is out",
    "{} very carefully", "{}, goodness knows why", "{}, nothing else", "{} to save time", "{} like I showed you",
    "{} as soon as you can", "{} so it doesn't get lost", "{}, that would be lovely", "{} and be quick about it",
)
NOT_DROPPED = (
    "if it rains, {}", "when the bell rings, {}", "as soon as she wakes up, {}", "after nine o'clock, {}", "when I say so, {}",
    "in ten minutes, {}", "{} for exactly an hour", "{} at noon", "{} three times", "{} until I say stop", "{} if she asks",
    "{}, but not today", "{} or not", "{} and feed the cat", "sing a song, then {}", "{}, the giraffe and the unicorn",
    "it would be terrible if you {}", "I'd be cross if you {}", "she hates it when you {}", "I hate when people {}",
    "he refuses to {}", "mum says it's wrong to {}", "there's no need to {}", "pretend to {}", "remind me to {}",
    "yesterday I asked you to {}", "{} from the balcony", "only if she asks, {}", "it's too late to {}",
)


@pytest.mark.parametrize("around", BEFORE + AFTER)
def test_what_is_said_around_a_task_does_not_change_its_goal(around: str) -> None:
    for command, expected in COMMANDS.items():
        assert goal(around.format(command)) == expected


@pytest.mark.parametrize("around", NOT_DROPPED)
def test_what_changes_a_task_is_refused(around: str) -> None:
    for command in COMMANDS:
        assert read(around.format(command)).goal is None


@pytest.mark.parametrize(("text", "expected", "left_out"), [
    ("oh dear this kitchen is a tip grab the apple and chuck it in the fridge", "inside(apple, fridge)",
     "this kitchen is a tip"),
    ("my legs hurt could you get the book for me it's for grandma", "holds(book)", "my legs hurt"),
    ("hey buddy my hands are full the mug needs to go in the dishwasher", "inside(mug, dishwasher)", "my hands are full"),
    ("grab the apple im hungry", "holds(apple)", "hungry"),
    ("everything off the desk please its driving me nuts", "away(thing, desk, count=every)", "driving me nuts"),
    ("um take the book no wait the apple and put it in the fridge", "inside(apple, fridge)", "the book no wait"),
    ("put the mug on the desk, I mean the bed", "on(mug, bed)", "the desk, I mean"),
    ("the lights in the bedroom are still on turn them off", "is(light, off, count=every, room=bedroom)", "are still on"),
    ("wash the mug and once it is clean put it in the dishwasher", "is(mug, clean) and inside(mug, dishwasher)", ""),
    ("take the salmon out of the fridge and heat it in the microwave", "away(salmon, fridge, states=cooked, by=microwave)", ""),
    ("we need two plates and a mug on the desk for dinner", "on(plate, desk, count=2) and on(mug, desk)", "for dinner"),
])
def test_dictated_tasks_are_read_without_stops_and_what_is_left_out_is_shown(text: str, expected: str, left_out: str) -> None:
    reading = read(text)
    assert reading.goal is not None
    assert formal(reading.goal) == expected
    assert left_out in " ".join(text[start:end] for start, end in reading.unknown) or not left_out


@pytest.mark.parametrize("text", [
    "feed the cat put the apple in the fridge", "sing a song close the fridge", "close the fridge sing a song",
    "no apples close the fridge", "mum refuses to close the fridge", "take the book she likes to the bed",
    "i can't close the fridge",
    "stop closing the fridge", "forget the mug close the fridge", "put the apple on the desk i want you to dance",
])
def test_dictated_words_that_matter_are_not_left_out(text: str) -> None:
    assert read(text).goal is None


def test_a_wish_without_a_verb_after_an_appliance_is_no_fault_of_the_program() -> None:
    assert goal("heat up the salmon in the microwave, sponge in the sink") == \
        "is(salmon, cooked, by=microwave) and inside(washing_sponge, sink)"  # it raised a ValueError


def test_surroundings_on_both_sides_do_not_change_the_goal() -> None:
    sides = itertools.product(BEFORE[::4], AFTER[::3])
    for (before, after), (command, expected) in zip(sides, itertools.cycle(COMMANDS.items()), strict=False):
        assert goal(before.format(after.format(command))) == expected


@pytest.mark.parametrize(("text", "expected"), [
    # stages said as clauses about time
    ("type on the keyboard after moving it to the desk", "on(keyboard, desk) then done(type, keyboard)"),
    ("before putting the apple in the fridge, slice it", "is(apple, sliced) then inside(apple, fridge)"),
    ("once the salmon's cooked, put it on the kitchen table", "on(salmon, kitchen_table, states=cooked)"),
    ("once that salmon is cooked put it on the kitchen table", "on(salmon, kitchen_table, states=cooked)"),
    # prohibitions in other words
    ("close the stove, and at no point open the fridge", "is(stove, closed) and never is(fridge, open)"),
    ("nobody may open the fridge; bring the book to the bedroom", "inside(book, bedroom) and never is(fridge, open)"),
    ("no need to wash the mug, just close the fridge", "is(fridge, closed)"),
    # one object of several verbs
    ("wash and put away the plate", "on(plate, kitchen_table, states=clean)"),
    # nouns that say nothing
    ("put the old book on the desk", "on(book, desk)"),
    ("move all food items from the fridge to the kitchen counter", "on(food, kitchen_counter, count=every, source=fridge)"),
    ("move the contents of the dishwasher to the kitchen counter",
     "on(thing, kitchen_counter, count=every, source=dishwasher)"),
    # wishes of others, vessels and what stands before the verb
    ("Mrs Jones would like her slippers brought to the bedroom", "inside(slippers, bedroom)"),
    ("the bowl should contain an apple", "inside(apple, dish_bowl)"),
    ("both the mug and the plate have to end up in the dishwasher", "inside(mug, dishwasher) and inside(plate, dishwasher)"),
    ("use the microwave to heat the salmon", "is(salmon, cooked, by=microwave)"),
    ("from the fridge take the milk and put it on the desk", "on(milk, desk, source=fridge)"),
    ("wash any dirty plates", "is(plate, clean, count=every, was=dirty)"),
])
def test_forms_of_tasks(text: str, expected: str) -> None:
    assert goal(text) == expected


def test_a_second_meaning_of_a_plural_or_a_drink_is_offered() -> None:
    assert any("teddy" in words for guess in read("put two toys on the bookshelf").guesses for words, _ in guess.others)
    assert any("any source" in words for guess in read("make me a coffee").guesses for words, _ in guess.others)


@pytest.mark.parametrize(("text", "expected", "left_out"), [
    ("Is the fridge open? close it", "is(fridge, closed)", "Is the fridge open"),
    ("wow is that a board game? can you get it for me", "holds(board_game)", "is that a board game"),
    ("The mug she is dirty, wash it", "is(mug, clean)", ""),
    ("put the crayons on the desk no wait on the bed", "on(crayons, bed)", "on the desk no wait"),
    ("put the wine glass the plate and the mug in the sink",
     "inside(wine_glass, sink) and inside(plate, sink) and inside(mug, sink)", ""),
])
def test_clauses_that_only_tell_or_ask_are_left_out_and_shown(text: str, expected: str, left_out: str) -> None:
    reading = read(text)
    assert reading.goal is not None
    assert formal(reading.goal) == expected
    assert left_out in [text[start:end] for start, end in reading.unknown] or not left_out


@pytest.mark.parametrize("text", [
    "Feed the cat. Open the fridge", "is the mug in the sink? if so bring it", "There is no mug. Bring one",
    "The fridge should be clean inside, I think, bring the mug", "when the bell rings, open the fridge",
])
def test_clauses_that_ask_or_limit_are_never_left_out(text: str) -> None:
    assert read(text).goal is None


@pytest.mark.parametrize(("text", "scene", "expected"), [
    ("look at the book while the desk lamp is on", "FloorPlan312", "done(look_at, book) and is(desk_lamp, on)"),
    ("look at the book while the kids are asleep", "FloorPlan312", "done(look_at, book)"),
    ("the alarm clock? the thing on the side table? put it on the desk", "FloorPlan312", "on(alarm_clock, desk)"),
    ("the thing on the side table, put it on the desk", "FloorPlan312", "on(thing, desk, source=side_table)"),
    ("Ella's toy is on the sofa, bring it to her bed", "four-rooms-1", "on(toy, bed, source=sofa)"),
    ("the blinds stay shut", "FloorPlan301", "is(blinds, closed)"),
])
def test_what_holds_meanwhile_and_what_a_second_question_names_is_kept(text: str, scene: str, expected: str) -> None:
    assert goal(text, scene) == expected


@pytest.mark.parametrize(("text", "scene", "expected"), [
    ("Lily says there are crayons on the coffee table. Put them in the cabinet.", "four-rooms-2",
     "inside(crayons, cabinet, source=coffee_table)"),
    ("mum said the dog ate it, close the fridge", "four-rooms-1", "is(fridge, closed)"),
    ("close the fridge, Nurse Kim says", "four-rooms-1", "is(fridge, closed)"),
    ("both cutlets, wherever they are, need to be hot", "four-rooms-1", "is(cutlets, cooked, count=2)"),
    ("a candle must be on the coffee table when the episode terminates", "four-rooms-1", "on(candle, coffee_table)"),
    ("the keys out of Oscar's sight, in a drawer", "FloorPlan209", "inside(key_chain, drawer, count=every)"),
    ("into the fridge with the apple", "FloorPlan1", "inside(apple, fridge)"),
    ("bring me the magazine, the one on the kitchen table", "four-rooms-4", "holds(magazine, source=kitchen_table)"),
    ("put the first toilet paper in the fourth cabinet", "FloorPlan414", "inside(toilet_paper_1, cabinet_4)"),
    ("the phone that somebody left on the bathroom counter, bring it to me", "four-rooms-3",
     "holds(cellphone, source=bathroom_counter)"),
    ("Emma says two of the three knives are dirty, wash those please", "four-rooms-4",
     "is(cutlery_knife, clean, count=2, was=dirty)"),
    ("The pot is filthy and so is the bowl; I need both clean.", "FloorPlan2", "is(pot, clean) and is(bowl, clean)"),
    ("chop the tomato but leave the bread whole", "FloorPlan12", "is(tomato, sliced) and never is(bread, sliced)"),
    ("Tomato needs cutting before it goes in the bowl", "FloorPlan12", "is(tomato, sliced) then inside(tomato, bowl)"),
    ("put them where they belong, wherever they are", "FloorPlan12", "refused"),
    ("however please close the fridge", "FloorPlan1", "is(fridge, closed)"),
])
def test_what_stands_around_a_clause_or_for_a_noun_is_told_by_its_form(text: str, scene: str, expected: str) -> None:
    assert goal(text, scene).startswith(expected)


def test_what_stands_around_a_clause_is_reported_as_left_out() -> None:
    text = "Lily says the crayons must be in the cabinet"
    assert read(text, "four-rooms-2").unknown == ((0, len("Lily says")),)
