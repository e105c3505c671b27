"""BCR: the paper's worked example move by move, answers refused, loops, joint goals, an operator's edits, nonsense."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.common.parameters import changed
from core.goals.literals import Goal, Literal
from core.goals.progress import reached
from core.planners.bcr.conditions import CONDITIONS, HOUSEHOLD, VIRTUALHOME, Situation
from core.planners.bcr.planner import PAPER, TUNED, Bcr
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.planners.bcr.resolutions import SOURCES, ResolutionOptions
from core.planning.facets import Grounded
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.search_facets import Ranking
from core.world.vocabulary import (
    CONTAINER,
    GRABBABLE,
    OPENABLE,
    SURFACE,
    Action,
    ActionSchema,
    AgentState,
    Category,
    Entity,
    Observation,
    Outcome,
    Relation,
)
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import Turn, commonsense, goal_of, home, play, says, turn

SCHEMAS = (
    ActionSchema("walk", ("room or thing",), "walk to the {0}"), ActionSchema("grab", ("thing",), "grab the {0}"),
    ActionSchema("put_on", ("thing", "surface"), "put the {0} on the {1}"), ActionSchema("open", ("thing",), "open the {0}"),
    ActionSchema("scan", (), "scan the room"),
)
MILK = Goal((Literal("on", "milk", "counter"),), "put the milk on the counter")


def entity(name: str, category: Category, states: str = "", *properties: str) -> Entity:
    cls = name.rsplit("_", 1)[0]
    return Entity(name, cls, cls, category, None if category == "room" else "kitchen_1", frozenset(states.split()),
                  frozenset(properties))


class MilkKitchen:
    """The paper's kitchen: the milk stands at the back of the fridge; opening the door alone does not show it."""

    def __init__(self) -> None:
        self.opened: set[str] = set()
        self.found, self.held, self.placed = False, False, False

    def look(self) -> Observation:
        doors = [entity(f"{cls}_1", "furniture", "open" if f"{cls}_1" in self.opened else "closed", CONTAINER, OPENABLE)
                 for cls in ("fridge", "freezer", "oven")]
        things = [entity("kitchen_1", "room"), *doors, entity("counter_1", "furniture", "", SURFACE)]
        relations = []
        if self.found:
            things.append(entity("milk_1", "object", "", GRABBABLE))
            if not self.held:
                relations = [Relation("on", "milk_1", "counter_1") if self.placed else Relation("inside", "milk_1", "fridge_1")]
        near = ("counter_1", "fridge_1", "freezer_1", "oven_1", *(("milk_1",) if self.found and not self.held else ()))
        return Observation(AgentState("kitchen_1", near, ("milk_1",) if self.held else ()), tuple(things), tuple(relations))

    def act(self, action: Action) -> Outcome:
        match action:
            case Action("open", (door,)):
                self.opened.add(door)
            case Action("scan", ()):
                self.found = "fridge_1" in self.opened
            case Action("grab", ("milk_1",)):
                assert self.found
                self.held = True
            case Action("put_on", ("milk_1", "counter_1")):
                assert self.held
                self.held, self.placed = False, True
            case _:
                pytest.fail(f"the example has no {action}")
        return Outcome(action, True, "", self.look())


def one_turn(planner: Bcr, world: MilkKitchen, *replies: str | ModelReply) -> Turn:
    """A turn with scripted replies, all of which are used."""
    result, sent, left = Turn(), None, list(replies)
    thought = planner.plan(world.look())
    while True:
        try:
            shown = thought.send(sent)
        except StopIteration as end:
            assert not left
            result.decision = end.value
            return result
        sent = None
        if isinstance(shown, ModelRequest):
            result.asked.append(shown)
            reply = left.pop(0)
            sent = reply if isinstance(reply, ModelReply) else ModelReply((reply,), "script")
        elif not isinstance(shown, tuple):
            result.shown.append(shown)


def act(planner: Bcr, world: MilkKitchen, done: Turn) -> None:
    assert done.decision.action is not None
    planner.update(world.act(done.decision.action))


