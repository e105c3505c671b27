"""What the search found at a node of the tree: the lines in plain words, and the card that shows them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QWidget

from core.planning.search_facets import SearchTree, TreeNode
from gui.theme import Theme
from gui.theme.boxes import vbox
from gui.theme.screens import areas, placed
from gui.widgets import Button, Line, Names, Prose
from gui.widgets import numbers as say


def visits_words(node: TreeNode) -> str:
    """Returns the visits of a node: `N 116`, or `138 of 165` if the rest of the action's tries observed something else."""
    return f"{say.whole(node.visits)} of {say.whole(node.tried)}" if node.tried else f"N {say.whole(node.visits)}"


def node_words(node: TreeNode, chance: float | None, names: Names, root: str) -> str:
    """Returns a node as one line, for tooltips and assistive tools."""
    what = root if node.action is None else names.phrase(node.action)
    seen = ""
    if chance is not None:
        things = ", ".join(f"{thing} in {names.display(place)}" for thing, place in node.observed) or "nothing new"
        seen = f" · saw {things} ({say.probability(chance) or '0'})"
    value = f" · Q {say.value(node.value)}" if node.visits else ""
    return f"{what} · {visits_words(node)}{value}{seen}{' · goal reached' if node.reached else ''}"


def evidence(node: TreeNode, tree: SearchTree, names: Names) -> tuple[str, ...]:
    """Returns lines of evidence for a node.

    They state its prior, its visits, its value and the spread of values below it, and how often something new is seen.
    """
    if node.action is None:
        return ()
    siblings = [n for n in tree.nodes if n.parent == node.parent]
    same = [n for n in siblings if n.action == node.action]
    visits, others = sum(n.visits for n in same), sum(n.visits for n in siblings)
    lines = [f"Prior {say.probability(node.prior) or '0'}.",
             f"Tried in {say.whole(visits)} of {say.whole(others)} simulations through this node."]
    lines.append(_value(node, siblings, names))
    below = [n.value for n in tree.nodes if n.parent == node.id and n.visits]
    if len(below) > 1:
        lines.append(f"The {len(below)} next actions have values of {say.value(min(below))} to {say.value(max(below))}.")
    finds = [n for n in same if n.observed]
    if finds:
        found = sum(n.visits for n in finds) / max(1, visits)
        lines.append(f"Something new is seen in {say.probability(found)} of the tries.")
    return tuple(lines)


def _value(node: TreeNode, siblings: list[TreeNode], names: Names) -> str:
    rivals = [n for n in siblings if n.action != node.action and n.visits]
    if not rivals or node.action is None:
        return f"Value {say.value(node.value)}; nothing else was tried here."
    rival = max(rivals, key=lambda n: n.value)
    gap = node.value - rival.value
    assert rival.action is not None
    words = names.phrase(rival.action)
    if gap >= 0:
        return f"Value {say.value(node.value)}, {say.lead(gap)} above the next: {words}."
    return f"Value {say.value(node.value)}, {say.lead(-gap)} below the best: {words}."


class NodeCard(QFrame):
    """A card about a node below the root: a heading, lines of evidence, and a button for the action at the root above it.

    A click elsewhere closes it. The actions at the root are explained by the panel Why.
    """

    def __init__(self, theme: Theme, parent: QWidget, heading: str, lines: tuple[str, ...], ask_why: Callable[[], None]):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("Dialog")
        self.setAccessibleName(heading)
        self.setAccessibleDescription(" ".join(lines))
        self.why = Button(theme, "Why the first action on this way", "info", act=ask_why)
        self.why.clicked.connect(self.close)
        vbox(theme, Line(theme, heading, "body", "text", 650), *(Prose(theme, line) for line in lines), self.why, on=self,
             spacing=5, margins=(14, 10, 14, 12))
        self.setFixedWidth(theme.px(320))

    def open_at(self, point: QPoint) -> None:
        """Shows the card beside a point, within the screen."""
        self.adjustSize()
        self.setGeometry(placed(QRect(point, self.size()), areas()))
        self.show()
