"""BCR's tree for the model and for the operator: the selection prompt with its reply, and the nodes shown with their edits.

The prompt has the eight parts of the paper (BCR, §IV).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.errors import UsageError
from core.goals.kinds import KINDS, name_in_words
from core.goals.literals import ROBOT_WORDS, Goal, Literal
from core.llm.grounding import ground_action
from core.planners.bcr.conditions import CONDITIONS, Need, Situation
from core.planners.bcr.recorded_types import (
    BlockingNode,
    BlockingState,
    CandidateFact,
    ResolvedBranch,
    SelectionFacts,
)
from core.planners.bcr.tree import GoalTrees, Node, OperatorMarks, Tree
from core.planning.facets import Grounding
from core.planning.model_requests import OPEN, Expects, Message, ModelReply, ModelRequest, prompt
from core.planning.names import Names
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import CONTAINER, Action, ActionSchema, definite, spaced, verb_words

FORM = re.compile(r"\$\$\s*(.+?)\s*\$\$", re.DOTALL)
SURE = 0.85
"""The minimum score at which a reply counts as one of the candidates."""
SHOWN = 200
UNKNOWN = {"?cuts": "something that cuts", "?heats": "something that heats", "?rinses": "sink with its tap",
           "?brews": "coffee machine"}


class Words:
    """The phrases of actions and needs."""

    def __init__(self, now: Situation, schemas: Sequence[ActionSchema]):
        self._names, self._schemas = Names(now.view.entities, schemas), {s.verb: s for s in schemas}

    def thing(self, term: str) -> str:
        """Returns the name of an object, a class, one more of a class, or a wanted property."""
        cls, _, source = term.removeprefix("+").partition("@")
        if source:
            return f"{self._names(cls)} from {definite(self._names(source))}"
        other = "other " if term.startswith("+") else ""
        return UNKNOWN.get(term) or other + (name_in_words(cls) if cls in KINDS else self._names(cls))

    def the(self, term: str) -> str:
        """Returns the same as part of a sentence: `the mug`, `cabinet 3`, `something that cuts`."""
        thing, _, place = (name := self.thing(term)).partition(" from ")
        if place:
            return f"{definite(thing)} from {place}"
        return name if name.startswith("something ") else definite(name)

    def action(self, action: Action) -> str:
        """Returns an action as a phrase: `put the mug inside the coffee machine`."""
        schema, names = self._schemas.get(action.verb), tuple(self.thing(a) for a in action.args)
        if schema is None or len(schema.roles) != len(names):
            return " ".join((action.verb, *names))
        return schema.phrase_of(tuple(map(self.the, action.args)))

    def actions(self, actions: Iterable[Action]) -> tuple[str, ...]:
        """Returns the phrases of several actions; equal phrases are extended by their ids."""
        listed = list(actions)
        phrases = [self.action(a) for a in listed]
        return tuple(p if phrases.count(p) == 1 else f"{p} ({' '.join(a.args)})" for p, a in zip(phrases, listed, strict=True))

    def blocks(self, need: Need) -> str:
        """Returns the phrase of a blocking condition: `the mug is not in view`."""
        return self._filled(CONDITIONS[need.kind].blocks, need)

    def resolved(self, need: Need) -> str:
        """Returns the phrase of a resolved condition: `the mug in view`."""
        return self._filled(CONDITIONS[need.kind].resolved, need)

    def about(self, need: Need) -> str:
        """Returns the arguments of a need: `mug · coffee machine`."""
        return " · ".join(map(self.thing, need.args))

    def short(self, action: Action) -> tuple[str, str]:
        """Returns an action as two short lines: verb and object, then the target."""
        things = [self.thing(a) for a in action.args]
        return " ".join((action.verb.replace("_", " "), *things[:1])), " ".join(things[1:])

    def _filled(self, text: str, need: Need) -> str:
        return text.format(*map(self.the, need.args), *("the thing",) * 2)


@dataclass(frozen=True)
class Choice:
    """The candidates of one selection and its situation.

    Attributes:
        goal: the literals.
        now: the situation.
        tree: the trees of all literals.
        nodes: the candidates.
        schemas: the verbs of the world.
        done: indices of the literals that hold.
        history: the executed actions.
        notes: recent refusals.
    """

    goal: Goal
    now: Situation
    tree: Tree
    nodes: tuple[Node, ...]
    schemas: tuple[ActionSchema, ...]
    done: tuple[int, ...]
    history: tuple[Action, ...]
    notes: tuple[str, ...] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The candidates' actions."""
        return tuple(n.action for n in self.nodes if n.action is not None)

    def ask(self, complaints: tuple[str, ...], *, hints: bool, listed: bool, fresh: int) -> ModelRequest:
        """Returns the model request: eight parts, one message each.

        Args:
            complaints: notes about earlier replies.
            hints: True to say beside each candidate what it achieves or resolves. The paper's prompt lists the actions alone
                (appendix A).
            listed: True to constrain the reply to the list.
            fresh: the resampling round.
        """
        words = Words(self.now, self.schemas)
        spoken = words.actions(self.actions)
        phrases = tuple(f"$$ {p} $$" for p in spoken)
        lines = [f"{p} – {self._why(n, words)}" if hints else p for n, p in zip(self.nodes, phrases, strict=True)]
        messages = self._messages(words, lines, complaints)
        expects = Expects(phrases if listed else ())
        return ModelRequest("selection", messages, f"{len(phrases)} candidates", self.facts(spoken, hints=hints), expects,
                   temperature=OPEN, max_tokens=300, fresh=fresh)

    def _messages(self, words: Words, lines: Sequence[str], complaints: tuple[str, ...]) -> tuple[Message, ...]:
        agent, literals = self.now.view.agent, self.goal.literals
        blocked = dict.fromkeys(f"cannot {words.action(action)}: {words.blocks(need)}" for action, need in self._blocked())
        remain = [f"[{k + 1}] {x}" for k, x in enumerate(literals) if k not in self.done]
        return (
            *prompt("bcr", "role"), *prompt("bcr", "instructions"),
            *prompt("bcr", "history", room=words.thing(agent.room or "house"),
                    holding=", ".join(map(words.the, agent.holding)) or "nothing",
                    actions=_listed(words.action(a) for a in self.history)),
            *prompt("bcr", "done", done=_listed(f"[{k + 1}] {literals[k]}" for k in self.done)),
            *prompt("bcr", "candidates", candidates="\n".join(lines)),
            *prompt("bcr", "goals", goals=_listed(remain)),
            *prompt("bcr", "errors", errors=_listed((*blocked, *self.notes, *complaints))),
            *prompt("bcr", "form"),
        )

    def _blocked(self) -> Iterator[tuple[Action, Need]]:
        """Yields the blocked actions of the tree, each with its condition."""
        for node in self.tree.nodes.values():
            if node.kind == "condition" and node.need is not None:
                action = self.tree.nodes[node.parent].action
                if action is not None:
                    yield action, node.need

    def _why(self, node: Node, words: Words) -> str:
        """Returns the purpose of an action and the literal it serves."""
        need = self.need_of(node)
        if need is None:
            return f"achieves [{node.goal + 1}]"
        return f"{'' if node.certain else 'possibly '}resolves “{words.blocks(need)}” of [{node.goal + 1}]"

    def need_of(self, node: Node) -> Need | None:
        """Returns the need a candidate may bring about; None if it achieves a literal."""
        return self.tree.nodes[node.parent].need

    def facts(self, spoken: tuple[str, ...], *, hints: bool) -> SelectionFacts:
        """Returns the facts of the request: what the prompt says. Without `hints` a candidate is its action alone."""
        agent = self.now.view.agent
        blocked = dict.fromkeys((need.kind, need.args[0], self._cls(need.args[0]))
                                for _, need in self._blocked() if need.args and not hints)
        return SelectionFacts(self.goal, self.done,
                              tuple(self._fact(n, said, hints=hints) for n, said in zip(self.nodes, spoken, strict=True)),
                              tuple((h, self._cls(h)) for h in agent.holding), tuple(map(str, self.history)), tuple(blocked))

    def _fact(self, node: Node, spoken: str, *, hints: bool) -> CandidateFact:
        need, action = self.need_of(node), node.action
        assert action is not None, "a candidate is an action"
        if not hints:
            first = self._cls((action.args or ("",))[0])
            return CandidateFact(str(action), spoken, -1, 0, "", first, True, self._place(action))
        subject = need.args[0] if need is not None and need.args else (action.args or ("",))[0]
        return CandidateFact(str(action), spoken, node.goal, self.tree.depth(node), need.kind if need else "",
                             self._cls(subject), node.certain, self._place(action))

    def _cls(self, term: str) -> str:
        entity = self.now.entity(term)
        return entity.cls if entity is not None else term.removeprefix("+").partition("@")[0]

    def _place(self, action: Action) -> PlaceFact | None:
        entity = self.now.entity(action.args[-1]) if action.args else None
        if entity is None or entity.category == "object":
            return None
        room = entity.id if entity.category == "room" else entity.room or ""
        return PlaceFact(entity.id, entity.cls, room, self._cls(room), CONTAINER in entity.properties)

    # --- the answer -----------------------------------------------------------
    def understand(self, ask: ModelRequest, reply: ModelReply) -> tuple[Action | None, Grounding]:
        """Interprets a reply.

        Returns:
            The candidate that the reply names between its marks, or None if it names none clearly; and the interpretation.
        """
        said = reply.texts[0] if reply.texts else ""
        phrases = Words(self.now, self.schemas).actions(self.actions)
        spoken = dict(zip(self.actions, phrases, strict=True))
        marked = FORM.findall(said[:20_000])
        nearest = Grounding(ask.digest, (marked[0] if marked else said)[:SHOWN], "", 0.0, "none",
                            remark=reply.note if reply.misfit == "empty" else "")  # such as a refusal of the model
        for text in marked or [said]:
            match = ground_action(text, list(spoken.items()))
            clear = match.runner_up is None or match.runner_up_score < match.score or match.how == "exact"
            second = spoken[match.runner_up] if match.runner_up is not None else ""
            if match.candidate is not None and match.score >= SURE and clear:
                return match.candidate, Grounding(ask.digest, text[:SHOWN], spoken[match.candidate], match.score, match.how,
                                                  second, match.runner_up_score)
            near = match.candidate or match.runner_up
            if near is not None and match.score > nearest.score:
                nearest = replace(nearest, said=text[:SHOWN], score=match.score, runner_up=spoken[near],
                                  runner_up_score=match.score)
            if match.how == "refused":
                nearest = replace(nearest, how="refused")
        return None, nearest


