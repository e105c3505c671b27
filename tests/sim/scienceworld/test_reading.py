"""Room descriptions and sentences, without Java."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core.planning.facets import View
from core.world.vocabulary import Action, Relation
from sim.scienceworld import observation
from sim.scienceworld.observation import Moment, Names, shot
from sim.scienceworld.sentences import Grammar

KITCHEN = """This room is called the kitchen. In it, you see:
\tthe agent
\ta substance called air
\ta counter. On the counter is: a bowl (containing a red apple, an orange), a drawer.
\ta cupboard. The cupboard door is open. In the cupboard is: a tin cup (containing nothing).
\ta glass jar (containing a substance called sodium chloride)
\ta oven, which is turned off. The oven door is closed.
\ta table. On the table is: nothing.
You also see:
\tA door to the hallway (that is open)
"""
PACK = "In your inventory, you see:\n\ta metal pot (containing a substance called water)\n\tan orange\n"
IN_SIGHT = {"1": "kitchen", "2": "counter", "3": "bowl", "4": "apple", "5": "orange", "6": "drawer", "7": "cupboard",
            "8": "tin cup",
            "9": "glass jar", "10": "oven", "11": "table", "12": "hallway door", "13": "hallway", "14": "sodium chloride"}


def moment(score: int = 0) -> Moment:
    names = Names()
    ids = {phrase: names.id(number, phrase) for number, phrase in IN_SIGHT.items()}
    carried = [d.head for d in observation.descriptions(PACK)]
    held = names.moved_on(IN_SIGHT, carried, lambda: {"5": ["orange"], "99": ["orange"]})
    return Moment("boil water", "", KITCHEN, PACK, ids, held, score, 0)


def test_states_are_read_from_the_description() -> None:
    by_id = moment().seen("").by_id
    assert by_id["cupboard"].states == {"open"}
    assert by_id["oven"].states == {"closed", "off"}
    assert by_id["hallway_door"].states == {"open"}
    assert by_id["hallway"].states == set()
    assert [by_id[i].category for i in ("kitchen", "counter", "bowl", "orange")] == ["room", "furniture", "object", "object"]
    assert by_id["tin_cup"].name == "tin cup"


def test_what_lies_where_is_read_from_the_description() -> None:
    assert set(moment().relations) == {
        Relation("on", "bowl", "counter"), Relation("on", "drawer", "counter"), Relation("inside", "apple", "bowl"),
        Relation("inside", "orange", "bowl"), Relation("inside", "tin_cup", "cupboard"),
        Relation("inside", "sodium_chloride", "glass_jar"),
    }


LISTS = """This room is called the workshop. In it, you see:
\ta table. On the table is: a wire, a table, a green light bulb, which is on, a switch, which is off, \
a stopwatch, which is deactivated. , a thermometer, currently reading a temperature of 10 degrees celsius.
\ta toilet. In the toilet is: A drain, which is closed, a substance called water.
\ta pan (containing a pea, which is dead, a bean). \n"""


def test_what_is_said_of_a_listed_thing_stays_with_it() -> None:
    text = observation.settled(LISTS)
    assert ("On the table is: a green light bulb, which is on, a stopwatch, which is deactivated, a switch, which is off, "
            "a table, a thermometer, currently reading a temperature of 10 degrees celsius, a wire.") in text
    assert "A drain, which is closed, a substance called water." in text
    assert observation.settled(text) == text, "settled for good"
    assert sorted(re.findall(r"\w+", text)) == sorted(re.findall(r"\w+", LISTS)), "no word is lost or made up"
    lines = observation.lines_of(text)
    names = ("table", "green light bulb", "switch", "stopwatch", "wire")
    states = {name: set(observation.states_of(lines[name])) for name in names}
    assert states == {"table": set(), "green light bulb": {"on"}, "switch": {"off"}, "stopwatch": {"off"}, "wire": set()}


def test_two_things_of_one_name_are_two() -> None:
    seen = moment().seen("")
    assert seen.agent.holding == ("metal_pot", "orange_2")
    assert seen.by_id["orange"].name == seen.by_id["orange_2"].name == "orange"
    assert "orange_2" not in seen.agent.near
    assert seen.agent.room == "kitchen"


def test_what_is_picked_up_keeps_its_name() -> None:
    names = Names()
    before = {"3": "bowl", "8": "cup containing nothing in table"}
    ids = [names.id(n, p) for n, p in before.items()]
    names.moved_on(before, [], dict)
    held = names.moved_on({"3": "bowl"}, ["cup"], dict)
    assert held == {"cup": ids[1]}
    assert names.moved_on({}, ["cup"], dict) == held


@pytest.mark.parametrize(("score", "state"), [(0, "under way"), (99, "under way"), (100, "done"), (-100, "failed")])
def test_the_task_is_an_entity_that_goals_can_speak_of(score: int, state: str) -> None:
    seen = moment(score).seen("")
    assert seen.by_id["task_1"].states == {state}
    assert seen.score == score


def test_templates_become_verbs() -> None:
    grammar = Grammar([(10, "pour OBJ in OBJ"), (21, "pick up OBJ"), (3, "look around"), (12, "reset task"), (24, "task")])
    assert [s.verb for s in grammar.schemas] == ["look_around", "pick_up", "pour", "do", "restart"]
    assert grammar.phrases(10, "pour jug in cup") == ("jug", "cup")
    assert grammar.action(21, ["8"], {"8": "cup"}) == Action("pick_up", ("cup",))
    assert grammar.action(12, [], {}) is None
    assert grammar.schemas[2].phrase(("jug", "cup")) == "pour jug in cup"


def test_the_page_shows_which_line_is_what() -> None:
    frame = shot(moment(), "first person", 400, 300)()
    boxes = dict(frame.boxes)
    x0, y0, _, _ = boxes["oven"]
    assert frame.ids is not None
    assert frame.names[frame.ids[y0 + 1, x0 + 1]] == "oven"
    assert frame.pixels.std() > 5
    assert not frame.pixels.flags.writeable


@pytest.mark.parametrize("view", ["first person", "dollhouse"])
def test_a_page_leaves_room_for_a_caption_below(view: View) -> None:
    for height in (200, 240, 300, 360, 420):
        pixels = shot(moment(), view, 400, height)().pixels
        rows = np.flatnonzero((pixels != pixels[0, 0]).any(axis=(1, 2)))
        assert rows[-1] < height - 30


def test_pages_are_called_what_they_are() -> None:
    assert shot(moment(), "first person", 320, 240)().title == "Room as text"
    assert shot(moment(), "dollhouse", 320, 240)().title == "Task as text"
