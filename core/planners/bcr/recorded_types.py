"""The types of BCR that a recording holds: its facets and the facts of its prompt. The table can be kept as a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal

from core.common.errors import DataError, UsageError
from core.common.json_fields import Field, read_json
from core.common.readings import plain
from core.common.recorded import ADDED
from core.goals.literals import Goal
from core.planning.facets import Facet, FacetPanel
from core.planning.measures import Context, Measure, Reader, number
from core.planning.prompt_facts import PlaceFact
from core.views import values as views
from core.views.addresses import Address, index_at, section_at
from core.views.wording import count
from core.world.vocabulary import Action, Value, in_words, verb_words


@dataclass(frozen=True, slots=True)
class CandidateFact(Value):
    """One candidate action as the prompt lists it.

    Attributes:
        action: `verb id id`; objects not known yet are named by their class.
        phrase: the action as the prompt phrases it.
        goal: index of the literal it serves; -1 if the prompt does not say it. Then `depth` is 0, `resolves` is empty,
            `subject` is the class of the action's first argument, and `certain` is True.
        depth: the number of blocked actions between it and that literal.
        resolves: the kind of need it may bring about (`conditions.CONDITIONS`); empty if it achieves the literal.
        subject: the class that the need, or the literal, concerns.
        certain: True if it surely has that effect, False if possibly.
        place: the furniture or room of the action, if it has one.
    """

    action: str
    phrase: str
    goal: int
    depth: int
    resolves: str
    subject: str
    certain: bool
    place: PlaceFact | None = None


@dataclass(frozen=True, slots=True)
class SelectionFacts(Value):
    """Request: which candidate is next? BCR, §IV-B.

    Attributes:
        goal: all literals.
        done: indices of the literals that hold.
        candidates: in the order of the prompt.
        holding: (id, class) of the held objects.
        history: the executed actions, as `verb id id`.
        blocked: the conditions that block actions of the tree, as (kind, id or class, class) of what each concerns; only if the
            prompt does not say what the candidates resolve.
    """

    goal: Goal
    done: tuple[int, ...]
    candidates: tuple[CandidateFact, ...]
    holding: tuple[tuple[str, str], ...]
    history: tuple[str, ...]
    blocked: tuple[tuple[str, str, str], ...] = field(default=(), metadata=ADDED)


BlockingKind = Literal["goal", "action", "condition", "resolution"]
BlockingState = Literal["open", "blocked", "candidate", "chosen", "reached", "banned"]


@dataclass(frozen=True, slots=True)
class BlockingNode:
    """One node.

    Attributes:
        id: stable as long as the node is in the tree.
        parent: id of the parent; -1 for a goal.
        kind: a goal literal, an action tried or to be tried, a condition that blocks it, or a literal that resolves the
            condition.
        text: a description.
        state: of an action: blocked, candidate, chosen or banned; of a goal or resolution: open or reached; of a condition:
            blocked or reached.
        short: the description in two short lines; the second may be empty.
        action: the action, for action nodes; objects not known yet are named by their class.
        certain: for action nodes: True if the action surely has the effect it is chosen for.
        by_operator: True if an operator added the node or set its state.
        tried: for action nodes: the step at which the action was last executed, from 1; 0: never.
    """

    id: int
    parent: int
    kind: BlockingKind
    text: str
    state: BlockingState
    short: tuple[str, str] = ("", "")
    action: Action | None = None
    certain: bool = True
    by_operator: bool = False
    tried: int = field(default=0, metadata=ADDED)

    @property
    def edits(self) -> tuple[views.Edit, ...]:
        """What an operator can do to it, the most likely first."""
        found: list[views.Edit] = []
        if self.kind == "action":
            if self.state == "candidate" or (self.state == "chosen" and not self.by_operator):
                found.append(CHOOSE)
            if self.state in ("candidate", "chosen"):
                found.append(BAN)
            elif self.state == "banned" and self.by_operator:
                found.append(ALLOW)
        elif self.kind in ("condition", "resolution"):
            found += [UNRESOLVE if self.state == "reached" else RESOLVE, ADD]
        return tuple(found)


    def item(self) -> views.Item:
        """Returns it as an item of a view."""
        about = views.About(() if self.action is None else self.action.args, self.action)
        marks = (*self.marks(), *(() if self.certain else (views.POSSIBLY,)))
        shape: views.Shape = "octagon" if self.state == "blocked" else "pill"
        return views.Item(f"{self.kind}: {self.text}", self.text, (self.kind,), marks, about, self.edits,
                          shape=shape if self.kind == "action" else "diamond" if self.kind == "condition" else "box",
                          brief="" if shape == "pill" and self.kind == "action" else "\n".join(filter(None, self.short)))

    def marks(self, *, candidate: bool = True) -> tuple[views.Mark, ...]:
        """Returns its state, and whether an operator set it. `candidate`: also that it is one, which most leaves are."""
        state = (BLOCKS_NOW if self.kind == "condition" and self.state == "blocked" else
                 WANTED if self.kind == "resolution" and self.state == "open" else STATES[self.state])
        return (*((state,) if candidate or self.state != "candidate" else ()), *((views.EDITED,) if self.by_operator else ()))

    def why(self, resolution: str) -> str:
        """Returns why it is a candidate: the resolution it leads to, or that it was added; or when it was tried."""
        if self.tried and self.state == "candidate":
            return f"tried in step {self.tried}"
        if self.by_operator and self.state == "candidate":
            return "added by the operator"
        return f"{'leads to' if self.certain else 'may lead to'} {resolution}" if resolution else ""


LEAVES: Sequence[BlockingState] = ("chosen", "candidate", "banned")
"""The states of actions that nothing blocks."""
CHOOSE = views.Edit("choose", "Choose this next", key="Return", icon="check")
BAN, ALLOW = (views.Edit("ban", "Ban it from the candidates", key="X", icon="ban"),
              views.Edit("allow", "Allow it again", key="X", icon="ban"))
RESOLVE, UNRESOLVE = (views.Edit("resolve", "Mark as resolved", key="R", icon="check"),
                      views.Edit("unresolve", "Mark as unresolved", key="R", icon="check"))
ADD = views.Edit("add", "Add a resolution", views.Act(hint="such as open drawer 3"), key="A", icon="add")


@dataclass(frozen=True, slots=True)
class ResolvedBranch:
    """A condition that no longer blocks.

    Attributes:
        text: the condition.
        blocked: the action it blocked.
        by: what resolved it.
        step: the step at which it was resolved.
    """

    text: str
    blocked: str
    by: str
    step: int


def _blocking(tree: BlockingTree) -> tuple[str, ...]:
    """Returns the conditions that block now."""
    return tuple([node.text for node in tree.nodes if node.kind == "condition" and node.state != "reached"])


def _is_blocked(text: str) -> Reader[BlockingTree]:
    wanted = plain(text)
    return lambda tree, at: any(wanted in plain(condition) for condition in at.index.of(tree, _blocking))


def _new_condition(tree: BlockingTree, at: Context) -> str:
    before = (at.earlier or {}).get(BlockingTree)
    known = at.index.of(before, _blocking) if isinstance(before, BlockingTree) else ()
    return next((text for text in at.index.of(tree, _blocking) if text not in known), "")


MEASURES: tuple[Measure[BlockingTree], ...] = (
    Measure("conditions", (), "number", "conditions that block now",
            lambda: lambda tree, at: len(at.index.of(tree, _blocking))),
    Measure("blocked", ("text",), "truth", "a condition that contains the text blocks now", _is_blocked),
    Measure("new_condition", (), "text", "the first condition that blocks and did not block in the tree before; else empty",
            lambda: _new_condition, momentary=True),
    number("loops", "loops that were broken", lambda tree: tree.loops),
)


@dataclass(frozen=True, slots=True)
class BlockingTree(Facet):
    """The whole tree.

    An operator may set `state` (chosen, banned, reached) together with `by_operator`, and may add actions below a resolution,
    with ids less than -1. Accepting an earlier tree undoes the edits made since.

    Attributes:
        nodes: parents before children.
        history: resolved conditions, the oldest first.
        loops: how many loops were broken.
    """

    measures = MEASURES
    panels = (FacetPanel("blocking", "Blocking tree", "blocking", "What blocks the goal, and what resolves it.",
                         ("Tree", "Resolved")),
              FacetPanel("candidates", "Candidates", "ranking", "Actions that are possible now and may help.",
                         ("Candidates",)))
    nodes: tuple[BlockingNode, ...]
    history: tuple[ResolvedBranch, ...] = ()
    loops: int = 0

    def view(self) -> views.Sections:
        """Returns the tree, its candidates, and the conditions that no longer block."""
        wanted = self._wanted()
        aim, loops = f" for {wanted}" if wanted else "", f" · {count(self.loops, 'loop')} broken" if self.loops else ""
        leaves = sum(node.state in LEAVES[:2] for node in self._leaves())
        return views.Sections((self._tree(), self._candidates(aim.strip()), self._resolved()),
                              headline=f"{count(leaves, 'candidate')}{aim}{loops}" if self.nodes else "")

    def _tree(self) -> views.Tree:
        """Returns the nodes. A node is another one if its kind and text are."""
        at, items = dict[int, int](), list[views.Item]()
        for node in self.nodes:
            items.append(replace(node.item(), parent=at.get(node.parent, -1)))
            at[node.id] = len(items) - 1
        return views.Tree(tuple(items), (views.Column("kind", "state"),), moves=True, title="Tree")

    def _leaves(self) -> list[BlockingNode]:
        leaves = [node for node in self.nodes if node.kind == "action" and node.state in LEAVES]
        return sorted(leaves, key=lambda node: LEAVES.index(node.state))

    def _candidates(self, aim: str) -> views.Table:
        """Returns the leaves with the reason for each: the chosen one first, then in tree order, banned ones last."""
        texts = {node.id: node.text for node in self.nodes}
        items = [replace(node.item(), values=(), note=node.why(texts.get(node.parent, "")), marks=node.marks(candidate=False),
                         edits=tuple(replace(edit, key="E") if edit is CHOOSE else edit for edit in node.edits))
                 for node in self._leaves()]
        none = "" if items or not self.nodes else "No candidate is left."
        return views.Table(tuple(items), title="Candidates", headline=aim, note=none, repeats=True)

    def _resolved(self) -> views.Table:
        """Returns the conditions that no longer block, the last one first."""
        items = (views.Item(f"{old.text}: {old.blocked}", old.text, (old.step, old.by or None, old.blocked),
                            about=views.About(turn=old.step)) for old in reversed(self.history))
        columns = views.Column("turn", "count"), views.Column("by"), views.Column("no longer blocks")
        return views.Table(tuple(items), columns, title="Resolved")

    def _wanted(self) -> str:
        """Returns the resolution above the chosen candidate, or above the first one; empty if there is none."""
        first = next((node for node in self._leaves() if node.state in LEAVES[:2]), None)
        above = self.node(first.parent) if first is not None else None
        return above.text if above is not None else ""

    def edited(self, address: Address, edit: str, value: views.EditValue) -> BlockingTree:
        """Returns the tree after an edit of one of its nodes."""
        part, rest = section_at(self.view(), address)
        nodes = {"Tree": self.nodes, "Candidates": self._leaves()}.get(part.title)
        node = nodes[index_at(part, rest)] if nodes is not None else None
        found = next((known for known in node.edits if known.name == edit), None) if node is not None else None
        if node is None or found is None:
            raise UsageError("nothing can be changed there now: choose a candidate or a condition of the tree")
        if wrong := found.problem(value):
            raise UsageError(wrong)
        if found is not ADD:
            return self.with_edit(node, edit)
        verb, *args = str(value).split() or [""]
        known = next((n for n in self.nodes if n.action is not None and value in (n.text, str(n.action))), None)
        if known is None and not (verb.isidentifier() and all(arg.rpartition("_")[2].isdecimal() for arg in args)):
            raise UsageError(f"“{value}” is no action: write its verb and the ids of its objects, such as open drawer_3")
        action = known.action if known is not None and known.action is not None else Action(verb, tuple(args))
        return self.with_addition(node, action, known.text if known is not None else in_words(action))

    def with_edit(self, node: BlockingNode, edit: str) -> BlockingTree:
        """Returns the tree after an edit that has no value.

        Another chosen node becomes a candidate again; a condition and its resolution change together.
        """
        state, by_operator = AFTER[edit]
        pair = {node.id} if node.kind == "action" else self._pair(node)

        def after(other: BlockingNode) -> BlockingNode:
            if other.id in pair:
                fitting: BlockingState = "open" if state == "blocked" and other.kind == "resolution" else state
                return replace(other, state=fitting, by_operator=by_operator)
            is_replaced = edit == CHOOSE.name and other.state == "chosen"
            return replace(other, state="candidate", by_operator=False) if is_replaced else other

        return replace(self, nodes=tuple(map(after, self.nodes)))

    def with_addition(self, node: BlockingNode, action: Action, words: str) -> BlockingTree:
        """Returns the tree with a further candidate below a condition or its resolution."""
        below = node.id if node.kind == "resolution" else next(iter(self._pair(node) - {node.id}), node.id)
        number = min((-1, *(n.id for n in self.nodes))) - 1
        added = BlockingNode(number, below, "action", words, "candidate", (words, ""), action, certain=False, by_operator=True)
        return replace(self, nodes=(*self.nodes, added))

    def _pair(self, node: BlockingNode) -> set[int]:
        """Returns the ids of a condition and its resolution."""
        if node.kind == "resolution":
            return {node.id, node.parent}
        return {node.id, *(n.id for n in self.nodes if n.parent == node.id and n.kind == "resolution")}

    def node(self, node_id: int) -> BlockingNode | None:
        """Returns a node by its id; None if it is not in the tree."""
        return next((n for n in self.nodes if n.id == node_id), None)


AFTER: Mapping[str, tuple[BlockingState, bool]] = MappingProxyType({
    CHOOSE.name: ("chosen", True), BAN.name: ("banned", True), ALLOW.name: ("candidate", False),
    RESOLVE.name: ("reached", True), UNRESOLVE.name: ("blocked", False)})
"""The state that an edit gives a node, and whether it is the operator's then."""
BLOCKS_NOW, WANTED = views.Mark("blocks", "warn"), views.Mark("wanted", "aim")
STATES: Mapping[BlockingState, views.Mark] = MappingProxyType({
    "open": views.Mark("open"), "blocked": views.BLOCKED, "candidate": views.Mark("candidate"), "chosen": views.CHOSEN,
    "reached": views.REACHED, "banned": views.BANNED})


