"""Exceptions: all of something without what is named is what is left, wherever the exception stands in the task."""

from __future__ import annotations

import itertools

import pytest

from core.goals.literals import Goal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import spaced
from tests.core.goals.measure_sentences import opened
from tests.core.goals.test_how_people_say_it import read

SEEN = opened("four-rooms-1").reveal()
LEXICON = Lexicon(SEEN.entities, SEEN.relations)
FORMS = {
    # the task about all of a kind: forms of it without some
    "put all the fruit in the fridge": (
        "put all the fruit except the {} in the fridge", "put all the fruit in the fridge except the {}",
        "put all the fruit in the fridge, but not the {}"),
    "wash all the dishes": ("wash all the dishes apart from the {}", "the dishes must all be clean except for the {}"),
    "switch off all lamps": (
        "switch off all lamps except the {}", "all lamps off except the {}", "I want all lamps off except the {}"),
}


def things(goal: Goal) -> set[str]:
    return {one for x in goal.literals for one in LEXICON.ids_of(x.subject)}


@pytest.mark.parametrize(("task", "form"), [(task, form) for task, forms in FORMS.items() for form in forms])
def test_what_is_left_is_all_without_the_exception(task: str, form: str) -> None:
    whole = things(parse_goal(task, LEXICON))
    classes = sorted({LEXICON.entities[one].cls for one in whole})
    assert len(classes) > 2
    for out in (*itertools.combinations(classes, 1), *itertools.combinations(classes[:3], 2)):
        reading = read(form.format(" and the ".join(map(spaced, out))))
        assert reading.goal is not None, (form, out)
        assert things(reading.goal) == whole - set(LEXICON.ids_of("|".join(out)))
        assert any(guess.words.startswith("except") for guess in reading.guesses), "the operator is told what is left"


@pytest.mark.parametrize("task", [
    "put the plum in the fridge except the apple", "put two apples in the fridge except the green one",
    "wash all the dishes except one", "open the fridge except the fridge", "put all the fruit in the fridge except the sofa",
    "put all the fruit except two in the sink", "do not touch all the fruit except the plum",
])
def test_an_exception_that_leaves_nothing_certain_is_refused(task: str) -> None:
    assert read(task).goal is None