def _listed(parts: Iterable[str]) -> str:
    return "; ".join(parts) or "none"


# --- the facet --------------------------------------------------------------------
SHOWN_BRANCHES = 60
"""The maximum number of resolved branches shown: the last ones."""


def shown(trees: GoalTrees, words: Words, chosen: Action | None, banned: frozenset[Action],
          done: Mapping[Action, int]) -> tuple[tuple[BlockingNode, ...], tuple[ResolvedBranch, ...]]:
    """Returns the nodes and the history of the facet. A condition node of the planner becomes two: it and its resolution.

    Args:
        trees: the planner's trees.
        words: puts actions and conditions into words.
        chosen: the action that was selected, if any.
        banned: actions that an operator banned.
        done: the step at which each executed action was executed last, from 1.
    """
    nodes: list[BlockingNode] = []
    free = {n.id for n in trees.tree.leaves(trees.marks.resolved)}
    for node in _in_order(trees):
        parent = _resolution(node.parent) if node.parent >= 0 and node.kind == "action" and _is_condition(trees, node) \
            else 2 * node.parent if node.parent >= 0 else -1
        found = _facet_nodes(node, parent, trees, words, node.id not in free, chosen, banned)
        nodes += [replace(one, tried=done.get(one.action, 0)) if one.action is not None else one for one in found]
    history = tuple(ResolvedBranch(words.resolved(b.need), words.action(b.blocked), words.action(b.by) if b.by else "", b.step)
                    for b in trees.history[-SHOWN_BRANCHES:])
    return tuple(nodes), history


