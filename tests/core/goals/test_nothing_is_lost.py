"""What a task says is used, shown as left out, or refused: no thing, number or negation of a sentence is lost."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path

import pytest

from core.app.goal_suggestions import usual_places
from core.goals.formal_text import formal
from core.goals.parser.sentence import read_sentence
from core.goals.reading import GoalReading
from core.goals.vocabulary import Lexicon
from tests.core.goals.measure_sentences import opened
from tests.long_tests import either

SETS = sorted((Path(__file__).parents[2] / "data").glob("goal_sentences*_built_on.jsonl"))
SCENE = "four-rooms-4"
NEGATED = re.compile(r"\b(?:no|not|never|nothing|except|but|without|neither|instead|dont)\b|n't", re.IGNORECASE)
THINGS = ["the salmon", "the lime", "the remote control", "two folders", "the teddy bears", "the magazine"]
WRAPPERS = ["{}, fridge, please.", "Into the fridge with {}.", "I'd like {} in the fridge.", "{} wants to be in the fridge.",
            "My aunt is coming, so {} should be put in the fridge.", "In the fridge I want {}.",
            "{} is to be moved into the fridge.", "The fridge is where {} belong.", "Could {} be put in the fridge?",
            "It is essential to put {} in the fridge."]


@cache
def lexicon(scene: str) -> Lexicon:
    seen = opened(scene).reveal()
    return Lexicon(seen.entities, seen.relations)


def read(text: str, scene: str = SCENE) -> GoalReading:
    return read_sentence(text, lexicon(scene), usual_places(opened(scene).reveal()))


def doable() -> list[tuple[str, str]]:
    lines = [line for path in SETS for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    cases = [json.loads(line) for line in lines]
    return [(case["scene"], case["text"]) for case in cases if case["doable"]]


def shown(text: str, reading: GoalReading) -> str:
    """Returns everything that a reading shows of a text: its goal, its guesses and the words it left out."""
    assert reading.goal is not None
    left = " ".join(text[start:end] for start, end in reading.unknown)
    guesses = " ".join(f"{guess.words} {guess.taken}" for guess in reading.guesses)
    return f"{formal(reading.goal)} {left} {guesses}".lower()


def test_a_negation_put_into_a_sentence_never_leaves_its_goal_unsaid() -> None:
    """Whatever "not" is put before a verb, a state or a place: the goal is another one, refused, or the word is shown."""
    chosen, tried = random.Random(1), 0
    for scene, text in either(doable()[::3], doable()):
        plain = read(text, scene).goal
        places = [found.start() for found in re.finditer(r"\b(?:be|put|wash|open|close|in the|on the)\b", text)]
        if plain is None or not places or NEGATED.search(text):
            continue
        at = chosen.choice(places)
        changed = f"{text[:at]}not {text[at:]}"
        reading = read(changed, scene)
        tried += 1
        if reading.goal is not None and reading.goal.literals == plain.literals:
            assert "not" in shown(changed, reading).split(), changed
    assert tried > either(30, 100)


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_each_thing_and_number_of_a_frame_is_in_the_goal(wrapper: str) -> None:
    understood = 0
    for thing in THINGS:
        text = wrapper.format(thing)
        text = f"{text[0].upper()}{text[1:]}"
        reading = read(text)
        if reading.goal is None:
            continue
        understood += 1
        told = shown(text, reading)
        assert thing.split()[-1].rstrip("s") in told, text
        assert "two" not in thing or "count=2" in told, text
        assert "fridge" in told, text
    assert understood >= len(THINGS) - 1


@pytest.mark.parametrize("text", [
    "Milk, fridge, unless it is sour.", "Into the fridge with the milk if it rains.", "The mug doesn't want washing, wash it.",
    "It is essential not to put the lime in the fridge, put it on the desk, the lime in the fridge is not what I want.",
    "I'd like fewer than two folders in the fridge.", "The fridge is where the milk does not belong.",
    "The lime wants to be in the fridge or the magazine on the desk.",
])
def test_what_a_frame_cannot_say_is_refused(text: str) -> None:
    reading = read(text)
    assert reading.goal is None
    assert reading.refusal is not None
    assert reading.refusal.words


@pytest.mark.parametrize(("text", "goal"), [
    ("Milk, fridge.", "inside(milk, fridge)"), ("Two plums, kitchen counter, please.", "on(plum, kitchen_counter, count=2)"),
    ("On the coffee table I'd like two folders.", "on(folder, coffee_table, count=2)"),
    ("The desk is where the folders belong.", "on(folder, desk, count=every)"),
    ("It's the remote control I'd like you to bring me.", "holds(remote_control)"),
    ("I'd prefer you in the kitchen.", "robot_in(kitchen)"), ("You should be waiting in the bedroom.", "robot_in(bedroom)"),
    ("The pear is expected to end up on the kitchen table.", "on(pear, kitchen_table)"),
    ("The plate shall be washed and then placed on the desk.", "is(plate, clean) then on(plate, desk)"),
    ("All the lights off. The floor lamp can stay as it is.", "is(table_lamp, off, count=every)"),
])
def test_frames_are_found_in_any_order_of_words(text: str, goal: str) -> None:
    reading = read(text)
    assert reading.goal is not None, reading.refusal
    assert goal in formal(reading.goal)


@pytest.mark.parametrize("around", [
    "Oh no, {}.", "{}, that's all.", "{}, got it?", "{}, not too fast.", "{}, no excuses.", "{} with care, please.",
    "{} if you can.", "Right, last thing before I go: {}.", "My hands are full, {}.", "{}, says the doctor.",
    "{}, otherwise she gets angry.",
    "Do me a favour, {}.", "If it were up to me, {}.", "{} instead of standing around.", "{}, nothing more.",
    "One more thing: {}.",
])
@pytest.mark.parametrize(("task", "goal"), [
    ("put the lime in the fridge", "inside(lime, fridge)"), ("the television should be off", "is(television, off)")])
def test_what_stands_beside_a_task_does_not_change_it(around: str, task: str, goal: str) -> None:
    reading = read(around.format(task))
    assert reading.goal is not None, reading.refusal
    assert formal(reading.goal) == goal


@pytest.mark.parametrize(("text", "goal"), [
    ("Bring me the magazine, not the book.", "holds(magazine)"), ("Instead of the plate, wash the mug.", "is(mug, clean)"),
])
def test_a_contrast_only_leaves_out(text: str, goal: str) -> None:
    reading = read(text)
    assert reading.goal is not None, reading.refusal
    assert formal(reading.goal) == goal
    assert reading.guesses
