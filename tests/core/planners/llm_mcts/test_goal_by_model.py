"""The goal as the model translates it (Listing 3): the prompt, what replies are read as, and what is kept if they are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import UsageError
from core.common.parameters import changed
from core.goals.literals import Goal, Literal
from core.llm.commonsense import Commonsense
from core.planners.llm_mcts.goal import goal_request, read_goal, says_all
from core.planners.llm_mcts.planner import PAPER, TUNED, LlmMcts
from core.planners.llm_mcts.suite import CELLS, Cell, draw, scene_of
from core.planning.belief_facets import Belief
from core.planning.expert_shots import object_classes
from core.planning.facets import GoalProgress, Grounded
from core.planning.model_requests import ModelReply, ModelRequest
from tests.core.planners.by_hand import commonsense, goal_of, home, turn
from tests.long_tests import either

TASK = "Put one apple inside the fridge and one book on the sofa"
GIVEN = (Literal("inside", "apple", "fridge"), Literal("on", "book", "sofa"))
ENTITIES = home().reveal().entities


def read(text: str) -> tuple[Literal, ...]:
    return read_goal(ModelReply((text,), "script"), TASK, ENTITIES, object_classes()).literals


def test_the_prompt_is_listing_3_with_the_instruction() -> None:
    ask = goal_request(Goal(GIVEN, TASK))
    assert ask.messages[0].content.split("\n") == [
        "Translate an instruction for a household robot into a formal goal: relation, object, place, number.",
        "Answer in exactly the format of these examples:",
        "Goal: put one soap inside the bathroom cabinet.",
        "Formal goal: (INSIDE, soap, bathroom cabinet, 1)",
        "Goal: put one soap inside the bathroom cabinet and two lemons on the kitchen counter.",
        "Formal goal: (INSIDE, soap, bathroom cabinet, 1)-(ON, lemon, kitchen counter, 2)",
        "Goal: put one soap inside the bathroom cabinet, two lemons on the kitchen counter and one pan inside the oven.",
        "Formal goal: (INSIDE, soap, bathroom cabinet, 1)-(ON, lemon, kitchen counter, 2)-(INSIDE, pan, oven, 1)",
        "Now translate this instruction.", f"Goal: {TASK}", "Formal goal:"]


@pytest.mark.parametrize("text", [
    "(INSIDE, apple, fridge, 1)-(ON, book, sofa, 1)", "Formal goal: (inside, apples, the fridge)-(on, book, sofa)",
    "- (INSIDE, apple, refrigerator, 1)\n- (ON, book, couch, 1)", "**(IN, an apple, fridge, 1)** and (ON, Book, sofa, 1).",
    "(INSIDE, apple, fridge, 1)-(ON, book, sofa, 1)-(ON, book, sofa, 1)",
])
def test_replies_that_state_the_goal(text: str) -> None:
    assert read(text) == GIVEN


@pytest.mark.parametrize(("text", "why"), [
    ("", "no goal in the form"), ("Put the apple into the fridge.", "no goal in the form"), ("走到厨房", "no goal in the form"),
    ("(NEAR, apple, fridge, 1)", "neither INSIDE nor ON"), ("(INSIDE, apple, fridge, 99)", "1 to 10"),
    ("(INSIDE, zeppelin, fridge, 1)", "nothing called “zeppelin”"), ("(INSIDE, apple, moon, 1)", "nothing called “moon”"),
])
def test_replies_that_do_not_say_why_in_one_line(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        read(text)
    assert "\n" not in str(caught.value)


PIECES = ("(INSIDE, ", "(ON, ", "apple", "fridge", ", ", "1", ")", "-", "\n- ", "“", '"', "Kühlschrank", "冰箱", "sofa")


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=30).map("".join))
def test_any_reply_is_a_goal_of_this_home_or_refused(text: str) -> None:
    try:
        literals = read(text)
    except UsageError:
        return
    classes = {e.cls for e in ENTITIES} | set(object_classes())
    assert literals
    assert all(x.subject in classes and x.target in classes and 1 <= x.count <= 10 for x in literals)


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: c.title)
def test_the_offline_answer_reads_the_suite_s_instructions(cell: Cell) -> None:
    for seed in range(either(2, 4)):
        simulator = home(scene_of(cell, seed), seed)
        goal = draw(cell, simulator, seed)
        reply = Commonsense().answer(goal_request(goal), Cancellation())
        assert not reply.is_model
        assert read_goal(reply, goal.text, simulator.reveal().entities, object_classes()).literals == goal.literals


@pytest.mark.parametrize(("text", "whole"), [
    (TASK, True), ("put apple_1 inside the fridge", False), ("close the fridge", False),
    ("put all apples inside the fridge", False)])
def test_only_goals_of_the_format_are_translated(text: str, whole: bool) -> None:
    assert says_all(goal_of(home(), text)) is whole


def planned(reply: str, **settings: object) -> tuple[LlmMcts, list[ModelRequest], list[Grounded], Belief]:
    simulator, asked, planner = home(), list[ModelRequest](), LlmMcts(changed(PAPER, {"simulations": 5, **settings}))  # type: ignore[dict-item]

    def answers(ask: ModelRequest) -> ModelReply:
        asked.append(ask)
        return ModelReply((reply,), "script") if ask.purpose == "goal" else commonsense(ask)

    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    done = turn(planner, simulator, answers)
    turn(planner, simulator, answers)
    return planner, asked, [f for f in done.shown if isinstance(f, Grounded)], done.last(Belief)


def test_the_search_works_for_what_the_model_understood() -> None:
    planner, asked, shown, belief = planned("(INSIDE, milk, fridge, 1)")
    assert [a.purpose for a in asked].count("goal") == 1, "asked once a goal"
    assert planner._task.goal.literals == (Literal("inside", "milk", "fridge"),)
    assert [c for c, wanted in zip(belief.classes, belief.wanted, strict=True) if wanted] == ["milk"]
    assert shown[0].replies[0].remark == ""
    assert "milk" in shown[0].replies[0].meant


def test_a_reply_that_is_no_goal_keeps_the_rules_goal_and_says_so() -> None:
    planner, asked, shown, _ = planned("I would rather not.")
    assert planner._task.goal.literals == GIVEN
    assert [a.purpose for a in asked].count("goal") == 1
    told = shown[0].replies[0]
    assert (told.meant, told.how) == ("", "none")
    assert told.remark == ("the reply states no goal in the form (INSIDE, apple, fridge, 1): the goal that the rules found is "
                           "kept")


def test_an_operator_s_goal_is_translated_again_and_rules_ask_nothing() -> None:
    simulator, planner = home(), LlmMcts(changed(PAPER, {"simulations": 5}))
    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    assert "goal" in [a.purpose for a in turn(planner, simulator).asked]
    planner.set_goal(goal_of(simulator, "put one book on the bed"))
    done = turn(planner, simulator)
    assert "goal" in [a.purpose for a in done.asked]
    assert done.last(GoalProgress).literals[0].literal.target == "bed"
    rules = LlmMcts(TUNED)
    rules.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    assert "goal" not in [a.purpose for a in turn(rules, simulator).asked]