# --- the table of conditions -----------------------------------------------------------
MOST_ROWS, MOST_ENTRIES, LONGEST_ENTRY = 100, 30, 60
"""The limits of a table: rows of each part, entries of a row, characters of an entry."""
POSSIBLY = "? "
"""Stands before a resolution that has the desired effect only possibly (`possibly_true` in the paper)."""


@dataclass(frozen=True, slots=True)
class TableRow(Value):
    """A row of the table: an action and what may block it, or a condition and what resolves it.

    Attributes:
        name: a verb, or the kind of a condition.
        entries: kinds of conditions or actions, each with the indices of its arguments (`near 1`, `? clear 0 1`), in the order
            in which they are assessed or offered.
    """

    name: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConditionWords(Value):
    """A kind of condition that a table can use.

    Attributes:
        kind: its name in the table.
        arguments: the number of its arguments.
        blocks: what is said while it blocks; `{0}` is its first argument.
    """

    kind: str
    arguments: int
    blocks: str

    def words(self, about: Sequence[str]) -> str:
        """Returns what is said while it blocks: `Y is closed`. `about`: the arguments of an entry of the table."""
        words = self.blocks
        for k, word in enumerate(about):
            words = words.replace(f"{{{k}}}", object_name(word))
        return words


@dataclass(frozen=True, slots=True)
class ActionWords(Value):
    """An action that a table can use: a verb of the world, or a search for actions.

    Attributes:
        name: its name in the table.
        arguments: the number of its arguments.
    """

    name: str
    arguments: int


