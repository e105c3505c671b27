"""Remedies that refusals name are followed, once, and never in circles; postures and acts are offered only where wanted."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.episode import drive
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.llm.commonsense import Commonsense
from core.planners.registry import make_planner
from core.world.affordances import DEEPEST, Remedies, affordances, useful
from core.world.vocabulary import (
    BODY_VERBS,
    OPENABLE,
    UNPLUGGED,
    Action,
    ActionSchema,
    AgentState,
    Entity,
    Observation,
    Outcome,
    Verdict,
)
from sim.household.simulator import HouseholdSimulator

SEEN = Observation(AgentState("room_1"), (), ())
VERBS = ("open", "switch_on", "switch_off", "plug_in", "walk", "unlock", "grab")
ACTIONS = st.builds(Action, st.sampled_from(VERBS), st.tuples(st.sampled_from(("a", "b"))))


def outcome(action: Action, *, ok: bool, remedy: Action | None = None) -> Outcome:
    return Outcome.of(action, Verdict(ok, "" if ok else "something", "" if ok else "not now", remedy), SEEN)


def test_a_remedy_is_followed_and_then_done_with() -> None:
    remedies, opening, off = Remedies(), Action("open", ("a",)), Action("switch_off", ("a",))
    remedies.update(outcome(opening, ok=False, remedy=off))
    assert remedies.next((), VERBS) == off
    assert remedies.next({off}, VERBS) is None, "banned"
    assert remedies.next((), ("open",)) is None, "a verb this world does not have"
    remedies.update(outcome(off, ok=True))
    assert remedies.next((), VERBS) is None


def test_a_remedy_may_need_a_remedy() -> None:
    remedies, opening, off, walk = Remedies(), Action("open", ("a",)), Action("switch_off", ("a",)), Action("walk", ("a",))
    remedies.update(outcome(opening, ok=False, remedy=off))
    remedies.update(outcome(off, ok=False, remedy=walk))
    assert remedies.next((), VERBS) == walk
    remedies.update(outcome(walk, ok=True))
    assert remedies.next((), VERBS) == off


@given(st.dictionaries(ACTIONS, ACTIONS, max_size=8), ACTIONS)
def test_a_world_that_refuses_everything_is_left_alone(remedy_of: dict[Action, Action], wanted: Action) -> None:
    remedies, done, again = Remedies(), Counter[tuple[Action, Action]](), 0
    action = wanted
    for _ in range(60):
        remedy = remedy_of.get(action)
        remedies.update(outcome(action, ok=False, remedy=remedy))
        following = remedies.next((), VERBS)
        assert len(remedies.due) <= DEEPEST
        if following is None:
            again += 1
            action = wanted
            continue
        assert following.verb != "grab", "what to hold is the planner's choice"
        assert following == remedy
        done[action, following] += 1
        action = following
    assert all(times == 1 for times in done.values())
    assert again > 60 - (DEEPEST + 1) * (len(remedy_of) + 1)


class Kettle:
    """A room with one thing that is switched on once all its gates were passed, in the order in which the world names them."""

    def __init__(self, gates: tuple[str, ...], *, shown: bool) -> None:
        self.gates, self.shown, self.on = list(gates), shown, False
        self.step_count = 0
        self.schemas = tuple(ActionSchema(v, ("thing",), v.replace("_", " ") + " the {0}")
                             for v in ("walk", "open", "switch_on", "switch_off", *gates))

    def observe(self) -> Observation:
        states = {"on" if self.on else "off"} | ({UNPLUGGED} if self.shown and "plug_in" in self.gates else set())
        thing = Entity("kettle_1", "kettle", "kettle", "furniture", "room_1", frozenset(states), frozenset({"switchable"}))
        room = Entity("room_1", "room", "room", "room")
        return Observation(AgentState("room_1", ("kettle_1",)), (room, thing), (), step=self.step_count)

    reveal = observe

    def step(self, action: Action) -> Outcome:
        self.step_count += 1
        verdict = self.verdict(action)
        if verdict.ok and action.verb == "switch_on":
            self.on = True
        elif verdict.ok:
            self.gates.remove(action.verb)
        return Outcome.of(action, verdict, self.observe())

    def verdict(self, action: Action) -> Verdict:
        first = Action(self.gates[0], action.args) if self.gates else None
        if action.args != ("kettle_1",) or (action.verb not in self.gates and action.verb != "switch_on"):
            return Verdict(False, "made for it", "not here")
        if first is not None and action != first:
            return Verdict(False, "something", f"{first} first", first)
        return Verdict(True)


@pytest.mark.parametrize("planner", ["oracle", "greedy", "llm-mcts", "uct", "llm-policy", "bcr"])
@pytest.mark.parametrize("gates", [("unlock",), ("plug_in",), ("plug_in", "unlock"), ("unlock", "wind_up", "plug_in")])
@pytest.mark.parametrize("shown", [True, False])
def test_planners_do_what_a_refusal_asks_for(planner: str, gates: tuple[str, ...], shown: bool) -> None:
    world, goal = Kettle(gates, shown=shown), Goal((Literal("is", "kettle", states=frozenset({"on"})),))
    run = drive(make_planner(planner, "", {}), world, goal, Commonsense(), 0, 20)  # type: ignore[arg-type]  # enough of one
    assert run.success, (run.ended, run.actions)
    assert progress(goal, world.reveal())[0].reached
    assert run.steps <= 2 * len(gates) + 2
    assert OPENABLE not in world.reveal().by_id["kettle_1"].properties


@pytest.mark.parametrize("planner", ["oracle", "greedy", "llm-mcts", "bcr"])
def test_planners_give_up_where_no_remedy_helps(planner: str) -> None:
    class Stubborn(Kettle):
        def verdict(self, action: Action) -> Verdict:
            other = "unlock" if action.verb == "switch_on" else "switch_on"
            return Verdict(False, "something", "no", Action(other, ("kettle_1",)))

    goal = Goal((Literal("is", "kettle", states=frozenset({"on"})),))
    run = drive(make_planner(planner, "", {}), Stubborn(("unlock",), shown=True), goal, Commonsense(), 0, 40)  # type: ignore[arg-type]
    assert not run.success
    assert run.steps <= 12, run.actions
    assert run.ended


def household(scene: str, seed: int) -> HouseholdSimulator:
    world = HouseholdSimulator.open(scene, {})
    world.reset(seed)
    return world


def test_postures_and_acts_are_offered_only_to_goals_that_name_them() -> None:
    schemas = household("FloorPlan201", 0).schemas
    plain = useful(schemas, Goal((Literal("on", "book", "sofa"),)).verbs)
    assert not {s.verb for s in plain} & BODY_VERBS
    assert {s.verb for s in useful(schemas, (), "sitting")} & BODY_VERBS == {"stand_up"}
    goal = Goal((Literal("sitting", "sofa"), Literal("done", "television", act="watch"), Literal("lying", "bed", never=True)))
    assert {s.verb for s in useful(schemas, goal.verbs)} & BODY_VERBS == {"sit", "watch", "stand_up"}


@pytest.mark.parametrize("scene", ["four-rooms-2", "FloorPlan9", "FloorPlan210", "FloorPlan305", "FloorPlan410"])
def test_what_seems_possible_to_the_body_is_possible(scene: str) -> None:
    """The list that planners derive from what they see, and the world's own: equal for postures and acts."""
    world = household(scene, 3)
    schemas = tuple(s for s in world.schemas if s.verb in BODY_VERBS)
    for pick in range(30):
        derived = set(affordances(world.observe(), schemas, about=lambda entity: True))
        listed = {a for a in world.admissible() if a.verb in BODY_VERBS}
        assert derived == listed
        options = world.admissible()
        bodily = [a for a in options if a.verb in BODY_VERBS and a.verb not in ("look_at", "turn_to")]
        world.step((bodily if bodily and pick % 2 else options)[pick * 37 % len(bodily if bodily and pick % 2 else options)])


def test_only_what_the_goal_names_is_looked_at() -> None:
    world = household("FloorPlan201", 0)
    schemas = tuple(s for s in world.schemas if s.verb in ("look_at", "turn_to", "touch"))
    assert affordances(world.observe(), schemas) == ()
    seen = affordances(world.observe(), schemas, about=lambda entity: entity.cls == "television")
    assert set(seen) == {Action("look_at", ("television_1",)), Action("turn_to", ("television_1",))}
