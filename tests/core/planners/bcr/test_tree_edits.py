"""What an operator can do to a node of the blocking tree is said by the node, and carried out by the tree."""

import pytest

from core.common.errors import UsageError
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from core.views.addresses import addresses_of
from core.views.values import Press
from core.world.vocabulary import Action

PUT = Action("put_in", ("apple_1", "fridge_1"))
OPEN, WALK = Action("open", ("fridge_1",)), Action("walk", ("kitchen_1",))
TREE = BlockingTree((
    BlockingNode(0, -1, "goal", "apple inside the fridge", "open"),
    BlockingNode(2, 0, "action", "put the apple inside the fridge", "blocked", action=PUT),
    BlockingNode(4, 2, "condition", "the fridge is closed", "blocked"),
    BlockingNode(5, 4, "resolution", "the fridge open", "open"),
    BlockingNode(6, 5, "action", "open the fridge", "chosen", action=OPEN),
    BlockingNode(8, 5, "action", "walk to the kitchen", "candidate", action=WALK)))
BACK = {"ban": "allow", "resolve": "unresolve"}


def place(tree: BlockingTree, node_id: int) -> tuple[str, ...]:
    """Returns the address of a node in the view."""
    part = tree.view().parts[0]
    return (part.title, *addresses_of(part)[[node.id for node in tree.nodes].index(node_id)])


def test_each_node_offers_what_fits_its_state() -> None:
    offered = {node.id: [edit.name for edit in node.edits] for node in TREE.nodes}
    assert offered == {0: [], 2: [], 4: ["resolve", "add"], 5: ["resolve", "add"], 6: ["choose", "ban"], 8: ["choose", "ban"]}
    assert [item.edits for item in TREE.view().parts[0].items] == [node.edits for node in TREE.nodes]  # type: ignore[attr-defined]


@pytest.mark.parametrize("node", TREE.nodes, ids=lambda node: f"node {node.id}")
def test_what_is_offered_is_done_and_can_be_taken_back(node: BlockingNode) -> None:
    for edit in node.edits:
        if isinstance(edit.form, Press):
            after = TREE.edited(place(TREE, node.id), edit.name, None)
            changed = after.node(node.id)
            assert changed is not None
            assert changed.by_operator
            assert edit.name not in [left.name for left in changed.edits]
            if edit.name in BACK:
                again = after.edited(place(after, node.id), BACK[edit.name], None)
                assert edit.name in [left.name for left in again.nodes[TREE.nodes.index(node)].edits]


def test_one_action_is_chosen_and_a_condition_goes_with_its_resolution() -> None:
    chosen = TREE.edited(place(TREE, 8), "choose", None)
    assert {n.id: n.state for n in chosen.nodes if n.kind == "action"} == {2: "blocked", 6: "candidate", 8: "chosen"}
    for node_id in (4, 5):
        done = TREE.edited(place(TREE, node_id), "resolve", None)
        assert [n.state for n in done.nodes if n.id in (4, 5)] == ["reached", "reached"]


@pytest.mark.parametrize("node_id", [4, 5])
def test_an_action_of_the_tree_can_be_added_below_a_resolution(node_id: int) -> None:
    added = TREE.edited(place(TREE, node_id), "add", "walk to the kitchen").nodes[-1]
    assert (added.parent, added.action, added.by_operator) == (5, WALK, True)
    assert added.id < -1


@pytest.mark.parametrize(("node_id", "edit", "value"), [
    (0, "ban", None), (6, "resolve", None), (6, "ban", "hard"), (5, "add", None), (5, "add", "fly to the moon"), (6, "", None)])
def test_what_cannot_be_done_is_refused_in_one_line(node_id: int, edit: str, value: str | None) -> None:
    with pytest.raises(UsageError) as refused:
        TREE.edited(place(TREE, node_id), edit, value)
    assert "\n" not in str(refused.value)


def test_a_node_that_is_gone_is_refused() -> None:
    with pytest.raises(UsageError, match="choose one that is shown"):
        BlockingTree(TREE.nodes[:2]).edited(place(TREE, 8), "ban", None)
