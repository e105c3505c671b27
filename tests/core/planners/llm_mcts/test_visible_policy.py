"""Listing 1 as the policy's prompt: what it tells, what it leaves out, and how free plans become a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.llm.embeddings import Vectors
from core.llm.grounding import cosines, first_action
from core.llm.stack import Comparing
from core.planners.llm_mcts.planner import PAPER, LlmMcts
from core.planners.llm_mcts.policy_model import PolicyModel, PolicySettings
from core.planners.llm_mcts.policy_prompt import VisiblePrompt
from core.planners.registry import make_planner
from core.planning.facets import Grounded
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.names import Names
from core.planning.observation_text import observation_text, text_of, visible_facts
from core.planning.prompt_facts import VisiblePolicyFacts
from core.search.macros import ADMISSIBLE
from core.search.problem import Move
from core.search.rearrangement import Rearrangement
from core.search.search import Request
from core.world.vocabulary import Action
from tests.core.llm.test_comparing import Says
from tests.core.planners.by_hand import commonsense, goal_of, home, turn
from tests.long_tests import either

TASK = "Put one apple inside the fridge"
PLAN = "walk to the apple, grab the apple, walk to the fridge, open the fridge, put the apple inside the fridge, done."


class World:
    """A home, what is known of it, and the prompts for it."""

    def __init__(self, scene: str = "four-rooms-1", seed: int = 10_000):
        self.simulator = home(scene, seed)
        self.task = Rearrangement(goal_of(self.simulator, TASK), self.simulator.schemas, clutter=True)
        self.history: list[Action] = []
        self.task.see(self.simulator.observe())

    def do(self, action: Action) -> bool:
        outcome = self.simulator.step(action)
        self.history.append(action)
        self.task.update(outcome)
        self.task.see(self.simulator.observe())
        return outcome.ok

    def prompt(self) -> VisiblePrompt:
        self.task.problem()
        return VisiblePrompt(self.task, Names(self.task.world.entities.values(), self.simulator.schemas), self.history)

    def request(self, *path: int) -> Request:
        problem, knowledge = self.task.problem()
        for primitive in path:
            assert problem.step(knowledge, primitive)
        return Request(b"", knowledge, tuple(problem.moves(knowledge, ADMISSIBLE)), tuple((p,) for p in path))


@pytest.fixture
def world() -> World:
    return World()


def clauses(text: str) -> set[str]:
    return set(text.removesuffix(".").split(", "))


# --- the prompt -----------------------------------------------------------------
def test_the_prompt_has_the_fields_of_listing_1_and_no_others(world: World) -> None:
    world.do(Action("walk", ("kitchen_1",)))
    ask = world.prompt().ask(world.request())
    lines = ask.messages[0].content.split("\n")
    names = Names(world.task.world.entities.values(), world.simulator.schemas)
    assert lines == [
        "Make a high-level plan for a household task with the allowed actions and the visible objects.",
        "Allowed actions: " + names.verbs() + ".",
        "Rooms in the house: " + ", ".join(names(r) for r, _ in world.task.layout.rooms) + ".",
        "Answer in exactly the format of this example:",
        "Goal: put one orange inside the microwave",
        "Completed actions: walk to the kitchen, walk to the orange",
        "Current observation: the kitchen table is inside the kitchen, the microwave is inside the kitchen and is closed, the "
        "fridge is inside the kitchen and is closed, the orange is on the kitchen table, the plate is on the kitchen table.",
        "Next actions: grab the orange, walk to the microwave, open the microwave, put the orange inside the microwave, done.",
        "",
        "Now finish this task.",
        "Goal: Put one apple inside the fridge",
        "Completed actions: walk to the kitchen",
        "Current observation: " + observation_text(world.simulator.observe(), names),
        "Next actions:",
    ]
    assert "likely" not in ask.messages[0].content
    assert (ask.expects.choices, ask.expects.pattern, ask.expects.schema) == ((), "", ""), "decoding is free"
    assert len(ask.against) == len(world.request().moves)


def test_the_facts_are_what_the_prompt_tells(world: World) -> None:
    world.do(Action("walk", ("kitchen_1",)))
    ask = world.prompt().ask(world.request())
    assert isinstance(ask.facts, VisiblePolicyFacts)
    assert text_of(ask.facts.visible) in ask.messages[0].content
    assert ask.facts.history == ("walk kitchen_1",)


@pytest.mark.parametrize("seed", range(3))
def test_a_simulated_observation_is_what_is_seen_when_the_action_is_taken(seed: int) -> None:
    """For all actions that show nothing new: the rooms were seen, the containers were open."""
    world, random = World(seed=10_000 + seed), np.random.default_rng(seed)
    for room in ("kitchen_1", "bedroom_1", "bathroom_1", "living_room_1"):
        world.do(Action("walk", (room,)))
    compared = 0
    for _ in range(40):
        problem, knowledge = world.task.problem()
        moves = problem.moves(knowledge, ADMISSIBLE)
        (step,) = moves[int(random.integers(len(moves)))].steps
        prompt, after = world.prompt(), world.request(step)
        (action,) = prompt._done_before(after)[len(world.history):]
        names = Names(world.task.world.entities.values(), world.simulator.schemas)
        expected = text_of(visible_facts(prompt.observed(after), names))
        known = {i for i, e in world.task.world.entities.items() if e.category == "object"}
        if world.do(action) and known == {i for i, e in world.task.world.entities.items() if e.category == "object"}:
            assert clauses(expected) == clauses(observation_text(world.simulator.observe(), names)), action
            compared += 1
    assert compared > 20


# --- free plans -------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    PLAN, f"Next actions: {PLAN}", f"Sure! Here is the plan:\n1. {PLAN}", "- walk to the apple\n- grab the apple\n- done",
    "**walk to the apple**, then grab it", '"walk to the apple", "grab the apple"', "`walk to the apple`\n`grab the apple`",
    '{"next_actions": ["walk to the apple", "grab the apple"]}', "<think>grab the fridge</think> walk to the apple",
    "I would walk to the apple and then grab it.", "The robot should walk to the apple.", "You need to walk to the apple first",
    "1) Walk to the apple\n2) Grab the apple", "Goal: put one apple\nCompleted actions: none\nNext actions: walk to the apple",
])
def test_the_first_action_is_found_however_it_is_written(text: str) -> None:
    assert first_action(text).startswith("walk to apple")


@pytest.mark.parametrize("text", ["", "   ", "...", "\n\n", "done.", "Next actions: done", "I cannot help with that.", "{}"])
def test_what_names_no_action_is_not_translated(text: str) -> None:
    advice, moves = PolicyModel(PolicySettings("softmax"), 0), (Move(1, (1,)), Move(2, (2,)))
    said = taken(advice, moves, ASK, text)
    assert advice.answer(b"key") == {}
    assert (said.replies[0].meant, said.replies[0].untranslated) == ("", 1)


class Fixed(VisiblePrompt):
    """Two actions, whatever is known."""

    def __init__(self) -> None:
        self.offered: list[tuple[str, ...]] = [("walk to the apple",), ("open the fridge",)]

    def phrases(self, request: Request) -> list[tuple[str, ...]]:
        return self.offered


def taken(advice: PolicyModel, moves: Sequence[Move], ask: ModelRequest, *texts: str) -> Grounded:
    request = Request(b"key", World().request().knowledge, tuple(moves), ())
    return Grounded((advice.take(request, ask, ModelReply(texts, "script"), Fixed()),))


def test_words_that_share_nothing_are_shown_as_not_translated() -> None:
    advice, moves = PolicyModel(PolicySettings("softmax"), 0), (Move(1, (1,)), Move(2, (2,)))
    texts = ("geh zum Kühlschrank", "走到厨房", "open the fridge", "", "открой холодильник")
    shown = taken(advice, moves, ASK, *texts).replies[0]
    assert (shown.meant, shown.how, shown.words_only, shown.untranslated) == ("open the fridge", "nearest", True, 4)
    answer = advice.answer(b"key") or {}
    assert answer[2] == pytest.approx(np.e / (1 + np.e)), "softmax of cosine 1 and 0"


def test_the_released_code_takes_the_mean_of_each_sample_s_softmax() -> None:
    """Cosines (1, 0) and (0, 1) and (0, 1): with factor 2 a softmax is e^2 / (1 + e^2) = .880797 for the action that is alike.

    The mean for action 2 is (.119203 + .880797 + .880797) / 3 = .626932; the softmax of the sums (1, 2) is .880797.
    """
    moves, texts = (Move(1, (1,)), Move(2, (2,))), ("walk to the apple", "open the fridge", "open the fridge")
    for answers, share in (("mean-softmax", 0.626932), ("softmax", 0.880797)):
        advice = PolicyModel(PolicySettings(answers, sharpness=2.0), 0)
        taken(advice, moves, ASK, *texts)
        answer, evidence = advice.answer(b"key"), advice.evidence(b"key")
        assert answer is not None
        assert evidence is not None
        assert answer == pytest.approx({1: 1 - share, 2: share}, abs=1e-6)
        assert evidence.how == answers


def test_votes_go_to_the_nearest_action_of_each_sample() -> None:
    advice, moves = PolicyModel(PolicySettings(), 0), (Move(1, (1,)), Move(2, (2,)))
    taken(advice, moves, ASK, "open that fridge", "walk towards an apple", "open the fridge, done", "")
    assert advice.answer(b"key") == {1: 1.0, 2: 2.0}


PIECES = ("walk to ", "grab the ", "apple", "open", "Kühlschrank", "冰箱", "холодильник", "done", "\n- ", "2) ", "**", '"',
          ", ", " and ")
MESSY = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=20).map("".join)


@settings(max_examples=either(20, 500))
@given(st.lists(st.one_of(MESSY, st.just(PLAN), st.just("")), min_size=1, max_size=5), st.sampled_from(["softmax", "vote"]))
def test_any_reply_gives_a_policy_or_none(texts: list[str], answers: str) -> None:
    advice = PolicyModel(PolicySettings(answers), 0)
    shown = taken(advice, (Move(1, (1,)), Move(2, (2,))), ASK, *texts).replies[0]
    answer = advice.answer(b"key")
    assert answer is not None
    assert all(weight > 0 for weight in answer.values())
    assert 0 <= shown.untranslated <= len(texts)
    assert (shown.meant == "") == (shown.untranslated == len(texts)) == (not answer)
    assert 0 <= shown.runner_up_score <= shown.score <= 1


ASK = World().prompt().ask(World().request())


class Letters:
    """An embedder that counts letters."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        rows: Vectors = np.array([[t.count(c) + 0.1 for c in "abcdefghijklmnopqrstuvwxyz"] for t in texts], np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def test_with_embeddings_the_first_action_is_compared_and_nothing_else() -> None:
    first, second = (cosines(text, ASK.against, Letters()) for text in ("open the fridge, grab the apple", "Open the fridge."))
    assert first == second
    assert ASK.against[int(np.argmax(first))] == max(ASK.against, key=lambda phrase: first[ASK.against.index(phrase)])
    assert cosines("", ASK.against, Letters()) == ()
    reply = Comparing(Says("open the fridge", ""), Letters()).answer(ASK, Cancellation())
    assert [len(row) for row in reply.alike] == [len(ASK.against), 0]
    advice = PolicyModel(PolicySettings(), 0)
    shown = advice.take(World().request(), ASK, reply, World().prompt())
    assert (shown.how, shown.words_only, shown.untranslated) == ("embedding", False, 1)


