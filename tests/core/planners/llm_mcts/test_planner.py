from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from core.common.errors import UsageError
from core.common.parameters import changed
from core.goals.literals import Goal, Literal
from core.goals.progress import reached
from core.planners.llm_mcts.planner import PRESETS, TUNED, LlmMcts, LlmMctsFullyObservable
from core.planners.llm_mcts.world_model import POSITIONS
from core.planners.registry import make_planner
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.examples import Example
from core.planning.facets import Facet, GoalProgress, Grounded, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import PolicyMixture, Ranking, SearchTree
from core.planning.simulation_facets import Simulations
from core.planning.thinking import decide, each
from core.search.search_facets import MOST_MEANWHILE, MOST_NODES
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Answers, commonsense, goal_of, home, play, says, turn
from tests.long_tests import either, some_pairs

APPLE = "put one apple inside the fridge"


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    with home() as found:
        yield found


def begun(simulator: HouseholdSimulator, text: str = APPLE, **settings: float | str | bool) -> LlmMcts:
    planner = LlmMcts(changed(TUNED, settings))
    planner.begin(goal_of(simulator, text), simulator.schemas, 0)
    return planner


@pytest.mark.parametrize("text", [
    APPLE, "put two books on the sofa and one plate inside the dishwasher", "put an apple in the fridge, then close the fridge",
    "put one sliced apple on the coffee table", "hold one mug", "put an apple on a plate", "switch on the stove",
])
def test_goals_of_every_kind_are_reached(simulator: HouseholdSimulator, text: str) -> None:
    goal = goal_of(simulator, text)
    play(make_planner("llm-mcts"), simulator, goal)
    assert reached(goal, simulator.reveal())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_plays_admissible_actions(simulator: HouseholdSimulator, preset: str) -> None:
    goal = goal_of(simulator, APPLE)
    outcomes = play(LlmMcts(changed(PRESETS[preset], {"simulations": 30})), simulator, goal, most=6)
    assert all(outcome.ok for outcome in outcomes)


def test_the_fully_observable_variant_walks_straight_there(simulator: HouseholdSimulator) -> None:
    goal = goal_of(simulator, APPLE)
    assert len(play(LlmMctsFullyObservable(), simulator, goal)) <= 8
    assert reached(goal, simulator.reveal())


@pytest.mark.parametrize("preset", ["tuned", "paper"])
def test_the_fully_observable_variant_does_not_ask_where_objects_are(simulator: HouseholdSimulator, preset: str) -> None:
    planner = make_planner("llm-mcts-fully-observable", preset, {"simulations": 4, "goal_by": "rules"})
    planner.begin(goal_of(simulator, APPLE), simulator.schemas, 0)
    asked: list[str] = []

    def answers(ask: ModelRequest) -> ModelReply:
        asked.append(ask.purpose)
        return commonsense(ask)

    decide(planner.plan(simulator.reveal()), each(answers))
    assert "policy" in asked
    assert POSITIONS not in asked


def test_a_turn_shows_all_it_promises_and_asks_for_each_class(simulator: HouseholdSimulator) -> None:
    done = turn(begun(simulator, "put one apple inside the fridge and one book on the sofa"), simulator)
    assert {type(facet) for facet in done.shown} == {
        Belief, PositionAnswers, Grounded, SearchTree, Simulations, Ranking, PolicyMixture, GoalProgress, Plan}
    assert [a.subject for a in done.asked if a.purpose == "object positions"] == ["apple", "book"]
    assert done.together[0] == 2
    ranking = done.last(Ranking)
    assert ranking.simulations == TUNED.simulations
    assert ranking.actions[0].steps[0] == done.decision.action
    assert sum(a.share for a in ranking.actions) == pytest.approx(1)
    assert ranking.actions[0].loss == pytest.approx(0, abs=10)


def test_where_a_thing_was_said_to_be_is_shown(simulator: HouseholdSimulator) -> None:
    def said(ask: ModelRequest) -> ModelReply:
        return ModelReply(("In the refrigerator.",) * 3, "script") if ask.purpose == "object positions" else commonsense(ask)

    done = turn(begun(simulator), simulator, said)
    told = next(facet for facet in done.shown if isinstance(facet, Grounded)).replies
    assert [(g.prompt, g.meant, g.how) for g in told] == [(done.asked[0].digest, "inside the fridge in the kitchen", "synonym")]
    refused = turn(begun(simulator), simulator, lambda ask: replace(said(ask), texts=("I cannot know.",), scores=())
                   if ask.purpose == "object positions" else commonsense(ask))
    told = next(facet for facet in refused.shown if isinstance(facet, Grounded)).replies
    assert [(g.meant, g.how) for g in told] == [("", "refused")]