def _in_order(trees: GoalTrees) -> list[Node]:
    return [n for goal in trees.tree.children(-1) for n in (goal, *trees.tree.below(goal.id))]


def _is_condition(trees: GoalTrees, node: Node) -> bool:
    return trees.tree.nodes[node.parent].kind == "condition"


def _resolution(node_id: int) -> int:
    return 2 * node_id + 1


def _wanted(literal: Literal) -> str:
    """Returns what a literal requires of its subject, in short: `on the kitchen table`, `closed`."""
    if literal.target:
        how = {"away": "no longer at"}.get(literal.predicate, literal.predicate)
        return f"{how} {definite(spaced(literal.target))}"
    if literal.predicate == "holds":
        return "in the hand"
    if literal.is_about_robot:
        return verb_words(literal.act) if literal.predicate == "done" else ROBOT_WORDS[literal.predicate]
    return ", ".join(sorted(map(spaced, literal.states)))


def _facet_nodes(node: Node, parent: int, trees: GoalTrees, words: Words, blocked: bool, chosen: Action | None,
                 banned: frozenset[Action]) -> list[BlockingNode]:
    if node.kind == "goal":
        literal = trees.goals.goal.literals[node.goal]
        done = node.goal in trees.reached and not trees.tree.children(node.id)
        return [BlockingNode(2 * node.id, parent, "goal", str(literal), "reached" if done else "open",
                             (literal.subject_words, _wanted(literal)))]
    if node.kind == "condition" and node.need is not None:
        own, kind, about = node.need in trees.marks.resolved, CONDITIONS[node.need.kind], words.about(node.need)
        return [BlockingNode(2 * node.id, parent, "condition", words.blocks(node.need), "reached" if own else "blocked",
                             (kind.short, about), by_operator=own),
                BlockingNode(_resolution(node.id), 2 * node.id, "resolution", words.resolved(node.need),
                             "reached" if own else "open", (kind.short_resolved, about), by_operator=own)]
    assert node.action is not None, "an action's"
    marks = trees.marks
    state: BlockingState = "blocked" if blocked else "candidate"
    if node.action in marks.banned or node.action in banned:
        state = "banned"
    elif not blocked and node.action in (chosen, marks.chosen):
        state = "chosen"
    own = node.added or node.action in marks.banned or (state == "chosen" and node.action == marks.chosen)
    return [BlockingNode(2 * node.id, parent, "action", words.action(node.action), state, words.short(node.action), node.action,
                         node.certain, own)]


