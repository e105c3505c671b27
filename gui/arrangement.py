"""Where docks stand: one arrangement per planner, as designed or as it was left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from PySide6.QtCore import QByteArray, QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar

from gui.docks import Dock
from gui.layouts import SEARCHING, WIDE, Layout, layout_of, shared, widths
from gui.theme import Theme

Area = Qt.DockWidgetArea
LAYOUT_VERSION = 2


class Arrangement(QObject):
    """Places a window's docks and keeps their places in the settings.

    Args:
        high: pixels that a column of docks may be high.
    """

    def __init__(self, window: QMainWindow, docks: Mapping[str, Dock], theme: Theme, settings: QSettings,
                 high: Callable[[], int]):
        super().__init__(window)
        self._window, self._docks, self._theme, self._settings, self._high = window, docks, theme, settings, high
        self._planner = ""
        self.settled = False
        """Whether the window was shown: only then is there an arrangement worth keeping."""
        self._tabs_later = QTimer(self)
        self._tabs_later.setSingleShot(True)
        self._tabs_later.timeout.connect(self._dress_tabs)
        for dock in docks.values():
            dock.dockLocationChanged.connect(lambda _: self.dress_later())
            dock.topLevelChanged.connect(lambda _: self.dress_later())

    def dress_later(self) -> None:
        """Titles and fonts of the tabs again, once Qt has made them."""
        self._tabs_later.start(0)

    def use(self, planner: str) -> None:
        """The arrangement of a planner: as it was left, or as designed."""
        if planner == self._planner:
            return
        self.save()
        self._planner = planner
        across = layout_of(planner).across
        for corner, side in ((Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea),
                             (Qt.Corner.BottomRightCorner, Area.RightDockWidgetArea)):
            self._window.setCorner(corner, Area.BottomDockWidgetArea if across else side)
        saved = self._settings.value(f"layout/{planner}")
        self._take_away()  # what a kept arrangement does not name would lie over the window's corner
        if not (isinstance(saved, QByteArray) and self._window.restoreState(saved, LAYOUT_VERSION)):
            self.reset()
        self.dress_later()

    def place(self, name: str) -> None:
        """A place for a panel that has none in this layout: a tab at the bottom for a wide one, beside the log for others."""
        dock = self._docks[name]
        if self._window.dockWidgetArea(dock) != Area.NoDockWidgetArea:
            return
        others = [d for d in (self._docks["log"], *self._docks.values()) if not d.isHidden() and not d.isFloating()]
        low = [d for d in others if self._window.dockWidgetArea(d) == Area.BottomDockWidgetArea]
        beside = low if name in WIDE else others
        self._window.addDockWidget(self._window.dockWidgetArea(beside[0]) if beside else Area.BottomDockWidgetArea, dock)
        if beside:
            self._window.tabifyDockWidget(beside[0], dock)
        else:
            high = round(self._high() * SEARCHING.high / 644)
            QTimer.singleShot(0, self, lambda: self._window.resizeDocks([dock], [high], Qt.Orientation.Vertical))
        self.dress_later()

    def save(self) -> None:
        """Keep the arrangement for this planner."""
        if self._planner and self.settled:
            self._settings.setValue(f"layout/{self._planner}", self._window.saveState(LAYOUT_VERSION))

    def reset(self) -> None:
        """As designed."""
        layout = layout_of(self._planner)
        self._take_away()
        for area, groups in ((Area.LeftDockWidgetArea, layout.left), (Area.RightDockWidgetArea, layout.right),
                             (Area.BottomDockWidgetArea, layout.bottom)):
            for group in groups:
                self._add_group(area, group)
        self._settings.remove(f"layout/{self._planner}")
        # Sizing before the docks have settled leaves an empty tab bar behind.
        QTimer.singleShot(0, self, lambda: self._size(layout))
        self.dress_later()

    def _take_away(self) -> None:
        """No dock has a place."""
        for dock in self._docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)

    def _add_group(self, area: Qt.DockWidgetArea, group: tuple[str, ...]) -> None:
        first = self._docks[group[0]]
        self._window.addDockWidget(area, first)
        first.show()
        for before, name in pairwise(group):
            self._window.addDockWidget(area, self._docks[name])
            self._window.tabifyDockWidget(self._docks[before], self._docks[name])
            self._docks[name].show()
        first.raise_()

    def _size(self, layout: Layout) -> None:
        left, right = widths(layout, self._window.width(), self._theme.scale)
        wide = [(self._docks[groups[0][0]], size) for groups, size in ((layout.left, left), (layout.right, right)) if groups]
        self._window.resizeDocks([dock for dock, _ in wide], [size for _, size in wide], Qt.Orientation.Horizontal)
        high = self._high()
        for groups, shares in ((layout.left, layout.left_shares), (layout.right, layout.right_shares)):
            first = [self._docks[group[0]] for group in groups]
            self._window.resizeDocks(first, shared(high, shares, len(first)), Qt.Orientation.Vertical)
        if layout.bottom:
            lowest = self._docks[layout.bottom[0][0]]
            self._window.resizeDocks([lowest], [round(high * layout.high / 644)], Qt.Orientation.Vertical)
        for group in (*layout.left, *layout.right, *layout.bottom):
            self._docks[group[0]].raise_()

    def _dress_tabs(self) -> None:
        """Titles in tabs or in headers, and the tabs' own fonts."""
        for dock in self._docks.values():
            dock.card.set_tabbed(not dock.isFloating() and bool(self._window.tabifiedDockWidgets(dock)))
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setFont(self._theme.font("body", 500))
            bar.setElideMode(Qt.TextElideMode.ElideRight)
            bar.setUsesScrollButtons(False)
            bar.setExpanding(False)
