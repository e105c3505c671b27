"""Numbers in a task: none is dropped, from zero to a hundred, in words and digits, of things and of places."""

from __future__ import annotations

import pytest

from core.goals.literals import Goal, Literal
from core.goals.parser.tokens import tokenized
from core.goals.vocabulary import Lexicon
from tests.core.goals.measure_sentences import opened
from tests.core.goals.test_how_people_say_it import goal
from tests.core.goals.test_references import MANY
from tests.long_tests import some_pairs

UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def numbers(text: str) -> list[str]:
    words = Lexicon(opened(MANY).reveal().entities)
    return [token.text for token in tokenized(f"put {text} plums in the fridge", words).tokens]


def test_number_words_to_a_hundred_are_their_digits() -> None:
    for tens, unit in some_pairs(TENS, UNITS, 3):
        number = str(20 + 10 * TENS.index(tens) + 1 + UNITS.index(unit))
        assert numbers(f"{tens}-{unit}")[1] == numbers(f"{tens} {unit}")[1] == number
    said = {"zero": "0", "thirteen": "13", "nineteen": "19", "forty": "40", "a hundred": "100", "one hundred": "100",
            "two dozen": "24", "half a dozen": "6", "dozen": "dozen", "twelve": "twelve"}
    assert {words: numbers(words)[1] for words in said} == said


@pytest.mark.parametrize("count", ["0", "zero", "0 pears and 3"])
def test_zero_is_not_one(count: str) -> None:
    assert goal(f"put {count} plums in the fridge").startswith("refused: “0 ")
    assert goal(f"slice {count} plums").startswith("refused: “0 ")


@pytest.mark.parametrize("text", ["no books may be on the sofa", "there should be 0 books on the sofa",
                                  "zero books on the sofa", "I want zero books on the sofa"])
def test_none_of_something_somewhere_is_a_goal(text: str) -> None:
    assert goal(text) == "away(book, sofa, count=every)"


@pytest.mark.parametrize("count", ["seventeen", "forty-two", "19", "two dozen"])
def test_a_large_number_is_kept(count: str) -> None:
    digits = {"seventeen": 17, "forty-two": 42, "19": 19, "two dozen": 24}[count]
    assert goal(f"put {count} plums in the fridge") == f"inside(plum, fridge, count={digits})"


@pytest.mark.parametrize("number", ["2", "number 2", "no. 2", "#2"])
def test_one_of_several_is_named_by_its_number(number: str) -> None:
    assert goal(f"open drawer {number}", MANY) == "is(drawer_2, open)"


def test_what_lies_somewhere_is_possible_there() -> None:
    world = opened(MANY)
    seen = world.reveal()
    held = [Literal(r.kind, r.subject, seen.by_id[r.object].cls) for r in seen.relations
            if r.kind in ("inside", "on") and seen.by_id[r.subject].category == "object"]
    assert "pan" in {seen.by_id[x.subject].cls for x in held if x.target == "stove_burner"}
    assert [str(x) for x in held if not world.possible(Goal((x,)))] == []
    beside = Goal((Literal("on", "pan", "stove_burner"), Literal("inside", "apple", "fridge")))
    assert world.possible(beside)


@pytest.mark.parametrize(("text", "expected"), [
    ("put mug 1 in/on countertop 2", "on(mug_1, counter_top_2)"), ("put mug 1 on counter top 2.", "on(mug_1, counter_top_2)"),
    ("put mug_1 in garbagecan 1", "inside(mug_1, garbage_can_1)"),
    ("take mug 1 from countertop 1", "away(mug_1, counter_top_1)"),
    ("(1) wash mug 1 (2) put it in/on diningtable 1", "is(mug_1, clean) then on(mug_1, dining_table_1)"),
    ("step 1: open drawer 1; step 2: put fork 1 in it", "is(drawer_1, open) then inside(fork_1, drawer_1)"),
])
def test_the_forms_of_other_benchmarks_are_read(text: str, expected: str) -> None:
    assert goal(text, MANY) == expected
