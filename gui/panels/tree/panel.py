"""The search tree panel: the planner's search as a tree that can be folded and searched."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QWidget

from core.planning.facets import Facet
from core.planning.search_facets import Ranking, SearchTree, TreeNode
from core.session.breakpoints import Breakpoint, before_action
from core.session.commands import SetBreakpoint
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.panels.tree.explanation import NodeCard, evidence, node_words
from gui.panels.tree.find import Finder, FoldedStrip
from gui.panels.tree.layout import LEAST_VISITS, Folding, Layout, lay_out, next_item, nothing, path_keys, selected_items
from gui.panels.tree.painting import TreeCanvas, TreeMarks
from gui.theme.boxes import FLUSH, vbox
from gui.widgets import Line, StaleOverlay, tool_action
from gui.widgets import numbers as say
from gui.widgets.search import FindField, SearchStrip

MANY_FOLDED = 1000
"""The number of folded nodes from which the panel shows how to see them."""
READ_OUT = 30


class TreePanel(Panel):
    """The search tree panel, left to right with the best line on top.

    0 fits the tree, V follows the best line, Ctrl+F finds a node.
    """

    name: ClassVar[str] = "tree"
    title: ClassVar[str] = "Search tree"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({SearchTree})
    icon: ClassVar[str] = "tree"
    previews: ClassVar[bool] = True

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot, self._tree, self._layout = Snapshot(), SearchTree((), 0), nothing()
        self._unfolded: frozenset[int] = frozenset()
        self._pinned: tuple[int, ...] = ()
        self._found: tuple[int, ...] = ()
        self._finder = Finder()
        self._clicked: int | None = None
        theme = context.theme
        self.canvas, self.query, self.found = TreeCanvas(theme), FindField("Find a node"), Line(theme, "", "small", "muted",
                                                                                               shrinks=False)
        self.strip = SearchStrip(theme, self.query, self.canvas, self.found)
        self._follow = tool_action(self, theme, "Follow the principal variation", "follow", self._go, checkable=True,
                                   checked=True, key="V")
        self._fit = tool_action(self, theme, "Fit", "fit", self.fit, key="0")
        self._find = tool_action(self, theme, "Find a node", "search", self.strip.open, key="Ctrl+F")
        self._everything = tool_action(self, theme, "Show from 1 visit", "filter", self.redraw, checkable=True)
        self.folded = FoldedStrip(theme, self.strip.open, self._everything.trigger)
        self._brought: int | None = None
        self._build()
        self._connect()

    def _build(self) -> None:
        empty = self.nothing("follow", "search tree", "The search grows here, principal variation first.")
        inside = QWidget()
        vbox(self.context.theme, self.strip, (self.canvas, 1), self.folded, on=inside, spacing=0, margins=FLUSH)
        self._stale = ""
        self._overlay = StaleOverlay(self.context.theme, self.canvas)
        self._pages = self.stack(empty, inside)

    def _connect(self) -> None:
        canvas = self.canvas
        canvas.clicked.connect(self._click)
        canvas.unfold.connect(self._unfold)
        canvas.hovered.connect(self._tip)
        canvas.menu.connect(self._menu)
        canvas.stepped.connect(self._step)
        canvas.moved.connect(lambda: self._follow.setChecked(False))
        self.query.textChanged.connect(self._search)
        self.query.returnPressed.connect(self._next_found)
        self.context.selection.changed.connect(lambda _: self._paint())

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest tree."""
        self._snapshot = snapshot
        self._stale = staleness(snapshot, SearchTree, "new search")
        if self.has_changed(snapshot.facets.get(SearchTree), self.context.names.of(snapshot), snapshot.facet(Ranking),
                            snapshot.status == "paused", self._stale):
            self.redraw()

    def headline(self) -> str:
        """Returns the number of nodes, and the depth and value of the best line."""
        tree = self._snapshot.facet(SearchTree)
        if tree is None or not tree.nodes:
            return ""
        line = [i.node for i in self._layout.items if i.expected and i.depth and i.node is not None]
        best = f" · principal variation {len(line)} deep, value {say.value(line[0].value)}" if line else ""
        shown = f" · {say.whole(self._layout.shown)} shown" if self._layout.items else ""
        return f"{say.count(len(tree.nodes) + tree.folded, 'node')}{shown}{best}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions to follow, fit, find and show all."""
        return (self._follow, self._fit, self._find, self._everything)

    def redraw(self) -> None:
        """Lays out and paints the tree at once."""
        tree = self._snapshot.facet(SearchTree)
        there = tree is not None and bool(tree.nodes)
        self._pages.setCurrentIndex(int(there))
        if tree is not None and there:
            self._tree = tree
            self._laid_out(self._lay_out())

    def _lay_out(self) -> Layout:
        order = self._layout.index if self.canvas.underMouse() else {}
        least = 1 if self._everything.isChecked() else LEAST_VISITS
        folding = Folding(least, self._unfolded, frozenset((*self._pinned, *self._found)), order)
        return lay_out(self._tree, folding, self.context.theme.scale)

    def _laid_out(self, layout: Layout) -> None:
        first, self._layout = not self._layout.items, layout
        self._paint()
        self._describe()
        self._overlay.say(self._stale)
        if first:
            self.canvas.fit()
        elif self._follow.isChecked():
            self._go()
        if self._found:
            self._show_found()

    def _paint(self) -> None:
        """Paints the same layout with the current selection."""
        self.canvas.show_layout(self._layout, self._marks())

    def _marks(self) -> TreeMarks:
        ranking, items = self._snapshot.facet(Ranking), self._layout.items
        values = [r.value for r in ranking.actions if r.value is not None] if ranking is not None else []
        values = values or [i.node.value for i in items if i.node is not None and i.depth == 1 and i.visits]
        thing, indices = self.context.selection.thing(), self._layout.index

        def mentioned(node: TreeNode) -> bool:
            return bool(thing) and node.action is not None and thing in node.action.args

        moment = self._snapshot.moment_of(SearchTree)
        return TreeMarks(self.context.names.of(self._snapshot), f"turn {moment.turn}" if moment is not None else "now",
                         max(values, default=0.0), selected_items(self._layout, self.context.selection.now, self._clicked),
                         mentioned, frozenset(indices[k] for k in self._pinned if k in indices and k),
                         frozenset(indices[k] for k in self._found[-1:] if k in indices))

    def _describe(self) -> None:
        names, folded = self.context.names.of(self._snapshot), self._layout.total - self._layout.shown
        line = [i for i in self._layout.items if i.expected and i.node is not None]
        rest = [i for i in self._layout.items if not i.expected and i.node is not None]
        words = [node_words(i.node, i.chance, names, "root") for i in (*line, *rest)[:READ_OUT] if i.node is not None]
        self.canvas.setAccessibleDescription("; ".join(words))
        self.folded.setVisible(folded >= MANY_FOLDED)
        self.folded.words.say(f"{say.whole(folded)} nodes folded: branches under {LEAST_VISITS} visits")

    def fit(self) -> None:
        """Fits the tree into the canvas, as far as it stays readable."""
        self.canvas.fit()

    def _go(self) -> None:
        """Scrolls to the best line."""
        if self._follow.isChecked() and self._layout.items:
            self.canvas.show_item(0, first=True)

    # --- keys and clicks ---------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the panel's keys."""
        keys = {Qt.Key.Key_0: self._fit, Qt.Key.Key_V: self._follow}
        if event.key() == Qt.Key.Key_F and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.strip.open()
        elif event.key() in keys and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            keys[Qt.Key(event.key())].trigger()
        else:
            event.ignore()

    def _click(self, index: int) -> None:
        if not 0 <= index < len(self._layout.items):
            return
        item = self._layout.items[index]
        if item.node is None:
            self._unfold(index)
        elif item.node.action is not None:
            self._clicked = item.key
            self.context.selection.select(Selected("action", action=item.node.action))
            self._paint()

    def _step(self, key: int) -> None:
        """Moves the selection on an arrow key: to the parent, the first child, or the next branch in the same column."""
        target = next_item(self._layout, self._clicked, key)
        if target >= 0:
            self._click(target)
            self.canvas.show_item(target)

    def _unfold(self, index: int) -> None:
        item = self._layout.items[index]
        key = item.key if item.node is not None else self._layout.items[item.parent].key
        self._unfolded = self._unfolded ^ {key}
        self.redraw()

    def _tip(self, index: int) -> None:
        item = self._layout.items[index] if 0 <= index < len(self._layout.items) else None
        if item is None:
            self.canvas.show_tip("")
        elif item.node is None:
            much = f"{say.count(item.hidden, 'action')} with {say.count(item.visits, 'visit')} in all"
            self.canvas.show_tip(f"{much}: click to unfold")
        else:
            self.canvas.show_tip(node_words(item.node, item.chance, self.context.names.of(self._snapshot), "the present"))

    # --- the menu ----------------------------------------------------------
    def _menu(self, index: int, point: QPoint) -> None:
        node = self._layout.items[index].node if 0 <= index < len(self._layout.items) else None
        if node is not None and node.action is not None:
            menu = self.node_menu(node, point)
            menu.popup(point)

    def node_menu(self, node: TreeNode, point: QPoint) -> QMenu:
        """Returns the menu of what can be done with a node."""
        theme, action = self.context.theme, node.action
        assert action is not None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        pinned = self._pinned and self._pinned == tuple(path_keys(self._tree, node.id))
        menu.addAction(theme.icon("pin"), "Unpin the variation" if pinned else "Pin the variation", lambda: self._pin(node))
        if node.parent == self._tree.nodes[0].id:
            menu.addAction(theme.icon("info"), "Why this action", lambda: self._ask_why(action))
        else:
            menu.addAction(theme.icon("info"), "About this node", lambda: self._show_node(node, point))
        if self.context.live:
            menu.addAction(theme.icon("breakpoint"), "Break here", lambda: self._break_before(action))
        return menu

    def _break_before(self, action: Action) -> None:
        point = Breakpoint(before_action(str(action)), once=True)
        words = f"Breakpoint: before {self.context.names.of(self._snapshot).phrase(action)}"
        self.context.push_command(SetBreakpoint(point), words)

    def _pin(self, node: TreeNode) -> None:
        keys = tuple(path_keys(self._tree, node.id))
        self._pinned = () if keys == self._pinned else keys
        self.redraw()

    def _ask_why(self, action: Action) -> None:
        self.context.selection.select(Selected("action", action=action))
        self.context.selection.asked_panel.emit("why")

    def _show_node(self, node: TreeNode, point: QPoint) -> None:
        names, first, nodes = self.context.names.of(self._snapshot), node, {n.id: n for n in self._tree.nodes}
        while first.parent != self._tree.nodes[0].id:
            first = nodes[first.parent]
        assert node.action is not None
        action = first.action
        assert action is not None
        card = NodeCard(self.context.theme, self, names.button(node.action), evidence(node, self._tree, names),
                        lambda: self._ask_why(action))
        card.open_at(point)

    # --- finding -----------------------------------------------------------
    def _search(self, text: str) -> None:
        self._finder.look_for(text, self._tree, self.context.names.of(self._snapshot))
        self.found.say(f"{say.whole(len(self._finder))} found" if text.strip() else "")
        self._next_found()

    def _next_found(self) -> None:
        """Shows the next hit. It is drawn with any number of visits."""
        node = self._finder.next()
        self._found = tuple(path_keys(self._tree, node.id)[1:]) if node is not None else ()
        self._follow.setChecked(self._follow.isChecked() and node is None)
        self.redraw()

    def _show_found(self) -> None:
        index = self._layout.index.get(self._found[-1])
        if index is not None and self._found[-1] != self._brought:
            self._brought = self._found[-1]
            self.canvas.show_item(index)
