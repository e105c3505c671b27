"""What the view of NeoPlanner's state graph says: states, transitions, what was compared, what to avoid, what was refused."""

from __future__ import annotations

from dataclasses import replace

from core.planners.neoplanner.recorded_types import PathBound, StateGraph
from core.views.values import Graph, Table
from tests.gui.panels import graphs

USUAL = graphs.usual()


def compared() -> StateGraph:
    """The usual graph with what decided that its path ends in the last state."""
    bounds = (PathBound(4, 4, 2.8, 0.73, 0.4, 1.25, "focus on thermometer"), PathBound(5, 2, 0.9, 0.95, 0.3, 1.1, "pick up"),
              PathBound(7, 1, 0.0, 1.0, 0.0, None, ""))
    return replace(USUAL, bounds=bounds, explore_chance=0.43, explored=2, exploring=True)


def states(graph: StateGraph) -> Graph:
    part = graph.view().parts[0]
    assert isinstance(part, Graph)
    return part


def table(graph: StateGraph, title: str) -> Table:
    part = next(part for part in graph.view().parts if part.title == title)
    assert isinstance(part, Table)
    return part


def test_the_headline_counts_and_says_how_far_the_plan_goes() -> None:
    assert USUAL.view().headline == "6 states · 2 at the frontier · 3 refused · 2 steps ahead: nothing is known beyond"
    assert replace(USUAL, path=(4,), because="exploring").view().headline.endswith(
        "no known next step: doing something new is worth more")
    assert StateGraph((), (), -1).view().headline == ""


def test_states_say_where_the_robot_is_where_it_began_and_what_is_not_known_yet() -> None:
    marks = [[mark.word for mark in node.marks] for node in states(USUAL).nodes]
    assert marks == [["start"], [], ["here", "on the path"], ["on the path"], ["frontier"], ["on the path", "frontier"]]
    kitchen = states(USUAL).nodes[2]
    assert (kitchen.text, kitchen.brief) == ("kitchen · carrying an orange", "kitchen")
    assert dict(zip((column.title for column in states(USUAL).columns), kitchen.values, strict=True)) == {
        "n": 4, "V": 2.8, "refused": 2, "tried": 4, "possible": 40, "bound": 3.3}


def test_transitions_say_what_the_plan_uses_and_what_is_rewarded_and_refused_ones_are_listed() -> None:
    graph = replace(USUAL, edges=(*USUAL.edges[:3], replace(USUAL.edges[3], reward=-0.5), *USUAL.edges[4:]))
    links = {(link.source, link.target): [mark.word for mark in link.marks] for link in states(graph).links}
    assert links == {(0, 1): [], (1, 2): [], (2, 3): ["on the path", "penalty"], (2, 1): [], (1, 4): [],
                     (3, 5): ["on the path", "reward"], (3, 3): []}
    assert [(item.text, item.values) for item in table(graph, "Refused").items] == [
        ("hallway · carrying an orange", ("eat picture",)), ("kitchen · carrying an orange", ("eat stove, eat sink",))]


def test_what_to_avoid_is_listed_the_last_one_first() -> None:
    assert USUAL.view().note == "Avoid 2: eat sink (refused), look around"
    assert [(item.text, len(item.marks)) for item in table(USUAL, "Avoid").items] == [("eat sink", 1), ("look around", 0)]


def test_the_bounds_along_the_path_say_which_one_was_larger() -> None:
    graph = compared()
    rows = [(item.text, item.note, [mark.word for mark in item.marks], item.values) for item in
            table(graph, "Along the path").items]
    assert rows == [
        ("kitchen", "carrying an orange", ["here", "known action"], (1.25, 0.4, 0.73, 2.8, 4, "focus on thermometer")),
        ("kitchen", "carrying an orange", ["known action"], (1.1, 0.3, 0.95, 0.9, 2, "pick up")),
        ("kitchen", "carrying an orange", ["new action"], (None, 0.0, 1.0, 0.0, 1, None))]
    assert graph.view().note.startswith("Objective: explore · P explore .43 at N = 2 · Avoid 2")


def test_an_old_recording_has_no_bounds() -> None:
    assert not table(USUAL, "Along the path").items
    assert replace(USUAL, explore_chance=1.0, avoid=()).view().note == "Objective: the task · P explore 1 at N = 0"
