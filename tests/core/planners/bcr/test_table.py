"""BCR's table as an operator or a file changes it: what is refused, and that the planner follows what is not."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError, UsageError
from core.common.parameters import changed
from core.goals.progress import reached
from core.planners.bcr.conditions import HOUSEHOLD, VIRTUALHOME, Family
from core.planners.bcr.planner import TUNED, Bcr
from core.planners.bcr.recorded_types import POSSIBLY, BlockingTable, BlockingTree, TableRow
from core.planners.bcr.table import facet_of, family_from
from sim.household.simulator import HouseholdSimulator
from tests.core.planners.by_hand import goal_of, home, play, turn
from tests.long_tests import either

TASK = "put one apple inside the fridge"
with home() as _world:
    SCHEMAS = _world.schemas
TABLE = facet_of(HOUSEHOLD, SCHEMAS)
Rows = dict[str, tuple[str, ...]]
KINDS, ACTIONS = {c.kind: c.arguments for c in TABLE.conditions}, {a.name: a.arguments for a in TABLE.actions}


def begun(simulator: HouseholdSimulator, **parameters: str) -> Bcr:
    planner = Bcr(changed(TUNED, parameters))
    planner.begin(goal_of(simulator, TASK), simulator.schemas, 0)
    return planner


def with_row(table: BlockingTable, part: str, name: str, *entries: str) -> BlockingTable:
    rows = tuple(TableRow(name, entries) if row.name == name else row
                 for row in (table.blocked_by if part == "blocked_by" else table.resolved_by))
    return replace(table, blocked_by=rows) if part == "blocked_by" else replace(table, resolved_by=rows)


@pytest.mark.parametrize("family", [HOUSEHOLD, VIRTUALHOME])
def test_the_tables_here_can_be_used_shown_and_kept(family: Family, tmp_path: Path) -> None:
    table = facet_of(family, SCHEMAS)
    assert table.problem() == ""
    assert family_from(table, table) == family
    (tmp_path / "a.json").write_text(table.file_text(), "utf-8")
    assert TABLE.with_file(tmp_path / "a.json") == replace(table, conditions=TABLE.conditions, actions=TABLE.actions)


@pytest.mark.parametrize(("part", "name", "entries", "says"), [
    ("blocked_by", "grab", ("nearr 0",), "write a condition"), ("blocked_by", "grab", ("near",), "is about 1"),
    ("blocked_by", "grab", ("near 1",), "grab has 1 objects"), ("blocked_by", "grab", ("near 0", "near 0"), "each once"),
    ("blocked_by", "grab", ("? near 0",), "write a condition"), ("blocked_by", "put_in", ("room 0",), "is about 2"),
    ("blocked_by", "grab", tuple(f"held ?p{k}" for k in range(31)), "30 entries"), ("blocked_by", "grab", ("",), "write a"),
    ("resolved_by", "open", ("opeen 0",), "write an action"), ("resolved_by", "open", ("open",), "is about 1"),
    ("resolved_by", "open", ("open 1",), "open has 1 objects"),
    ("resolved_by", "held", ("grab ?cuts",), "by their numbers only"),
    ("resolved_by", "room", ("clear 0 ²",), "write an action"),
    ("resolved_by", "free hand", ("open 0",), "free hand has 0 objects"),
])
def test_an_entry_that_cannot_be_used_is_refused_and_changes_nothing(part: str, name: str, entries: tuple[str, ...],
                                                                     says: str) -> None:
    with home() as simulator:
        planner = begun(simulator)
        wrong = with_row(turn(planner, simulator).last(BlockingTable), part, name, *entries)
        assert says in wrong.problem()
        untouched = copy.deepcopy(planner)
        with pytest.raises(UsageError) as refused:
            planner.accept(wrong)
        assert str(refused.value) == wrong.problem()
        assert "\n" not in wrong.problem()
        assert repr(turn(planner, simulator)) == repr(turn(untouched, simulator))


def test_rows_of_unknown_or_equal_names_are_refused() -> None:
    for rows in ((TableRow("fly", ()),), (TableRow("grab", ()), TableRow("grab", ())),
                 tuple(TableRow(f"v{k}", ()) for k in range(101))):
        assert replace(TABLE, blocked_by=rows).problem()
    assert replace(TABLE, resolved_by=(TableRow("hungry", ()),)).problem()


def test_the_planner_follows_an_edited_table() -> None:
    with home() as simulator:
        planner = begun(simulator)
        first = turn(planner, simulator)
        assert any(node.kind == "condition" and "not in the hand" in node.text for node in first.last(BlockingTree).nodes)
        planner.accept(with_row(first.last(BlockingTable), "blocked_by", "put_in", "open 1", "near 1"))
        second = turn(planner, simulator)
        assert second.last(BlockingTable).blocked_by[1].entries == ("open 1", "near 1")
        texts = [node.text for node in second.last(BlockingTree).nodes if node.kind == "condition"]
        assert texts
        assert not any("not in the hand" in text for text in texts), "it does not look for the apple first"
        assert any("is closed" in text or "out of reach" in text for text in texts)
        planner.accept(first.last(BlockingTable))
        third = turn(planner, simulator)
        assert any("not in the hand" in node.text for node in third.last(BlockingTree).nodes)


def test_the_table_is_shown_once_and_after_each_edit() -> None:
    with home() as simulator:
        planner = begun(simulator)
        first = turn(planner, simulator)
        assert not any(isinstance(facet, BlockingTable) for facet in turn(planner, simulator).shown)
        planner.accept(replace(first.last(BlockingTable)))
        assert any(isinstance(facet, BlockingTable) for facet in turn(planner, simulator).shown)
        assert any(isinstance(facet, BlockingTable) for facet in first.shown)


def test_a_file_takes_the_tables_place(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    mine = with_row(TABLE, "blocked_by", "open", "near 0")
    path.write_text(mine.file_text(), "utf-8")
    with home() as simulator:
        assert turn(begun(simulator, table=str(path)), simulator).last(BlockingTable) == mine
        goal = goal_of(simulator, TASK)
        play(Bcr(changed(TUNED, {"table": str(path)})), simulator, goal)
        assert reached(goal, simulator.reveal())


@pytest.mark.parametrize("text", [
    "", "[]", "{}", "null", '{"kind": "bcr table", "version": 2}', '{"kind": "bcr table", "version": 1, "blocked_by": []}',
    '{"kind": "bcr table", "version": 1, "blocked_by": {"grab": "seen 0"}, "resolved_by": {}}',
    '{"kind": "bcr table", "version": 1, "blocked_by": {"grab": [1]}, "resolved_by": {}}',
    '{"kind": "bcr table", "version": 1, "blocked_by": {"grab": ["seen 7"]}, "resolved_by": {}}',
    '{"kind": "bcr table", "version": 1, "blocked_by": {"fly": []}, "resolved_by": {}}', "[" * 100_000,
])
def test_a_damaged_file_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    with home() as simulator, pytest.raises(DataError) as refused:
        begun(simulator, table=str(path))
    assert "bad.json" in str(refused.value)
    assert "\n" not in str(refused.value)
    with pytest.raises(DataError, match="cannot be read"):
        TABLE.with_file(tmp_path / "none.json")


def conditions(verb: str) -> st.SearchStrategy[tuple[str, ...]]:
    """Entries that are allowed for a verb."""
    def entry(kind: str) -> st.SearchStrategy[str]:
        objects = st.sampled_from([*map(str, range(ACTIONS[verb])), "?cuts"])
        return st.lists(objects, min_size=KINDS[kind], max_size=KINDS[kind]).map(lambda about: " ".join((kind, *about)))

    return st.lists(st.sampled_from(sorted(KINDS)).flatmap(entry), max_size=4, unique=True).map(tuple)


def resolutions(kind: str) -> st.SearchStrategy[tuple[str, ...]]:
    """Entries that are allowed for a condition."""
    fitting = sorted(name for name, count in ACTIONS.items() if count == 0 or KINDS[kind] > 0)

    def entry(name: str) -> st.SearchStrategy[str]:
        objects = st.sampled_from([*map(str, range(KINDS[kind]))] or ["0"])
        about = st.lists(objects, min_size=ACTIONS[name], max_size=ACTIONS[name])
        return st.tuples(st.sampled_from(("", POSSIBLY)), about).map(lambda made: made[0] + " ".join((name, *made[1])))

    return st.lists(st.sampled_from(fitting).flatmap(entry), max_size=3, unique=True).map(tuple)


TABLES = st.tuples(st.fixed_dictionaries({}, optional={verb: conditions(verb) for verb in HOUSEHOLD.blocked_by}),
                   st.fixed_dictionaries({}, optional={kind: resolutions(kind) for kind in KINDS}))


@settings(max_examples=either(10, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TABLES)
def test_any_table_that_is_accepted_can_be_planned_with(rows: tuple[Rows, Rows]) -> None:
    blocked, resolved = (tuple(TableRow(name, entries) for name, entries in part.items()) for part in rows)
    with home() as simulator:
        planner = begun(simulator)
        table = replace(turn(planner, simulator).last(BlockingTable), blocked_by=blocked, resolved_by=resolved)
        assert table.problem() == ""
        planner.accept(table)
        for _ in range(4):
            action = turn(planner, simulator).decision.action
            if action is None:
                break
            planner.update(simulator.step(action))
