"""Several views from top to bottom, with handles between them; and the choice of the renderer for each kind of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSplitter, QWidget

from core.views.values import Chart, Graph, Matrix, Picture, Sections, Table, Text, Tree, View
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.views.chart import ChartView
from gui.views.flat import PictureView, TextView
from gui.views.graph import GraphView
from gui.views.item_rows import ItemsView
from gui.views.matrix import MatrixView
from gui.views.tree_picture import TreePicture
from gui.views.widget import Choice, Key, ViewWidget, is_empty, plain
from gui.widgets import Line

QWIDGETSIZE_MAX = (1 << 24) - 1
"""Qt's largest size of a widget: no limit."""
LEAST, ENOUGH, TITLE = 48, 128, 20
"""Pixels at text size 100 %: the least height of a section, that of one with much in it, and the height of its title."""
SHARE = 0.36
"""The most of the width that another section takes beside a picture."""
WIDE, BESIDE = 2.2, 708
"""The width, as a multiple of the height and in pixels at text size 100 %, from which on sections stand side by side."""
RENDERERS: Mapping[type[View], type[ViewWidget[Any]]] = {
    Table: ItemsView, Tree: ItemsView, Matrix: MatrixView, Graph: GraphView, Text: TextView, Chart: ChartView,
    Picture: PictureView}


def renderer_of(view: View) -> type[ViewWidget[Any]]:
    """Returns the class of the widget that shows a kind of view. The view was checked before."""
    if isinstance(view, Sections):
        return SectionsView
    if isinstance(view, Tree) and any(item.shape for item in view.items):
        return TreePicture
    return next(renderer for kind, renderer in RENDERERS.items() if isinstance(view, kind))


