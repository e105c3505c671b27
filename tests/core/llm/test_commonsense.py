from __future__ import annotations

import numpy as np
import pytest

from core.common.cancellation import Cancellation
from core.common.errors import ModelError, UsageError
from core.goals.literals import Goal, Literal
from core.goals.vocabulary import Word
from core.llm.commonsense import Commonsense
from core.llm.grounding.choices import read_choice
from core.llm.grounding.places import counted, positions
from core.planners.registry import planner_class
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.planning.offline_answers import Prior
from core.planning.prompt_facts import (
    GoalFacts,
    ObjectPositionsFacts,
    PlaceFact,
    PlaceRoomsFacts,
    PolicyFacts,
    VisibleFact,
    VisiblePolicyFacts,
)

planner_class("llm-mcts")  # its package registers the rules for policy requests
PLACES = (
    PlaceFact("fridge_1", "fridge", "kitchen_1", "kitchen", True),
    PlaceFact("kitchen_cabinet_1", "kitchen_cabinet", "kitchen_1", "kitchen", True),
    PlaceFact("kitchen_cabinet_2", "kitchen_cabinet", "kitchen_1", "kitchen", True),
    PlaceFact("kitchen_table_1", "kitchen_table", "kitchen_1", "kitchen", False),
    PlaceFact("sofa_1", "sofa", "living_room_1", "living_room", False),
    PlaceFact("cabinet_1", "cabinet", "bedroom_1", "bedroom", True),
    PlaceFact("desk_1", "desk", "bedroom_1", "bedroom", False),
    PlaceFact("bathroom_cabinet_1", "bathroom_cabinet", "bathroom_1", "bathroom", True),
)


def answer(facts: object, choices: tuple[str, ...] = (), samples: int = 1, *, scores: bool = False) -> ModelReply:
    ask = ModelRequest("test", (Message("user", "?"),), "", facts, Expects(choices=choices), samples, scores=scores)
    return Commonsense().answer(ask, Cancellation())


@pytest.mark.parametrize(("cls", "place"), [
    ("milk", "fridge_1"), ("keyboard", "desk_1"), ("toothpaste", "bathroom_cabinet_1"), ("clothes_shirt", "cabinet_1"),
    ("frozen_salmon", "fridge_1"), ("cushion", "sofa_1"),
])
def test_things_are_where_common_sense_has_them(cls: str, place: str) -> None:
    vector = Prior().over(cls, PLACES)
    assert vector.sum() == pytest.approx(1)
    assert PLACES[int(vector.argmax())].id == place


def test_a_thing_nobody_heard_of_may_be_anywhere() -> None:
    vector = Prior().over("zorblax", PLACES)
    assert vector.sum() == pytest.approx(1)
    assert (vector > 0).all()


def test_places_of_one_class_share_evenly_and_unknown_places_are_judged_by_what_they_do() -> None:
    odd = (*PLACES, PlaceFact("gizmo_1", "gizmo", "kitchen_1", "kitchen", True))
    vector = Prior().over("cereal", odd)
    assert vector[1] == pytest.approx(vector[2])
    assert vector[8] > vector[4]


def test_the_room_being_played_is_left_out_of_its_own_prior() -> None:
    bread = (PlaceFact("c", "counter_top", "r", "kitchen", False), PlaceFact("t", "dining_table", "r", "kitchen", False))
    assert not np.allclose(Prior().over("bread", bread), Prior("FloorPlan1").over("bread", bread), atol=1e-6)


def test_sampled_texts_and_scores_say_the_same() -> None:
    facts = ObjectPositionsFacts("apple", PLACES)
    sampled = counted(answer(facts, samples=400), PLACES)
    scored = counted(answer(facts, tuple(p.phrase for p in positions(PLACES)), scores=True), PLACES)
    assert sampled is not None
    assert scored is not None
    assert sampled / sampled.sum() == pytest.approx(scored / scored.sum(), abs=0.01)


