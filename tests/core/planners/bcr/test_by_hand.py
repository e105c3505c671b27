"""BCR, section III, walked by hand on the paper's own example: milk from a refrigerator, with the preset `paper`.

The kitchen has a fridge, a freezer, an oven and a counter, all within reach. The milk stands at the back of the fridge: it is
seen only by looking around after the fridge was opened. Goal literal: on(milk, counter). The paper's names and ours:
place = put_on, grasp = grab, visualSearch = scan, isHolding = held, isVisible = seen.
"""

from __future__ import annotations

from core.planners.bcr.planner import PAPER, TUNED, Bcr
from core.planners.bcr.recorded_types import BlockingNode, BlockingTree, SelectionFacts
from core.planning.facets import GoalProgress
from core.planning.search_facets import Ranking
from tests.core.planners.bcr.test_planner import MilkKitchen, act, began, one_turn, spoken
from tests.core.planners.by_hand import Turn, commonsense


def considered(done: Turn) -> list[int]:
    """The number of candidates of each selection in a turn."""
    return [len(r.actions) for r in done.shown if isinstance(r, Ranking)]


def outline(tree: BlockingTree) -> list[str]:
    """The tree as lines, two spaces a level: goals, blocked actions with their conditions and resolutions, and candidates."""
    depth: dict[int, int] = {-1: -1}
    lines = []
    for node in tree.nodes:
        depth[node.id] = depth[node.parent] + 1
        lines.append("  " * depth[node.id] + f"{node.text} [{node.state}]")
    return lines


def of(tree: BlockingTree, text: str) -> BlockingNode:
    return next(n for n in tree.nodes if n.text == text)


def test_section_iii_step_by_step() -> None:
    world = MilkKitchen()
    planner = began(world, PAPER)
    # III-B: actions whose effects achieve the goal are the roots. One does: place(milk, counter).
    #
    # Turn 1.
    #   Selection 1. Leaves: {place(milk, counter)}: 1 candidate, "the only option", so nobody is asked.
    #     Blocked: the milk is not held. Resolution literal: isHolding(milk). Resolution actions: {grasp(milk)}.
    #   Selection 2. Leaves: {grasp(milk)}: 1 candidate, again the only option.
    #     Blocked: the milk is not visible. Resolution literal: isVisible(milk), which these may bring about (possibly_true):
    #     {visualSearch, open(refrigerator), open(freezer), open(oven)}.
    #   Selection 3. Leaves: those four. The model is asked and answers open(refrigerator). Nothing blocks it: it is executed.
    done = one_turn(planner, world, "$$ open the fridge $$")
    assert considered(done) == [1, 1, 4]
    assert len(done.asked) == 1
    assert str(done.decision.action) == "open fridge_1"
    tree = done.last(BlockingTree)
    assert outline(tree) == [  # the paper's figure 2
        "milk on the counter [open]",
        "  put the milk on the counter [blocked]",
        "    the milk is not in the hand [blocked]",
        "      the milk in the hand [open]",
        "        grab the milk [blocked]",
        "          the milk is not in view [blocked]",
        "            the milk in view [open]",
        "              scan the room [candidate]",
        "              open the fridge [chosen]",
        "              open the freezer [candidate]",
        "              open the oven [candidate]",
    ]
    assert of(tree, "grab the milk").certain
    assert not any(of(tree, text).certain for text in ("scan the room", "open the fridge", "open the freezer", "open the oven"))
    act(planner, world, done)
    # Turn 2. The fridge is open, the milk not seen: isVisible(milk) stays unsatisfied. Step (3) of III-B removes the executed
    # action with its siblings; in III-C the siblings stay as long as the literal does not hold, and so they do here.
    #   Selection 4. Leaves: {visualSearch, open(freezer), open(oven)}: 3 candidates. The model answers visualSearch.
    done = one_turn(planner, world, "$$ scan the room $$")
    assert considered(done) == [3]
    assert spoken(done.asked[0]) == ["scan the room", "open the freezer", "open the oven"]
    assert str(done.decision.action) == "scan"
    act(planner, world, done)
    # Turn 3. The milk is visible: the condition is resolved, and all its resolution actions are removed from the tree.
    #   Selection 5. Leaves: {grasp(milk)}: 1 candidate, executed.
    done = one_turn(planner, world)
    assert considered(done) == [1]
    assert str(done.decision.action) == "grab milk_1"
    tree = done.last(BlockingTree)
    assert outline(tree) == [
        "milk on the counter [open]",
        "  put the milk on the counter [blocked]",
        "    the milk is not in the hand [blocked]",
        "      the milk in the hand [open]",
        "        grab the milk [chosen]",
    ]
    assert [(b.text, b.blocked, b.by) for b in tree.history] == [("the milk in view", "grab the milk", "scan the room")]
    act(planner, world, done)
    # Turn 4. isHolding(milk) holds: place(milk, counter) is no longer blocked.
    #   Selection 6. Leaves: {place(milk, counter)}: 1 candidate, executed.
    done = one_turn(planner, world)
    assert considered(done) == [1]
    assert str(done.decision.action) == "put_on milk_1 counter_1"
    assert outline(done.last(BlockingTree)) == ["milk on the counter [open]", "  put the milk on the counter [chosen]"]
    act(planner, world, done)
    # Turn 5. The goal literal holds. Four actions; six selections among 1+1+4+3+1+1 = 11 candidates; two questions.
    done = one_turn(planner, world)
    assert done.decision.action is None
    assert done.last(GoalProgress).reached


def test_the_paper_s_prompt_lists_the_actions_alone() -> None:
    lines = {}
    for name, parameters in (("paper", PAPER), ("tuned", TUNED)):
        world = MilkKitchen()
        ask = one_turn(began(world, parameters), world, "$$ open the fridge $$").asked[0]
        lines[name] = ask.messages[4].content.splitlines()[1:]
        assert "cannot grab the milk: the milk is not in view" in ask.messages[6].content
    assert lines["paper"] == ["$$ scan the room $$", "$$ open the fridge $$", "$$ open the freezer $$", "$$ open the oven $$"]
    assert lines["tuned"] == [f"{line} – possibly resolves “the milk is not in view” of [1]" for line in lines["paper"]]


def test_the_rules_are_told_no_more_than_the_prompt() -> None:
    world = MilkKitchen()
    ask = one_turn(began(world, PAPER), world, "$$ open the fridge $$").asked[0]
    facts = ask.facts
    assert isinstance(facts, SelectionFacts)
    assert {(c.goal, c.depth, c.resolves, c.certain) for c in facts.candidates} == {(-1, 0, "", True)}
    assert facts.blocked == (("held", "milk", "milk"), ("seen", "milk", "milk"))
    assert commonsense(ask).texts[0] == "$$ scan the room $$", "looking around first costs one step"


def test_presets_differ_in_hints() -> None:
    assert Bcr.presets["tuned"] == TUNED
    assert TUNED.hints
    assert not PAPER.hints
