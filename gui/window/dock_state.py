"""Reads the arrangement of a window's docks from Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QTabBar

from gui.window.docks import Dock
from gui.window.layouts import Group, Layout



def tab_bars(window: QMainWindow) -> list[QTabBar]:
    """Returns the tab bars of a window's dock areas."""
    return window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)


def read_layout(window: QMainWindow, docks: Mapping[str, Dock], like: Layout, *, settled: bool = True) -> Layout:
    """Returns the present arrangement of the docks, with their sizes in pixels.

    Args:
        window: contains the docks.
        docks: by the names of their panels.
        like: supplies what cannot be read: order and front of tabs that Qt has not created yet, and whether the bottom area
            spans the window.
        settled: True if Qt has laid out the docks, so that positions give the order of groups; otherwise `like` gives it.
    """
    placed = {name: dock for name, dock in docks.items() if not dock.isHidden()}
    floating = tuple((name, d.x(), d.y(), d.width(), d.height()) for name, d in placed.items() if d.isFloating())
    order, fronts = _tabs(window)
    rank = {name: k for k, name in enumerate((*like.names, *docks))}

    def groups(area: Qt.DockWidgetArea) -> list[Group]:
        left = {n: d for n, d in placed.items() if not d.isFloating() and window.dockWidgetArea(d) == area}
        found: list[Group] = []
        while left:
            name = next(iter(left))
            mates = {mate.name for mate in window.tabifiedDockWidgets(left[name]) if isinstance(mate, Dock)}
            group = [n for n in left if n == name or n in mates]
            group.sort(key=lambda n: (order.get(n, -1), rank[n]))
            found.append(tuple(group))
            for n in group:
                del left[n]
        return found

    def front(group: Group) -> Dock:
        seen = (n for n in group if not docks[n].visibleRegion().isEmpty())
        return docks[next(seen, next((n for n in group if n in fronts), like.front_of(group)))]

    sides = {area: groups(area) for area in (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea)}
    for area, rows in sides.items():
        row = area == Qt.DockWidgetArea.BottomDockWidgetArea
        if settled:
            rows.sort(key=(lambda group: front(group).x()) if row else (lambda group: front(group).y()))
        else:
            rows.sort(key=lambda group: min(rank[n] for n in group))
    left, right, bottom = (tuple(rows) for rows in sides.values())
    wide = [front(rows[0]).width() if rows else of for rows, of in zip((left, right), like.wide, strict=True)]
    return replace(
        like, left=left, right=right, bottom=bottom, wide=(wide[0], wide[1]), floating=floating,
        left_shares=tuple(max(1, front(group).height()) for group in left),
        right_shares=tuple(max(1, front(group).height()) for group in right),
        high=front(bottom[0]).height() if bottom else like.high,
        raised=frozenset(front(group).name for group in (*left, *right, *bottom)))


def _tabs(window: QMainWindow) -> tuple[dict[str, int], set[str]]:
    """Returns the index of each panel in its tab bar, and the panels in front of their tab bars, by name."""
    names = {dock.windowTitle(): dock.name for dock in window.findChildren(Dock)}
    order: dict[str, int] = {}
    fronts: set[str] = set()
    for bar in tab_bars(window):
        if bar.isVisible() and bar.count() > 1:
            tabs = [names.get(bar.tabText(k), "") for k in range(bar.count())]
            order |= {name: k for k, name in enumerate(tabs) if name}
            fronts.add(tabs[bar.currentIndex()] if bar.currentIndex() >= 0 else "")
    return order, fronts
