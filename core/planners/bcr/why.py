"""Why BCR chose an action and not another one, from its tree of blocking conditions and the selections of the turn.

Kinds of statement: `resolution` (which condition the action resolves), `depth` (how far it is from the goal), `selection` (who
chose it, among how many), `reply`, `found` (what was selected before and found to be blocked), `other` (where the other action
stands in the tree), `between` (how far below that the chosen one is), `table` (what the table offers for the condition),
`before` (an action that was done before), `tree` (the other action is not in the tree), `look`.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.planners.bcr.conditions import CONDITIONS
from core.planners.bcr.recorded_types import BlockingNode, BlockingTable, BlockingTree, SelectionFacts
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan
from core.planning.search_facets import Ranking
from core.planning.sentences import link, quoted, replied, said, words
from core.views.wording import count
from core.world.vocabulary import Action, in_words

LEAVES = ("chosen", "candidate")
MOST_BEFORE = 2
"""The number of earlier selections of a turn that are told."""


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action was chosen and not another one."""
    tree = decision.fresh(BlockingTree)
    if tree is None:
        return ()
    shown = _Shown(tree, decision)
    return (*shown.purpose(), *shown.selection(), *shown.place_of(other))


class _Shown:
    """The tree of a turn, and the selections that were made in it."""

    def __init__(self, tree: BlockingTree, decision: DecisionEvidence):
        self._tree, self._decision = tree, decision
        self._by_id = {node.id: node for node in tree.nodes}
        self._actions = [node for node in tree.nodes if node.action is not None]
        self._selections = [call for call in decision.calls if isinstance(call.request.facts, SelectionFacts)]
        ranking = decision.fresh(Ranking)
        self._offered = () if ranking is None else tuple(ranked.steps[0] for ranked in ranking.actions)
        self._chosen = next((node for state in LEAVES for node in self._actions
                             if node.state == state and node.action == decision.chosen), None)

    # --- the chosen action -------------------------------------------------------
    def purpose(self) -> Iterator[Sentence]:
        """Yields what the chosen action is for: the condition it resolves, and the goal part above it."""
        node, chosen = self._chosen, self._decision.chosen
        if chosen is None:
            return
        if node is None:
            plan = self._decision.fresh(Plan)
            if plan is not None and chosen in plan.actions and not any(n.state in LEAVES for n in self._actions):
                yield said("look", f"No action of the tree can be done now; {words(chosen)} is done {quoted(plan.because)}.",
                           Evidence("blocking", "blocking tree"))
            return
        above = list(self._above(node))
        condition = next((n for n in above if n.kind == "condition"), None)
        blocked = self._by_id.get(condition.parent) if condition is not None else None
        seen = Evidence("blocking", f"blocking tree: {in_words(chosen)}", chosen)
        goal = above[-1] if above else node
        if condition is None:
            yield said("resolution", f"{words(chosen)} achieves the goal part {quoted(goal.text)} itself.", seen)
        if condition is None or blocked is None:
            return
        brings = "brings about" if node.certain else "may bring about"
        yield said("resolution", f"{quoted(blocked.text)} is blocked: {quoted(condition.text)}. {words(chosen)} {brings} "
                                 f"{quoted(self._by_id[node.parent].text)}.", seen,
                   Evidence("blocking", f"blocking tree: {condition.text}", blocked.action))
        depth = sum(n.kind == "action" for n in above)
        yield said("depth", f"Between {words(chosen)} and the goal part {quoted(goal.text)} there "
                            f"{'is' if depth == 1 else 'are'} {count(depth, 'blocked action')}.", seen,
                   figures={"blocked": depth})

    def selection(self) -> Iterator[Sentence]:
        """Yields who selected the chosen action, and among how many."""
        chosen, total = self._decision.chosen, len(self._offered)
        if chosen is None or self._chosen is None or not total:
            return
        seen = Evidence("candidates", f"candidates: {in_words(chosen)}", chosen)
        last = self._last_selection()
        if self._chosen.by_operator and self._chosen.state == "chosen":
            yield said("selection", f"The operator added or selected {words(chosen)} in the tree.", seen)
        elif total == 1:
            yield said("selection", f"{words(chosen)} is the only candidate, so the model is not asked.", seen,
                       figures={"candidates": 1})
        elif last:
            yield from self._selected(last, chosen, seen)
        yield from self._done_before(chosen, words(chosen))
        for call in self._selections[:len(self._selections) - len(last)][-MOST_BEFORE:]:
            yield from self._found_blocked(call)

    def _found_blocked(self, call: AskedCall) -> Iterator[Sentence]:
        """Yields what an earlier call of the turn selected, if it is blocked now."""
        facts, read = call.request.facts, call.grounding
        if not isinstance(facts, SelectionFacts) or read is None or not read.meant:
            return
        selected = next((c.action for c in facts.candidates if c.phrase == read.meant), "")
        node = next((n for n in self._actions if str(n.action) == selected and n.state == "blocked"), None)
        condition = self._condition_of(node) if node is not None else None
        if node is not None and condition is not None:
            yield said("found", f"Call {call.number}, before that, selected {quoted(node.text)}; it was found to be blocked: "
                                f"{quoted(condition.text)}.", link(call), Evidence("blocking", condition.text, node.action),
                       figures={"call": call.number})

    def _selected(self, last: list[AskedCall], chosen: Action, seen: Evidence) -> Iterator[Sentence]:
        facts = last[-1].request.facts
        assert isinstance(facts, SelectionFacts), "selections are those with these facts"
        spoken = next((c.phrase for c in facts.candidates if c.action == str(chosen)), "")
        total, read = len(facts.candidates), last[-1].grounding
        yield replied(last[-1])
        if read is not None and read.meant and read.meant == spoken:
            yield said("selection", f"The model selects {words(chosen)} among {count(total, 'candidate')}.", seen,
                       link(last[-1]), figures={"candidates": total})
        elif read is not None and not read.meant:
            yield said("selection", f"None of {count(len(last), 'answer')} names one of the {count(total, 'candidate')}; "
                                    f"{words(chosen)} is the one that was tried least often.", seen, link(last[-1]),
                       figures={"answers": len(last), "candidates": total})

    def _last_selection(self) -> list[AskedCall]:
        """Returns the calls of the last selection: those at the end of the turn that list the offered candidates."""
        offered = set(map(str, self._offered))
        found: list[AskedCall] = []
        for call in reversed(self._selections):
            facts = call.request.facts
            if not isinstance(facts, SelectionFacts) or {c.action for c in facts.candidates} != offered:
                break
            found.append(call)
        return found[::-1]

    # --- the other action --------------------------------------------------------
    def place_of(self, other: Action) -> Iterator[Sentence]:
        """Yields where the other action stands in the tree, or why it is not there."""
        node = self._node_of(other)
        if node is None or node.action is None:
            yield from self._absent(other)
            return
        name = words(other) if node.action == other else f"{words(other)}, in the tree as {quoted(node.text)},"
        seen = Evidence("blocking", f"blocking tree: {node.text}", node.action)
        if node.state == "banned":
            yield said("other", f"{name} is banned in the tree.", seen)
        elif node.state == "blocked":
            yield from self._blocked(node, name, seen)
        else:
            yield from self._free(node, name, seen)

    def _blocked(self, node: BlockingNode, name: str, seen: Evidence) -> Iterator[Sentence]:
        condition = self._condition_of(node)
        if condition is None:
            return
        yield said("other", f"{name} is blocked: {quoted(condition.text)}.", seen)
        if self._chosen is not None and node in (above := list(self._above(self._chosen))):
            steps = sum(n.kind == "action" for n in above[:above.index(node)])
            between = f"{count(steps, 'other blocked action')} between" if steps else "no other action between"
            yield said("between", f"{quoted(self._chosen.text)} works on that, with {between}.", seen,
                       figures={"between": steps})

    def _free(self, node: BlockingNode, name: str, seen: Evidence) -> Iterator[Sentence]:
        action = node.action
        above = list(self._above(node))
        goal, place = above[-1].text if above else "", self._by_id.get(node.parent)
        aim = (f"achieves the goal part {quoted(goal)}" if place is None or place.kind == "goal" else
               f"{'brings' if node.certain else 'may bring'} about {quoted(place.text)} for the goal part {quoted(goal)}")
        if action in self._offered:
            listed = Evidence("candidates", f"candidates: {node.text}", action)
            yield said("other", f"{name} is a candidate, too: it {aim}.", seen, listed)
            yield from self._done_before(action, name)
            return
        yield said("other", f"{name} can be done and {aim}, but it was not offered: what was refused, or done before in the "
                            "same situation, is left out.", seen)
        yield from self._done_before(action, name)

    def _done_before(self, action: Action | None, name: str) -> Iterator[Sentence]:
        """Yields how often the history in the last prompt of the turn holds an action."""
        last = self._selections[-1] if self._selections else None
        if last is not None and isinstance(last.request.facts, SelectionFacts):
            times = last.request.facts.history.count(str(action))
            if times:
                yield said("before", f"The prompt's history holds {name} {count(times, 'time')}.", link(last),
                           figures={"times": times})

    def _absent(self, other: Action) -> Iterator[Sentence]:
        candidates = sum(node.state in LEAVES for node in self._actions)
        figures = {"actions": len(self._actions), "candidates": candidates}
        text = (f"{words(other)} is not in the tree, which holds {count(len(self._actions), 'action')}, {candidates} of them "
                f"candidates")
        named = [thing for thing in other.args if any(thing in (n.action.args if n.action else ()) for n in self._actions)]
        strange = [thing for thing in other.args if thing not in named]
        if strange:
            text += f"; no action of the tree is about {' or '.join(strange)}"
        yield said("tree", f"{text}.", Evidence("blocking", "blocking tree"), Evidence("candidates", "candidates"),
                   figures=figures)
        yield from self._offers()

    def _offers(self) -> Iterator[Sentence]:
        """Yields what the table offers for the condition that the chosen action resolves."""
        table = self._decision.newest(BlockingTable)
        condition = next((n for n in self._above(self._chosen) if n.kind == "condition"), None) if self._chosen else None
        if table is None or condition is None:
            return
        kind = next((kind for kind, texts in CONDITIONS.items() if texts.short == condition.short[0]), "")
        row = next((row for row in table.resolved_by if row.name == kind), None)
        if row is not None:
            entries = quoted(", ".join(row.entries)) if row.entries else "nothing"
            yield said("table", f"For the condition “{kind}” ({quoted(condition.text)}) the table offers {entries}.",
                       Evidence("blocking_table", f"conditions: {kind}"), Evidence("blocking", condition.text))

    # --- nodes ---------------------------------------------------------------------
    def _condition_of(self, node: BlockingNode) -> BlockingNode | None:
        """Returns the condition that blocks an action."""
        below = (n for n in self._tree.nodes if n.parent == node.id and n.kind == "condition")
        return next((n for n in below if n.state == "blocked"), None)

    def _above(self, node: BlockingNode) -> Iterator[BlockingNode]:
        """Yields the nodes above one, from its parent to its goal."""
        for _ in self._tree.nodes:  # in a damaged recording a node may be above itself
            parent = self._by_id.get(node.parent)
            if parent is None:
                return
            yield parent
            node = parent

    def _node_of(self, action: Action) -> BlockingNode | None:
        """Returns the node of an action: of this action itself, or with the class of an object that is not known yet."""
        order = {"candidate": 0, "chosen": 1, "blocked": 2}
        exact = [n for n in self._actions if n.action == action]
        general = [n for n in self._actions if n.action is not None and _covers(n.action, action)]
        return min(exact or general, key=lambda n: order.get(n.state, 3), default=None)


def _covers(general: Action, action: Action) -> bool:
    """Returns True if an action of the tree becomes another one when classes are replaced by ids: `grab mug`, `grab mug_2`."""
    return general.verb == action.verb and len(general.args) == len(action.args) and all(
        a == b or b.rpartition("_")[0] == a for a, b in zip(general.args, action.args, strict=True))
