"""Names match whole, refusals are taken for what they say, and all ingredients come into one vessel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planners.neoplanner import offline_knowledge
from core.planners.neoplanner.offline import _mixing
from core.planners.neoplanner.offline_knowledge import Recollection, Target, Task, has_words
from core.planners.neoplanner.recorded_types import StepTaken

WORDS = st.sampled_from(["apple", "tree", "orange", "box", "red", "pot", "flower", "light", "bulb", "wood"])


@given(st.lists(WORDS, min_size=1, max_size=3, unique=True), st.lists(WORDS, min_size=1, max_size=3, unique=True))
def test_a_focus_is_on_the_named_thing_or_one_described_further(have: list[str], wanted: list[str]) -> None:
    fit = Task("", "", sense=True).fits(Target("name", (" ".join(wanted),)), " ".join(have))
    assert (fit > 0) == (have[-len(wanted):] == wanted)
    assert (fit == 1) == (have == wanted)


@pytest.mark.parametrize(("name", "phrase", "within"), [
    ("juice", "ice", False), ("ice", "ice", True), ("big fire pit", "fire pit", True), ("office", "ice", False),
    ("woven mat", "oven", False),
])
def test_phrases_are_found_as_whole_words(name: str, phrase: str, within: bool) -> None:
    assert has_words(name, phrase) == within


@pytest.mark.parametrize(("name", "kind", "fits"), [
    ("parrot", "animal", True), ("adult brown bear", "living thing", True), ("apple tree", "plant", True),
    ("orange box", "animal", False), ("tree house", "plant", False), ("metal pot", "living thing", False),
])
def test_what_stands_for_a_kind(name: str, kind: str, fits: bool) -> None:
    assert offline_knowledge.stands_for(name, kind) == fits


@pytest.mark.parametrize(("action", "reply", "hopeless", "hopeful"), [
    ("pick up sink", "The sink is not moveable.", ("pick up sink", "move sink to table"), ("open sink",)),
    ("move soap to lamp", "That can't be moved there.", ("move cup to lamp", "pour cup in lamp"), ("move soap to cup",)),
    ("open table", "The table is not openable.", ("open table",), ("move cup to table", "look in table")),
    ("use soap on cup", "I'm not sure how to use the soap.", ("use soap on sink",), ("move soap to cup",)),
    ("use lighter on cup", "I'm not sure how to use those two things together.", ("use lighter on cup",),
     ("use lighter on wood",)),
    ("fly away", "No known action matches that input.", ("fly away",), ("go kitchen",)),
    ("move cup to fridge", "That can't be moved there, because the fridge isn't open.", (), ("move cup to fridge",)),
])
def test_near_repeats_of_a_refusal_are_hopeless(action: str, reply: str, hopeless: tuple[str, ...],
                                                hopeful: tuple[str, ...]) -> None:
    memory = Recollection()
    memory.live((), [StepTaken(action, reply, "kitchen", False, 0.0)])
    assert all(map(memory.is_hopeless, hopeless))
    assert not any(map(memory.is_hopeless, hopeful))


def test_all_ingredients_come_into_one_vessel_before_it_is_mixed() -> None:
    full = {"cup": "water", "jar": "salt", "bowl": ""}
    plans = [plan for _, plan in _mixing(full, ["cup", "jar"], ["soap"])]
    assert ("pour jar in cup", "move soap to cup", "mix cup") in plans
    assert ("pour cup in bowl", "pour jar in bowl", "move soap to bowl", "mix bowl") in plans
    for plan in plans:
        *adding, mixing = plan
        assert {step.rsplit(" ", 1)[1] for step in adding} == {mixing.removeprefix("mix ")}