def test_the_tree_has_parents_before_children(simulator: HouseholdSimulator) -> None:
    tree = turn(begun(simulator), simulator).last(SearchTree)
    assert [node.id for node in tree.nodes] == list(range(len(tree.nodes)))
    assert all(node.parent < node.id for node in tree.nodes)
    assert tree.nodes[0].visits >= 100
    assert set(tree.expected) <= set(range(len(tree.nodes)))


def test_a_long_search_keeps_the_tree_small(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator, "put two books on the bed and two apples on the sofa", simulations=3000, policy_says="uniform")
    done = turn(planner, simulator)
    *meanwhile, last = [len(facet.nodes) for facet in done.shown if isinstance(facet, SearchTree)]
    assert max(meanwhile) == MOST_MEANWHILE < last <= MOST_NODES
    rankings = [facet for facet in done.shown if isinstance(facet, Ranking)]
    assert [ranking.simulations for ranking in dict.fromkeys(rankings)] == [25, 100, 400, 1600, 3000]
    assert len({id(r) for r in rankings}) < 20


def test_equal_seeds_play_equal_episodes() -> None:
    games = []
    for _ in range(2):
        with home(seed=10_003) as simulator:
            goal = goal_of(simulator, "put one mug inside the microwave and one book on the bed")
            games.append([o.action for o in play(LlmMcts(), simulator, goal)])
    assert games[0] == games[1]


NONSENSE: dict[str, Answers] = {
    "empty": says(""), "a poem": says("Roses are red, violets are blue"), "another world": says("walk to the spaceship"),
    "huge": says("put the " * 50_000), "numbers": says("1. 2. 3."), "odd signs": says("\x00\ufffd{}[]()*+?|\\"),
    "no texts": lambda ask: ModelReply((), "script"), "many lines": says("\n".join(map(str, range(10_000)))),
    "broken scores": lambda ask: ModelReply(("?",), "script", tuple((c, float("nan")) for c in ask.expects.choices)),
}


@pytest.mark.parametrize(("preset", "name"), some_pairs(["tuned", "paper"], list(NONSENSE), 1))
def test_nonsense_never_crashes_nor_moves_the_robot_wrongly(simulator: HouseholdSimulator, name: str, preset: str) -> None:
    goal = goal_of(simulator, APPLE)
    outcomes = play(LlmMcts(changed(PRESETS[preset], {"simulations": 20})), simulator, goal, NONSENSE[name], most=either(2, 4))
    assert outcomes
    assert all(o.ok for o in outcomes)


def test_nonsense_gives_the_uniform_prior(simulator: HouseholdSimulator) -> None:
    ranking = turn(begun(simulator), simulator, says("Roses are red")).last(Ranking)
    assert len({a.prior for a in ranking.actions}) == 1


