"""NeoPlanner's preset `paper` against the paper's algorithm: open loop, asked again, all steps told."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.planners.neoplanner.planner import NeoPlanner
from core.planners.neoplanner.prompts import QUOTES, Notes, Situation, described, plan_in
from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts, StateGraph
from core.planners.registry import make_planner
from core.planning.facets import Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision
from core.world.vocabulary import Action
from tests.core.planners.by_hand import Turn, says, turn
from tests.core.planners.levers import GOAL, LEVERS, TRAP, WAY, Levers, pull
from tests.core.planners.neoplanner.test_planner import NONSENSE

CLICKS = (4, 5, 6, 8)
"""Levers that do nothing in the first room."""


def begun(world: Levers, **given: str | int | float | bool) -> NeoPlanner:
    planner = make_planner("neoplanner", "paper", given)
    assert isinstance(planner, NeoPlanner)
    planner.begin(GOAL, world.schemas, 0)
    return planner


def acted(planner: NeoPlanner, world: Levers, answers: Callable[[ModelRequest], ModelReply]) -> Turn:
    taken = turn(planner, world, answers)
    if taken.decision.action is not None:
        planner.update(world.step(taken.decision.action))
    return taken


def plan_of(*sentences: str) -> Callable[[ModelRequest], ModelReply]:
    text = json.dumps(sentences)
    return lambda ask: ModelReply((text if isinstance(ask.facts, ActionPlanFacts) else "[]",), "script")


def facts_of(taken: Turn) -> list[ActionPlanFacts]:
    return [ask.facts for ask in taken.asked if isinstance(ask.facts, ActionPlanFacts)]


# --- open loop ----------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(st.sampled_from([k for k in range(LEVERS) if k != TRAP]), min_size=1, max_size=12))
def test_a_proposal_is_executed_to_its_end_whatever_the_world_replies(levers: list[int]) -> None:
    world = Levers()
    planner = begun(world)
    plan = [*map(pull, levers), "dance about", pull(9)]
    turns = [acted(planner, world, plan_of(*plan)) for _ in plan]
    assert [taken.decision.action for taken in turns] == [Action("do", (text,)) for text in plan]
    assert [len(taken.asked) for taken in turns] == [1, *[0] * (len(plan) - 1)], "one reply for each round"
    assert planner.memory().count('["dance about", 1, 0.0]') == 1, "a refused sentence leads to the invalid node"


def known_way(world: Levers) -> NeoPlanner:
    """A planner whose first episode led through three rooms, at the start of its second."""
    planner = begun(world, rounds=1)
    for _ in range(3):
        acted(planner, world, plan_of(*(pull(WAY[k]) for k in range(3))))
    assert acted(planner, world, says("[]")).decision.action == Action("restart")
    return planner


def test_the_model_is_asked_for_the_end_of_the_known_way_before_that_is_begun() -> None:
    world = Levers()
    planner = known_way(world)
    taken = acted(planner, world, plan_of(pull(4), pull(5)))
    way = [Action("do", (pull(WAY[k]),)) for k in range(3)]
    assert taken.last(Plan).actions == (*way, Action("do", (pull(4),)), Action("do", (pull(5),)))
    asked = facts_of(taken)
    assert [(f.room, f.look, f.inventory, len(f.things)) for f in asked] == [
        ("room 3", "This is room 3.", "You carry nothing.", LEVERS + 1)], "the levers and the room"
    assert taken.last(StateGraph).because == "leaf"


def test_a_known_way_that_leads_elsewhere_is_executed_all_the_same() -> None:
    world = Levers()
    planner = known_way(world)
    acted(planner, world, plan_of(pull(4), pull(5)))
    world.reset(0)  # what happens is no part of the plan, and nobody checks it
    done = [acted(planner, world, says("nobody is asked")).decision.action for _ in range(4)]
    assert done == [Action("do", (text,)) for text in (pull(WAY[1]), pull(WAY[2]), pull(4), pull(5))]


def test_a_banned_way_ends_with_what_was_proposed_for_its_end() -> None:
    world = Levers()
    planner = known_way(world)
    acted(planner, world, plan_of(pull(4), pull(5)))
    planner.ban(frozenset({Action("do", (pull(WAY[1]),))}))
    assert acted(planner, world, says("[]")).decision.action not in (Action("do", (pull(WAY[1]),)), Action("do", (pull(4),)))


def test_values_are_updated_once_for_each_executed_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.planners.neoplanner import planner as module

    count: list[int] = []
    monkeypatch.setattr(module, "sweep", lambda space, p: count.append(len(space)))
    world = Levers()
    planner = begun(world, rounds=2)
    for _ in range(5):  # two rounds of two actions, then the restart
        acted(planner, world, plan_of(pull(4), pull(5)))
    assert len(planner._scores.ends) == 1
    assert len(count) == 2


# --- replies --------------------------------------------------------------------------


@given(st.integers(0, 9))
def test_an_unusable_reply_is_asked_for_again_and_nothing_is_guessed(bad: int) -> None:
    world, count = Levers(), [0]
    planner = begun(world)

    def answers(ask: ModelRequest) -> ModelReply:
        count[0] += 1
        return ModelReply(("pull red lever, I think" if count[0] <= bad else json.dumps([pull(5)]),), "script")

    taken = acted(planner, world, answers)
    assert taken.decision.action == Action("do", (pull(5),))
    assert [ask.attempt for ask in taken.asked] == list(range(bad + 1))
    assert len({ask.messages for ask in taken.asked}) == 1


def test_a_round_without_a_plan_asks_for_other_replies_than_the_round_before() -> None:
    taken = acted(begun(world := Levers(), rounds=3, tries=2), world, says("no list"))
    assert len({ask.digest for ask in taken.asked}) < 3, "nothing was done: rounds share the prompt of their objective"
    assert len({ask.key("m") for ask in taken.asked}) == 6, "a cache does not repeat the unusable replies"
    planner = begun(world, tries=2)
    replies = iter(("no list", json.dumps([pull(4)]), json.dumps([pull(5)])))
    turns = [acted(planner, world, lambda ask: ModelReply((next(replies),), "script")) for _ in range(2)]
    assert [ask.attempt for taken in turns for ask in taken.asked] == [0, 1, 0], "after an action the count begins anew"


@pytest.mark.parametrize(("text", "words"), [
    ("I would pull the red lever.", "none of 40 replies was a list of actions"), ("", "all 40 replies were empty")])
def test_a_model_that_never_replies_with_a_list_ends_the_run_with_the_reason(text: str, words: str) -> None:
    world = Levers()
    taken = acted(begun(world), world, says(text))
    assert taken.decision == Decision(None, f"{words}, and no known way leads on: try another model")
    assert world.steps == 0
    assert len(taken.asked) == 40, "four rounds, ten questions each"


@given(st.text(max_size=200))
def test_a_plan_is_a_list_or_nothing(text: str) -> None:
    assert "[" in text or plan_in(text) == ()
    line = " ".join(text.split()).strip(QUOTES)
    assert plan_in(json.dumps([text, 3])) == ((line,) if line else ())


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_executed_or_asked_for_again_and_the_run_ends(name: str) -> None:
    world = Levers(can_restart=False)
    planner = begun(world, tries=2)
    for _ in range(60):
        taken = acted(planner, world, NONSENSE[name])
        if taken.decision.action is None:
            break
    assert json.loads(planner.memory())["kind"] == "neoplanner memory"
    assert taken.decision.because


# --- prompts --------------------------------------------------------------------------


def test_the_prompt_tells_all_steps_of_the_episode_without_scores_and_rooms() -> None:
    world = Levers()
    planner = begun(world, rounds=3)
    first = [pull(CLICKS[k % 4]) for k in range(60)]
    for _ in first:
        acted(planner, world, plan_of(*first))
    acted(planner, world, plan_of(pull(WAY[0])))
    taken = acted(planner, world, plan_of(pull(4)))
    assert [step.action for step in facts_of(taken)[0].trace] == [*first, pull(WAY[0])]
    text = taken.asked[0].messages[0].content
    assert text.count("-> Click.") == 60
    assert text.count("-> A door opens and you go on.") == 1
    assert "(score" not in text
    assert "seen last" not in text
    learner = acted(planner, world, says("[]")).asked[0]
    assert isinstance(learner.facts, LearnerFacts)
    assert len(learner.facts.trace) == 62
    assert "(score" not in learner.messages[0].content


def test_the_first_rounds_explore_and_the_task_follows() -> None:
    """Eq. 6: with no or one exploration so far the chance is 1."""
    world = Levers()
    planner = begun(world)
    asked = [facts_of(acted(planner, world, plan_of(pull(4))))[0].explore for _ in range(4)]
    assert asked[:2] == [True, True]
    rare = begun(world, explore=1e-9)
    counted = [facts_of(acted(rare, world, plan_of(pull(4))))[0].explore for _ in range(4)]
    assert counted == [True, True, False, False], "N counts the explorations: for N = 2 the chance is 1e-9 / ln 2"
    sigma_0 = begun(world, explore=0)
    assert not facts_of(acted(sigma_0, world, plan_of(pull(4))))[0].explore


LINE = st.text("abc XYZ.:", min_size=1, max_size=12).filter(lambda t: t.strip())


@given(LINE, LINE, st.lists(st.text("abcd ", min_size=1, max_size=6).filter(lambda t: t.strip()), max_size=4), LINE)
def test_a_state_describes_its_situation(look: str, inventory: str, things: list[str], note: str) -> None:
    now = Situation("hall", "You did it.", f"{look}\n\t{look}", f"{inventory}\n\ta cup", tuple(things), 1, 7.0)
    told = described(now.key(Notes((note,), 2)), "hall")
    assert (told.room, told.look, told.inventory, told.things) == ("hall", now.look, now.inventory, now.things)