def began(world: MilkKitchen, parameters: object = TUNED) -> Bcr:
    del world
    assert isinstance(parameters, type(TUNED))
    planner = Bcr(parameters)
    planner.begin(MILK, SCHEMAS, 0)
    return planner


def spoken(ask: ModelRequest) -> list[str]:
    return [line.split("$$")[1].strip() for line in ask.messages[4].content.splitlines() if "$$" in line]


def states(tree: BlockingTree) -> list[tuple[str, str]]:
    return [(n.text, n.state) for n in tree.nodes]


SEARCH = ["scan the room", "open the fridge", "open the freezer", "open the oven"]


# --- the example of §III-C ---------------------------------------------------------
def test_the_milk_move_by_move() -> None:
    world = MilkKitchen()
    planner = began(world)
    done = one_turn(planner, world, "$$ open the fridge $$")
    assert spoken(done.asked[0]) == SEARCH
    assert str(done.decision.action) == "open fridge_1"
    assert states(done.last(BlockingTree)) == [
        ("milk on the counter", "open"), ("put the milk on the counter", "blocked"),
        ("the milk is not in the hand", "blocked"), ("the milk in the hand", "open"), ("grab the milk", "blocked"),
        ("the milk is not in view", "blocked"), ("the milk in view", "open"), ("scan the room", "candidate"),
        ("open the fridge", "chosen"), ("open the freezer", "candidate"), ("open the oven", "candidate"),
    ]
    assert not any(n.certain for n in done.last(BlockingTree).nodes if n.text in SEARCH)
    act(planner, world, done)

    done = one_turn(planner, world, "The milk may be at the back. $$ scan the room $$")
    assert spoken(done.asked[0]) == ["scan the room", "open the freezer", "open the oven"]
    act(planner, world, done)

    done = one_turn(planner, world)  # a single candidate needs no call
    assert str(done.decision.action) == "grab milk_1"
    tree = done.last(BlockingTree)
    assert [b.text for b in tree.history] == ["the milk in view"]
    assert tree.history[0].by == "scan the room"
    assert not {"the milk is not in view", *SEARCH} & {n.text for n in tree.nodes}
    act(planner, world, done)

    done = one_turn(planner, world)
    assert str(done.decision.action) == "put_on milk_1 counter_1"
    act(planner, world, done)
    done = one_turn(planner, world)
    assert done.decision.action is None
    assert done.decision.because == "the goal is reached"


def test_the_prompt_has_the_eight_parts_in_order_one_message_each() -> None:
    world = MilkKitchen()
    planner = began(world)
    ask = one_turn(planner, world, "$$ open the oven $$").asked[0]
    assert [m.role for m in ask.messages] == ["user"] * 8
    marks = ("help", "step by step", "Actions done so far", "hold already", "from this list", "remain", "in the way", "$$ <")
    assert all(mark in message.content for mark, message in zip(marks, ask.messages, strict=True))
    assert "cannot grab the milk: the milk is not in view" in ask.messages[6].content


def test_an_answer_outside_the_list_is_refused_and_asked_again_with_a_note() -> None:
    world = MilkKitchen()
    planner = began(world)
    done = one_turn(planner, world, "$$ open the dishwasher $$", "no idea", "$$ walk to the moon $$", "$$open the freezer$$")
    assert str(done.decision.action) == "open freezer_1"
    assert [len(g.replies) for g in done.shown if isinstance(g, Grounded)] == [1] * 4
    assert "not in the list" not in done.asked[0].messages[6].content
    assert "“open the dishwasher”, is not in the list" in done.asked[1].messages[6].content
    assert done.asked[3].messages[6].content.count("not in the list") == 3


def test_a_refusal_of_the_model_is_named_where_its_reply_is_interpreted() -> None:
    note = "the model refused: I will not."
    world = MilkKitchen()
    done = one_turn(began(world), world, *[ModelReply(("I will not.",), "script", note=note, misfit="empty")] * 5)
    told = [reply for facet in done.shown if isinstance(facet, Grounded) for reply in facet.replies]
    assert {(found.said, found.meant, found.remark) for found in told} == {("I will not.", "", note)}