def test_an_inadmissible_answer_is_taken_for_none_of_the_choices(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    done = turn(planner, simulator,
                lambda ask: commonsense(ask) if ask.purpose != "policy" else ModelReply(("open the sky",), "x"))
    assert done.decision.action is not None
    assert simulator.verdict(done.decision.action).ok


def test_the_answer_leads_the_search(simulator: HouseholdSimulator) -> None:
    said = []

    def answers(ask: ModelRequest) -> ModelReply:
        if ask.purpose != "policy":
            return commonsense(ask)
        said.append(ask.expects.choices[-1])
        return ModelReply((f"Next actions: {said[-1]}, and so on.",), "script")

    ranking = turn(begun(simulator, mixing=0.0, exploration=100.0), simulator, answers).last(Ranking)
    assert max(ranking.actions, key=lambda a: a.prior).prior == pytest.approx(1)


def test_several_questions_are_asked_at_once(simulator: HouseholdSimulator) -> None:
    done = turn(begun(simulator, "put one apple inside the fridge and one book on the sofa", batch=4), simulator)
    assert max(done.together[1:]) > 1
    assert max(done.together[1:]) <= 4
    assert done.last(Ranking).simulations >= 100


def test_answers_are_kept_for_the_episode(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    first = turn(planner, simulator)
    again = turn(planner, simulator)
    keys = [ask.key("x") for ask in first.asked]
    assert len(set(keys)) == len(keys)
    assert not [a for a in again.asked if a.purpose == "object positions"]
    assert len(again.asked) < len(first.asked)


def test_an_operators_belief_is_used_within_the_same_turn(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    edited: list[Belief] = []

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Belief) and not edited:
            column = facet.places.index("cabinet_3")
            values, pins = facet.probability.copy(), facet.pinned.copy()
            values[0], pins[0, column] = np.eye(len(facet.places))[column], True
            edited.append(replace(facet, probability=values, pinned=pins))
            planner.accept(edited[0])

    done = turn(planner, simulator, meddle=meddle)
    assert done.last(Belief).probability[0, done.last(Belief).places.index("cabinet_3")] == pytest.approx(1)
    assert done.decision.action == Action("walk", ("bedroom_1",))


@pytest.mark.parametrize("place", ["coffee_table_1", "bed_1", "desk_1", "sofa_1"])
def test_advice_about_the_old_belief_is_asked_for_again(simulator: HouseholdSimulator, place: str) -> None:
    planner = begun(simulator)
    here = turn(planner, simulator).decision
    belief = planner._task.facet()
    if place not in belief.places:
        pytest.skip(f"no {place} in this home")
    planner.accept(replace(belief, probability=np.eye(len(belief.places))[[belief.places.index(place)] * len(belief.objects)]))
    done = turn(planner, simulator)
    going = Action("walk", (simulator.reveal().by_id[place].room or "",))
    advised = max(done.last(Ranking).actions, key=lambda a: a.prior)
    assert done.decision.action == advised.steps[0] == going != here.action


def test_an_edit_during_the_search_begins_it_anew(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    edits: list[int] = []

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Ranking) and not edits:
            edits.append(number)
            planner.accept(planner._task.facet())

    done = turn(planner, simulator, meddle=meddle)
    assert sum(isinstance(f, Belief) for f in done.shown) == 2
    assert done.decision.action is not None


def test_other_edits_and_beliefs_of_another_home_are_refused(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    belief = turn(planner, simulator).last(Belief)
    with pytest.raises(UsageError, match="other places"):
        planner.accept(replace(belief, places=("moon_1",)))
    with pytest.raises(NotImplementedError):
        planner.accept(GoalProgress(()))


def test_the_goal_may_change_in_mid_episode(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    for _ in range(3):
        action = turn(planner, simulator).decision.action
        assert action is not None
        planner.update(simulator.step(action))
    other = goal_of(simulator, "put one book on the sofa")
    planner.set_goal(other)
    done = turn(planner, simulator)
    assert done.last(GoalProgress).literals[0].literal.subject == "book"
    assert "apple" not in done.last(Belief).classes or done.asked


def test_simulations_may_change_while_thinking(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)

    def meddle(number: int, facet: Facet) -> None:
        if isinstance(facet, Ranking):
            planner.parameters = changed(TUNED, {"simulations": 50})

    assert turn(planner, simulator, meddle=meddle).last(Ranking).simulations <= 75


def test_a_copy_thinks_the_same(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator, "put one mug on the desk and one book on the bed")
    action = turn(planner, simulator).decision.action
    assert action is not None
    planner.update(simulator.step(action))
    twin = copy.deepcopy(planner)
    assert turn(planner, simulator).decision == turn(twin, simulator).decision


def test_whoever_chose_the_action_it_is_followed(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    turn(planner, simulator)
    planner.update(simulator.step(Action("walk", ("bathroom_1",))))
    done = turn(planner, simulator)
    assert done.decision.because != "as planned"
    assert done.decision.action is not None
    assert simulator.verdict(done.decision.action).ok


def test_wrong_answers_do_not_stop_it(simulator: HouseholdSimulator) -> None:
    goal = goal_of(simulator, "put one apple inside the fridge and one book on the sofa")
    play(LlmMcts(changed(TUNED, {"wrong_answers": 0.4})), simulator, goal, most=30)
    assert reached(goal, simulator.reveal())


def test_what_is_nowhere_is_given_up_with_a_reason(simulator: HouseholdSimulator) -> None:
    planner = LlmMcts()
    planner.begin(Goal((Literal("inside", "unicorn", "fridge"),)), simulator.schemas, 0)
    for _ in range(80):
        decision = turn(planner, simulator).decision
        if decision.action is None:
            break
        planner.update(simulator.step(decision.action))
    assert "unicorn" in decision.because


def test_what_refused_a_thing_is_not_tried_with_it_again(simulator: HouseholdSimulator) -> None:
    goal = goal_of(simulator, "put one box inside the bathroom cabinet")
    outcomes = play(LlmMcts(), simulator, goal, most=60)
    refused = [o.action for o in outcomes if not o.ok and o.precondition in ("room", "size")]
    assert len(set(refused)) == len(refused)


@pytest.mark.parametrize("scene", ["FloorPlan1", "FloorPlan210", "FloorPlan301", "FloorPlan430"])
def test_it_works_in_single_rooms(scene: str) -> None:
    with home(scene, 1) as simulator:
        goal = _some_goal(simulator)
        play(make_planner("llm-mcts"), simulator, goal, most=60)
        assert reached(goal, simulator.reveal())


def _some_goal(simulator: HouseholdSimulator) -> Goal:
    world = simulator.reveal()
    things = sorted({e.cls for e in world.entities if e.category == "object"})
    places = sorted({e.cls for e in world.entities if e.category == "furniture" and "surface" in e.properties})
    return next(goal for thing in things for place in places
                if simulator.possible(goal := Goal((Literal("on", thing, place),)), tidy=True)
                and not reached(goal, world))


def test_what_is_remembered_stays_bounded(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator, APPLE, simulations=5)
    for k in range(1000):
        planner.update(simulator.step(Action("walk", (("kitchen_1", "bedroom_1")[k % 2],))))
    assert len(planner._history) <= 1000
    assert turn(planner, simulator).decision.action is not None


def test_without_a_map_it_asks_in_which_rooms_things_are(simulator: HouseholdSimulator) -> None:
    planner = begun(simulator)
    seen: list[ModelRequest] = []

    def answers(ask: ModelRequest) -> ModelReply:
        seen.append(ask)
        return commonsense(ask)

    for _ in range(25):
        thought = planner.plan(replace(simulator.observe(), landmarks=()))
        decision = decide(thought, each(answers))
        if decision.action is None:
            break
        planner.update(simulator.step(decision.action))
    assert {a.purpose for a in seen} >= {"object positions", "place rooms"}
    assert reached(goal_of(simulator, APPLE), simulator.reveal())


@pytest.mark.parametrize("hands", ["1", "2"])
@pytest.mark.parametrize("seeing", ["room", "camera"])
def test_other_bodies_neither_crash_nor_loop_on_refusals(hands: str, seeing: str) -> None:
    with home("four-rooms-3", 10_001, hands=hands, seeing=seeing) as simulator:
        outcomes = play(LlmMcts(changed(TUNED, {"simulations": 25})), simulator,
                        goal_of(simulator, "put one apple inside the fridge and one book on the bed"), most=30)
        assert any(o.ok for o in outcomes)


# --- few shots --------------------------------------------------------------
SHOTS = (
    Example("put one apple inside the fridge", ("walk kitchen_1",), "you are in the kitchen 1.", "grab apple_3", id=1),
    Example("put one apple on the desk", (), "you are in the study 1.", "walk sofa_1", "walk bed_1", id=2),
    Example("switch on the lamp", (), "you are in the hall 1.", "walk lamp_1", id=3),
)


def policy_prompts(simulator: HouseholdSimulator, shots: tuple[Example, ...], **settings: int) -> list[ModelRequest]:
    """The policy's questions of the first turn."""
    planner = LlmMcts(changed(TUNED, {"simulations": 10, **settings}))
    planner.study(shots)
    planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
    return [ask for ask in turn(planner, simulator).asked if ask.purpose == "policy"]


def test_the_prompt_tells_the_kept_decisions_that_are_like_the_task(simulator: HouseholdSimulator) -> None:
    plain, told = policy_prompts(simulator, ()), policy_prompts(simulator, SHOTS)
    prompt = told[0].messages[0].content
    assert "this example:" in plain[0].messages[0].content
    assert prompt.index("Next actions: grab the apple 3.") < prompt.index("Next actions: walk to the sofa 1.")
    assert "lamp" not in prompt.split("Now finish this task")[0]
    assert "orange" not in prompt
    assert {a.key("x") for a in plain}.isdisjoint(a.key("x") for a in told), "another prompt is another question"


def test_examples_are_told_by_meaning_where_that_is_known(simulator: HouseholdSimulator) -> None:
    def answers(ask: ModelRequest) -> ModelReply:
        if ask.purpose != "examples":
            return commonsense(ask)
        assert (ask.compare, ask.messages[0].content) == ("only", "Put one apple inside the fridge")
        return ModelReply((), "sentence embeddings", is_model=False, alike=(tuple("lamp" in c for c in ask.expects.choices),))

    planner = LlmMcts(changed(TUNED, {"simulations": 10, "examples": 1}))
    planner.study(SHOTS)
    planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
    first, second = turn(planner, simulator, answers), turn(copy.deepcopy(planner), simulator, answers)
    told = next(ask for ask in first.asked if ask.purpose == "policy").messages[0].content
    assert "walk to the lamp 1." in told
    assert "grab the apple 3" not in told
    assert [a.purpose for a in (*first.asked, *second.asked)].count("examples") == 1, "asked once a goal"
    planner.set_goal(goal_of(simulator, "put one apple on the desk"))
    planner.parameters = changed(planner.parameters, {"examples": 0})
    assert "examples" not in [a.purpose for a in turn(planner, simulator, answers).asked]


@pytest.mark.parametrize("rows", [(), ((),), ((0.5,),), ((0.1,) * 99,)])
def test_likenesses_that_do_not_fit_leave_words(simulator: HouseholdSimulator, rows: tuple[tuple[float, ...], ...]) -> None:
    planner = LlmMcts(changed(TUNED, {"simulations": 10}))
    planner.study(SHOTS)
    planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
    done = turn(planner, simulator, lambda ask: replace(commonsense(ask), alike=rows if ask.purpose == "examples" else ()))
    prompt = next(ask for ask in done.asked if ask.purpose == "policy").messages[0].content
    assert prompt.index("grab the apple 3.") < prompt.index("walk to the sofa 1.")
    assert "lamp" not in prompt.split("Now finish this task")[0]


def test_without_any_or_with_none_wanted_the_prompt_is_as_it_was(simulator: HouseholdSimulator) -> None:
    plain = [ask.key("x") for ask in policy_prompts(simulator, ())]
    assert [ask.key("x") for ask in policy_prompts(simulator, SHOTS, examples=0)] == plain
    assert [ask.key("x") for ask in policy_prompts(simulator, SHOTS[2:])] == plain
    assert "grab the apple 3" not in policy_prompts(simulator, SHOTS[1:], examples=1)[0].messages[0].content


@pytest.mark.parametrize(("name", "preset"), [("llm-mcts", "paper"), ("llm-policy", "few-shot")])
def test_whole_trajectories_are_told_by_the_papers_presets(simulator: HouseholdSimulator, name: str, preset: str) -> None:
    def answers(ask: ModelRequest) -> ModelReply:
        if ask.purpose != "few shots":
            return commonsense(ask)
        row = tuple(float("fridge" in text) for text in ask.expects.choices)
        return ModelReply((), "sentence embeddings", is_model=False, alike=(row,))

    settings = {"simulations": "5"} if name == "llm-mcts" else {}
    planner = make_planner(name, preset, settings)
    planner.begin(goal_of(simulator, "Put one apple inside the fridge"), simulator.schemas, 0)
    first, second = turn(planner, simulator, answers), turn(copy.deepcopy(planner), simulator, answers)
    assert [a.purpose for a in (*first.asked, *second.asked)].count("few shots") == 1, "asked once a goal"
    prompt = next(ask for ask in first.asked if ask.purpose == "policy").messages[0].content
    shots = prompt.split("Now finish this task")[0].split("\nGoal: ")[1:]
    assert len(shots) == 3
    assert all("fridge" in shot.splitlines()[0] and shot.rstrip().endswith("done.") for shot in shots)
    planner.parameters = changed(planner.parameters, {"shots": 0})
    later = turn(planner, simulator, answers)
    assert "few shots" not in [a.purpose for a in later.asked]


def test_the_default_presets_tell_no_trajectories(simulator: HouseholdSimulator) -> None:
    for name in ("llm-mcts", "llm-policy"):
        planner = make_planner(name)
        planner.begin(goal_of(simulator, APPLE), simulator.schemas, 0)
        asked = turn(planner, simulator).asked
        assert "few shots" not in [a.purpose for a in asked]
        assert "done." not in next(a for a in asked if a.purpose == "policy").messages[0].content
