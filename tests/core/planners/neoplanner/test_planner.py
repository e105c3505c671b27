"""NeoPlanner: the planner apart from any model's wits, in a small world of levers; then prompts, edits and files."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from core.common.errors import DataError, UsageError
from core.evaluation.episode import drive
from core.planners.neoplanner.planner import NeoPlanner
from core.planners.neoplanner.recorded_types import ActionPlanFacts, Axiom, LearnerFacts, Learnings, Scores, StateGraph
from core.planners.neoplanner.state_space import INVALID
from core.planners.registry import make_planner
from core.planning.facets import Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision
from core.suites.contestant import Drive
from core.world.vocabulary import Action
from tests.core.planners.by_hand import Turn, home, says, turn
from tests.core.planners.levers import GOAL, WAY, Levers, Weak, pull
from tests.long_tests import either

WEAK = Weak()
RED = pull(0)


def begun(simulator: Levers, seed: int = 0, **settings: str | int | float | bool) -> NeoPlanner:
    planner = make_planner("neoplanner", "", settings)
    assert isinstance(planner, NeoPlanner)
    planner.begin(GOAL, simulator.schemas, seed)
    return planner


def acted(planner: NeoPlanner, simulator: Levers, answers: Callable[[ModelRequest], ModelReply] = WEAK) -> Turn:
    taken = turn(planner, simulator, answers)
    if taken.decision.action is not None:
        planner.update(simulator.step(taken.decision.action))
    return taken


def plans(*sentences: str) -> Callable[[ModelRequest], ModelReply]:
    """Proposes these; learns nothing."""
    text = json.dumps(sentences)
    return lambda ask: ModelReply((text if isinstance(ask.facts, ActionPlanFacts) else "[]",), "script")


def run(world: Levers, seed: int, steps: int, *, preset: str = "", **settings: bool | int) -> tuple[Drive, float]:
    best = [0.0]
    planner = make_planner("neoplanner", preset, settings)
    found = drive(planner, world, GOAL, WEAK, seed, steps, on_outcome=lambda o: best.append(o.observation.score or 0.0))
    return found, max(best)


# --- the planner itself ---------------------------------------------------------


@pytest.mark.parametrize("way", [WAY, (4, 4, 4, 4, 4, 4), (2, 10, 6, 1, 8, 3)])
def test_with_the_graph_a_weak_proposer_gets_to_the_end_and_without_it_does_not(way: tuple[int, ...]) -> None:
    seeds = range(either(2, 4))
    with_graph = [run(Levers(way), seed, 250) for seed in seeds]
    without = [run(Levers(way), seed, 250, graph=False) for seed in seeds]
    assert [best for _, best in with_graph] == [100.0] * len(seeds)
    assert all(found.success for found, _ in with_graph)
    assert max(best for _, best in without) <= 60
    assert sum(best for _, best in without) / len(seeds) <= 40


def test_the_same_seed_does_the_same() -> None:
    assert run(Levers(), 3, 80)[0].actions == run(Levers(), 3, 80)[0].actions
    assert run(Levers(), 3, 80)[0].actions != run(Levers(), 4, 80)[0].actions


def test_a_refused_action_leads_to_the_invalid_node_and_is_avoided() -> None:
    world = Levers()
    planner = begun(world)
    acted(planner, world, plans(pull(9)))
    asked: list[ActionPlanFacts] = []

    def listen(ask: ModelRequest) -> ModelReply:
        assert isinstance(ask.facts, ActionPlanFacts)
        asked.append(ask.facts)
        return ModelReply((json.dumps([pull(9), pull(4)]),), "script")

    taken = acted(planner, world, listen)
    graph = taken.last(StateGraph)
    assert [(e.target, e.actions) for e in graph.edges] == [(INVALID, (pull(9),))]
    assert graph.nodes[0].refused == 1
    assert asked[0].avoid == (pull(9),)
    assert f"STRICTLY AVOID these IMMEDIATE ACTIONS, they were tried here:\n{pull(9)}" in taken.asked[0].messages[0].content
    assert taken.decision.action == Action("do", (pull(4),)), "what was to be avoided is left out, whatever the model says"


def test_losing_ends_the_episode_and_the_trap_is_not_planned_again() -> None:
    world = Levers()
    planner = begun(world)
    acted(planner, world, plans(pull(11)))
    assert world.score == -100
    taken = acted(planner, world)
    assert taken.decision.action == Action("restart")
    assert [ask.purpose for ask in taken.asked] == ["learner"]
    for _ in range(150):
        taken = acted(planner, world)
        assert "known" not in taken.decision.because or taken.decision.action != Action("do", (pull(11),))
    assert world.score > 0


def test_a_known_way_is_followed_without_asking_and_a_surprise_ends_it() -> None:
    world = Levers()
    planner = begun(world, rounds=1, horizon=3)
    for k in range(3):
        acted(planner, world, plans(*(pull(WAY[n]) for n in range(k, 3))))
    assert acted(planner, world).decision.action == Action("restart")
    known = turn(planner, world, says("nobody is asked"))
    assert known.decision == Decision(Action("do", (pull(WAY[0]),)), "a known way")
    assert known.asked == []
    assert len(known.last(Plan).actions) == 3
    assert len(known.last(StateGraph).path) == 4
    planner.update(world.step(Action("do", (pull(4),))))  # the operator does something else
    assert turn(planner, world, plans(pull(5))).decision.because == "proposed"


def test_what_happened_untold_is_seen_and_ends_the_plan() -> None:
    world = Levers()
    planner = begun(world)
    acted(planner, world, plans(pull(4), pull(5), pull(6)))
    world.step(Action("do", (pull(WAY[0]),)))  # nobody tells the planner
    taken = acted(planner, world, plans(pull(7)))
    assert taken.decision.action == Action("do", (pull(7),))
    assert taken.last(StateGraph).nodes[-1].title == "room 1"


def test_without_restarting_it_goes_on_and_gives_up_when_lost() -> None:
    world = Levers(can_restart=False)
    planner = begun(world, rounds=1, horizon=2)
    for _ in range(6):
        assert acted(planner, world, plans(pull(4), pull(5))).decision.action is not None
    acted(planner, world, plans(pull(11)))
    planner.update(world.step(Action("do", (pull(11),))))
    assert acted(planner, world).decision == Decision(None, "the task has failed, and this world cannot start over")


def test_a_world_without_sentences_is_declined_in_words() -> None:
    simulator = home()
    planner = make_planner("neoplanner")
    planner.begin(GOAL, simulator.schemas, 0)
    assert "choose scienceworld" in turn(planner, simulator).decision.because


# --- models that are no use -------------------------------------------------------

NONSENSE = {
    "empty": says(""), "a poem": says("Roses are red, violets are blue"), "broken list": says('["pull red lever'),
    "huge": says("pull the lever " * 50_000), "numbers": says("[1, 2, {}]"), "odd signs": says("\x00\ufffd{}[]()*+?|\\"),
    "no texts": lambda ask: ModelReply((), "script"), "deep": says("[" * 100_000), "reset": says('["reset task", "restart"]'),
    "many lines": says("\n".join(f"pull {k} lever" for k in range(5000))), "only traps": says('["pull navy lever"]'),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_makes_it_slow_and_never_wrong(name: str) -> None:
    world = Levers()
    planner = begun(world)
    for _ in range(60):
        assert acted(planner, world, NONSENSE[name]).decision.action is not None
    learnt = planner.memory()
    assert json.loads(learnt)["kind"] == "neoplanner memory"


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_where_nothing_can_be_begun_anew_comes_to_an_end(name: str) -> None:
    world = Levers(can_restart=False)
    planner = begun(world, horizon=2)
    for _ in range(either(100, 400)):
        if acted(planner, world, NONSENSE[name]).decision.action is None:
            break


# --- the operator -------------------------------------------------------------------


def test_learnings_are_told_and_an_operator_s_edit_is_taken_at_the_next_question() -> None:
    world = Levers()
    planner = begun(world)
    planner.accept(Learnings((Axiom("blue lever opens the door", pinned=True, by="operator"),)))
    taken = turn(planner, world, plans(pull(2)))
    assert "blue lever opens the door" in taken.asked[0].messages[0].content
    for broken in (Axiom(""), Axiom("two\nlines here"), Axiom("x" * 1000)):
        with pytest.raises(UsageError, match="one line"):
            planner.accept(Learnings((broken,)))
    with pytest.raises(UsageError, match="twice"):
        planner.accept(Learnings((Axiom("a b c"), Axiom("a b c"))))


def test_the_learner_rewrites_but_for_what_is_pinned_and_struck() -> None:
    world = Levers()
    planner = begun(world, rounds=1, horizon=1)
    planner.accept(Learnings((Axiom("pinned line stays", pinned=True), Axiom("old line goes")), struck=("bad line returns",)))

    def answers(ask: ModelRequest) -> ModelReply:
        lines = ["bad line returns", "new line comes", "with_underscore is not", "too short"]
        return ModelReply((json.dumps(lines if isinstance(ask.facts, LearnerFacts) else [pull(4)]),), "script")

    acted(planner, world, answers)
    told = acted(planner, world, answers).last(Learnings)
    assert [a.text for a in told.axioms] == ["pinned line stays", "new line comes"]
    assert told.axioms[1] == Axiom("new line comes", episode=1)
    acted(planner, world, says("nothing to be read here" if False else "[]"))
    assert planner.memory().count("new line comes") == 1


def test_banned_actions_are_neither_planned_nor_proposed() -> None:
    world = Levers()
    planner = begun(world, rounds=1, horizon=2)
    acted(planner, world, plans(pull(WAY[0]), pull(4)))
    acted(planner, world, plans(pull(4)))
    acted(planner, world)
    planner.ban(frozenset({Action("do", (pull(WAY[0]),))}))
    for _ in range(30):
        assert acted(planner, world).decision.action != Action("do", (pull(WAY[0]),))


def test_copies_go_their_own_ways() -> None:
    world = Levers()
    planner = begun(world)
    for _ in range(20):
        acted(planner, world)
    saved, before, copied = world.save(), planner.memory(), copy.deepcopy(planner)
    first = [acted(planner, world).decision for _ in range(20)]
    assert copied.memory() == before
    world.restore(saved)
    assert [acted(copied, world).decision for _ in range(20)] == first
    assert copied.memory() == planner.memory()


def test_parameters_change_live() -> None:
    world = Levers()
    planner = begun(world)
    acted(planner, world)
    planner.parameters = type(planner.parameters)(rounds=1, horizon=1)
    for _ in range(6):
        taken = acted(planner, world)
    assert taken.last(Scores).interactions + len(taken.last(Scores).ends) <= 7
    assert len(taken.last(Scores).ends) >= 2


# --- its memory ------------------------------------------------------------------------


def test_a_run_goes_on_with_what_another_learnt(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.json")
    first = begun(world := Levers(), memory=path)
    for _ in range(250):
        if acted(first, world).decision.action is None:
            break
    assert world.score == 100
    second = begun(fresh := Levers(), memory=path)
    steps = 0
    while fresh.score < 100 and steps < 40:
        acted(second, fresh)
        steps += 1
    assert steps == len(WAY), "straight to the end"
    assert second.memory() != first.memory()


def test_a_damaged_memory_is_refused_in_one_line(tmp_path: Path) -> None:
    world, path = Levers(), tmp_path / "memory.json"
    good = begun(world, memory=str(path))
    for _ in range(40):
        acted(good, world)
    whole = json.loads(good.memory())
    broken = [
        "", "{}", "null", "[" * 5000, json.dumps({**whole, "version": 2}),
        json.dumps({**whole, "nodes": whole["nodes"] + whole["nodes"][:1]}), json.dumps({**whole, "starts": [999]}),
        json.dumps({**whole, "axioms": [["x\ny", False, "model", 1]]}), json.dumps({**whole, "axioms": [[1, 2, 3, 4]]}),
        json.dumps({**whole, "nodes": [{**whole["nodes"][0], "value": float("nan")}]}),
        json.dumps({**whole, "nodes": [{**whole["nodes"][0], "tried": [["a", "b", "c"]]}]}),
    ]
    for text in broken:
        path.write_text(text)
        with pytest.raises(DataError) as caught:
            begun(world, memory=str(path))
        assert "\n" not in str(caught.value)
    unwritable = begun(world, memory=str(tmp_path / "no such folder" / "memory.json"), rounds=1, horizon=1)
    acted(unwritable, world)
    with pytest.raises(DataError, match="cannot write"):
        acted(unwritable, world)
