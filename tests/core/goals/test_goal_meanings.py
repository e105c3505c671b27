"""Which things a noun means: never silently one class of several, in any scene there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import GoalError
from core.goals.kinds import KINDS
from core.goals.literals import Goal, Literal
from core.goals.parser.sentence import parse_goal, read_sentence
from core.goals.vocabulary import Lexicon, plural_of, singulars
from core.suites.tasks import sentence
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, Category, Entity
from sim.household.scenes import SCENES_FOLDER, scene_names
from sim.registry import simulator_class
from tests.long_tests import either

OF_THEIR_OWN = ("light", "lamp", "thing", "object", "item")
"""Nouns with a meaning of their own."""
SCENES = (*scene_names()[::either(10, 5)], *map(str, sorted(Path(SCENES_FOLDER).glob("graphs/*.json.gz"))))


@cache
def entities(scene: str) -> tuple[Entity, ...]:
    with simulator_class("household").open(scene, {}) as world:
        world.reset(0)
        return world.reveal().entities


def headed_by(noun: str, scene: str, *, movable: bool) -> set[str]:
    """Classes of a scene that people would call by a noun: its own and compounds."""
    found = {e.cls: e for e in entities(scene) if e.category != "room"}
    return {cls for cls, e in found.items() if (e.name == noun or e.name.endswith(f" {noun}"))
            and (e.category == "object" or not movable)}


def read(text: str, lexicon: Lexicon) -> Goal | GoalError:
    try:
        return parse_goal(text, lexicon)
    except GoalError as error:
        return error


def nouns(scene: str) -> list[str]:
    names = {e.name for e in entities(scene) if e.category != "room"}
    return sorted({*names, *(name.split()[-1] for name in names)} - set(OF_THEIR_OWN))


@pytest.mark.parametrize("scene", SCENES)
def test_every_noun_covers_its_compounds_or_names_the_choices(scene: str) -> None:
    lexicon = Lexicon(entities(scene))
    place = next(e for e in entities(scene) if e.category == "furniture" and CONTAINER in e.properties).name
    for noun in list(nouns(scene))[SCENES.index(scene) % 3::either(3, 1)]:
        for text, movable in ((f"close all {plural_of(noun)}", False), (f"put all {plural_of(noun)} in the {place}", True)):
            wanted = headed_by(noun, scene, movable=movable)
            goal = read(text, lexicon)
            if isinstance(goal, GoalError):
                assert "may mean" in goal.cause, text
                assert len(goal.instead) > 1, text
            else:
                assert all(x.every for x in goal.literals), text
                meanings = (goal, *(other for guess in read_sentence(text, lexicon).guesses for _, other in guess.others))
                subjects = {x.subject for meaning in meanings for x in meaning.literals}
                covered = subjects | {cls for subject in subjects for cls in KINDS.get(subject, ())}
                assert wanted <= covered, text


@pytest.mark.parametrize("scene", SCENES[::3])
def test_each_choice_of_an_ambiguous_noun_is_understood(scene: str) -> None:
    lexicon = Lexicon(entities(scene))
    for noun in nouns(scene):
        for phrase in (f"the {noun}", f"all {plural_of(noun)}"):
            error = read(f"open {phrase}", lexicon)
            if not isinstance(error, GoalError):
                continue
            for choice in error.instead:
                assert parse_goal(f"open {phrase.replace(error.words, choice)}", lexicon).literals


def entity(cls: str, category: Category = "object", room: str = "kitchen_1") -> Entity:
    flags = frozenset({GRABBABLE}) if category == "object" else frozenset({CONTAINER, SURFACE})
    return Entity(f"{cls}_1", cls, cls.replace("_", " "), category, room, properties=flags)


HOME = Lexicon([
    Entity("kitchen_1", "kitchen", "kitchen", "room"), Entity("home_office_1", "home_office", "home office", "room"),
    *(entity(c) for c in ("glasses", "water_glass", "wine_glass", "mug")),
    *(entity(c, "furniture") for c in ("cabinet", "kitchen_cabinet", "shower_glass")),
    entity("bathroom_cabinet", "furniture", "home_office_1"), entity("desk_lamp", "furniture", "home_office_1"),
])


def test_compounds_are_covered_in_the_room_that_is_named() -> None:
    everywhere = parse_goal("open all cabinets", HOME).literals
    assert {x.subject for x in everywhere} == {"cabinet", "kitchen_cabinet", "bathroom_cabinet"}
    in_kitchen = parse_goal("close the cabinets in the kitchen", HOME).literals
    assert {x.subject for x in in_kitchen} == {"cabinet", "kitchen_cabinet"}
    assert parse_goal("open the cabinet", HOME).literals == (Literal("is", "cabinet", None, 1, frozenset({"open"})),)


def test_glasses_are_not_spectacles() -> None:
    for text, taken, other in (("put all glasses in the cabinet", "spectacles", "drinking glasses"),
                               ("wash the glasses", "drinking glasses", "spectacles"),
                               ("put my glasses in the kitchen cabinet", "spectacles", "drinking glasses")):
        [guess] = [one for one in read_sentence(text, HOME).guesses if one.words == "glasses"]
        assert (guess.words, guess.taken, [words for words, _ in guess.others]) == ("glasses", taken, [other])
    drinking = parse_goal("put all drinking glasses in the cabinet", HOME)
    assert {x.subject for x in drinking.literals} == {"water_glass", "wine_glass"}
    assert {x.subject for x in parse_goal("put all spectacles in the cabinet", HOME).literals} == {"glasses"}
    assert [x.subject for x in parse_goal("put a glass in the kitchen cabinet", HOME).literals] == ["water_glass|wine_glass"]


@pytest.mark.parametrize("text", [
    "open the bathroom cabinet in the home office", "Open the bathroom cabinet in the Home Office, please",
])
def test_names_of_rooms_are_matched_whole(text: str) -> None:
    [literal] = parse_goal(text.replace("open the", "open all").replace("Open the", "Open all"), HOME).literals
    assert literal.room == "home_office"


def test_the_house_says_nothing_and_a_room_that_is_not_here_is_named() -> None:
    assert len(parse_goal("open all cabinets in the house", HOME).literals) == 3
    assert len(parse_goal("close all cabinets in my home and put a mug in the cabinet", HOME).literals) == 4
    with pytest.raises(GoalError) as caught:
        parse_goal("open all cabinets in the house of cards", HOME)
    assert caught.value.words == "house of cards"


@given(st.from_regex(r"[a-z]{2,9}( [a-z]{2,9})?", fullmatch=True))
def test_a_plural_leads_back_to_its_singular(noun: str) -> None:
    plural = plural_of(noun)
    assert plural == noun or noun in singulars(plural)


@pytest.mark.parametrize(("text", "count"), [
    ("put a pair of spectacles in the cabinet", 1), ("put two pairs of spectacles in the cabinet", 2),
    ("put one pair of mugs in the cabinet", 2), ("put a couple of mugs in the cabinet", 2),
])
def test_a_pair_of_what_comes_in_pairs_is_one(text: str, count: int) -> None:
    assert [x.count for x in parse_goal(text, HOME).literals] == [count]


@pytest.mark.parametrize("scene", SCENES[::2])
def test_drawn_tasks_of_every_class_are_understood(scene: str) -> None:
    lexicon = Lexicon(entities(scene))
    place = next(e for e in entities(scene) if e.category == "furniture" and CONTAINER in e.properties)
    for cls in sorted({e.cls for e in entities(scene) if e.category == "object"}):
        for count in (1, 2):
            literal = Literal("inside", cls, place.cls, count)
            assert parse_goal(sentence((literal,)), lexicon).literals == (literal,)
