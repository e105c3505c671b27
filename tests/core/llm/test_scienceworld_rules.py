"""The offline rules for NeoPlanner: they read words, remember in lines, and never break on any text."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.llm.commonsense import Commonsense
from core.planners.neoplanner.offline import Menu, action_plan, learnt
from core.planners.neoplanner.offline_knowledge import Recollection, Surroundings, Target, Task
from core.planners.neoplanner.prompts import RASH, among, filled
from core.planners.neoplanner.recorded_types import ActionPlanFacts, LearnerFacts, RoomSeen, StepTaken
from core.planning.model_requests import Message, ModelRequest

SHED = """This room is called the shed. In it, you see:
\tthe agent
\ta box. The box door is closed.
\ta heater, which is turned off. On the heater is: nothing.
\ta wooden bucket (containing a substance called syrup)
\ta pear
You also see:
\tA door to the garden (that is closed)
\tA door to the barn (that is open)"""
GARDEN = """This room is called the garden. In it, you see:
\ta ladder
You also see:
\tA door to the shed (that is open)
\tA door to the pond (that is closed)"""
THINGS = ("agent", "air", "barn", "box", "door to barn", "door to garden", "garden", "heater", "pear", "syrup", "wooden bucket")
TEMPLATES = ("open OBJ", "go OBJ", "pick up OBJ", "focus on OBJ", "move OBJ to OBJ", "activate OBJ", "wait", "use OBJ on OBJ",
             "pour OBJ in OBJ", "mix OBJ", "look in OBJ", "eat OBJ", "connect OBJ to OBJ")


def facts(task: str = "Your task is to bring the pear to the garden. First, focus on the pear. Then, move it to the ladder.",
          **other: object) -> ActionPlanFacts:
    made = ActionPlanFacts(task, "shed", SHED, "In your inventory, you see:\n\tan apple", THINGS, TEMPLATES, (),
                           (RoomSeen("shed", SHED, THINGS),), (), (), False, "rules", 1)
    return replace(made, **other)  # type: ignore[arg-type]


def likely(given: ActionPlanFacts) -> list[str]:
    """What most draws begin with."""
    counts: dict[str, int] = {}
    for draw in range(60):
        plan = json.loads(action_plan(replace(given, draw=draw)))
        counts[plan[0] if plan else ""] = counts.get(plan[0] if plan else "", 0) + 1
    return sorted(counts, key=lambda a: -counts[a])


def test_what_is_to_be_focused_on_is_read_in_order() -> None:
    task = "Your task is to find a bird. First, focus on the 2 youngest of the birds. If it is red, focus on the red box. "
    assert Task(task + "If it is blue, focus on the blue box.", "", sense=False).targets == (
        Target("kind", ("birds",)), Target("kind", ("birds",)), Target("any", ("red box", "blue box")))


def test_it_focuses_once_and_then_carries_what_it_focused_on() -> None:
    assert likely(facts())[0] == "focus on pear"
    done = (StepTaken("focus on pear", "You focus on the pear.", "shed", True, 5.0),)
    after = likely(facts(trace=done))
    assert "focus on pear" not in after
    assert after[0] == "pick up pear"


def test_a_thing_inside_a_longer_name_is_not_named() -> None:
    memory = Recollection(seen={"pear": "shed", "pear basket": "shed"})
    given = facts("Your task is to bring the hat to the pear basket.")
    here = Surroundings(given, memory, Task(given.task, "", sense=False))
    assert here.named("pear basket")
    assert not here.named("pear")


def test_the_word_table_adds_what_plain_rules_do_not_know() -> None:
    heat = "Your task is to melt the syrup. First, focus on the syrup."
    carried = facts(heat, inventory="In your inventory, you see:\n\ta wooden bucket (containing a substance called syrup)",
                    look=SHED.replace("heater", "stove"), things=(*THINGS, "stove"))
    assert Task(heat, "", sense=True).mention("stove") > 0 == Task(heat, "", sense=False).mention("stove")
    plain, table = (Menu(carried, Recollection(), Task(heat, "", sense=s)).choices() for s in (False, True))
    assert max(c.score for c in table if c.plan[0] == "activate stove") > max(
        c.score for c in plain if c.plan[0] == "activate stove")


def test_what_is_to_be_avoided_is_never_first() -> None:
    everything = {json.loads(action_plan(facts(draw=d)))[0] for d in range(80)}
    avoid = tuple(sorted(everything))
    for draw in range(40):
        plan = json.loads(action_plan(facts(avoid=avoid, draw=draw)))
        assert not plan or plan[0] not in avoid


def test_learnings_are_read_again_and_what_others_wrote_is_kept() -> None:
    trace = (StepTaken("focus on pear", "You focus on the pear.", "shed", True, 5.0),
             StepTaken("pick up box", "The box is not moveable.", "shed", True, 0.0),
             StepTaken("open door to garden", "The door is now open.", "shed", True, 0.0),
             StepTaken("go garden", "You move to the garden.", "garden", True, 0.0),
             StepTaken("read note", "The note reads: the ladder is made of wood.", "garden", True, 0.0))
    rooms = (RoomSeen("shed", SHED, THINGS), RoomSeen("garden", GARDEN, ("ladder", "note", "door to pond")))
    first = learnt(LearnerFacts("a task", rooms, trace, ("people like pears",), 5.0))
    assert first[0] == "people like pears"
    assert {"garden leads to pond, shed", "garden contains ladder, note", "pick up box was refused 1 time",
            "focus on pear was worth +1.79", "garden was visited 1 time"} < set(first)
    assert "note says The note reads: the ladder is made of wood." in first
    again = learnt(LearnerFacts("a task", rooms, trace, tuple(first), 5.0))
    assert {"pick up box was refused 2 times", "focus on pear was worth +3.58"} < set(again)
    assert "focus on pear; go garden; open door to garden; pick up box; read note was tried 2 times" in again
    assert again.count("people like pears") == 1
    assert learnt(LearnerFacts("a task", (), (), tuple(again), 0.0)) == again


def test_a_deleted_learning_is_forgotten() -> None:
    """An operator's edit changes what the rules do."""
    lines = ("shed leads to barn, garden", "barn contains pear", "barn leads to shed")
    here = facts("Your task is to find the pear. First, focus on the pear.", things=tuple(t for t in THINGS if t != "pear"),
                 look=SHED.replace("\ta pear\n", ""), learnings=lines, rooms=())
    with_line, without = likely(here)[0], likely(replace(here, learnings=lines[:1]))
    assert with_line in ("go barn", "open door to barn")
    assert len(without) > 1


