"""What both VirtualHome simulators make of a scene graph."""

from __future__ import annotations

from typing import Any

import pytest

from core.common.errors import DataError
from core.goals.literals import Goal, Literal
from core.world.vocabulary import (
    CONTAINER,
    DRINKABLE,
    GRABBABLE,
    OPENABLE,
    RINSES,
    SITTABLE,
    SURFACE,
    SWITCHABLE,
    Action,
)
from sim.virtualhome.common.apartment_state import Home, catalogue_of, graph_of
from sim.virtualhome.common.body import BODY
from sim.virtualhome.common.goal_possibility import possible
from sim.virtualhome.common.verbs import COMMON, FURTHER, Case, action_of, check, check_arguments, script_line

ROOM, COUNTER, SINK, COUCH, CUSHION, DESK, PEN, LAMP, CHAIR, TRAY, CUP, CHARACTER, WALL, HAND, COMPUTER = range(1, 16)
SCHEMAS = tuple(verb.schema for verb in (*COMMON, *BODY))
NODES = (
    (ROOM, "kitchen", "Rooms", "", ""), (COUNTER, "kitchen_counter", "Furniture", "SURFACES", "CLOSED CLEAN"),
    (SINK, "sink", "Furniture", "CONTAINERS RECIPIENT", ""), (COUCH, "couch", "Furniture", "SURFACES LIEABLE", ""),
    (CUSHION, "pillow", "Decor", "GRABBABLE", ""), (DESK, "desk", "Furniture", "SURFACES", "CLOSED"),
    (PEN, "pen", "placable_objects", "GRABBABLE", ""), (LAMP, "lamp", "Lamps", "HAS_SWITCH HAS_PLUG", "OFF PLUGGED_OUT"),
    (CHAIR, "chair", "Furniture", "GRABBABLE SITTABLE SURFACES", ""), (TRAY, "tray", "Appliances", "GRABBABLE SURFACES", ""),
    (CUP, "cup", "placable_objects", "GRABBABLE RECIPIENT", "CLEAN"), (CHARACTER, "character", "Characters", "", ""),
    (COMPUTER, "computer", "Electronics", "HAS_SWITCH", "OFF PLUGGED_OUT"),
    (WALL, "wall", "Walls", "", ""), (HAND, "hands_both", "placable_objects", "BODY_PART", ""),
)
EDGES = (
    (SINK, "INSIDE", COUNTER), (CUSHION, "INSIDE", COUCH), (PEN, "INSIDE", DESK), (TRAY, "ON", COUNTER), (CUP, "ON", COUNTER),
    (CUP, "ON", TRAY), (CHARACTER, "CLOSE", CUP), (CHARACTER, "CLOSE", LAMP), (CHARACTER, "CLOSE", SINK), (LAMP, "ON", WALL),
    (CHARACTER, "CLOSE", COMPUTER),
)


def raw() -> dict[str, Any]:
    nodes = [{"id": i, "class_name": cls, "category": category, "properties": p.split(), "states": s.split()}
             for i, cls, category, p, s in NODES]
    edges = [*EDGES, *((i, "INSIDE", ROOM) for i, *_ in NODES if i != ROOM)]
    return {"nodes": nodes, "edges": [{"from_id": a, "relation_type": r, "to_id": b} for a, r, b in edges]}


def home(*held: int, graph: dict[str, Any] | None = None) -> Home:
    value = graph or raw()
    value["edges"] += [{"from_id": CHARACTER, "relation_type": "HOLDS_RH", "to_id": i} for i in held]
    found = graph_of(value, "the graph")
    return Home(catalogue_of(found), found)


def verdict(verb: str, *nodes: int, held: tuple[int, ...] = ()) -> str:
    return check(verb, Case(home(*held), nodes, 1)).precondition


def test_what_is_carried_and_what_stays() -> None:
    kinds = {i: kind.category for i, kind in home().catalogue.items()}
    assert {i for i, category in kinds.items() if category == "object"} == {CUSHION, PEN, TRAY, CUP}
    assert kinds[CHAIR] == "furniture"
    assert not {CHARACTER, WALL, HAND} & set(kinds)


def test_properties_are_ours() -> None:
    found = {i: kind.properties for i, kind in home().catalogue.items()}
    assert found[COUNTER] == {SURFACE}, "a worktop that is CLOSED does not open"
    assert found[DESK] == {SURFACE, OPENABLE, CONTAINER}, "something lies in it"
    assert found[CUP] == {GRABBABLE, CONTAINER, DRINKABLE}
    assert found[CHAIR] == {SURFACE, SITTABLE}
    assert found[SINK] == {CONTAINER, RINSES}
    assert found[LAMP] == {SWITCHABLE}
    assert home().entity(COUNTER).states == {"clean"}


def test_where_things_are() -> None:
    here = home()
    assert here.parent(CUP) == ("on", TRAY), "of several holders the closest"
    assert here.parent(CUSHION) == ("on", COUCH)
    assert here.parent(SINK) is None
    assert here.parent(PEN) == ("inside", DESK)
    assert not here.is_in_sight(PEN)
    assert list(home(TRAY).cargo({TRAY})) == [(CUP, "ON", TRAY)]
    assert home(TRAY).is_held(CUP)