def test_after_five_answers_outside_the_list_the_candidate_tried_least_is_taken() -> None:
    world = MilkKitchen()
    planner = began(world)
    taken = []
    while not world.placed:
        try:
            done = one_turn(planner, world, *["I cannot say."] * 5)
        except AssertionError:  # a single candidate: nobody was asked
            break
        taken.append(str(done.decision.action))
        act(planner, world, done)
    assert len(taken) == len(set(taken))


def test_considered_actions_are_the_rankings() -> None:
    world = MilkKitchen()
    done = one_turn(began(world), world, "$$ open the fridge $$")
    counts = [len(r.actions) for r in done.shown if isinstance(r, Ranking)]
    assert counts == [1, 1, 4]
    assert str(done.last(Ranking).actions[0].steps[0]) == "open fridge_1"


# --- the operator ---------------------------------------------------------------------
def edit(tree: BlockingTree, text: str, **change: object) -> BlockingTree:
    return replace(tree, nodes=tuple(replace(n, **change) if n.text == text else n for n in tree.nodes))  # type: ignore[arg-type]


def test_an_operator_chooses_bans_and_takes_it_back() -> None:
    world = MilkKitchen()
    planner = began(world)
    tree = one_turn(planner, world, "$$ open the oven $$").last(BlockingTree)
    planner.accept(edit(tree, "open the freezer", state="banned"))
    done = one_turn(planner, world, "$$ open the fridge $$")
    assert spoken(done.asked[0]) == ["scan the room", "open the fridge", "open the oven"]
    shown = done.last(BlockingTree)
    assert ("open the freezer", "banned") in states(shown)
    planner.accept(edit(shown, "open the freezer", state="candidate"))
    again = one_turn(planner, world, "$$ open the fridge $$")
    assert spoken(again.asked[0]) == SEARCH
    planner.accept(edit(again.last(BlockingTree), "open the oven", state="chosen", by_operator=True))
    assert str(one_turn(planner, world).decision.action) == "open oven_1"


def test_a_resolution_is_added_and_taken_out_again() -> None:
    world = MilkKitchen()
    planner = began(world)
    tree = one_turn(planner, world, "$$ open the oven $$").last(BlockingTree)
    under = next(n for n in tree.nodes if n.text == "the milk in view")
    extra = BlockingNode(-2, under.id, "action", "", "candidate", action=Action("walk", ("counter_1",)))
    planner.accept(replace(tree, nodes=(*tree.nodes, extra)))
    done = one_turn(planner, world, "$$ walk to the counter $$")
    assert str(done.decision.action) == "walk counter_1"
    assert [n.by_operator for n in done.last(BlockingTree).nodes if n.text == "walk to the counter"] == [True]
    planner.accept(tree)
    assert spoken(one_turn(planner, world, "$$ open the oven $$").asked[0]) == SEARCH


def test_a_condition_is_taken_as_resolved_and_not_so_again() -> None:
    world = MilkKitchen()
    planner = began(world)
    tree = one_turn(planner, world, "$$ open the oven $$").last(BlockingTree)
    planner.accept(edit(tree, "the milk is not in the hand", state="reached"))
    done = one_turn(planner, world)
    assert str(done.decision.action) == "put_on milk counter_1"  # the operator wants it tried
    shown = done.last(BlockingTree)
    assert ("the milk is not in the hand", "reached") in states(shown)
    twin = copy.deepcopy(planner)
    planner.accept(edit(shown, "the milk is not in the hand", state="blocked"))
    twin.update(Outcome(Action("put_on", ("milk", "counter_1")), False, "the milk is not in the hand", world.look(), "held"))
    for one in (planner, twin):  # taken back, or denied by the world
        assert spoken(one_turn(one, world, "$$ open the oven $$").asked[0]) == SEARCH


def test_edits_are_taken_back_before_the_planner_has_thought_again() -> None:
    world = MilkKitchen()
    planner = began(world)
    tree = one_turn(planner, world, "$$ open the oven $$").last(BlockingTree)
    under = next(n for n in tree.nodes if n.text == "the milk in view")
    extra = BlockingNode(-2, under.id, "action", "", "candidate", action=Action("walk", ("counter_1",)))
    for change in (edit(tree, "open the freezer", state="banned"), replace(tree, nodes=(*tree.nodes, extra)),
                   edit(tree, "open the oven", state="chosen", by_operator=True),
                   edit(tree, "the milk is not in view", state="reached")):
        planner.accept(change)
        planner.accept(tree)
    assert spoken(one_turn(planner, world, "$$ open the oven $$").asked[0]) == SEARCH


