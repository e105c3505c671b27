"""Positions of all objects: which classes are asked for, in batches, and how they enter belief, sampled states and prompts."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from core.common.parameters import changed
from core.planners.llm_mcts.planner import PAPER, TUNED, LlmMcts
from core.planners.llm_mcts.policy_prompt import VisiblePrompt
from core.planners.llm_mcts.world_model import BATCH, POSITIONS
from core.planning.belief_facets import Belief
from core.planning.expert_shots import object_classes
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.names import Names
from core.search.macros import ADMISSIBLE
from core.search.model import GO
from core.search.search import Request
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Turn, commonsense, goal_of, home, turn

TASK = "Put one apple inside the fridge"


def first_turn(answers: object = None, **settings: object) -> tuple[LlmMcts, HouseholdSimulator, Turn]:
    simulator = home()
    planner = LlmMcts(changed(PAPER, {"simulations": 20, **settings}))  # type: ignore[dict-item]
    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    return planner, simulator, turn(planner, simulator, answers or commonsense)  # type: ignore[arg-type]


def test_the_list_of_objects_is_that_of_the_expert_set() -> None:
    classes = object_classes()
    assert len(classes) > 60
    assert {"apple", "condiment_bottle", "wine_glass", "plate", "cutlery_fork"} <= set(classes)
    assert not {"kitchen", "fridge", "kitchen_table", "sofa", "living_room", "tv_stand"} & set(classes)


def test_all_objects_are_asked_for_once_in_batches() -> None:
    planner, simulator, first = first_turn()
    asked = [a for a in first.asked if a.purpose == POSITIONS]
    subjects = [a.subject for a in asked]
    furniture = {e.cls for e in simulator.reveal().entities if e.category != "object"}
    assert subjects[0] == "apple", "the goal's first"
    assert len(subjects) == len(set(subjects))
    wanted = {c for c in object_classes() if c not in furniture}
    wanted |= {e.cls for e in simulator.observe().entities if e.category == "object" and "grabbable" in e.properties}
    assert set(subjects) == {c.replace("_", " ") for c in wanted}
    assert max(first.together) == BATCH
    assert all(a.samples == 50 and a.compare == "unsure" and a.against and not a.expects.choices for a in asked)
    assert all(a.messages[0].content.count("Answer:") == 4 for a in asked), "three shots and the question"
    again = turn(copy.deepcopy(planner), simulator)
    assert not [a for a in again.asked if a.purpose == POSITIONS]


def test_tuned_asks_for_the_goal_s_objects_only() -> None:
    _, _, first = first_turn(world_objects="goal")
    assert [a.subject for a in first.asked if a.purpose == POSITIONS] == ["apple"]
    assert TUNED.world_objects == "goal"
    assert not any(not w for w in first.last(Belief).wanted)


def test_the_belief_shows_the_others_after_the_goal_s_and_locates_what_is_seen() -> None:
    _, simulator, first = first_turn()
    belief = first.last(Belief)
    assert belief.wanted[0]
    assert not any(belief.wanted[1:])
    assert belief.probability.shape == belief.prior.shape == belief.pinned.shape == (len(belief.objects), len(belief.places))
    assert np.allclose(belief.probability.sum(axis=1), 1)
    assert not belief.probability.flags.writeable
    seen = {e.cls for e in simulator.observe().entities if e.category == "object"}
    for cls, thing in zip(belief.classes[1:], belief.located[1:], strict=True):
        assert (thing is not None) == (cls in seen)


def test_sampled_states_hold_them_and_rooms_that_are_entered_show_them() -> None:
    planner, simulator, _ = first_turn()
    task = planner._task
    task.see(simulator.observe())
    problem, knowledge = task.problem()
    slots, rows = task.sampled()
    assert slots[: len(task.ghosts()[0])] == task.ghosts()[0]
    assert len(slots) > 30
    assert np.allclose(rows.sum(axis=1), 1)
    assert all(task.things[s] is None and not knowledge.known[s] for s in slots)
    assert problem.model.in_goal == len(task.table), "they are in no key"
    moves = problem.moves(knowledge, ADMISSIBLE)
    kitchen = next(m.action for m in moves if m.action == GO + [r for r, _ in task.layout.rooms].index("kitchen_1"))
    problem.step(knowledge, kitchen)
    table = task.layout.index("kitchen_table_1", "on")
    knowledge.where[slots[-1]], knowledge.known[slots[-1]] = table, True
    names = Names(task.world.entities.values(), simulator.schemas)
    ask = VisiblePrompt(task, names, ()).ask(Request(b"", knowledge, tuple(moves), ((kitchen,),)))
    name = names(task.ghost_class(slots[-1]))
    assert f"the {name} is on the kitchen table" in ask.messages[0].content.split("Current observation: ")[-1]


@pytest.mark.parametrize("texts", [("",), ("I do not know.",), ("Inside the moon.",), ("走到",),
                                   ("- On the kitchen table\n- In the fridge",)])
def test_any_reply_about_positions_gives_a_distribution(texts: tuple[str, ...]) -> None:
    def answers(ask: ModelRequest) -> ModelReply:
        return ModelReply(texts * ask.samples, "script") if ask.purpose == POSITIONS else commonsense(ask)

    _, _, first = first_turn(answers)
    assert np.allclose(first.last(Belief).prior.sum(axis=1), 1)


def test_positions_that_no_word_names_are_grounded_by_their_meaning() -> None:
    def answers(ask: ModelRequest) -> ModelReply:
        if ask.purpose != POSITIONS:
            return commonsense(ask)
        row = tuple(float("sofa" in phrase) for phrase in ask.against)
        return ModelReply(("somewhere soft",) * ask.samples, "script", alike=(row,) * ask.samples)

    _, _, first = first_turn(answers)
    belief = first.last(Belief)
    sofas = [k for k, place in enumerate(belief.places) if place.startswith("sofa")]
    assert belief.prior[0, sofas].sum() > 0.9


def test_an_operator_s_edit_of_such_a_row_is_kept() -> None:
    planner, simulator, first = first_turn()
    belief = first.last(Belief)
    row = next(r for r, thing in enumerate(belief.located) if thing is None and not belief.wanted[r])
    values, pins = belief.probability.copy(), belief.pinned.copy()
    column = next(k for k in range(len(belief.places)) if not belief.looked[k])
    values[row], pins[row, column] = np.eye(len(belief.places))[column], True
    planner.accept(replace(belief, probability=values, pinned=pins))
    assert turn(planner, simulator).last(Belief).probability[row, column] == pytest.approx(1)
    planner.update(simulator.step(Action("walk", ("kitchen_1",))))
    after = turn(planner, simulator).last(Belief)
    assert after.classes == belief.classes
