"""BCR's prompts name things as people do: numbered ones and unnamed ones without an article."""

from __future__ import annotations

import pytest

from core.goals.literals import Literal
from core.planners.bcr.conditions import Need, Situation
from core.planners.bcr.presentation import Words
from core.world.vocabulary import Action, ActionSchema, AgentState, Entity, Observation
from tests.core.planners.by_hand import home

with home() as _world:
    SCHEMAS = _world.schemas


def words(*schemas: ActionSchema) -> Words:
    """The words in a kitchen with two mugs and a fridge."""
    now = Situation(frozenset(schema.verb for schema in SCHEMAS))
    things = [Entity("kitchen_1", "kitchen", "kitchen", "room"),
              Entity("fridge_1", "fridge", "fridge", "furniture", "kitchen_1"),
              *(Entity(f"mug_{k}", "mug", "mug", "object", "kitchen_1") for k in (1, 2))]
    now.see(Observation(AgentState("kitchen_1"), tuple(things), ()))
    return Words(now, schemas or SCHEMAS)


@pytest.mark.parametrize(("args", "phrase"), [
    (("mug_1", "fridge_1"), "put mug 1 inside the fridge"),
    (("?cuts", "fridge_1"), "put something that cuts inside the fridge"),
    (("mug@fridge_1", "mug_2"), "put the mug from the fridge inside mug 2"),
    (("+mug", "fridge_1"), "put the other mug inside the fridge"),
    (("reading", "fridge_1"), "put the reading matter inside the fridge")])
def test_an_action_is_a_phrase_with_articles_where_english_has_them(args: tuple[str, str], phrase: str) -> None:
    assert words().action(Action("put_in", args)) == phrase


def test_conditions_name_things_like_actions() -> None:
    said = words()
    assert said.blocks(Need("held", ("mug_1",))) == "mug 1 is not in the hand"
    assert said.blocks(Need("held", ("?cuts",))) == "something that cuts is not in the hand"
    assert said.resolved(Need("held", ("fridge_1",))) == "the fridge in the hand"


def test_a_template_without_an_article_gets_none() -> None:
    said = words(ActionSchema("open", ("door",), "open door to {0}"))
    assert said.action(Action("open", ("fridge_1",))) == "open door to fridge"


def test_a_goal_about_reading_is_about_matter_and_not_an_act() -> None:
    assert str(Literal("holds", "reading")) == "reading matter in the robot's hand"