def test_an_edit_of_what_is_gone_is_refused() -> None:
    world = MilkKitchen()
    planner = began(world)
    tree = one_turn(planner, world, "$$ open the oven $$").last(BlockingTree)
    stray = BlockingNode(-2, 4444, "action", "", "candidate", action=Action("scan"))
    with pytest.raises(UsageError, match="condition that still blocks"):
        planner.accept(replace(tree, nodes=(*tree.nodes, stray)))


def test_banned_actions_are_no_candidates_and_copies_think_alike() -> None:
    world = MilkKitchen()
    planner = began(world)
    planner.ban(frozenset({Action("open", ("fridge_1",)), Action("scan")}))
    twin = copy.deepcopy(planner)
    first, second = (one_turn(p, world, "$$ open the oven $$") for p in (planner, twin))
    assert spoken(first.asked[0]) == ["open the freezer", "open the oven"]
    assert first.decision == second.decision
    assert first.shown == second.shown


# --- whole episodes ---------------------------------------------------------------------
@pytest.fixture
def kitchen() -> Iterator[HouseholdSimulator]:
    with HouseholdSimulator.open("FloorPlan10", {"seeing": "camera"}) as found:
        found.reset(71)
        yield found


GOALS = ("put one apple inside the fridge and one book on the sofa", "put one apple in the fridge and close the fridge",
         "switch on the stove", "hold one mug", "put one sliced apple on the coffee table", "put two apples on the sofa")


@pytest.mark.parametrize("text", GOALS)
@pytest.mark.parametrize("preset", ["tuned", "paper"])
def test_goals_of_every_kind_are_reached_in_a_home(text: str, preset: str) -> None:
    with home() as simulator:
        goal = goal_of(simulator, text)
        play(Bcr(Bcr.presets[preset]), simulator, goal, most=100)
        undone = preset == "paper" and "close" in text  # closed at first, and not looked at again: the authors' flaw
        assert reached(goal, simulator.reveal()) is not undone


def test_what_is_full_is_cleared_unless_the_paper_is_followed() -> None:
    for parameters, cleared in ((TUNED, True), (PAPER, False)):
        with home("four-rooms-2") as simulator:
            goal = goal_of(simulator, "put two plates inside the dishwasher")
            play(Bcr(parameters), simulator, goal, most=120)
            assert reached(goal, simulator.reveal()) is cleared


@pytest.mark.parametrize("seen", [True, False])
def test_what_is_in_the_way_is_looked_at_before_it_is_taken(seen: bool) -> None:
    now = Situation(frozenset(s.verb for s in SCHEMAS))
    things = [entity("kitchen_1", "room"), entity("sink_1", "furniture", "", CONTAINER),
              entity("mug_1", "object", "", GRABBABLE)]
    sponge = entity("sponge_1", "object", "", GRABBABLE)
    now.see(Observation(AgentState("kitchen_1", ("counter_1", "sink_1"), ("mug_1",)), (*things, *([sponge] if seen else [])),
                        (Relation("inside", "sponge_1", "sink_1"),) if seen else ()))
    first = next(iter(SOURCES["clear"](now, ResolutionOptions(), "mug_1", "sink_1")))
    assert first == (Action("grab", ("sponge_1",)) if seen else Action("walk", ("sink_1",)))


def test_a_joint_goal_undone_is_worked_on_again(kitchen: HouseholdSimulator) -> None:
    goal = goal_of(kitchen, "put one mug inside the coffee machine and switch on the coffee machine")
    planner = Bcr()
    play(planner, kitchen, goal, most=100)
    assert reached(goal, kitchen.reveal())
    for action in (Action("switch_off", ("coffee_machine_1",)), Action("grab", ("mug_1",))):
        planner.update(kitchen.step(action))
    for _ in range(20):
        decision = turn(planner, kitchen).decision
        if decision.action is None:
            break
        planner.update(kitchen.step(decision.action))
    assert reached(goal, kitchen.reveal())


