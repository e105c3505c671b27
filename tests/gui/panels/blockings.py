"""Small and huge blocking trees."""

from __future__ import annotations

from core.planners.bcr.recorded_types import BlockingNode, BlockingState, BlockingTree, ResolvedBranch
from core.world.vocabulary import Action

SEARCH = (("open", "fridge_1"), ("open", "cabinet_2"), ("open", "cabinet_3"), ("scan", ""), ("walk", "living_room_1"))


def action(verb: str, *args: str) -> Action:
    return Action(verb, tuple(a for a in args if a))


def leaf(number: int, parent: int, verb: str, thing: str, state: BlockingState = "candidate") -> BlockingNode:
    words = f"{verb} the {thing.replace('_', ' ')}" if thing else f"{verb} the room"
    return BlockingNode(number, parent, "action", words, state, (words, ""), action(verb, thing), certain=False)


def nodes(chosen: int = 0) -> tuple[BlockingNode, ...]:
    """The paper's second figure: a goal, two blocked actions, what blocks them, and five ways on."""
    place, grab = action("put_in", "apple", "fridge_1"), action("grab", "apple")
    states: list[BlockingState] = ["chosen" if k == chosen else "candidate" for k in range(len(SEARCH))]
    return (
        BlockingNode(0, -1, "goal", "apple inside the fridge", "open", ("inside apple", "fridge")),
        BlockingNode(2, 0, "action", "put the apple inside the fridge", "blocked", ("put in apple", "fridge"), place),
        BlockingNode(4, 2, "condition", "the apple is not in the hand", "blocked", ("not held", "apple")),
        BlockingNode(5, 4, "resolution", "the apple in the hand", "open", ("held", "apple")),
        BlockingNode(6, 5, "action", "grab the apple", "blocked", ("grab apple", ""), grab),
        BlockingNode(8, 6, "condition", "the apple is not in view", "blocked", ("not in view", "apple")),
        BlockingNode(9, 8, "resolution", "the apple in view", "open", ("in view", "apple")),
        *(leaf(10 + 2 * k, 9, verb, thing, states[k]) for k, (verb, thing) in enumerate(SEARCH)),
        BlockingNode(30, 2, "condition", "the fridge is closed", "reached", ("closed", "fridge"), by_operator=True),
        BlockingNode(31, 30, "resolution", "the fridge open", "reached", ("open", "fridge"), by_operator=True),
    )


def tree(chosen: int = 0) -> BlockingTree:
    history = (ResolvedBranch("the mug in view", "grab the mug", "scan the room", 3),
               ResolvedBranch("the mug in the hand", "put the mug inside the coffee machine", "grab the mug", 5))
    return BlockingTree(nodes(chosen), history, 1)


def huge(count: int = 5000) -> BlockingTree:
    """As many ways on, chosen far down the list, and a long history."""
    many = tuple(leaf(100 + 2 * k, 9, "open", f"cabinet_{k}", "chosen" if k == count - 7 else "candidate")
                 for k in range(count))
    history = tuple(ResolvedBranch(f"the mug {k} in view", "grab the mug", "scan the room", k) for k in range(count))
    return BlockingTree((*nodes(-1), *many), history)