NAMES = st.text("abcdefg ", min_size=1, max_size=12).map(lambda t: " ".join(t.split())).filter(bool)
COUNTS = st.dictionaries(NAMES, st.integers(2, 999), max_size=4)


@given(st.dictionaries(NAMES, st.sets(NAMES, min_size=1, max_size=3), max_size=4), COUNTS, COUNTS, COUNTS,
       st.dictionaries(NAMES, st.floats(-50, 50).map(lambda x: round(x, 2)).filter(lambda x: abs(x) >= 0.01), max_size=4))
def test_a_memory_is_the_same_when_it_is_written_and_read(leads: dict[str, set[str]], visits: dict[str, int],
                                                         tried: dict[str, int], refused: dict[str, int],
                                                         worth: dict[str, float]) -> None:
    memory = Recollection(leads=leads, worth=worth)
    memory.visits.update(visits)
    memory.tried.update(tried)
    memory.refused.update(refused)
    read = Recollection()
    read.believe(memory.lines())
    assert read == memory


@settings(max_examples=60)
@given(st.text(max_size=200), st.text(max_size=200), st.lists(st.text(min_size=1, max_size=20), max_size=6),
       st.lists(st.text(max_size=40), max_size=6), st.sampled_from(["words", "rules", "random"]))
def test_no_text_breaks_the_rules(task: str, look: str, things: list[str], lines: list[str], stand_in: str) -> None:
    given = facts(task, look=look, inventory=look, things=tuple(things), learnings=tuple(lines), stand_in=stand_in,
                  rooms=(RoomSeen("x", look, tuple(things)),), trace=tuple(StepTaken(t, look, "x", True, 1.0) for t in lines))
    plan = json.loads(action_plan(given))
    assert all(isinstance(a, str) for a in plan)
    again = learnt(LearnerFacts(task, given.rooms, given.trace, given.learnings, 1.0))
    assert all(isinstance(a, str) for a in again)


@given(st.integers(0, 2**31), st.lists(st.sampled_from(["open box", "eat pear", "focus on pear", "go barn", "connect a to b"])))
def test_careful_random_is_never_rash(seed: int, sentences: list[str]) -> None:
    rng = np.random.default_rng(seed)
    for found in (among(sentences, ("go barn",), rng), filled(TEMPLATES, THINGS, ("wait",), rng)):
        assert found is None or found.split()[0] not in RASH
        assert found not in ("go barn", "wait") or found == "go barn"
    assert among(["eat pear"], (), rng) is None
    assert filled(["eat OBJ"], THINGS, (), rng) is None


@pytest.mark.parametrize("kind", ["plan", "learner"])
def test_commonsense_answers_and_says_that_it_is_no_model(kind: str) -> None:
    asked = facts() if kind == "plan" else LearnerFacts("a task", (RoomSeen("shed", SHED, THINGS),), (), (), 0.0)
    reply = Commonsense().answer(ModelRequest("x", (Message("user", "x"),), facts=asked), Cancellation())
    assert not reply.is_model
    assert json.loads(reply.texts[0])