@dataclass(frozen=True, slots=True)
class BlockingTable(Facet):
    """The table action -> condition -> resolution (BCR, section III-A). An operator may change its rows.

    Attributes:
        blocked_by: a row for each verb.
        resolved_by: a row for each condition.
        conditions: all conditions that the rows can use.
        actions: all actions that the rows can use.
    """

    blocked_by: tuple[TableRow, ...]
    resolved_by: tuple[TableRow, ...]
    conditions: tuple[ConditionWords, ...] = ()
    actions: tuple[ActionWords, ...] = ()
    describes_planner: ClassVar[bool] = True
    panels = (FacetPanel("blocking_table", "Conditions", "plan",
                         "What blocks each action, and what resolves that, once the planner has begun."),)

    def view(self) -> views.Tree:
        """Returns the conditions of each action with what resolves them, then the conditions that no action lists."""
        conditions, resolved = {c.kind: c for c in self.conditions}, {row.name: row.entries for row in self.resolved_by}
        objects, items, listed = {a.name: a.arguments for a in self.actions}, list[views.Item](), set[str]()

        def add(entries: Iterable[str]) -> None:
            parent = len(items) - 1
            for entry in entries:
                kind, about = parsed(entry)
                words = conditions[kind].words(about) if kind in conditions else entry
                ways = ", ".join(resolution_words(way, [object_name(word) for word in about]) for way in resolved.get(kind, ()))
                edit = replace(RESOLUTIONS, title=f"“{kind}” is resolved by",
                               form=views.Write(", ".join(resolved.get(kind, ())), ENTRIES))
                items.append(views.Item(entry, words, (ways or "nothing",), edits=(edit,), parent=parent))
                listed.add(kind)

        for row in self.blocked_by:
            text = " ".join((verb_words(row.name), ", ".join(OBJECTS[:objects.get(row.name, 0)]))).strip()
            edit = replace(BLOCKS, form=views.Write(", ".join(row.entries), ENTRIES))
            items.append(views.Item(row.name, text, edits=(edit,), note="" if row.entries else "never blocked"))
            add(row.entries)
        if others := [row.name for row in self.resolved_by if row.name not in listed]:
            items.append(views.Item("", "other conditions"))
            add(" ".join((kind, *"01"[:conditions[kind].arguments])) if kind in conditions else kind for kind in others)
        return views.Tree(tuple(items), (views.Column("resolved by", about="“?”: it helps only possibly", tone="aim"),),
                          texts=views.Column("action is blocked if", tone="warn"),
                          headline=f"{count(len(self.blocked_by), 'action')} · {count(len(self.resolved_by), 'condition')}")

    def edited(self, address: Address, edit: str, value: views.EditValue) -> BlockingTable:
        """Returns the table with other conditions of an action, or other resolutions of a condition, separated by commas."""
        view = self.view()
        found = view.items[index_at(view, address)].edit(edit)
        if found is None or not isinstance(value, str):
            raise UsageError("nothing can be changed there so: choose an action or a condition of the table")
        entries = tuple(" ".join(entry.split()) for entry in value.split(",") if entry.strip())
        after = (replace(self, blocked_by=_with_row(self.blocked_by, address[0], entries)) if edit == BLOCKS.name else
                 replace(self, resolved_by=_with_row(self.resolved_by, parsed(address[-1])[0], entries)))
        if wrong := after.problem():
            raise UsageError(wrong)
        return after

    def problem(self) -> str:
        """Returns the first entry that cannot be used, and how to mend it, in one line; empty if the table can be used."""
        conditions, actions = {c.kind: c for c in self.conditions}, {a.name: a for a in self.actions}
        for part, rows in (("blocked_by", self.blocked_by), ("resolved_by", self.resolved_by)):
            names = [row.name for row in rows]
            if len(names) > MOST_ROWS or len(set(names)) < len(names):
                return f"{part} takes {MOST_ROWS} rows, each name once: remove some"
            for row in rows:
                if row.name not in (actions if part == "blocked_by" else conditions):
                    return f"“{row.name[:40]}” in {part} is not known here: choose one of the table's names"
                if len(row.entries) > MOST_ENTRIES or len(set(row.entries)) < len(row.entries):
                    return f"{row.name} takes {MOST_ENTRIES} entries, each once: remove some"
                for entry in row.entries:
                    wrong = (_wrong_condition(entry, actions[row.name], conditions) if part == "blocked_by"
                             else _wrong_action(entry, conditions[row.name], actions))
                    if wrong:
                        return f"“{entry[:LONGEST_ENTRY]}” of {row.name}: {wrong}"
        return ""

    def file_text(self) -> str:
        """Returns the rows as the text of a file."""
        return json.dumps({"kind": TABLE_KIND, "version": 1, "blocked_by": {r.name: r.entries for r in self.blocked_by},
                           "resolved_by": {r.name: r.entries for r in self.resolved_by}}, indent=2, ensure_ascii=False) + "\n"

    def with_file(self, path: Path) -> BlockingTable:
        """Returns this table with the rows of a file.

        Raises:
            DataError: the file cannot be read, is no such table, or has an entry that cannot be used here.
        """
        cure = "save a table from the window, or give another file"
        content = Field(read_json(path, cure, most_bytes=2**20), str(path), cure)
        if content.field("kind").value != TABLE_KIND or content.field("version").value != 1:
            content.fail("is no table of conditions")
        found = replace(self, blocked_by=_rows(content.field("blocked_by")), resolved_by=_rows(content.field("resolved_by")))
        if wrong := found.problem():
            raise DataError(f"{path}: {wrong}.")
        return found


