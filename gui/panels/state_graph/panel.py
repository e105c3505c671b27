"""The state graph panel: the states the planner has met, with the actions between them."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from core.planners.neoplanner.recorded_types import StateGraph, StateNode
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.state_graph.bounds import BoundStrip, bound_words
from gui.panels.state_graph.painting import GraphCanvas, GraphMarks, lay_out, nothing
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.widgets import ChipLook, draw_chip, draw_mark, draw_text, text_width, tool_action
from gui.widgets import numbers as say
from gui.widgets.text import PaintedWidget


class AvoidStrip(PaintedWidget):
    """A line of chips, newest first; refused actions have an octagon.

    The strip counts the chips that do not fit. The tooltip lists them.
    """

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._avoid: tuple[str, ...] = ()
        self._refused: frozenset[str] = frozenset()
        self.setAccessibleName("Avoid list")
        self.restyle()
        self.hide()

    def restyle(self) -> None:
        """Takes the height of the theme again."""
        self.setFixedHeight(self._theme.px(26))

    def show_list(self, avoid: tuple[str, ...], refused: tuple[str, ...]) -> None:
        """Shows a list of actions."""
        self._avoid, self._refused = avoid[::-1], frozenset(refused)
        words = [f"{a} (refused)" if a in self._refused else a for a in self._avoid]
        self.setAccessibleDescription("; ".join(words))
        self.setToolTip("Tried at the end of the path:\n" + "\n".join(words[:40]) if words else "")
        self.setVisible(bool(avoid))
        self.update()

    def paint(self, painter: QPainter) -> None:
        """Paints as many chips as fit."""
        theme, px = self._theme, self._theme.px
        head = f"Avoid {len(self._avoid)}"
        room = QRectF(px(10), 0, self.width() - px(20), self.height())
        x = room.x() + draw_text(painter, theme, room, head, "small", "muted", 600) + px(8)
        for k, action in enumerate(self._avoid):
            mark = px(12) if action in self._refused else 0
            width = text_width(theme, action, "small", 500) + px(16) + mark
            left = len(self._avoid) - k
            if x + width + (px(36) if left > 1 else 0) > room.right():
                draw_text(painter, theme, QRectF(x, 0, px(60), self.height()), f"+{left}", "small", "muted", 500)
                break
            where = QRectF(x, (self.height() - px(18)) / 2, width, px(18))
            draw_chip(painter, theme, where, ChipLook("" if mark else action, "bad" if mark else "muted",
                                                      "bad_bg" if mark else "sunken"))
            if mark:
                draw_mark(painter, "octagon", where.x() + px(10), where.center().y(), px(4), theme.colour("bad"))
                draw_text(painter, theme, where.adjusted(px(18), 0, 0, 0), action, "small", "bad", 500)
            x += width + px(4)


ENDS = {"leaf": "nothing is known beyond", "exploring": "doing something new is worth more",
        "loop": "the path returns to a known state",
        "no graph": "the graph is not used"}
MOST = 14


def node_words(node: StateNode) -> str:
    """Returns a state as one line of text."""
    parts = [node.title, *([node.detail] if node.detail else []), say.count(node.visits, "visit"), f"V {say.value(node.value)}",
             f"with exploring {say.value(node.bound)}", f"{say.whole(node.tried)} of {say.whole(node.menu)} actions tried"]
    parts += [f"{say.whole(node.refused)} refused"] if node.refused else []
    parts += ["frontier"] if node.frontier else []
    return " · ".join(parts)


def tip_words(graph: StateGraph, node: StateNode) -> str:
    """Returns a state and where its actions led, one line each."""
    names = {n.id: n.title for n in graph.nodes}
    lines = [node_words(node), *([bound_words(node)] if node.untried is not None else [])]
    for edge in (e for e in graph.edges if e.source == node.id):
        where = "itself" if edge.target == node.id else names.get(edge.target, "refused")
        rest = f" and {len(edge.actions) - 3} more" if len(edge.actions) > 3 else ""
        gain = f", reward {say.value(edge.reward)}" if edge.reward else ""
        lines.append(f"{', '.join(edge.actions[:3])}{rest} → {where}{gain}")
    return "\n".join([*lines[:MOST], *([f"… {len(lines) - MOST} more"] if len(lines) > MOST else [])])


def path_words(graph: StateGraph) -> str:
    """Returns the length of the path ahead and why it ends, or ""."""
    steps = max(0, len(graph.path) - 1)
    if not graph.because:
        return ""
    ahead = f"{say.count(steps, 'step')} ahead" if steps else "no known next step"
    return f"{ahead}: {ENDS.get(graph.because, graph.because)}"


def headline(graph: StateGraph) -> str:
    """Returns the numbers of states, frontier states and refused actions, and the path ahead."""
    frontier = sum(n.frontier for n in graph.nodes)
    refused = sum(n.refused for n in graph.nodes)
    parts = [say.count(len(graph.nodes), "state"), f"{say.whole(frontier)} at the frontier",
             f"{say.whole(refused)} refused", path_words(graph)]
    return " · ".join(p for p in parts if p)


READ_OUT = 30


class StateGraphPanel(Panel):
    """The state graph panel, left to right from where episodes began.

    0 fits the graph, V follows the robot, and a click on a state shows where its actions led. Below are the bounds that decided
    where the path ends, for each of its states, and the objective of the round.
    """

    name: ClassVar[str] = "state_graph"
    title: ClassVar[str] = "State graph"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({StateGraph})
    icon: ClassVar[str] = "graph"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._graph: StateGraph | None = None
        self._placed: StateGraph | None = None
        self._layout = nothing()
        self._chosen = -1
        self.canvas, self.avoid, self.bounds = GraphCanvas(theme), AvoidStrip(theme), BoundStrip(theme)
        self._follow = tool_action(self, theme, "Follow the robot", "follow", self._go, checkable=True, checked=True, key="V")
        self._bounds = tool_action(self, theme, "Bounds of new and known actions along the path", "ranking", self._show_bounds,
                                   checkable=True, checked=True)
        self._fit = tool_action(self, theme, "Fit", "fit", self._fit_all, key="0")
        inside = QWidget()
        vbox(theme, (self.canvas, 1), self.bounds, self.avoid, on=inside, spacing=0, margins=FLUSH)
        empty = self.nothing("graph", "states", "States appear here with their values and visits as the planner meets them.")
        self._pages = self.stack(empty, inside)
        self._connect()

    def _connect(self) -> None:
        self.canvas.clicked.connect(self._click)
        self.canvas.hovered.connect(self._tip)
        self.canvas.stepped.connect(self._step)
        self.canvas.moved.connect(lambda: self._follow.setChecked(False))

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest graph."""
        self._graph = snapshot.facet(StateGraph)
        if self.has_changed(self._graph):
            self.redraw()

    def headline(self) -> str:
        """Returns how many states there are, and how far the plan goes."""
        return headline(self._graph) if self._graph is not None and self._graph.nodes else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions to follow the robot, for the bounds and to fit."""
        return (self._follow, self._bounds, self._fit)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        graph = self._graph
        there = graph is not None and bool(graph.nodes)
        self._pages.setCurrentIndex(int(there))
        if graph is None or not there:
            self._layout = nothing()
            return
        self.avoid.show_list(graph.avoid, graph.refused)
        self._describe(graph)
        self._placed, self._layout = graph, lay_out(graph, self.context.theme.scale)
        self._paint()
        self._go()

    def _paint(self) -> None:
        if self._placed is not None:
            graph = self._placed
            marks = GraphMarks(graph.here, frozenset(graph.path), frozenset(graph.start), self._chosen)
            self.canvas.show_layout(self._layout, marks)
            self._show_bounds()

    def _show_bounds(self) -> None:
        if self._placed is not None:
            self.bounds.show_graph(self._placed, wanted=self._bounds.isChecked())

    def _describe(self, graph: StateGraph) -> None:
        """Describes the graph for assistive tools: the states of the path first, then the newest states."""
        nodes = {n.id: n for n in graph.nodes}
        ids = dict.fromkeys((*graph.path, *reversed(nodes)))
        words = [node_words(nodes[i]) for i in [*ids][:READ_OUT] if i in nodes]
        self.canvas.setAccessibleDescription(f"{say.count(len(graph.nodes), 'state')}: {'; '.join(words)}")

    def _fit_all(self) -> None:
        self._follow.setChecked(False)
        self.canvas.fit()

    def _go(self) -> None:
        """Scrolls to the robot, and to the end of its path as far as both fit."""
        if not self._follow.isChecked() or self._placed is None:
            return
        ahead = [self._layout.index[i] for i in (*self._placed.path[:0:-1], self._placed.here) if i in self._layout.index]
        for index in ahead:
            self.canvas.show_item(index)

    # --- keys and clicks ---------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the panel's keys."""
        keys = {Qt.Key.Key_0: self._fit, Qt.Key.Key_V: self._follow}
        if event.key() in keys and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            keys[Qt.Key(event.key())].trigger()
        else:
            event.ignore()

    def _click(self, index: int) -> None:
        """Selects a state and highlights its edges. A click on it again, or beside the states, clears the selection."""
        node = self._layout.nodes[index].id if 0 <= index < len(self._layout.nodes) else -1
        self._chosen = -1 if node == self._chosen else node
        self._paint()

    def _step(self, key: int) -> None:
        """Moves the selection on an arrow key: along an edge, or to the next state of the column."""
        at = self._layout.index.get(self._chosen, -1)
        if at < 0:
            target = self._layout.index.get(self._placed.here, -1) if self._placed is not None else -1
        else:
            target = self._beside(at, key)
        if target >= 0:
            self._chosen = self._layout.nodes[target].id
            self._paint()
            self.canvas.show_item(target)

    def _beside(self, at: int, key: int) -> int:
        links = self._layout.links
        if key == Qt.Key.Key_Left:
            return next((link.source for link in links if link.target == at and link.tree), -1)
        if key == Qt.Key.Key_Right:
            return next((link.target for link in reversed(links) if link.source == at and (link.tree or link.on_path)), -1)
        rects = self._layout.rects
        column = sorted((k for k in range(len(rects)) if rects[k, 0] == rects[at, 0]), key=lambda k: float(rects[k, 1]))
        place = column.index(at) + (1 if key == Qt.Key.Key_Down else -1)
        return column[place] if 0 <= place < len(column) else -1

    def _tip(self, index: int) -> None:
        known = self._placed is not None and 0 <= index < len(self._layout.nodes)
        self.canvas.show_tip(tip_words(self._placed, self._layout.nodes[index]) if known and self._placed is not None else "")
