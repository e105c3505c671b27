"""Goals are joint, and each literal has a count of its own."""

from __future__ import annotations

from core.goals.literals import Goal, Literal
from core.goals.progress import progress, reached
from core.world.vocabulary import AgentState, Entity, Observation, Relation


def thing(name: str, category: str = "object", *states: str) -> Entity:
    cls = name.rsplit("_", 1)[0]
    return Entity(name, cls, cls.replace("_", " "), category, "kitchen_1", frozenset(states))  # type: ignore[arg-type]


def world(*relations: Relation, states: dict[str, str] | None = None, holding: tuple[str, ...] = ()) -> Observation:
    states = states or {}
    objects = ("apple_1", "apple_2", "apple_3", "plate_1", "bowl_1")
    furniture = ("fridge_1", "table_1", "table_2", "dishwasher_1", "microwave_1")
    entities = [thing(o, "object", *states.get(o, "").split()) for o in objects]
    entities += [thing(f, "furniture", *states.get(f, "").split()) for f in furniture]
    return Observation(AgentState("kitchen_1", holding=holding), tuple(entities), relations)


def test_two_apples_on_a_table_are_not_two_in_the_fridge_and_a_plate_in_the_dishwasher() -> None:
    goal = Goal((Literal("inside", "apple", "fridge", 2), Literal("inside", "plate", "dishwasher", 1)))
    on_table = world(Relation("on", "apple_1", "table_1"), Relation("on", "apple_2", "table_1"))
    assert [p.have for p in progress(goal, on_table)] == [0, 0]
    one_too_many = world(*(Relation("inside", f"apple_{k}", "fridge_1") for k in (1, 2, 3)))
    assert [p.have for p in progress(goal, one_too_many)] == [2, 0]
    assert not reached(goal, one_too_many)
    done = world(*(Relation("inside", f"apple_{k}", "fridge_1") for k in (1, 2)), Relation("inside", "plate_1", "dishwasher_1"))
    assert reached(goal, done)


def test_a_class_means_any_and_an_id_means_that_one() -> None:
    here = world(Relation("on", "apple_2", "table_2"))
    assert reached(Goal((Literal("on", "apple", "table"),)), here)
    assert reached(Goal((Literal("on", "apple_2", "table_2"),)), here)
    assert not reached(Goal((Literal("on", "apple_1", "table"),)), here)
    assert not reached(Goal((Literal("on", "apple", "table_1"),)), here)


def test_carriers_pass_a_place_on_but_furniture_does_not() -> None:
    here = world(
        Relation("on", "apple_1", "plate_1"),
        Relation("inside", "plate_1", "fridge_1"),
        Relation("inside", "apple_2", "bowl_1"),
        Relation("on", "bowl_1", "table_1"),
        Relation("inside", "apple_3", "microwave_1"),
        Relation("on", "microwave_1", "table_2"),
    )
    assert reached(Goal((Literal("inside", "apple_1", "fridge"),)), here)
    assert reached(Goal((Literal("on", "apple_2", "table_1"),)), here)
    assert not reached(Goal((Literal("inside", "apple_2", "table_1"),)), here)
    assert not reached(Goal((Literal("on", "apple_3", "table_2"),)), here)


def test_states_and_hands() -> None:
    here = world(
        Relation("on", "apple_1", "table_1"), states={"apple_2": "sliced cooked", "fridge_1": "closed"}, holding=("apple_2",)
    )
    assert reached(Goal((Literal("is", "apple", None, 1, frozenset({"sliced", "cooked"})),)), here)
    assert reached(Goal((Literal("is", "fridge", None, 1, frozenset({"closed"})), Literal("holds", "apple"))), here)
    assert not reached(Goal((Literal("on", "apple", "table", 1, frozenset({"sliced"})),)), here)


def test_a_circle_of_holders_ends() -> None:
    here = world(Relation("on", "plate_1", "bowl_1"), Relation("on", "bowl_1", "plate_1"))
    assert not reached(Goal((Literal("on", "plate", "table"),)), here)
