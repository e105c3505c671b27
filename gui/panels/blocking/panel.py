"""The blocking tree panel: the tree, the list of resolved branches, and the operator's actions on nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget, QWidgetAction

from core.planners.bcr.recorded_types import CHOOSE, BlockingNode, BlockingTree, ResolvedBranch
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Offer, Panel
from gui.panels.blocking.canvas import BlockingCanvas, Legend
from gui.panels.blocking.layout import Layout, lay_out, spread_in
from gui.panels.blocking.node_actions import AddStrip, NodeActions
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Namer, StaleOverlay, draw_text, tool_action
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows

READ_OUT = 40
"""The number of nodes described to assistive tools."""
KEY_NAMES = {Qt.Key.Key_Return.value: "Return", Qt.Key.Key_Enter.value: "Return", Qt.Key.Key_X.value: "X",
             Qt.Key.Key_R.value: "R", Qt.Key.Key_A.value: "A"}
"""The keys of edits, as `Edit.key` spells them."""
HISTORY_WIDE = 236
"""The width of the list of resolved branches, in pixels at text size 100 %."""


class BlockingPanel(Panel):
    """Shows the blocking tree from left to right, as in the paper's figure.

    V follows the live branch, Enter chooses a candidate, X bans one, R resolves a condition, A adds a resolving action.
    """

    name: ClassVar[str] = "blocking"
    title: ClassVar[str] = "Blocking tree"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTree})
    icon: ClassVar[str] = "blocking"
    needs_live: ClassVar[str] = "Editing the tree"

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot, self._stale = Snapshot(), ""
        self._namer, self._unfolded = Namer(), frozenset[int]()
        self._current, self._spread = -1, (0.0, 0.0)
        theme = context.theme
        self.canvas, self.resolved, self.adding = BlockingCanvas(theme), ResolvedRows(theme), AddStrip(theme)
        self.edits = NodeActions(context, self.redraw, self.adding)
        self._follow = tool_action(self, theme, "Follow the live branch", "follow", self._go, checkable=True, checked=True,
                                   key="V")
        self._all = tool_action(self, theme, "Fit", "fit", self._fit, key="0")
        self._past = tool_action(self, theme, "Resolved branches", "rewind", self._arrange, checkable=True, checked=True)
        self._legend = QWidgetAction(self)
        self._legend.setDefaultWidget(Legend(theme))
        self._build()
        self._connect()
        self.canvas.keep_fitted()

    def _build(self) -> None:
        theme = self.context.theme
        empty = self.nothing("blocking", "blocking tree",
                             "What blocks the goal appears here once the planner has tried its first action.")
        inside = QWidget()
        column = vbox(theme, self.adding, (self.canvas, 1), spacing=0)
        hbox(theme, (column, 1), self.resolved, on=inside, spacing=0, margins=FLUSH)
        self._overlay = StaleOverlay(theme, self.canvas)
        self._pages = self.stack(empty, inside)

    def _connect(self) -> None:
        self.canvas.clicked.connect(self._click)
        self.canvas.resized.connect(self.redraw)
        self.canvas.unfold.connect(self._open)
        self.canvas.menu.connect(self._menu)
        self.canvas.stepped.connect(self._step)
        self.canvas.moved.connect(lambda: self._follow.setChecked(False))
        self.canvas.claims = lambda key: self._act_of(key) is not None
        self.context.selection.changed.connect(lambda _: self._paint())

    # --- display -----------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's blocking tree, or the operator's pending edit of it."""
        self._snapshot = snapshot
        self.edits.show_snapshot(snapshot)
        self._stale = staleness(snapshot, BlockingTree, "the next choice")
        if self.has_changed(snapshot.facet(BlockingTree), self._namer.of(snapshot.seen), snapshot.options,
                            snapshot.status == "paused", self._stale):
            self.redraw()

    def headline(self) -> str:
        """Returns the number of candidates, the deepest resolution of the live branch, and the number of broken loops."""
        tree = self.edits.tree
        if tree is None or not tree.nodes:
            return ""
        leaves = sum(n.kind == "action" and n.state in ("candidate", "chosen") for n in tree.nodes)
        wanted = next((n.text for n in reversed(self._live()) if n.kind == "resolution"), "")
        loops = f" · {say.count(tree.loops, 'loop')} broken" if tree.loops else ""
        return f"{say.count(leaves, 'candidate')}{f' for {wanted}' if wanted else ''}{loops}"

    def _live(self) -> list[BlockingNode]:
        return [item.node for item in self.canvas.rect_layout.items if item.live]

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: legend, history, fit, follow."""
        return (self._legend, self._past, self._all, self._follow)

    def offers(self) -> Sequence[Offer]:
        """Returns the actions on the node clicked last. E is its main action."""
        node = self._node()
        if node is None:
            return ()
        return [replace(act, title=f"{act.title}: {node.text}") for act in self.edits.offers(node)]

    def redraw(self) -> None:
        """Draws the panel again at once."""
        tree = self.edits.tree
        there = tree is not None and bool(tree.nodes)
        self._pages.setCurrentIndex(int(there))
        if tree is None or not there:
            return
        self.resolved.show_items(tree.history)
        self._arrange()
        self.edits.list_additions(self._snapshot, self._namer.of(self._snapshot.seen))
        self._place(tree)
        self._overlay.say(self._stale)
        self.canvas.setAccessibleDescription("; ".join(_words(n) for n in (*self._live(), *tree.nodes)[:READ_OUT]))
        self._go()

    def _place(self, tree: BlockingTree) -> None:
        """Lays out and paints a tree. While the tree is fitted to the panel, the gaps grow to fill it."""
        scale, canvas = self.context.theme.scale, self.canvas
        if canvas.fitted:
            plain = lay_out(tree, self._unfolded, scale)
            near = canvas.scale_for(plain.size)
            room = canvas.viewport().size()
            self._spread = spread_in(plain, room.width() / near, room.height() / near, scale)
        self._paint(lay_out(tree, self._unfolded, scale, self._spread))

    def _fit(self) -> None:
        """Fits the whole tree into the panel, and keeps it fitted."""
        self.canvas.keep_fitted()
        self.redraw()

    def _paint(self, layout: Layout | None = None) -> None:
        layout = layout or self.canvas.rect_layout
        now = self.context.selection.now
        selected = self.context.selection.thing()
        chosen = {k for k, item in enumerate(layout.items) if not item.hidden and item.node.action is not None and (
            (now is not None and now.action == item.node.action) or (selected and selected in item.node.action.args))}
        at = layout.index(self._current)
        self.canvas.show_layout(layout, frozenset(chosen | ({at} if at >= 0 else set())))

    def _arrange(self) -> None:
        """Shows the history on the right if it is switched on, not empty, and the panel is wide enough."""
        px = self.context.theme.px
        wanted = self._past.isChecked() and self.resolved.count() > 0 and self.width() > px(3 * HISTORY_WIDE)
        self.resolved.setFixedWidth(px(HISTORY_WIDE))
        self.resolved.setVisible(wanted)

    def _go(self) -> None:
        """Scrolls to the end of the live branch if following is on."""
        if self._follow.isChecked():
            live = [k for k, item in enumerate(self.canvas.rect_layout.items) if item.live]
            self.canvas.show_item(live[-1] if live else 0)

    # --- keys and clicks ---------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the panel's own keys for the node clicked last."""
        act = self._act_of(event.key()) if event.modifiers() == Qt.KeyboardModifier.NoModifier else None
        if act is None:
            event.ignore()
        else:
            act()

    def _act_of(self, key: int) -> Callable[[], object] | None:
        """Returns what a key does to the node clicked last, or None if the key belongs to the window."""
        node = self._node()
        if key == Qt.Key.Key_V:
            return self._follow.trigger
        if node is None:
            return None
        name = KEY_NAMES.get(key, "")
        return partial(self.edits.act, node, name) if any(edit.key == name for edit in node.edits) else None

    def _node(self) -> BlockingNode | None:
        """Returns the node clicked last; None if it is not in the tree any more."""
        return self.edits.tree.node(self._current) if self.edits.tree is not None else None

    def _click(self, index: int) -> None:
        if not 0 <= index < len(self.canvas.rect_layout.items):
            return
        item = self.canvas.rect_layout.items[index]
        if item.hidden:
            self._open(index)
            return
        self._current = item.node.id
        if item.node.action is not None:
            self.context.selection.select(Selected("action", action=item.node.action))
        self._paint()

    def _open(self, index: int) -> None:
        """Chooses a candidate, or unfolds a pill of folded nodes."""
        item = self.canvas.rect_layout.items[index]
        if item.hidden:
            self._unfolded |= {item.node.parent}
            self.redraw()
        else:
            self._current = item.node.id
            self.edits.act(item.node, CHOOSE.key)

    def _step(self, key: int) -> None:
        """Moves to the parent (left), the first child (right), or the neighbour in the same column (up, down)."""
        items, at = self.canvas.rect_layout.items, self.canvas.rect_layout.index(self._current)
        if at < 0:
            target = 0 if items else -1
        elif key == Qt.Key.Key_Left:
            target = items[at].parent
        elif key == Qt.Key.Key_Right:
            target = next((k for k, item in enumerate(items) if item.parent == at), -1)
        else:
            same = [k for k, item in enumerate(items) if item.depth == items[at].depth]
            place = same.index(at) + (1 if key == Qt.Key.Key_Down else -1)
            target = same[place] if 0 <= place < len(same) else -1
        if target >= 0:
            self._click(target)
            self.canvas.show_item(target)

    # --- the menu --------------------------------------------------------------
    def _menu(self, index: int, point: QPoint) -> None:
        items = self.canvas.rect_layout.items
        if 0 <= index < len(items) and not items[index].hidden:
            self._current = items[index].node.id
            self._paint()
            menu = self.node_menu(items[index].node)
            if menu.actions():
                menu.popup(point)

    def node_menu(self, node: BlockingNode) -> QMenu:
        """Returns a menu of the actions on a node. It is empty while the past is shown."""
        theme, menu = self.context.theme, QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for act in self.edits.offers(node):
            menu.addAction(theme.icon(act.icon), act.title, act.run)
        return menu


