"""What LLM-State keeps: the dictionary's updates and edits, and the progress of a plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.llm.grounding.choices import CallNames, call_name
from core.planners.llm_state.calls import Call
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planners.llm_state.state import PlanProgress, checked, related, with_attention, with_estimate, with_things
from core.planners.registry import make_planner
from core.planning.facets import Steps
from core.world.vocabulary import Action, Entity, Outcome
from tests.core.planners.by_hand import goal_of, home, turn

IDS = ("fridge_1", "cup_1", "cup_2", "kitchen_table_1")
NAMES = CallNames(Entity(i, i.rsplit("_", 1)[0], i.rsplit("_", 1)[0].replace("_", " "), "furniture") for i in IDS)


def estimate(book: StateDictionary, **said: str) -> StateDictionary:
    calls = [Call("updatestate", (name, attributes)) for name, attributes in said.items()]
    return with_estimate(book, calls, NAMES, book.turn + 1, "test", summary=True, objects=True)


def of(book: StateDictionary, name: str) -> StateEntry:
    found = book.entry(name)
    assert found is not None
    return found


def test_objects_that_an_operator_added_are_those_of_the_world() -> None:
    names = (("kitchentable1", ""), ("unicorn7", ""), ("cup", ""), ("cup2", "cup_2"))
    book = StateDictionary(tuple(StateEntry(*pair) for pair in names))
    assert [e.thing for e in with_things(book, NAMES).entries] == ["kitchen_table_1", "", "", "cup_2"]
    known = StateDictionary(book.entries[1:])
    assert with_things(known, NAMES) is known


@given(st.lists(st.lists(st.sampled_from(IDS), max_size=4), max_size=6))
def test_attention_only_adds(rounds: list[list[str]]) -> None:
    book = StateDictionary()
    for number, things in enumerate(rounds):
        after = with_attention(book, {call_name(t): t for t in things}, number)
        assert after.entries[: len(book.entries)] == book.entries
        assert {e.name for e in after.entries} == {e.name for e in book.entries} | {call_name(t) for t in things}
        book = after
    assert len({e.name for e in book.entries}) == len(book.entries)


def test_an_estimate_says_what_changed() -> None:
    book = estimate(StateDictionary(), fridge1="closed | in_kitchen1")
    book = estimate(book, fridge1="open | in_kitchen1", cup1="in_hand")
    fridge = of(book, "fridge1")
    assert (fridge.attributes, fridge.added, fridge.removed) == (("open", "in_kitchen1"), ("open",), ("closed",))
    assert (fridge.turn, of(book, "cup1").thing) == (2, "cup_1")
    assert estimate(book, fridge1="open | in_kitchen1", cup1="in_hand").entries[0].turn == 2, "nothing changed"


def test_what_is_not_in_the_world_is_no_entry() -> None:
    assert [e.name for e in estimate(StateDictionary(), unicorn7="pink", cup2="full").entries] == ["cup2"]


def entries_of(book: StateDictionary) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(e.name, e.thing, e.attributes) for e in book.entries]


def test_an_open_dictionary_keeps_names_of_what_was_never_seen() -> None:
    calls = [Call("updatestate", ("unicorn7", "pink")), Call("updatestate", ("cup2", "full")), Call("updatestate", ("", "x"))]
    book = with_estimate(StateDictionary(), calls, NAMES, 1, "test", summary=True, objects=True, open_names=True)
    assert entries_of(book) == [("unicorn7", "", ("pink",)), ("cup2", "cup_2", ("full",))]
    named = related([Call("addrelatedobjects", ("Unicorn7", "fridge1", "item 1"))], NAMES, book, open_names=True)
    assert named == {"unicorn7": "", "fridge1": "fridge_1", "item1": ""}
    assert related([Call("addrelatedobjects", ("unicorn7", "fridge1"))], NAMES, book) == {"fridge1": "fridge_1"}
    seen = with_attention(book, {"unicorn7": "unicorn_7"}, 2)
    assert entries_of(seen)[0] == ("unicorn7", "unicorn_7", ("pink",)), "it was seen since"


@given(st.lists(st.tuples(st.text(max_size=90), st.text("abc_|", max_size=9)), max_size=8))
def test_an_open_dictionary_only_grows_and_stays_valid(said: list[tuple[str, str]]) -> None:
    book = StateDictionary()
    for number, (name, attribute) in enumerate(said):
        calls = [Call("addrelatedobjects", (name,)), Call("updatestate", (name, attribute))]
        after = with_attention(book, related(calls, NAMES, book, open_names=True), number)
        after = with_estimate(after, calls, NAMES, number, "test", summary=True, objects=True, open_names=True)
        assert [e.name for e in after.entries][: len(book.entries)] == [e.name for e in book.entries]
        book = checked(after)


def test_the_operators_hand_is_kept() -> None:
    given_, refused = StateEntry("cup1", "cup_1", ("hot",), given=("hot",)), StateEntry("cup2", "cup_2", refused=("full",))
    locked = StateEntry("fridge1", "fridge_1", ("broken",), locked=True)
    book = StateDictionary((given_, refused, locked), summary="mine", summary_given=True, deleted=("kitchentable1",))
    book = estimate(book, cup1="cold", cup2="full | clean", fridge1="open", kitchentable1="clear")
    assert of(book, "cup1").attributes == ("hot", "cold")
    assert of(book, "cup2").attributes == ("clean",)
    assert of(book, "fridge1").attributes == ("broken",)
    assert book.entry("kitchentable1") is None
    assert book.summary == "mine"


@pytest.mark.parametrize("book", [
    StateDictionary((StateEntry("a"), StateEntry("a"))), StateDictionary((StateEntry(""),)),
    StateDictionary((StateEntry("a", attributes=("x | y",)),)), StateDictionary((StateEntry("a", attributes=(" ",)),)),
    StateDictionary(tuple(StateEntry(f"a{k}") for k in range(500))),
])
def test_senseless_edits_are_refused(book: StateDictionary) -> None:
    with pytest.raises(UsageError):
        checked(book)


@pytest.mark.parametrize(("said", "meant"), [
    ("kitchentable1", "kitchen_table_1"), ("Kitchen_Table_1", "kitchen_table_1"), ("the kitchen table", "kitchen_table_1"),
    ("cup", "cup_1"), ("cup2", "cup_2"), ("cup7", None), ("spaceship", None), ("", None), ("fridg", "fridge_1"),
])
def test_names(said: str, meant: str | None) -> None:
    assert NAMES.find(said) == meant


CALLS = (("move", ("kitchen_1",)), ("open", ("fridge_1",)), ("placein", ("apple_1", "fridge_1")))


def states(steps: Steps) -> list[str]:
    return [line.state for line in steps.lines]


def test_calls_are_done_when_the_next_is_come_to() -> None:
    plan = PlanProgress()
    plan.begin(CALLS)
    assert [line.text for line in plan.steps.lines] == ["move(kitchen1)", "open(fridge1)", "placein(apple1, fridge1)"]
    assert (states(plan.steps), plan.steps.current) == (["waiting"] * 3, -1)
    plan.reach(0)
    plan.reach(1)
    assert (states(plan.steps), plan.steps.current) == (["done", "waiting", "waiting"], 1)
    plan.end("the fridge is locked", failed=True)
    assert states(plan.steps) == ["done", "failed", "skipped"]
    assert plan.steps.lines[1].note == "the fridge is locked"
    plan.end("too late")
    assert states(plan.steps) == ["done", "failed", "skipped"]


def test_the_last_call_is_done_when_the_plan_is_used_up() -> None:
    plan = PlanProgress()
    plan.begin(CALLS[:2])
    plan.reach(0)
    plan.reach(1)
    plan.end()
    assert states(plan.steps) == ["done", "done"]


def test_an_operator_s_own_action_ends_the_plan() -> None:
    simulator = home()
    planner = make_planner("llm-state")
    planner.begin(goal_of(simulator, "put the apple in the fridge"), simulator.schemas, 0)
    first = turn(planner, simulator)
    assert first.decision.action is not None
    shown = first.last(Steps)
    assert shown.current == 0
    assert len(shown.lines) >= 1
    other = Action("walk", ("bathroom_1",))
    planner.update(simulator.step(other))
    again = [f for f in turn(planner, simulator).shown if isinstance(f, Steps)]
    assert "skipped" in states(again[0])
    assert "operator" in again[0].lines[0].note


def test_a_refusal_is_told_on_its_step() -> None:
    simulator = home()
    planner = make_planner("llm-state")
    planner.begin(goal_of(simulator, "put the apple in the fridge"), simulator.schemas, 0)
    action = turn(planner, simulator).decision.action
    assert action is not None
    planner.update(Outcome(action, False, "the door is stuck", simulator.observe(), "reach"))
    again = next(f for f in turn(planner, simulator).shown if isinstance(f, Steps))
    assert (again.lines[0].state, again.lines[0].note) == ("failed", "the door is stuck")