TABLE_KIND = "bcr table"
OBJECTS = "XYZ"
"""The names of an action's objects, by their numbers."""
ENTRIES = "separated by commas; 0 is X and 1 is Y; “? ” before a resolution: it helps only possibly"
BLOCKS, RESOLUTIONS = views.Edit("blocks", "is blocked by", views.Write()), views.Edit("resolutions", "", views.Write())


def object_name(word: str) -> str:
    """Returns the name of an argument: `0` is X, `?cuts` something that cuts."""
    return OBJECTS[int(word)] if word.isdecimal() and int(word) < len(OBJECTS) else f"something that {word.removeprefix('?')}"


def resolution_words(entry: str, names: Sequence[str]) -> str:
    """Returns a resolution in words: `? search 0` becomes `? search X`.

    Args:
        entry: an entry of the table.
        names: the names of the condition's arguments.
    """
    name, about = parsed(entry)
    objects = ", ".join(names[int(w)] if w.isdecimal() and int(w) < len(names) else w for w in about)
    return f"{POSSIBLY if entry.startswith(POSSIBLY) else ''}{f'{verb_words(name)} {objects}'.strip()}"


def _with_row(rows: tuple[TableRow, ...], name: str, entries: tuple[str, ...]) -> tuple[TableRow, ...]:
    """Returns the rows with other entries in one of them, which is added if it is not there."""
    row = TableRow(name, entries)
    known = any(other.name == name for other in rows)
    return tuple(row if other.name == name else other for other in rows) if known else (*rows, row)


