"""LLM-State driven by hand: the paper's light switches move by move, the operator, and models that answer nonsense."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from core.common.parameters import changed
from core.goals.literals import Goal
from core.goals.progress import reached
from core.planners.llm_state.planner import PAPER, PRESETS, TUNED, LlmState
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planners.llm_state.suite import GRAPH
from core.planners.registry import make_planner
from core.planning.facets import Facet, GoalProgress, Grounded, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.world.vocabulary import Action
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import commonsense, goal_of, home, play, says, turn

LIGHTS = "Switch off all the lights in the house"
ATTENTION = 'add_related_objects("light64")\nadd_related_objects("bedroom67")'
ESTIMATE = ('update_reasoning("The robot moved to light64 and switched it off. Then it moved to bedroom67 and tried to switch '
            'off light64 again but failed because it\'s not in the same location with light64.")\n'
            'update_state("light64", "off")\nupdate_state("bedroom67", "robot_inside")')
PLAN_ONE = "Low-level Action Plan:\n1. move(light64)\n2. switchoff(light64)\n3. move(bedroom67)\n4. switchoff(light64)"
PLAN_TWO = ("Low-level Action Plan:\n1. move(light169)\n2. switchoff(light169)\n3. move(dining_room201)\n"
            "4. move(lightswitch9) (assuming there is a lightswitch9 there)\n5. switchoff(lightswitch9)\n"
            "6. switchoff(light169, now)")


class Script:
    """Answers by purpose, in order; the last answer of a purpose stays."""

    def __init__(self, **texts: list[str]):
        self.texts, self.asked = texts, list[ModelRequest]()

    def __call__(self, ask: ModelRequest) -> ModelReply:
        self.asked.append(ask)
        left = self.texts[ask.purpose]
        return ModelReply((left.pop(0) if len(left) > 1 else left[0],), "script")

    def prompts(self, purpose: str) -> list[str]:
        return [a.messages[0].content for a in self.asked if a.purpose == purpose]


def begun(simulator: HouseholdSimulator, goal: Goal, **settings: object) -> LlmState:
    planner = LlmState(changed(TUNED, settings))  # type: ignore[arg-type]
    planner.begin(goal, simulator.schemas, 0)
    return planner


def act(planner: LlmState, simulator: HouseholdSimulator, answers: object = commonsense) -> Action | None:
    action = turn(planner, simulator, answers).decision.action  # type: ignore[arg-type]
    if action is not None:
        planner.update(simulator.step(action))
    return action


def test_the_light_switches_of_the_paper_move_by_move() -> None:
    with home(str(GRAPH), 0, lit="yes", hands="2") as simulator:
        while simulator.observe().agent.room != "bathroom_1":
            simulator.step(Action("walk", ("bathroom_1",)))
        planner = LlmState(PAPER)
        planner.begin(goal_of(simulator, LIGHTS), simulator.schemas, 0)
        script = Script(attention=[ATTENTION, 'add_related_objects("light169")'], state=['update_reasoning("")', ESTIMATE],
                        plan=[PLAN_ONE, PLAN_TWO])
        done = [act(planner, simulator, script) for _ in range(4)]
        assert [str(a) for a in done] == ["walk light_64", "switch_off light_64", "walk bedroom_67", "switch_off light_64"]
        assert [a.purpose for a in script.asked] == ["attention", "state", "plan"], "a plan is followed without asking"
        last = turn(planner, simulator, script)
        assert script.prompts("state")[1].count("(Success)") == 3
        assert "['switchoff', 'light64'](Fail)" in script.prompts("state")[1], "the paper's robot hears only that it failed"
        assert "light64: []" in script.prompts("state")[1], "estimated from the beginning, not from the last estimate"
        book = last.last(StateDictionary)
        assert [(e.name, e.attributes) for e in book.entries] == [
            ("light64", ("off",)), ("bedroom67", ("robot_inside",)), ("light169", ())]
        assert "not in the same location" in book.summary
        assert book.because == "an action failed"
        assert "light64: off" in script.prompts("plan")[1]
        assert "Reasoning: The robot moved to light64" in script.prompts("plan")[1]
        assert "dining_room" not in script.prompts("plan")[1].split("Object List")[0]
        assert last.last(Grounded).replies[0].meant == "5 calls parsed, 1 dropped", "the hypothesised switch is kept"
        assert last.last(Plan).actions == (Action("walk", ("light_169",)), Action("switch_off", ("light_169",)),
                                           Action("walk", ("dining_room_201",)), Action("walk", ("lightswitch9",)),
                                           Action("switch_off", ("lightswitch9",)))
        done = [act(planner, simulator, script) for _ in range(4)]
        assert str(done[3]) == "walk lightswitch9"
        turn(planner, simulator, script)
        assert "['move', 'lightswitch9'](Fail)" in script.prompts("plan")[2], "tried, and not there"


def test_both_vocabularies_are_understood() -> None:
    with home(lit="yes") as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        script = Script(attention=['add_related_objects("fridge1")'], plan=["move(fridge1)"],
                        state=['generate_summary("nothing yet")\nadd_attribute("fridge1", "closed | cold")'])
        book = turn(planner, simulator, script).last(StateDictionary)
        assert (book.summary, book.entries[0].attributes) == ("nothing yet", ("closed", "cold"))


def test_the_history_is_told_whole_and_the_rules_find_the_cause() -> None:
    """The real robot's trouble in the paper: no hand is free to open the microwave."""
    with home("four-rooms-1", 3, hands="2", free_hand="yes") as simulator:
        planner = begun(simulator, goal_of(simulator, "open the microwave"))
        table = simulator.reveal().contents["kitchen_table_1"][:2]
        taking = [Action(verb, (thing,)) for thing in table for verb in ("walk", "grab")]
        for action in (Action("walk", ("kitchen_1",)), *taking,
                       Action("walk", ("microwave_1",)), Action("open", ("microwave_1",))):
            turn(planner, simulator)
            planner.update(simulator.step(action))
        assert simulator.observe().agent.holding == table
        shown = turn(planner, simulator)
        assert "no hand was free" in shown.last(StateDictionary).summary
        assert shown.decision.action is not None
        assert shown.decision.action.verb != "open"
        for _ in range(12):
            if act(planner, simulator) is None:
                break
        assert "open" in simulator.reveal().by_id["microwave_1"].states