def test_what_is_compared_is_part_of_the_key() -> None:
    assert replace(ASK, against=()).key("x") != ASK.key("x"), "a cached reply holds similarities to these"


# --- episodes ---------------------------------------------------------------------
def scripted(ask: ModelRequest) -> ModelReply:
    """A model that plans in its own words, twice badly: from what the prompt's text says."""
    if ask.purpose != "policy":
        return commonsense(ask)
    (text,) = commonsense(ask).texts[:1]
    free = text.replace("walk to", "go to").replace("grab", "pick up")
    return ModelReply((f"1. {free}", f"Plan:\n- {free}", "I am not sure.", "走到厨房", f'"{free}"'), "script")


@pytest.mark.parametrize(("name", "preset"), [("llm-mcts", "paper"), ("llm-mcts", "paper-code"), ("llm-policy", "few-shot")])
def test_a_model_with_its_own_words_reaches_the_goal(name: str, preset: str) -> None:
    simulator, shown = home(), list[Grounded]()
    goal = goal_of(simulator, TASK)
    planner = make_planner(name, preset)
    planner.begin(goal, simulator.schemas, 0)
    for _ in range(30):
        done = turn(planner, simulator, scripted)
        shown += [facet for facet in done.shown if isinstance(facet, Grounded)]
        assert all(not a.expects.choices and a.samples == 5 for a in done.asked if a.purpose == "policy")
        if done.decision.action is None:
            break
        planner.update(simulator.step(done.decision.action))
    assert "apple" in str(simulator.reveal().contents.get("fridge_1", ()))
    policy = [g for facet in shown for g in facet.replies if g.untranslated or g.how == "nearest"]
    assert policy
    assert {g.untranslated for g in policy} == {2}


def test_the_default_preset_still_chooses_from_a_list(world: World) -> None:
    planner = LlmMcts()
    planner.begin(goal_of(world.simulator, TASK), world.simulator.schemas, 0)
    asked = [a for a in turn(planner, world.simulator).asked if a.purpose == "policy"]
    assert asked
    assert all(a.expects.choices and not a.against for a in asked)
    assert PAPER.policy_prompt == "visible"
    assert PAPER.examples == 0