def parsed(entry: str) -> tuple[str, tuple[str, ...]]:
    """Returns the name of an entry and its arguments: indices, or for conditions a `?property`."""
    words = entry.removeprefix(POSSIBLY).split()
    about = tuple(w for w in words if w.isdecimal() or w.startswith("?"))
    return " ".join(w for w in words if w not in about), about


def _wrong_condition(entry: str, action: ActionWords, conditions: Mapping[str, ConditionWords]) -> str:
    kind, about = parsed(entry)
    known = conditions.get(kind)
    if known is None or entry.startswith(POSSIBLY):
        return f"write a condition, such as {next(iter(conditions), '')}"
    if len(about) != known.arguments:
        return f"{kind} is about {known.arguments} of the action's objects: write their numbers after it, from 0"
    return _wrong_index(about, action.name, action.arguments)


def _wrong_action(entry: str, condition: ConditionWords, actions: Mapping[str, ActionWords]) -> str:
    name, about = parsed(entry)
    known = actions.get(name)
    if known is None:
        return "write an action of the table, with “? ” before it if it helps only possibly"
    if len(about) != known.arguments:
        return f"{name} is about {known.arguments} of the condition's objects: write their numbers after it, from 0"
    if not all(map(str.isdecimal, about)):
        return "a resolution names objects by their numbers only"
    return _wrong_index(about, condition.kind, condition.arguments)


def _wrong_index(about: tuple[str, ...], name: str, count: int) -> str:
    if any(w.isdecimal() and (len(w) > 1 or int(w) >= count) for w in about):
        return f"{name} has {count} objects, numbered from 0"
    return ""


def _rows(field: Field) -> tuple[TableRow, ...]:
    if not isinstance(field.value, dict) or len(field.value) > MOST_ROWS:
        field.fail(f"is no object of at most {MOST_ROWS} rows")
    return tuple(TableRow(str(name), tuple(field.field(name).texts(MOST_ENTRIES))) for name in field.value)