@pytest.mark.parametrize(("text", "ids"), [
    ("Inside fridge, On kitchen table.", {"fridge_1", "kitchen_table_1"}),
    ("Answer: in the kitchen cabinets or on the Sofa", {"kitchen_cabinet_1", "kitchen_cabinet_2", "sofa_1"}),
    ("1. inside cabinet in the bedroom\n2. on the desk", {"cabinet_1", "desk_1"}),
    ("kitchentable", {"kitchen_table_1"}),
])
def test_other_peoples_answers_are_read(text: str, ids: set[str]) -> None:
    found = counted(ModelReply((text,), "somebody"), PLACES)
    assert found is not None
    assert {p.id for p, n in zip(PLACES, found, strict=True) if n > 0} == ids


@pytest.mark.parametrize("text", ["", "I am a teapot", "\x00" * 50, "x, " * 100_000])
def test_nonsense_is_no_answer(text: str) -> None:
    assert counted(ModelReply((text,), "somebody"), PLACES) is None


def test_scores_that_are_no_numbers_are_passed_over() -> None:
    reply = ModelReply(("on the sofa",), "somebody", (("inside the fridge in the kitchen", float("nan")),))
    assert counted(reply, PLACES) is not None


def test_rooms_are_named() -> None:
    assert "kitchen" in answer(PlaceRoomsFacts("fridge", ("bathroom", "kitchen"))).texts[0]


def test_it_reads_no_goals() -> None:
    """The rules have read a sentence before a language model is asked, and rules are no language model."""
    words = (Word("apple", "apple", False, False), Word("fridge", "fridge", True, False))
    with pytest.raises(ModelError, match="commonsense cannot answer") as refused:
        answer(GoalFacts("put one apple inside the fridge", words))
    assert refused.value.kind == "refused"


def test_what_it_cannot_answer_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot answer"):
        answer(("poem",))
    with pytest.raises(UsageError, match="unknown option"):
        Commonsense.open({"temperature": "1"})


def policy(**changes: object) -> PolicyFacts:
    fields: dict[str, object] = {
        "goal": Goal((Literal("inside", "apple", "fridge"),)), "done": (0,), "room": "kitchen_1", "at": (), "holding": (),
        "seen": (), "places": PLACES, "open": frozenset(), "searched": frozenset({"kitchen_table_1"}),
        "belief": (("apple", (("kitchen_cabinet_2", 0.8), ("sofa_1", 0.2))),), "choices": (), "history": (), **changes}
    return PolicyFacts(**fields)  # type: ignore[arg-type]


CHOICES = ("walk bedroom_1", "walk kitchen_cabinet_1, open kitchen_cabinet_1", "walk kitchen_cabinet_2, open kitchen_cabinet_2",
           "walk apple_1, grab apple_1", "walk fridge_1, open fridge_1, put_in apple_1 fridge_1")


@pytest.mark.parametrize(("changes", "choice"), [
    ({}, 2),
    ({"seen": (("apple_1", "apple", "on", "kitchen_table_1"),)}, 3),
    ({"holding": (("apple_1", "apple"),)}, 4),
])
def test_the_rule_delivers_fetches_and_looks(changes: dict[str, object], choice: int) -> None:
    facts = policy(choices=CHOICES, **changes)
    assert answer(facts, CHOICES).texts == (f"{CHOICES[choice]}.",)


def test_the_rule_chooses_among_single_actions_too() -> None:
    choices = ("walk kitchen_cabinet_2", "walk kitchen_cabinet_1", "walk sofa_1")
    assert answer(policy(choices=choices), choices).texts == ("walk kitchen_cabinet_2.",)


def test_nothing_to_do_is_an_empty_answer() -> None:
    done = policy(searched=frozenset(p.id for p in PLACES), belief=(), choices=CHOICES)
    assert answer(done, CHOICES).texts == ("",)


# --- plans from what is visible -----------------------------------------------------
ROOMS = (("kitchen_1", "kitchen", "kitchen"), ("bedroom_1", "bedroom", "bedroom"), ("bathroom_1", "bathroom", "bathroom"))


