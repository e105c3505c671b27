"""How the code hangs together. A number here only ever falls: whoever lowers one lowers the budget."""

from __future__ import annotations

from tests import house

MOST_LEAKS = 0
MOST_NAMES = 293
"""Modules that name a facet, for all classes of facets together."""
MOST_IMPORTS = {"gui.app": 19, "core.session.session": 19}


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert house.circles() == []


def test_planners_are_known_where_they_were_and_nowhere_else() -> None:
    assert len(house.leaks()) <= MOST_LEAKS, house.leaks()


def test_a_facet_is_named_in_no_more_modules() -> None:
    named = house.facet_modules()
    assert {"Belief", "BlockingTree"} <= named.keys()
    assert sum(map(len, named.values())) <= MOST_NAMES, {cls: len(names) for cls, names in named.items()}


def test_one_loop_sends_to_a_planner() -> None:
    assert house.places("thought.send(") == ["core.planning.thinking"]


def test_the_large_objects_know_no_more_modules() -> None:
    assert {module: house.fan_out(module) for module in MOST_IMPORTS if house.fan_out(module) > MOST_IMPORTS[module]} == {}


def test_imports_within_functions_count() -> None:
    assert "gui.evaluations.page" in house.imports()["gui.window.full_pages"]
    assert "core.session.session" not in house.imports()["core.session.run"], "it is imported for types only"