@pytest.mark.parametrize("task", [
    "put one book on the sofa and one mug inside the fridge", "Turn every lamp in the bedroom on", "pick up the milk",
    "cook two bread slices using the microwave and put them on the desk", "open the fridge, then close the bathroom cabinet",
])
def test_the_rules_reach_goals(task: str) -> None:
    with home("four-rooms-2", 12_345, hands="2", free_hand="yes", extra="bread_slice=2+milk=1") as simulator:
        goal = goal_of(simulator, task)
        play(make_planner("llm-state"), simulator, goal, most=90)
        assert reached(goal, simulator.reveal())


@pytest.mark.parametrize("free_hand", ["yes", "no"])
@pytest.mark.parametrize("task", ["put one apple inside the microwave", "put one toothbrush inside the bathroom cabinet"])
def test_the_rules_put_things_into_closed_places_with_one_hand(task: str, free_hand: str) -> None:
    with home("four-rooms-1", 3, hands="1", free_hand=free_hand) as simulator:
        goal = goal_of(simulator, task)
        play(make_planner("llm-state"), simulator, goal, most=30)
        assert reached(goal, simulator.reveal())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_plays(preset: str) -> None:
    with home("four-rooms-3", 20_000, hands="2") as simulator:
        goal = goal_of(simulator, "put a book on the desk")
        play(make_planner("llm-state", preset), simulator, goal, most=40)
        assert reached(goal, simulator.reveal())


def test_ablations_ask_and_tell_less() -> None:
    with home() as simulator:
        goal = goal_of(simulator, "open the fridge")
        asked: dict[str, list[ModelRequest]] = {}
        for preset in ("tuned", "no-states", "no-summary", "no-objects"):
            planner = make_planner("llm-state", preset)
            planner.begin(goal, simulator.schemas, 0)
            asked[preset] = turn(planner, simulator).asked
        assert [a.purpose for a in asked["tuned"]] == ["attention", "state", "plan"]
        assert [a.purpose for a in asked["no-states"]] == ["plan"]
        assert "current state" not in asked["no-states"][0].messages[0].content
        assert "update_reasoning" not in asked["no-summary"][1].messages[0].content
        assert "Reasoning:" not in asked["no-summary"][2].messages[0].content
        assert [a.purpose for a in asked["no-objects"]] == ["state", "plan"]
        assert "update_state" not in asked["no-objects"][0].messages[0].content


def test_prompts_tell_no_states() -> None:
    """Open or on is worked out, never read from the world (paper: names only)."""
    with home(lit="yes") as simulator:
        planner = begun(simulator, goal_of(simulator, LIGHTS))
        for ask in turn(planner, simulator).asked:
            assert all(not e.states for e in ask.facts.seen.entities)  # type: ignore[attr-defined]


# --- the operator -----------------------------------------------------------
def test_what_the_operator_denies_fails_and_is_not_tried_again() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "put a book on the desk"))
        first = turn(planner, simulator).decision.action
        assert first is not None
        planner.ban(frozenset({first}))
        shown = turn(planner, simulator)
        assert shown.decision.action not in (None, first)
        assert "operator denied" in shown.last(StateDictionary).summary
        assert "denied by the operator" in shown.asked[-1].messages[0].content