def furniture(entity_id: str, room: str, state: str = "") -> VisibleFact:
    cls = entity_id[:-2]
    return VisibleFact(entity_id, cls, cls.replace("_", " "), "furniture", "inside", room, room[:-2], state)


def apple(relation: str, holder: str = "", number: int = 1) -> VisibleFact:
    return VisibleFact(f"apple_{number}", "apple", f"apple {number}", "object", relation, holder, holder[:-2], "")


TABLE, FRIDGE = furniture("kitchen_table_1", "kitchen_1"), furniture("fridge_1", "kitchen_1", "closed")
BED = furniture("bed_1", "bedroom_1")


@pytest.mark.parametrize(("visible", "history", "plan"), [
    ((TABLE, FRIDGE, apple("on", "kitchen_table_1")), (), "walk to the apple 1, grab the apple 1."),
    ((TABLE, FRIDGE, apple("on", "kitchen_table_1")), ("walk apple_1",), "grab the apple 1."),
    ((TABLE, FRIDGE, apple("held")), (), "walk to the fridge, open the fridge, put the apple 1 inside the fridge."),
    ((TABLE, FRIDGE, apple("held")), ("walk fridge_1",), "open the fridge, put the apple 1 inside the fridge."),
    ((TABLE, furniture("fridge_1", "kitchen_1", "open"), apple("held")), ("walk fridge_1",),
     "put the apple 1 inside the fridge."),
    ((BED, apple("held")), (), "walk to the kitchen, walk to the fridge, put the apple 1 inside the fridge."),
    ((BED,), (), "walk to the kitchen."),
    ((TABLE,), ("walk kitchen_1",), "walk to the bedroom."),
    ((TABLE, FRIDGE), ("walk kitchen_1", "walk bedroom_1", "walk bathroom_1", "walk kitchen_1"),
     "walk to the fridge, open the fridge."),
    ((BED,), ("put_in apple_1 fridge_1",), ""),
    ((), (), "walk to the bedroom."),
    ((FRIDGE, furniture("fridge_2", "kitchen_1", "open"), apple("held")), ("walk fridge_2", "put_in apple_1 fridge_2"),
     "walk to the fridge, open the fridge, put the apple 1 inside the fridge."),
    ((TABLE, FRIDGE, BED, apple("on", "bed_1")), (), "walk to the bedroom, walk to the apple 1, grab the apple 1."),
])
def test_a_plan_follows_from_goal_history_and_observation(visible: tuple[VisibleFact, ...], history: tuple[str, ...],
                                                          plan: str) -> None:
    goal = Goal((Literal("inside", "apple", "fridge"),))
    assert answer(VisiblePolicyFacts(goal, ROOMS, visible, history)).texts == (plan,)


def test_of_two_wanted_the_one_put_away_out_of_sight_counts() -> None:
    goal = Goal((Literal("inside", "apple", "fridge", 2),))
    facts = VisiblePolicyFacts(goal, ROOMS, (BED, apple("on", "bed_1", 2)), ("put_in apple_1 fridge_1", "walk bedroom_1"))
    assert answer(facts).texts == ("walk to the apple 2, grab the apple 2.",)
    again = VisiblePolicyFacts(goal, ROOMS, (BED, apple("on", "bed_1", 2)), ("put_in apple_1 fridge_1", "grab apple_1"))
    assert answer(again).texts == answer(facts).texts
    assert answer(VisiblePolicyFacts(goal, (), (), ())).texts == ("",), "a world without rooms"


TO_THE_FRIDGE = "walk to the fridge"
OPTIONS = [(TO_THE_FRIDGE, "open the fridge"), (TO_THE_FRIDGE, "put the plum inside the fridge"), ("grab the apple",)]


@pytest.mark.parametrize(("text", "choice"), [
    ("Next actions: walk to the fridge, put the plum inside the fridge, done.", 1),
    ("1. Grab the apple\n2. walk to the fridge", 2), ("open the fridge", 0), ("dance", None), ("", None), (",;,;", None),
])
def test_plans_are_read_by_their_first_actions(text: str, choice: int | None) -> None:
    assert read_choice(text, OPTIONS) == choice
