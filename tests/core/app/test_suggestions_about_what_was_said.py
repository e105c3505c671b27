"""Tasks offered in place of one that is refused: about what was said, possible, sensible, and never what was forbidden."""

from __future__ import annotations

import itertools
import re

import pytest

from core.app.goal_reading import read_task
from core.goals.progress import reached
from core.planning.offline_answers import prior
from tests.core.goals.measure_sentences import opened

SCENE = "four-rooms-1"
NONSENSE = ("dance for us", "sing a song", "I love you", "tell me a joke", "what do you think", "blorp")


def offered(text: str, scene: str = SCENE) -> tuple[str, ...]:
    refusal = read_task(opened(scene), text, 0).reading.refusal
    assert refusal is not None, text
    return refusal.suggestions


@pytest.mark.parametrize(("text", "never"), [
    ("never open the fridge", "fridge"), ("don't put the mug on the kitchen table", "kitchen table"),
    ("not the kitchen table!", "kitchen table"), ("do not switch on the television", "television"),
    ("you mustn't close the microwave", "microwave"), ("keep the mug off the sofa, will you not", "sofa"),
])
def test_what_a_task_forbids_is_not_offered(text: str, never: str) -> None:
    assert [task for task in offered(text) if never in task.lower()] == []


def test_what_is_not_here_is_replaced_by_what_is_like_it() -> None:
    assert offered("bring me an orange")[:2] == ("bring me an apple", "bring me a banana")
    assert "keyboard" not in " ".join(offered("my keys are lost, bring me my keys"))
    assert all(re.fullmatch(r"bring me my \w+", task) for task in offered("bring me my keys"))


def test_refusals_of_nothing_known_offer_everyday_tasks_and_not_always_the_same() -> None:
    found = {text: offered(text) for text in NONSENSE}
    assert all(len(tasks) == 3 for tasks in found.values())
    assert len(set(found.values())) == len(NONSENSE)
    assert offered(NONSENSE[0]) == found[NONSENSE[0]]


def test_everyday_tasks_are_possible_and_put_things_where_they_usually_are() -> None:
    world = opened(SCENE)
    for task in itertools.chain.from_iterable(map(offered, NONSENSE)):
        goal = read_task(world, task, 0).goal
        assert world.possible(goal)
        assert not reached(goal, world.reveal())
        for literal in goal.literals:
            if literal.target and (kind := prior().kind_of_thing(literal.subject)):
                assert prior().kind_of_place(literal.target, "", inside=literal.predicate == "inside") in kind.places, task
