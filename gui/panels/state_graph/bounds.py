"""The values that decide where a path ends: a row for each state of the path, and the objective of the round."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from core.planners.neoplanner.recorded_types import PathBound, StateGraph, StateNode
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import LEFT, RIGHT, Line, draw_text
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows

MOST_ROWS = 4
"""The largest number of rows that are visible at once."""
COLUMNS = (("n", 30), ("V(s)", 40), ("K", 34), ("new: V+", 54), ("known: V+K", 76))
"""Heads and widths in pixels at text size 100 %. In a narrow panel the first ones are left out."""
LEAST_NAME, WAY = 120, 150
"""Pixels at text size 100 %: the least room for the name of a state, and for the known action, if there is that much more."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A state, and what was compared in it when the path was selected."""

    node: StateNode
    bound: PathBound


def bound_words(node: StateNode | PathBound) -> str:
    """Returns the values of a state that decide whether a path ends in it; empty if they were not recorded."""
    if node.untried is None:
        return ""
    known = "no known action" if node.known_bound is None else f"known action V+K {say.value(node.known_bound)}"
    return f"K {say.probability(node.untried) or '0'} · new action V+ {say.value(node.new_bound)} · {known}"


def objective_words(graph: StateGraph) -> str:
    """Returns the objective of the round and its chance; empty if there is no round."""
    if graph.explore_chance is None:
        return ""
    chance = say.probability(graph.explore_chance) or "0"
    return f"Objective: {'explore' if graph.exploring else 'the task'} · P explore {chance} at N = {say.whole(graph.explored)}"


class BoundRows(ItemRows[Compared]):
    """A row for each state: visits, value, K, and the bounds of a new and of the known action. The larger bound is bold."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=19, head=19)
        self._here = -1
        self.setAccessibleName("Bounds along the path")

    def show_path(self, states: tuple[Compared, ...], here: int) -> None:
        """Shows a path; `here` is the id of the robot's state."""
        self._here = here
        self.show_items(states, lambda one: one.node.id)
        self.setFixedHeight(self.theme.px(19) * (1 + min(MOST_ROWS, len(states))))
        self.show_row(len(states) - 1)
        self.show_row(next((k for k, one in enumerate(states) if one.node.id == here), len(states) - 1))

    def row_words(self, index: int) -> str:
        """Returns a state and its bounds as text."""
        one = self.items[index]
        return f"{one.node.title} · {bound_words(one.bound)}"

    def row_tip(self, index: int) -> str:
        """Returns the state, what distinguishes it, its bounds, and the known action."""
        one = self.items[index]
        way = f"known: {one.bound.way}" if one.bound.way else ""
        return "\n".join(part for part in (one.node.title, one.node.detail, bound_words(one.bound), way) if part)

    def _columns(self, width: float) -> tuple[list[tuple[float, float]], float, float]:
        """Returns (left edge, width) of each column, 0 wide without room; and the right ends of the name and of the action."""
        px = self.theme.px
        x, found = width - px(8), list[tuple[float, float]]()
        for _, wide in reversed(COLUMNS):
            fits = x - px(wide) >= px(LEAST_NAME)
            x -= px(wide) if fits else 0
            found.append((x, float(px(wide) - px(4)) if fits else 0.0))
        name = x if x < px(LEAST_NAME + WAY) else px(12) + 0.5 * (x - px(12))
        return found[::-1], name - px(6), x - px(6)

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        columns, name, way = self._columns(rect.width())
        for (text, _), (x, wide) in zip(COLUMNS, columns, strict=True):
            if wide:
                draw_text(painter, self.theme, QRectF(x, 0, wide, rect.height()), text, "small", "faint", 500, RIGHT)
        room = QRectF(self.theme.px(12), 0, name - self.theme.px(12), rect.height())
        draw_text(painter, self.theme, room, "Along the path", "small", "faint", 500, LEFT)
        if way > name + 1:
            room = QRectF(name + self.theme.px(6), 0, way - name - self.theme.px(6), rect.height())
            draw_text(painter, self.theme, room, "known action", "small", "faint", 500, LEFT)
        painter.setPen(QPen(self.theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one state."""
        theme, node, bound = self.theme, self.items[index].node, self.items[index].bound
        self.paint_back(painter, index, rect)
        columns, name, way = self._columns(rect.width())
        goes_on = bound.known_bound is not None and bound.known_bound >= bound.new_bound
        cells = (say.whole(bound.visits), say.value(bound.value), say.probability(bound.untried), say.value(bound.new_bound),
                 say.value(bound.known_bound))
        for k, ((x, wide), text) in enumerate(zip(columns, cells, strict=True)):
            best = (k == len(cells) - 1 and goes_on) or (k == len(cells) - 2 and not goes_on)
            if wide:
                draw_text(painter, theme, QRectF(x, rect.y(), wide, rect.height()), text, "small",
                          "text" if best else "muted", 650 if best else 400, RIGHT)
        left = theme.px(12)
        room = QRectF(left, rect.y(), name - left, rect.height())
        took = draw_text(painter, theme, room, node.title, "small", "text", 600 if node.id == self._here else 400)
        draw_text(painter, theme, room.adjusted(took + theme.px(6), 0, 0, 0), node.detail, "micro", "faint")
        if way > name + 1:
            room = QRectF(name + theme.px(6), rect.y(), way - name - theme.px(6), rect.height())
            draw_text(painter, theme, room, bound.way or "none", "small", "muted" if goes_on else "faint")


class BoundStrip(QWidget):
    """The rows, and below them the objective of the round. Hidden before the first round, and if a recording lacks them."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.rows, self.objective = BoundRows(theme), Line(theme, "", "small", "muted")
        vbox(theme, self.rows, hbox(theme, 12, (self.objective, 1), spacing=0), on=self, spacing=2, margins=(0, 0, 0, 3))
        self.hide()

    def show_graph(self, graph: StateGraph, *, wanted: bool) -> None:
        """Shows the states of the selected path and the objective, unless not wanted."""
        nodes = {node.id: node for node in graph.nodes}
        states = tuple(Compared(nodes[bound.state], bound) for bound in graph.bounds if bound.state in nodes)
        objective = objective_words(graph)
        if wanted:
            self.rows.setVisible(bool(states))
            self.rows.show_path(states, graph.here)
            self.objective.say(objective)
        self.setVisible(wanted and bool(states or objective))
