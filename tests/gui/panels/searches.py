"""Small and huge searches, calls and events for the panels that show a planner's thinking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from core.common.shared_list import SharedList
from core.goals.literals import Goal, Literal
from core.planning.facets import Facet, Moment
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.planning.search_facets import RankedAction, Ranking, SearchTree, TreeNode
from core.session.events import Event, Payload
from core.session.snapshot import Snapshot
from core.session.turns import Call
from core.world.vocabulary import Action, AgentState, Entity, Observation

GOAL = Goal((Literal("on", "apple", "kitchen_table"),), "Put one apple on the kitchen table")
IDS = ("kitchen_1", "fridge_1", "cabinet_2", "cabinet_3", "kitchen_table_11", "coffee_table_24", "apple_1", "mug_33")
FRIDGE, TABLE = Action("walk", ("fridge_1",)), Action("walk", ("kitchen_table_11",))
OPEN, CABINET = Action("open", ("fridge_1",)), Action("open", ("cabinet_2",))
GRAB, MUG = Action("grab", ("apple_1",)), Action("grab", ("mug_33",))


def seen() -> Observation:
    """A kitchen."""
    entities = (Entity(i, i.rpartition("_")[0], i.rpartition("_")[0].replace("_", " "), "furniture") for i in IDS)
    return Observation(AgentState("kitchen_1"), tuple(entities), ())


def ranked(*steps: Action, visits: int = 1, value: float | None = 1.0, prior: float = 0.1, best: float = 6.42) -> RankedAction:
    """One action of a ranking."""
    return RankedAction(steps, prior, visits, value, visits / 64, None if value is None else best - value)


def ranking(more: int = 0) -> Ranking:
    """Three visited actions, one of them a macro, one that never was, and as many more as are wanted."""
    actions = (ranked(FRIDGE, visits=27, value=6.42, prior=0.31), ranked(FRIDGE, CABINET, visits=11, value=5.61, prior=0.16),
               ranked(MUG, visits=2, value=0.84), ranked(TABLE, visits=0, value=None))
    rest = (ranked(Action("walk", (f"chair_{k}",)), visits=0, value=None, prior=0.0) for k in range(more))
    return Ranking((*actions, *rest), 64, 100)


def tree() -> SearchTree:
    """A root, the best line of three, a rival, an observation that goes two ways, and branches little visited."""
    def node(number: int, parent: int, action: Action | None, visits: int, value: float, *, observed: bool = False,
             reached: bool = False) -> TreeNode:
        found = (("apple", "fridge_1"),) if observed else ()
        return TreeNode(number, parent, action, found, visits, value, 0.3, reached)

    nodes = (node(0, -1, None, 64, 6.4), node(1, 0, FRIDGE, 27, 6.42), node(2, 0, TABLE, 11, 5.6),
             node(3, 1, OPEN, 13, 8.3, observed=True), node(4, 1, OPEN, 9, 4.9), node(5, 3, GRAB, 12, 9.5, reached=True),
             node(6, 0, MUG, 2, 0.8), node(7, 0, CABINET, 1, 0.5), node(8, 6, TABLE, 1, 0.2))
    return SearchTree(nodes, 12, (0, 1, 3, 5))


def huge_tree(count: int = 5000) -> SearchTree:
    """As large as trees get: bushy, deep in one place."""
    nodes = [TreeNode(0, -1, None, (), 100_000, 6.0, 1.0)]
    for k in range(1, count):
        parent = nodes[k - 1] if k < 60 else nodes[(k * 7) % (k // 2)]
        action, visits = Action("walk", (f"cabinet_{k % 40}",)), max(1, parent.visits * 9 // 10)
        nodes.append(TreeNode(k, parent.id, action, (), visits, k % 9, 0.1))
    return SearchTree(tuple(nodes), 0, tuple(range(60)))


def call(number: int, *, turn: int = 1, reply: ModelReply | None = None, waiting: bool = False,
         choices: tuple[str, ...] = ()) -> Call:
    """A call, answered by a server unless told otherwise."""
    messages = (Message("system", "You control a robot."), Message("user", f"You see: fridge 1.\nQuestion {number}:"))
    ask = ModelRequest("policy", messages, f"next action {number}", expects=Expects(choices))
    answered = reply or ModelReply(("open the fridge",), "openai toy", seconds=1.8, tokens_in=842, tokens_out=31)
    return Call(number, turn, 0, ask, "openai toy", float(number), None if waiting else answered)


def calls(count: int) -> SharedList[Call]:
    """Answered calls, oldest first."""
    return SharedList(call(k, turn=1 + k // 3) for k in range(count))


def snapshot(*facets: Facet, turn: int = 7, facet_turn: int = 7) -> Snapshot:
    """A run that shows these facets."""
    shown: Mapping[type[Facet], tuple[Facet, Moment]] = MappingProxyType({type(f): (f, Moment(0, facet_turn)) for f in facets})
    return replace(Snapshot(), status="thinking", turn=turn, seen=seen(), goal=GOAL, facets=shown)


def event(number: int, what: Payload, turn: int = 1) -> Event:
    """Something that happened."""
    return Event(number, float(number), turn, 0, what, worked=float(number))