class Head(QPushButton):
    """The title and headline of a section. It folds the section."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self.is_folded = theme, False
        self.title, self.headline = Line(theme, "", "small", "muted", 600), Line(theme, "", "small", "faint")
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        hbox(theme, self.title, (self.headline, 1), on=self, spacing=8, margins=(20, 2, 8, 2))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the height of the title."""
        return QSize(self._theme.px(100), self._theme.px(TITLE))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the arrow, and a frame while it has the keyboard."""
        del event
        px = self._theme.px
        with QPainter(self) as painter:
            side = px(12)
            icon = self._theme.pixmap("right" if self.is_folded else "down", side, "muted")
            painter.drawPixmap(QPointF(px(5), (self.height() - side) / 2), icon)
            if self.hasFocus():
                painter.setPen(self._theme.colour("selection"))
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


class Part(QWidget):
    """A section: its title, with its headline, over its view.

    Attributes:
        folded: it was folded or opened by hand.
        is_folded: only its title is shown, unless something is searched.
    """

    folded = Signal()

    def __init__(self, theme: Theme, shown: ViewWidget[Any]):
        super().__init__()
        self._theme, self.shown = theme, shown
        self.head = Head(theme)
        self.head.clicked.connect(self._turn)
        self.is_folded, self._is_searched = False, False
        vbox(theme, self.head, (shown, 1), on=self, spacing=0, margins=FLUSH)
        self.name = ""

    def show_view(self, view: View, *, is_folded: bool) -> None:
        """Shows the view of the section."""
        self.is_folded = is_folded
        self.name = view.title
        self.head.title.say(plain(view.title, 80))
        self.head.headline.say(plain(view.headline, 120))
        self.head.setAccessibleName(" · ".join(filter(None, (plain(view.title, 80), plain(view.headline, 120)))))
        self.head.setVisible(bool(view.headline or (view.title and not self.shown.is_picture)))
        self.shown.show_view(view)
        self.setHidden(is_empty(view))
        self._fit()

    def _turn(self) -> None:
        self.is_folded = not self.is_folded
        self._fit()
        self.folded.emit()

    def search(self, words: Sequence[str]) -> bool:
        """Searches the section, which is open meanwhile."""
        self._is_searched = bool(words)
        found = self.shown.search(words)
        self._fit()
        return found

    def _fit(self) -> None:
        """Shows or hides the view below the title, and sets the least and the largest height."""
        folded = self.is_folded and not self._is_searched and not self.head.isHidden()
        self.head.is_folded = folded
        self.head.update()
        self.shown.setHidden(folded)
        title, px = self._theme.px(TITLE), self._theme.px
        self.setMinimumHeight(title if folded else min(max(px(LEAST), self.natural_height()), px(ENOUGH)))
        self.setMaximumHeight(title if folded else QWIDGETSIZE_MAX)

    def wanted_width(self, most: int) -> int:
        """Returns the width that it needs beside others: a picture all of it, anything else at most so many pixels."""
        return self.shown.natural_width() if self.shown.is_picture else min(self.shown.natural_width(), most)

    def natural_height(self) -> int:
        """Returns the height at which all is shown."""
        high = 0 if self.head.is_folded else self.shown.natural_height()
        return high + (0 if self.head.isHidden() else self._theme.px(TITLE))


class SectionsView(ViewWidget[Sections]):
    """Shows sections that hold something, in a wide room side by side. What is chosen in one of them is chosen in no other."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.parts: list[Part] = []
        self._active: Part | None = None
        self._sized = False
        self._folds: dict[str, bool] = {}
        """The titles of the sections that were folded or opened by hand."""
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.splitterMoved.connect(lambda *_: self._keep_sizes())
        area = QScrollArea()
        area.setWidget(self._splitter)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._splitter.setAutoFillBackground(False)
        area.viewport().setAutoFillBackground(False)
        vbox(theme, area, on=self, spacing=0, margins=FLUSH)

    def _keep_sizes(self) -> None:
        self._sized = True

    def show_view(self, view: Sections) -> None:
        """Shows other sections; a section of the same kind at the same place keeps its widget."""
        kinds = [renderer_of(part) for part in view.parts]
        if kinds != [type(part.shown) for part in self.parts]:
            self._build(kinds)
        all_folded = all(part.is_folded for part in view.parts)
        for part, shown in zip(self.parts, view.parts, strict=True):
            part.shown.named = self.named
            part.show_view(shown, is_folded=self._folds.get(shown.title, shown.is_folded and not all_folded))
        if not self._sized:
            QTimer.singleShot(0, self, self._divide)

    def _build(self, kinds: Sequence[type[ViewWidget[Any]]]) -> None:
        for part in self.parts:
            part.setParent(None)
            part.deleteLater()
        self.parts, self._active, self._sized = [Part(self.theme, kind(self.theme)) for kind in kinds], None, False
        for part in self.parts:
            self._splitter.addWidget(part)
            part.shown.chosen.connect(lambda part=part: self._choose(part))
            part.shown.opened.connect(self.opened)
            part.shown.ticked.connect(self.ticked)
            part.shown.menu.connect(self._on_menu)
            part.folded.connect(lambda part=part: self._on_folded(part))
        if self.parts:
            self.setFocusProxy(self.parts[0].shown)

    def _on_folded(self, part: Part) -> None:
        self._folds[part.name] = part.is_folded
        self._sized = False
        self._divide()

    def _divide(self) -> None:
        """Gives each section the room it needs; those that need more than an equal share divide what is left."""
        is_wide = self.width() > max(WIDE * self.height(), self.theme.px(BESIDE))
        beside = is_wide and not any(part.head.is_folded for part in self.parts)
        way = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if way != self._splitter.orientation():
            self._splitter.setOrientation(way)
            self._sized = False
        if self.parts and not self._sized:
            most = int(self.width() * (SHARE if any(part.shown.is_picture for part in self.parts) else 1))
            wanted = [0 if part.isHidden() else part.wanted_width(most) if beside
                      else max(part.minimumHeight(), part.natural_height()) for part in self.parts]
            self._splitter.setSizes(shared_out(wanted, self.width() if beside else self.height()))

    def _on_menu(self, at: QPoint) -> None:
        self.menu.emit(at)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Divides the room again, unless the operator has divided it."""
        super().resizeEvent(event)
        self._divide()

    def _choose(self, part: Part) -> None:
        self._active, self.is_picture = part, part.shown.is_picture
        self.chosen.emit()

    def choice(self) -> Choice | None:
        """Returns what is chosen in the section in which something was chosen last."""
        if self._active is None:
            return None
        found = self._active.shown.choice()
        return None if found is None else found.within(self._active.name)

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks what is selected elsewhere in all sections."""
        for part in self.parts:
            part.shown.mark(keys)

    def search(self, words: Sequence[str]) -> bool:
        """Searches all sections."""
        return any([part.search(words) for part in self.parts])

    def tools(self) -> list[QAction]:
        """Returns the tools of all sections."""
        return [tool for part in self.parts for tool in part.shown.tools()]

    def menu_entries(self) -> Mapping[str, Callable[[], object]]:
        """Returns the entries of the section in which something was chosen last."""
        return {} if self._active is None else self._active.shown.menu_entries()

    def natural_height(self) -> int:
        """Returns the height of all sections."""
        return sum(part.natural_height() for part in self.parts)


def shared_out(wanted: Sequence[int], room: int) -> list[int]:
    """Returns the room of each section: what it wants if that is not more than an equal share of what the others leave."""
    found, left = list(wanted), room
    for done, k in enumerate(sorted(range(len(wanted)), key=lambda k: wanted[k])):
        found[k] = min(wanted[k], max(1, left // (len(wanted) - done)))
        left -= found[k]
    return found