class ResolvedRows(ItemRows[ResolvedBranch]):
    """Lists each condition that no longer blocks, the action that resolved it, and the step at which it did."""

    def __init__(self, theme: Theme):
        super().__init__(theme, 34, 22)
        self.setAccessibleName("Resolved branches")

    def row_words(self, index: int) -> str:
        """Returns a row as text, such as `the mug in view · by scan the room · for grab the mug · step 3`."""
        if not 0 <= index < self.count():
            return ""
        branch = self.items[-1 - index]
        by = f" · by {branch.by}" if branch.by else ""
        return f"{branch.text}{by} · for {branch.blocked} · step {branch.step}"

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the heading with the number of branches."""
        px = self.theme.px
        room = rect.adjusted(px(10), 0, -px(6), 0)
        draw_text(painter, self.theme, room, f"Resolved · {say.whole(self.count())}", "micro", "faint", 600)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a check mark, the condition that holds now, and below it the resolving action and the step."""
        theme, px, branch = self.theme, self.theme.px, self.items[-1 - index]
        painter.drawPixmap(int(rect.x() + px(9)), int(rect.y() + px(4)), theme.pixmap("check", px(11), "good"))
        x = rect.x() + px(25)
        wide = rect.right() - x - px(8)
        draw_text(painter, theme, QRectF(x, rect.y() + px(1), wide, px(17)), branch.text, "small", "text", 500)
        under = " · ".join(part for part in (branch.by, f"step {branch.step}") if part)
        draw_text(painter, theme, QRectF(x, rect.y() + px(17), wide, px(14)), under, "micro", "muted")


def _words(node: BlockingNode) -> str:
    """Returns a node as text, for assistive tools."""
    return f"{node.kind} {node.text} ({node.state}{', by the operator' if node.by_operator else ''})"