@pytest.mark.parametrize(("verb", "nodes", "held", "precondition"), [
    ("walk", (ROOM,), (), "another room"), ("walk", (PEN,), (), "in sight"), ("walk", (CUP,), (CUP,), "not held"),
    ("walk", (COUCH,), (), ""), ("grab", (CUP,), (), ""), ("grab", (CUP,), (TRAY,), "a free hand"),
    ("grab", (CHAIR,), (), "grabbable"), ("grab", (CUSHION,), (), "within reach"), ("grab", (ROOM,), (), "in sight"),
    ("put_in", (CUP, SINK), (CUP,), ""), ("put_in", (CUP, SINK), (), "held"), ("put_in", (CUP, COUCH), (CUP,), "container"),
    ("put_in", (CUP, CUP), (CUP,), "another thing"), ("put_in", (CUP, DESK), (CUP,), "within reach"),
    ("put_on", (CUP, SINK), (CUP,), "surface"), ("open", (LAMP,), (), "openable"), ("switch_on", (SINK,), (), "switchable"),
    ("switch_on", (LAMP,), (), "plugged in"), ("switch_off", (LAMP,), (), "not off"), ("plug_in", (LAMP,), (), ""),
    ("plug_in", (SINK,), (), "switchable"), ("plug_in", (COMPUTER,), (), "switchable"),
    ("switch_on", (COMPUTER,), (), "plugged in"),
])
def test_needs(verb: str, nodes: tuple[int, ...], held: tuple[int, ...], precondition: str) -> None:
    assert verdict(verb, *nodes, held=held) == precondition


def test_arguments_are_checked() -> None:
    verbs, names = {v.schema.verb: v for v in COMMON}, home().nodes
    assert check_arguments(verbs, names, Action("fly")).precondition == "verb"
    assert check_arguments(verbs, names, Action("grab")).reason == "'grab' takes 1 name, not 0"
    assert check_arguments(verbs, names, Action("grab", ("ghost_1",))).reason == "ghost 1 is not in sight"
    assert check_arguments(verbs, names, Action("grab", (f"cup_{CUP}",))).ok


def test_lines_and_actions_translate_into_each_other() -> None:
    nodes = home().graph.nodes
    line = script_line("PUTIN", [nodes[CUP], nodes[SINK]])
    assert line == f"[PUTIN] <cup> ({CUP}) <sink> ({SINK})"
    assert action_of(line, {CUP: "cup_11", SINK: "sink_3"}) == Action("put_in", ("cup_11", "sink_3"))
    assert action_of("[walk] <sink> (1.3)", {3: "sink_3"}) == Action("walk", ("sink_3",))
    scripts = [v.script for v in (*COMMON, *FURTHER)]
    assert len(set(scripts)) == len(scripts)


@pytest.mark.parametrize(("literal", "expected"), [
    (Literal("inside", "cup", "sink"), True), (Literal("inside", "cup", "sink", 2), False),
    (Literal("on", "cup", "sink"), False),
    (Literal("inside", "cup", "cup"), False), (Literal("on", "chair", "couch"), False), (Literal("holds", "pen"), True),
    (Literal("is", "lamp", None, 1, frozenset({"on"})), True), (Literal("is", "computer", None, 1, frozenset({"on"})), False),
    (Literal("is", "lamp", None, 1, frozenset({"off"})), True),
    (Literal("is", "lamp", None, 1, frozenset({"plugged in"})), True), (Literal("sitting", "chair"), True),
    (Literal("is", "computer", None, 1, frozenset({"plugged in"})), False), (Literal("sitting", "desk"), False),
    (Literal("lying", "couch|chair"), True), (Literal("lying", "chair"), False), (Literal("sitting", "chair", None, 2), False),
    (Literal("robot_in", "kitchen"), True), (Literal("robot_in", "cellar"), False), (Literal("done", "cup", act="drink"), True),
    (Literal("done", "pen", act="drink"), False), (Literal("inside", "cup", "kitchen"), True),
    (Literal("sitting", "desk", never=True), True), (Literal("robot_facing", "lamp"), True),
    (Literal("is", "desk", None, 1, frozenset({"open"})), True), (Literal("is", "cup", None, 1, frozenset({"clean"})), True),
])
def test_what_could_hold(literal: Literal, expected: bool) -> None:
    assert bool(possible(home(), Goal((literal,)), SCHEMAS)) == expected


def test_one_thing_serves_one_literal() -> None:
    assert not possible(home(), Goal((Literal("inside", "cup", "sink"), Literal("on", "cup", "couch"))), SCHEMAS)


@pytest.mark.parametrize("lost", ["character", "its room"])
def test_a_graph_without_a_robot_is_refused(lost: str) -> None:
    graph = raw()
    if lost == "character":
        graph["nodes"] = [n for n in graph["nodes"] if n["id"] != CHARACTER]
    graph["edges"] = [edge for edge in graph["edges"] if edge["from_id"] != CHARACTER]
    with pytest.raises(DataError, match="add one to a room first"):
        home(graph=graph)
