"""What the views of BCR's facets say: candidates with their reasons, and the table in words with its edits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.common.errors import UsageError
from core.planners.bcr.recorded_types import (
    ActionWords,
    BlockingState,
    BlockingTable,
    BlockingTree,
    ConditionWords,
    TableRow,
)
from core.views.diff import diff
from core.views.values import Table
from tests.gui.panels import blockings as b

TABLE = BlockingTable(
    (TableRow("put_in", ("held 0", "open 1", "room 0 1")), TableRow("slice", ("held ?cuts",)), TableRow("walk", ())),
    (TableRow("held", ("grab 0",)), TableRow("open", ("open 0", "? come closer 0")), TableRow("inside", ("put_in 0 1",))),
    (ConditionWords("held", 1, "{0} is not in the hand"), ConditionWords("open", 1, "{0} is closed"),
     ConditionWords("room", 2, "there is no room for {0} at {1}"), ConditionWords("inside", 2, "{0} is not inside {1}"),
     ConditionWords("odd", 1, "{0.__class__} {2} {x}")),
    (ActionWords("put_in", 2), ActionWords("slice", 1), ActionWords("walk", 1), ActionWords("grab", 1), ActionWords("open", 1),
     ActionWords("come closer", 1)))


def candidates(tree: BlockingTree) -> Table:
    part = next(part for part in tree.view().parts if part.title == "Candidates")
    assert isinstance(part, Table)
    return part


def test_the_chosen_candidate_is_first_and_each_says_why_it_is_there() -> None:
    tree = b.tree(chosen=2)
    found = candidates(tree)
    assert tree.view().headline == "5 candidates for the apple in view · 1 loop broken"
    assert found.headline == "for the apple in view"
    assert [item.text for item in found.items[:3]] == ["open the cabinet 3", "open the fridge 1", "open the cabinet 2"]
    assert {item.note for item in found.items} == {"may lead to the apple in view"}
    assert [[mark.word for mark in item.marks] for item in found.items[:2]] == [["chosen"], []]


def test_what_was_tried_or_added_says_so_and_what_is_banned_is_last() -> None:
    states: dict[int, BlockingState] = {10: "banned", 12: "candidate", 14: "candidate"}
    nodes = tuple(replace(node, state=states.get(node.id, node.state), tried=3 * (node.id == 12), by_operator=node.id == 14)
                  for node in b.nodes())
    found = candidates(BlockingTree(nodes)).items
    assert {item.text: item.note for item in found}["open the cabinet 2"] == "tried in step 3"
    assert {item.text: item.note for item in found}["open the cabinet 3"] == "added by the operator"
    assert (found[-1].text, found[-1].marks[0].word) == ("open the fridge 1", "banned")


def test_without_leaves_nothing_is_wanted() -> None:
    bare = BlockingTree(b.nodes()[:2])
    assert candidates(bare).items == ()
    assert candidates(bare).note.startswith("No candidate")
    assert candidates(BlockingTree(())).note == "", "the panel says what it waits for"
    assert bare.view().headline == "0 candidates"


def test_what_no_longer_blocks_is_listed_the_last_one_first() -> None:
    resolved = next(part for part in b.tree().view().parts if part.title == "Resolved")
    assert isinstance(resolved, Table)
    assert [(item.text, item.values) for item in resolved.items] == [
        ("the mug in the hand", (5, "grab the mug", "put the mug inside the coffee machine")),
        ("the mug in view", (3, "scan the room", "grab the mug"))]


def test_a_comparison_tells_of_an_action_once_though_two_sections_show_it() -> None:
    found = diff(b.tree(chosen=0).view(), b.tree(chosen=1).view())
    assert sorted(one.name for one in found) == ["action: open the cabinet 2", "action: open the fridge 1"]


def lines(table: BlockingTable) -> list[str]:
    return [" → ".join((item.text, *map(str, item.values), *filter(None, (item.note,)))) for item in table.view().items]


def test_the_table_says_of_each_action_what_blocks_it_and_what_resolves_that() -> None:
    assert TABLE.view().headline == "3 actions · 3 conditions"
    assert lines(TABLE) == [
        "put in X, Y", "X is not in the hand → grab X", "Y is closed → open Y, ? come closer Y",
        "there is no room for X at Y → nothing", "slice X",
        "something that cuts is not in the hand → grab something that cuts", "walk X → never blocked", "other conditions",
        "X is not inside Y → put in X, Y"]


def test_odd_texts_of_a_recording_are_only_texts() -> None:
    odd = replace(TABLE, blocked_by=(TableRow("put_in", ("odd 0", "unknown 0", "held 7", "")),))
    assert lines(odd)[1:3] == ["{0.__class__} {2} {x} → nothing", "unknown 0 → nothing"]


@pytest.mark.parametrize(("address", "edit", "value", "part", "row"), [
    (("put_in",), "blocks", " open  1 , held 0,", "blocked_by", TableRow("put_in", ("open 1", "held 0"))),
    (("walk",), "blocks", "held 0", "blocked_by", TableRow("walk", ("held 0",))),
    (("put_in", "open 1"), "resolutions", "? open 0", "resolved_by", TableRow("open", ("? open 0",))),
    (("put_in", "room 0 1"), "resolutions", "grab 0", "resolved_by", TableRow("room", ("grab 0",))),
    (("", "inside 0 1"), "resolutions", "", "resolved_by", TableRow("inside", ()))])
def test_a_row_is_edited_as_text(address: tuple[str, ...], edit: str, value: str, part: str, row: TableRow) -> None:
    after = TABLE.edited(address, edit, value)
    rows = after.blocked_by if part == "blocked_by" else after.resolved_by
    assert row in rows
    others = [one for one in (*TABLE.blocked_by, *TABLE.resolved_by) if one.name != row.name]
    assert [one for one in (*after.blocked_by, *after.resolved_by) if one.name != row.name] == others


@pytest.mark.parametrize(("address", "edit", "value", "says"), [
    (("put_in", "open 1"), "resolutions", "opeen 0", "opeen 0"), (("put_in",), "blocks", "held", "held is about 1"),
    (("put_in",), "resolutions", "open 0", "choose an action"), (("",), "blocks", "held 0", "choose an action"),
    (("fly",), "blocks", "held 0", "choose one that is shown"), (("put_in",), "blocks", None, "choose an action")])
def test_what_cannot_be_used_is_refused_in_one_line(address: tuple[str, ...], edit: str, value: str | None, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        TABLE.edited(address, edit, value)
    assert "\n" not in str(refused.value)
