"""The table of kinds: every class exists in some world, and a class of the world is meant before a kind."""

from __future__ import annotations

import pytest

from core.goals.kinds import KIND_WORDS, KINDS, LIGHT, MASS, is_a
from core.goals.literals import Goal, Literal
from core.goals.parser.sentence import parse_goal
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import GRABBABLE, SURFACE, Category, Entity
from sim.geometry.sizes import SIZES
from sim.household.scenes import SCENES_FOLDER, scene_names
from sim.rendering.graph.classes import CLASSES, SYNONYMS
from tests.core.goals.measure_sentences import opened

OF_THE_PACKAGE = {"coffee_cup", "sauce_pan"}
"""Classes that only the apartments of the package `virtualhome-eval` have."""


def classes() -> set[str]:
    """The classes of the homes, of VirtualHome's graphs, and of the iTHOR rooms and the graph that come with the program."""
    scenes = (*scene_names(), *map(str, SCENES_FOLDER.glob("graphs/*.json.gz")))
    found = {e.cls for scene in scenes for e in opened(scene).reveal().entities}
    return found | OF_THE_PACKAGE | set(SIZES) | set(CLASSES) | set(SYNONYMS)


def test_every_kind_has_classes_and_every_class_exists_in_some_world() -> None:
    known = classes()
    for kind, members in KINDS.items():
        assert members, kind
        assert members <= known, (kind, members - known)
        assert kind not in known, f"{kind} is a class: it would be meant by its own name"
    assert set(KIND_WORDS.values()) == set(KINDS)
    assert {word for word in MASS if word not in KIND_WORDS} == set()


def entity(cls: str, category: Category = "object") -> Entity:
    flags = frozenset({GRABBABLE}) if category == "object" else frozenset({SURFACE})
    return Entity(f"{cls}_1", cls, cls.replace("_", " "), category, "kitchen_1", properties=flags)


HOME = [Entity("kitchen_1", "kitchen", "kitchen", "room"),
        *(entity(c) for c in ("apple", "carrot", "teddy_bear", "toy", "novel")), entity("desk", "furniture")]


@pytest.mark.parametrize(("words", "subject"), [
    ("all fruit", "fruit"), ("the veggies", "vegetable"), ("a vegetable", "vegetable"), ("all the toys", "toy"),
    ("a toy", "toy"),
    ("the food", "food"), ("two groceries", "groceries"), ("some reading", "reading"),
])
def test_kinds_are_named_like_classes(words: str, subject: str) -> None:
    [literal] = parse_goal(f"put {words} on the desk", Lexicon(HOME)).literals
    assert literal.subject == subject


def test_a_kind_is_its_classes_here() -> None:
    assert [e.cls for e in HOME if is_a(e, "groceries")] == ["apple", "carrot"]
    without_toy = Lexicon([e for e in HOME if e.cls != "toy"])
    [literal] = parse_goal("put all toys on the desk", without_toy).literals
    assert literal.subject == "toys"
    assert literal.every


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan1", "FloorPlan420"])
def test_every_home_has_lights_that_can_be_switched(scene: str) -> None:
    world = opened(scene)
    lights = [e for e in world.reveal().entities if is_a(e, LIGHT)]
    assert lights
    literal = Literal("is", LIGHT, states=frozenset({"off"}), every=True)
    assert world.possible(Goal((literal,)))