def test_an_edit_counts_at_once_and_is_kept() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        edits: list[StateDictionary] = []

        def meddle(number: int, facet: Facet) -> None:
            if isinstance(facet, StateDictionary) and not edits:
                entries = tuple(replace(e, attributes=("open",), given=("open",), locked=True) if e.name == "fridge1" else e
                                for e in facet.entries)
                edits.append(replace(facet, entries=entries))
                planner.accept(edits[0])

        shown = turn(planner, simulator, meddle=meddle)
        assert [a.purpose for a in shown.asked][:3] == ["attention", "state", "plan"], "not estimated over the edit"
        assert "1. done()" in commonsense(shown.asked[2]).texts[0]
        assert shown.decision.action is None
        kept = shown.last(StateDictionary).entry("fridge1")
        assert kept is not None
        assert (kept.attributes, kept.locked) == (("open",), True)


def test_what_was_done_since_the_last_estimate_is_estimated_before_an_edit_is_planned_with() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "put a book on the desk"))
        shown, known = turn(planner, simulator), StateDictionary()
        while shown.asked:  # until the plan goes on without an estimate
            known = shown.last(StateDictionary)
            assert shown.decision.action is not None
            planner.update(simulator.step(shown.decision.action))
            shown = turn(planner, simulator)
        entry = replace(known.entries[0], attributes=("dusty",), given=("dusty",))
        planner.accept(replace(known, entries=(entry, *known.entries[1:])))
        shown = turn(planner, simulator)
        assert "state" in [a.purpose for a in shown.asked]
        kept = shown.last(StateDictionary).entry(entry.name)
        assert kept is not None
        assert "dusty" in kept.attributes
        planner.accept(shown.last(StateDictionary))
        assert "state" not in [a.purpose for a in turn(planner, simulator).asked], "nothing was done since"


def test_overrides_parameters_goals_and_copies() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "put a book on the desk"))
        turn(planner, simulator)
        planner.update(simulator.step(Action("walk", ("bathroom_1",))))
        shown = turn(planner, simulator)
        assert "['move', 'bathroom1'](Success)" in shown.asked[-1].messages[0].content, "an override is in the history"
        assert shown.last(StateDictionary).because == "the operator changed something"
        planner.parameters = changed(TUNED, {"plan_length": 1})
        planner.set_goal(goal_of(simulator, "open the microwave"))
        twin = copy.deepcopy(planner)
        shown = turn(planner, simulator)
        assert shown.last(GoalProgress).literals[0].literal.subject == "microwave"
        assert len(shown.last(Plan).actions) == 1
        assert turn(twin, simulator).decision == shown.decision
        with pytest.raises(NotImplementedError):
            planner.accept(GoalProgress(()))


def test_the_operators_word_outweighs_the_models() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        turn(planner, simulator)
        planner.accept(StateDictionary((StateEntry("fridge1", "fridge_1", ("open",), given=("open",)),), "I opened it", 1))
        assert turn(planner, simulator).decision.action is None, "the rules believe that it is open"


# --- models that answer nonsense -----------------------------------------------
@pytest.mark.parametrize("text", ["", "I cannot help with that.", "move(moon)", "move(" * 3000, "((((((", "1. fly(fridge1)",
                                  "\0"])
def test_nonsense_makes_it_slow_never_wrong(text: str) -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "put a book on the desk"))
        for _ in range(6):
            shown = turn(planner, simulator, says(text))
            assert len(shown.asked) <= 3 * TUNED.tries
            assert shown.decision.action is not None
            assert shown.decision.action.verb == "walk"
            assert simulator.verdict(shown.decision.action).ok
            planner.update(simulator.step(shown.decision.action))


def test_a_plan_that_always_fails_is_left() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        script = says("1. switchoff(fridge1)\n" * 60)
        verbs = {(act(planner, simulator, script) or Action("none")).verb for _ in range(20)}
        assert verbs >= {"walk", "switch_off"}


def test_done_is_believed_only_the_second_time() -> None:
    with home("four-rooms-1", 20_000) as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        shown = turn(planner, simulator, says("done()"))
        assert shown.decision.action is None
        assert sum(a.purpose == "plan" for a in shown.asked) == 2
        assert "not finished yet" in shown.asked[-1].messages[0].content


def test_a_refusal_of_the_model_is_named_where_its_reply_is_interpreted() -> None:
    note = "the model refused: I will not."
    with home() as simulator:
        planner = begun(simulator, goal_of(simulator, "open the fridge"))
        done = turn(planner, simulator, lambda ask: ModelReply(("I will not.",), "script", note=note, misfit="empty"))
        told = [reply for facet in done.shown if isinstance(facet, Grounded) for reply in facet.replies]
    assert {(found.said, found.remark) for found in told} == {("I will not.", note)}
