"""Why an action was chosen, from the search and the model calls: the lines in plain words, and the card that shows them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QWidget

from core.planning.facets import PolicyMixture, SearchTree, TreeNode
from core.session.snapshot import Snapshot
from core.session.turns import Call
from gui.theme import Theme
from gui.theme.boxes import vbox
from gui.widgets import Button, Line, Names, Prose
from gui.widgets import numbers as say

ROUNDING = 1e-6
MOST_CALLS = 64
"""The number of calls searched for the policy call. Old calls are read from the disk."""


def node_words(node: TreeNode, chance: float | None, names: Names, root: str) -> str:
    """Returns a node as one line, for tooltips and assistive tools."""
    what = root if node.action is None else names.phrase(node.action)
    seen = ""
    if chance is not None:
        things = ", ".join(f"{thing} in {names.display(place)}" for thing, place in node.observed) or "nothing new"
        seen = f" · saw {things} ({say.probability(chance) or '0'})"
    value = f" · Q {say.value(node.value)}" if node.visits else ""
    return f"{what} · N {say.whole(node.visits)}{value}{seen}{' · goal reached' if node.reached else ''}"


def why(node: TreeNode, tree: SearchTree, snapshot: Snapshot, names: Names) -> tuple[str, ...]:
    """Returns lines of evidence for a node.

    They state its prior and where that comes from, its visits, its value and the spread of values below it, and how often
    something new is seen.
    """
    if node.action is None:
        return ()
    siblings = [n for n in tree.nodes if n.parent == node.parent]
    same = [n for n in siblings if n.action == node.action]
    visits, others = sum(n.visits for n in same), sum(n.visits for n in siblings)
    parts = _parts(node, snapshot) if node.parent == 0 else ""
    lines = [f"{_prior(node, policy_call(snapshot))}{parts}",
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


def policy_call(snapshot: Snapshot) -> Call | None:
    """Returns the newest call about the policy, or None if none of the last `MOST_CALLS` calls is about it."""
    recent = islice(reversed(snapshot.calls), MOST_CALLS)
    return next((call for call in recent if "policy" in call.ask.purpose), None)


def _prior(node: TreeNode, call: Call | None) -> str:
    share = say.probability(node.prior) or "0"
    if call is None or call.reply is None:
        return f"Prior {share}, not from a model."
    kind = "" if call.reply.is_model or call.reply.source == "human" else ", not an LLM"
    return f"Prior {share}, from call {call.id} ({call.reply.source}{kind})."


def _parts(node: TreeNode, snapshot: Snapshot) -> str:
    """Returns the two parts of a prior at the root, as far as they were shown with this tree; else ""."""
    mixture = snapshot.facet(PolicyMixture)
    if mixture is None or snapshot.moment_of(PolicyMixture) != snapshot.moment_of(SearchTree):
        return ""
    found = (mixture.parts(k) for k, steps in enumerate(mixture.actions) if steps and steps[-1] == node.action)
    uniform, model = next((parts for parts in found if abs(sum(parts) - node.prior) < ROUNDING), (0.0, 0.0))
    if not uniform + model:
        return ""
    return f" {say.probability(uniform) or '0'} of it is uniform, {say.probability(model) or '0'} the model's."


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


class WhyCard(QFrame):
    """A card with a heading, lines of evidence, and a button that shows the call behind them. A click elsewhere closes it."""

    def __init__(self, theme: Theme, parent: QWidget, heading: str, lines: tuple[str, ...],
                 show_call: Callable[[], None] | None):
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("Dialog")
        self.setAccessibleName(heading)
        self.setAccessibleDescription(" ".join(lines))
        column = vbox(theme, Line(theme, heading, "body", "text", 650), *(Prose(theme, line) for line in lines), on=self,
                      spacing=5, margins=(14, 10, 14, 12))
        if show_call is not None:
            button = Button(theme, "Show the call", "model")
            button.clicked.connect(show_call)
            button.clicked.connect(self.close)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.setFixedWidth(theme.px(320))

    def open_at(self, point: QPoint) -> None:
        """Shows the card beside a point, within the screen."""
        self.adjustSize()
        area = self.screen().availableGeometry()
        self.move(min(point.x(), area.right() - self.width()), min(point.y(), area.bottom() - self.height()))
        self.show()