def test_another_goal_in_the_midst_keeps_what_was_seen(kitchen: HouseholdSimulator) -> None:
    planner = Bcr()
    play(planner, kitchen, goal_of(kitchen, "put one apple inside the fridge"), most=3)
    goal = goal_of(kitchen, "put one mug inside the sink")
    planner.set_goal(goal)
    for _ in range(60):
        decision = turn(planner, kitchen).decision
        if decision.action is None:
            break
        planner.update(kitchen.step(decision.action))
    assert reached(goal, kitchen.reveal())


def test_the_number_of_actions_is_bounded_while_it_runs(kitchen: HouseholdSimulator) -> None:
    planner = Bcr(changed(TUNED, {"most_actions": 2}))
    assert len(play(planner, kitchen, goal_of(kitchen, "put one apple inside the fridge"), most=9)) == 2


FORMS = ("$$ $$", "$$$$", "$$ open $$", "$$ scan the room", "{}", "$$ 1 $$")
NONSENSE = st.one_of(st.text(max_size=40), st.sampled_from(FORMS))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(NONSENSE, min_size=1, max_size=6), preset=st.sampled_from(["tuned", "paper"]))
def test_nonsense_makes_it_slow_and_never_wrong(kitchen: HouseholdSimulator, texts: list[str], preset: str) -> None:
    kitchen.reset(71)
    counted: list[ModelRequest] = []

    def answers(ask: ModelRequest) -> ModelReply:
        counted.append(ask)
        return ModelReply((texts[len(counted) % len(texts)],), "script")

    goal = goal_of(kitchen, "put one mug inside the coffee machine and switch on the coffee machine")
    planner = Bcr(changed(Bcr.presets[preset], {"most_actions": 25}))
    outcomes = play(planner, kitchen, goal, answers, most=40)
    assert len(outcomes) <= 25
    assert all(o.ok for o in outcomes if o.action.verb not in ("move_ahead", "move_back", "look_up", "look_down"))


def test_without_a_usable_answer_the_goal_is_still_reached(kitchen: HouseholdSimulator) -> None:
    goal = goal_of(kitchen, "put one mug inside the coffee machine and switch on the coffee machine")
    play(Bcr(), kitchen, goal, says("what?"), most=100)
    assert reached(goal, kitchen.reveal())


def test_what_was_done_in_the_same_situation_is_not_done_again(kitchen: HouseholdSimulator) -> None:
    def stubborn(ask: ModelRequest) -> ModelReply:
        choices = [c for c in ask.expects.choices if "scan" in c] or list(ask.expects.choices)
        return ModelReply((choices[0],), "script")

    outcomes = play(Bcr(), kitchen, goal_of(kitchen, "put one plate inside the sink"), stubborn, most=30)
    assert not any(a.action == b.action for a, b in pairwise(outcomes))


def test_the_table_speaks_of_what_is_defined() -> None:
    for family in (HOUSEHOLD, VIRTUALHOME):
        entries = [entry for of_verb in family.blocked_by.values() for entry in of_verb]
        kinds = {" ".join(w for w in entry.split() if w.isalpha()) for entry in entries}
        assert kinds <= CONDITIONS.keys()
        assert kinds - {"fits"} <= family.resolved_by.keys()
        for entry in (entry for of_kind in family.resolved_by.values() for entry in of_kind):
            name = " ".join(w for w in entry.removeprefix("? ").split() if not w.isdigit())
            assert name in SOURCES or name in family.blocked_by


def test_the_rules_answer_from_the_prompt_alone(kitchen: HouseholdSimulator) -> None:
    asked: list[ModelRequest] = []

    def answers(ask: ModelRequest) -> ModelReply:
        asked.append(ask)
        return commonsense(ask)

    play(Bcr(), kitchen, goal_of(kitchen, "put one apple inside the fridge"), answers, most=60)
    for ask in asked:
        said = "\n".join(m.content for m in ask.messages)
        assert all(c.phrase in said for c in ask.facts.candidates)  # type: ignore[attr-defined]
        assert commonsense(ask).texts[0] in ask.expects.choices
