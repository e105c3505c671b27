"""Inner Monologue by hand: what is told, what is forgotten, and what useless answers lead to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.goals.progress import reached
from core.planners.inner_monologue.planner import InnerMonologue, InnerMonologueParameters
from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planning.facets import Grounded
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import Ranking
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import commonsense, goal_of, home, play, says, turn

GOAL = "put one apple inside the fridge"


@pytest.fixture
def world() -> Iterator[HouseholdSimulator]:
    with home("four-rooms-1", 5) as found:
        yield found


def begun(world: HouseholdSimulator, window: int = 2, tries: int = 3) -> InnerMonologue:
    planner = InnerMonologue(InnerMonologueParameters(window=window, tries=tries))
    planner.begin(goal_of(world, GOAL), world.schemas, 0)
    return planner


def test_only_the_window_is_told_with_its_success(world: HouseholdSimulator) -> None:
    planner = begun(world)
    for sentence in ("walk to the bedroom", "walk to the bathroom", "walk to the kitchen"):
        decision = turn(planner, world, says(sentence)).decision
        assert decision.action is not None
        planner.update(world.step(decision.action))
    (ask,) = turn(planner, world, says("walk to the apple")).asked
    text = ask.messages[0].content
    told = text.rsplit("Now this task.", 1)[1]
    assert "walk to the bathroom\nSuccess: true\nRobot action: walk to the kitchen\nSuccess: true\nScene:" in told
    assert "walk to the bedroom\nSuccess" not in told
    assert isinstance(ask.facts, MonologueFacts)
    assert [action for action, _ in ask.facts.recent] == ["walk bathroom_1", "walk kitchen_1"]


def test_a_failure_is_told_with_its_reason(world: HouseholdSimulator) -> None:
    planner = begun(world)
    grabs = (Action("grab", (e.id,)) for e in world.observe().entities)
    refused = next(grab for grab in grabs if not world.verdict(grab).ok)
    planner.update(world.step(refused))
    (ask,) = turn(planner, world, says("walk to the bathroom")).asked
    assert "Success: false, " in ask.messages[0].content


def test_an_answer_is_grounded_on_what_can_be_done(world: HouseholdSimulator) -> None:
    done = turn(begun(world), world, says("I would go over to the bathroom now!"))
    assert str(done.decision.action) == "walk bathroom_1"
    assert done.last(Grounded).replies[0].meant == "walk to the bathroom"
    ranking = done.last(Ranking)
    assert ranking.actions[0].steps == (done.decision.action,)
    assert len(ranking.actions) == len(done.asked[0].expects.choices)


def test_useless_answers_are_asked_again_with_a_note_and_then_guessed(world: HouseholdSimulator) -> None:
    done = turn(begun(world, tries=2), world, says("sing a song"))
    assert len(done.asked) == 2
    assert "“sing a song” is not one of the actions below" in done.asked[1].messages[0].content
    assert done.decision.because == "a guess"
    assert done.decision.action in world.admissible()


def test_done_is_offered_once_something_was_done(world: HouseholdSimulator) -> None:
    planner = begun(world)
    first = turn(planner, world, says("walk to the kitchen"))
    assert "done" not in first.asked[0].expects.choices
    assert first.decision.action is not None
    planner.update(world.step(first.decision.action))
    assert "done" in turn(planner, world, says("done")).asked[0].expects.choices


def test_done_ends_it(world: HouseholdSimulator) -> None:
    decision = turn(begun(world), world, says("Done.")).decision
    assert decision.action is None
    assert "done" in decision.because


def test_an_action_that_was_just_refused_is_not_offered(world: HouseholdSimulator) -> None:
    planner = begun(world)
    first = turn(planner, world).decision.action
    assert first is not None
    planner.ban(frozenset({first}))
    (ask,) = turn(planner, world, says("walk to the bathroom")).asked
    assert isinstance(ask.facts, MonologueFacts)
    assert str(first) not in ask.facts.choices


@pytest.mark.parametrize("task", [GOAL, "put one book on the sofa", "hold one mug", "switch on the stove"])
def test_the_rules_reach_simple_goals(world: HouseholdSimulator, task: str) -> None:
    goal = goal_of(world, task)
    play(InnerMonologue(), world, goal, commonsense, most=60)
    assert reached(goal, world.reveal())


def test_the_rules_read_nothing_but_the_prompt(world: HouseholdSimulator) -> None:
    asked = list[ModelRequest]()

    def keep(ask: ModelRequest) -> ModelReply:
        asked.append(ask)
        return commonsense(ask)

    turn(begun(world), world, keep)
    facts = asked[0].facts
    assert isinstance(facts, MonologueFacts)
    assert {e.id for e in facts.seen.entities} == {e.id for e in world.observe().entities}
    names = asked[0].messages[0].content
    assert all(e.name in names for e in facts.seen.entities)
