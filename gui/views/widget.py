"""What the renderers of all kinds of view have in common: what is chosen in them, and how others mark what is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction

from core.views.addresses import Address
from core.views.values import NOTHING, About, Edit, Graph, Item, Sections, Table, Tree, View
from gui.theme import Theme
from gui.widgets.text import ThemedWidget

V = TypeVar("V", bound=View)
LONGEST = 300
"""Characters of a text that are measured and painted. What is longer has no room in any window."""
LONGEST_TIP = 2000


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen in a view: an item, or a cell.

    Attributes:
        address: where it is.
        text: what it is called.
        about: what it is about.
        edits: what can be changed about it, with the present values.
    """

    address: Address
    text: str
    about: About = NOTHING
    edits: tuple[Edit, ...] = ()

    def within(self, title: str) -> Choice:
        """Returns it as part of a section."""
        return replace(self, address=(title, *self.address))


Key = tuple[str, object]
"""One thing that an item is about: a kind, and which one of it."""


def keys_of(about: About) -> Iterable[Key]:
    """Yields everything that an item is about."""
    yield from (("thing", thing) for thing in about.things)
    if about.action is not None:
        yield "action", about.action
    if about.call:
        yield "call", about.call
    if about.turn:
        yield "turn", about.turn


class AboutIndex:
    """Finds the items that are about something. It is made when something is selected for the first time."""

    def __init__(self, items: Sequence[Item]):
        self._items = items
        self._found: dict[Key, list[int]] | None = None

    def of(self, keys: Iterable[Key]) -> tuple[int, ...]:
        """Returns the indices of the items about one of the keys."""
        if self._found is None:
            self._found = {}
            for k, item in enumerate(self._items):
                for key in keys_of(item.about) if item.about is not NOTHING else ():
                    self._found.setdefault(key, []).append(k)
        return tuple(sorted({k for key in keys for k in self._found.get(key, ())}))


class ViewWidget(ThemedWidget, Generic[V]):
    """Shows a view of one kind. The view was checked with `core.views.checking.fault` before.

    Attributes:
        chosen: something was chosen by hand.
        opened: what is chosen was double-clicked, or Enter pressed on it.
        menu: the menu of what is chosen was asked for, at a point of the screen.
        ticked: the tick of what is chosen was clicked.
    """

    is_picture = False
    """Whether it is a picture, which needs no title, and which forms of edits must not move: they are shown on demand."""
    chosen = Signal()
    opened = Signal()
    menu = Signal(QPoint)
    ticked = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self.theme = theme
        self.named: Callable[[str], str] = str
        """Returns a text with the names of things instead of their ids."""

    def show_view(self, view: V) -> None:
        """Shows another view. What was chosen stays chosen, by its address."""
        raise NotImplementedError

    def choice(self) -> Choice | None:
        """Returns what is chosen, or None."""
        return None

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks the items about something that is selected elsewhere, and brings the first of them into view."""
        del keys

    def search(self, words: Sequence[str]) -> bool:
        """Shows only what has all words, in lower case. Returns False if this kind of view cannot be searched."""
        del words
        return False

    def tools(self) -> Sequence[QAction]:
        """Returns the tools of this kind of view for the header of a panel."""
        return ()

    def menu_entries(self) -> Mapping[str, Callable[[], object]]:
        """Returns what the menu offers besides edits, by title."""
        return {}

    def natural_height(self) -> int:
        """Returns the height in pixels at which all is shown."""
        return self.theme.px(160)

    def natural_width(self) -> int:
        """Returns the width in pixels that it needs beside others."""
        return self.theme.px(236)


def is_empty(view: View) -> bool:
    """Whether there is nothing in a view, so that a page or another section is shown instead."""
    if isinstance(view, Sections):
        return all(map(is_empty, view.parts))
    if isinstance(view, Graph):
        return not view.nodes
    return isinstance(view, Table | Tree) and not view.items and not view.note and not view.own_edits


def plain(text: str, most: int = LONGEST) -> str:
    """Returns a text in one line, cut to a length that can be painted."""
    cut = text[:most]
    return " ".join(cut.split()) + ("…" if len(text) > most else "")


def tip(*lines: str) -> str:
    """Returns a tooltip of some lines; empty ones are left out."""
    text = "\n".join(line for line in lines if line)
    return text if len(text) <= LONGEST_TIP else f"{text[:LONGEST_TIP]}…"