def edited(after: Sequence[BlockingNode], before: Sequence[BlockingNode], trees: GoalTrees) -> OperatorMarks:
    """Returns the operator marks of an edit.

    Args:
        after: the edited nodes.
        before: the nodes that were shown.
        trees: the planner's trees.

    Raises:
        UsageError: the edit refers to removed nodes, or adds an action where none can be.
    """
    old = {n.id: n for n in before}
    marks = OperatorMarks(None, trees.marks.banned, trees.marks.resolved, dict(trees.marks.added))
    for node in after:
        if node.state == "chosen" and node.by_operator:
            marks.chosen = node.action
        if node.id < 0:
            _add(node, marks, trees)
        elif node.id in old and node.state != old[node.id].state:
            _change(node, old[node.id].state, marks, trees)
    return _without_removed(after, old, marks, trees)


def _change(node: BlockingNode, before: BlockingState, marks: OperatorMarks, trees: GoalTrees) -> None:
    if node.action is not None:
        if node.state == "banned":
            marks.banned |= {node.action}
        elif before == "banned":
            marks.banned -= {node.action}
        return
    need = _need(node, trees)
    marks.resolved = marks.resolved | {need} if node.state == "reached" else marks.resolved - {need}


def _need(node: BlockingNode, trees: GoalTrees) -> Need:
    own = trees.tree.nodes.get(node.id // 2)
    if own is None or own.need is None:
        raise UsageError(f"“{node.text}” is no condition of the tree any more: look at the present one")
    return own.need


def _add(node: BlockingNode, marks: OperatorMarks, trees: GoalTrees) -> None:
    parent = trees.tree.nodes.get(node.parent // 2)
    if node.action is None or parent is None or parent.need is None:
        raise UsageError("a resolution is an action below a condition that still blocks: choose one in the tree")
    there = marks.added.get(parent.need, ())
    if node.action not in there:
        marks.added[parent.need] = (*there, node.action)


def _without_removed(after: Sequence[BlockingNode], old: dict[int, BlockingNode], marks: OperatorMarks,
                     trees: GoalTrees) -> OperatorMarks:
    """Removes the marks of added actions that the edit no longer contains (an undo)."""
    kept = {n.id for n in after}
    for node in old.values():
        own, under = trees.tree.nodes.get(node.id // 2), trees.tree.nodes.get(node.parent // 2)
        added = node.id < 0 or (own is not None and own.added)
        if node.id not in kept and added and under is not None and under.need is not None:
            marks.added[under.need] = tuple(a for a in marks.added.get(under.need, ()) if a != node.action)
    return marks
