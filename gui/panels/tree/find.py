"""Searching the tree for nodes, and the strip below it that counts the folded ones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from core.planning.search_facets import SearchTree, TreeNode
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.theme.boxes import hbox
from gui.widgets import Button, Line, Names


class Finder:
    """The found nodes, most visited first, returned one after the other."""

    def __init__(self) -> None:
        self._hits: list[TreeNode] = []
        self._at = -1

    def __len__(self) -> int:
        return len(self._hits)

    def look_for(self, text: str, tree: SearchTree, names: Names) -> None:
        """Finds the nodes whose action, as text, contains every word. An empty text finds nothing."""
        words = text.lower().split()
        known: dict[Action, bool] = {}
        self._hits, self._at = [], -1
        for node in tree.nodes if words else ():
            if node.action is None:
                continue
            if node.action not in known:
                phrase = names.phrase(node.action).lower()
                known[node.action] = all(word in phrase for word in words)
            if known[node.action]:
                self._hits.append(node)

    def next(self) -> TreeNode | None:
        """Returns the next hit, starting again after the last; None without hits."""
        if not self._hits:
            return None
        self._at = (self._at + 1) % len(self._hits)
        return self._hits[self._at]


class FoldedStrip(QWidget):
    """The number of folded nodes, with buttons to find one or show all.

    Args:
        find: opens the search for nodes.
        show_all: shows all nodes.
    """

    def __init__(self, theme: Theme, find: Callable[[], object], show_all: Callable[[], object]):
        super().__init__()
        self.words = Line(theme, "", "small", "muted", room=120)
        self.opener = Button(theme, "Show from 1 visit", "filter", act=show_all)
        hbox(theme, (self.words, 1), Button(theme, "Find a node", "search", act=find), self.opener, on=self, spacing=6,
             margins=(10, 3, 8, 3))
        self.hide()
