"""Applies a planner's layout to the window's docks, follows the operator's changes to it, and keeps it in the settings.

The layout the operator wants (`Layout`) is the single source of truth; Qt's docks are derived from it. Qt's own `saveState` is
not used: its `restoreState` brings back docks that the state does not name, which filled layouts with panels of other planners.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QToolBar, QWidget

from gui.control.kept_settings import KeptSettings
from gui.theme import Theme
from gui.theme.screens import areas, placed
from gui.window import layouts
from gui.window.docks import Dock
from gui.window.layout_fitting import Room, as_arranged, fitted, reconciled, resized, sizes
from gui.window.layouts import NOTHING_DECLARED, Declared, Group, Layout, Shows, has_something_to_show, layout_for

Area = Qt.DockWidgetArea
CHECK, MOST_TRIES = 40, 3
"""Milliseconds until Qt has laid out the docks, and how often sizes are set again."""
MOST_TAB_HEIGHT = 40
"""Pixels at 100 % text size by which a dock may be lower than its group, because of its tabs and rounding."""


class Arrangement(QObject):
    """Places a window's docks around its central widget. `room` returns the room that docks and central widget share."""

    raised = Signal()
    """Docks were raised over other widgets of the window."""

    def __init__(self, window: QMainWindow, docks: Mapping[str, Dock], theme: Theme, settings: KeptSettings,
                 room: Callable[[], Room]):
        super().__init__(window)
        self._window, self._docks, self._theme, self._settings, self._room = window, docks, theme, settings, room
        self._planner = ""
        self._shows: Shows | None = None
        self._declared: Declared = NOTHING_DECLARED
        self._wanted = self._applied = Layout((), ())
        self._grabbed: Layout | None = None
        self._hidden: tuple[QWidget, ...] = ()
        """The bars that are hidden while only the frames are shown."""
        self.settled = False
        """Whether the window has been shown. Before that there is no arrangement to keep."""
        self._style = self._timer(self._style_tabs)
        self._look = self._timer(self._observe)
        self._fit = self._timer(self._adapt)
        self._scale = self._timer(self._resize)
        self._tried: tuple[object, ...] = ()
        """The arrangement that was applied last because the docks differed from it. It is not applied twice in a row."""
        self._raises = False
        """Whether the front panels of a layout just applied must still be raised: Qt raises others while it lays out the
        docks."""
        self._check, self._tries = self._timer(self._check_sizes), 0
        self._check.setInterval(CHECK)
        for dock in docks.values():
            for signal in (dock.dockLocationChanged, dock.topLevelChanged, dock.visibilityChanged):
                signal.connect(self._on_change)
        window.installEventFilter(self)

    def _timer(self, act: Callable[[], object]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=0)
        timer.timeout.connect(act)
        return timer

    @property
    def wanted(self) -> Layout:
        """The layout the operator wants, which may differ from what fits the window now."""
        return self._wanted

    @property
    def planner(self) -> str:
        """The planner whose layout is used; empty before the first one."""
        return self._planner

    # --- which layout ------------------------------------------------------
    def use(self, planner: str, shows: Shows | None, declared: Declared = NOTHING_DECLARED) -> None:
        """Changes to a planner's layout: the one the operator left, or the designed one.

        Args:
            planner: its name in the registry.
            shows: kinds of facet it shows; None: not known yet.
            declared: the panels it wants, by side; empty: they follow from what it shows.
        """
        if planner == self._planner:
            self.learn(shows, declared)
            return
        self.save()
        self._planner, self._shows, self._declared = planner, shows, declared
        self._wanted = self._kept() or self._designed()
        self._apply()

    def learn(self, shows: Shows | None, declared: Declared = NOTHING_DECLARED) -> None:
        """Takes the kinds of facet the planner shows, once they are known. Panels that would stay empty are removed."""
        if shows is None or (shows, declared) == (self._shows, self._declared):
            return
        designed = self._is_designed()
        self._shows, self._declared = shows, declared
        wanted = self._designed() if designed else self._own(self._wanted)
        if wanted != self._wanted:
            self._wanted = wanted
            self._apply()

    def place(self, name: str, *, front: bool = True) -> None:
        """Shows a panel in front of its tabs or behind them. A panel that has no place in the layout gets one.

        While only the frames are shown the panel only gets its place; it is shown together with the others.
        """
        self._observe()  # a panel that was just closed no longer has a place
        dock = self._docks[name]
        new = name not in self._wanted.names or dock.isHidden()
        self._wanted = self._take_fronts(self._wanted).added(name, front=front)
        if self._hidden:
            return
        fit = self._fitting()
        alone = (name,) in fit.groups
        if new and not alone and fit.only(lambda other: other != name).groups == self._applied.groups:
            self._join(name, fit)
        elif fit.groups != self._applied.groups or fit.floating != self._applied.floating:
            self._apply()
        dock.show()
        self._applied = fit
        self._raise(fit)
        if front and dock.isFloating():
            dock.raise_()
        self.style_tabs_later()

    def save(self) -> None:
        """Keeps the layout for this planner, unless it is the designed one."""
        if not (self._planner and self.settled):
            return
        self._observe()
        if self._is_designed():
            layouts.forget(self._settings, self._planner)
        else:
            layouts.store(self._settings, self._planner, self._own(self._wanted))

    def reset(self) -> None:
        """Returns to the designed layout."""
        layouts.forget(self._settings, self._planner)
        self._wanted = self._designed()
        self._apply()

    def _kept(self) -> Layout | None:
        kept = layouts.load(self._settings, self._planner, self._docks)
        return None if kept is None else self._own(kept)

    def _own(self, layout: Layout) -> Layout:
        """Returns the layout without panels that never show anything for this planner."""
        return layout.only(lambda name: has_something_to_show(name, self._shows))

    def _is_designed(self) -> bool:
        return _with_fronts(self._wanted) == _with_fronts(self._designed())

    def _designed(self) -> Layout:
        return layout_for(self._shows, self._declared)

    # --- the window --------------------------------------------------------
    def adapt_later(self) -> None:
        """Schedules fitting the layout again, after the window, its bars or the text size changed."""
        self._fit.start()

    def style_tabs_later(self) -> None:
        """Schedules setting the titles and fonts of the tabs, once Qt has created them."""
        self._style.start()

    @property
    def only_frames(self) -> bool:
        """Whether everything around the central widget is hidden, which is not a change of the layout."""
        return bool(self._hidden)

    def show_only_frames(self) -> None:
        """Hides bars, docks and the status line. Floating docks stay."""
        if self._hidden:
            return
        self._observe()
        window = self._window
        bars = [bar for bar in window.findChildren(QToolBar) if bar.parent() is window and not bar.isHidden()]
        self._hidden = (*bars, window.statusBar())
        for part in (*self._hidden, *(dock for dock in self._docks.values() if not dock.isHidden() and not dock.isFloating())):
            part.hide()

    def show_all(self) -> bool:
        """Shows everything again. Returns True if only the frames were shown."""
        parts, self._hidden = self._hidden, ()
        for part in parts:
            part.show()
        if parts:
            self._apply()
        return bool(parts)

    def _fitting(self) -> Layout:
        """Returns the wanted layout fitted to the window, whose size is known once it was shown."""
        return fitted(self._wanted, self._room()) if self.settled else self._wanted

    def _adapt(self) -> None:
        if self._hidden:
            return
        self._observe()
        fit = self._fitting()
        if fit.groups != self._applied.groups:
            self._apply()
        else:
            self._applied = fit
            self._resize()
        self.style_tabs_later()

    def _apply(self) -> None:
        if self._hidden:
            return  # `show_all` applies it: docks would appear around the page that fills the window
        layout = self._applied = self._fitting()
        focus = QApplication.focusWidget()
        self._window.setUpdatesEnabled(False)
        try:
            self._set_corners(layout)
            self._take_away()
            for area, groups in ((Area.LeftDockWidgetArea, layout.left), (Area.RightDockWidgetArea, layout.right),
                                 (Area.BottomDockWidgetArea, layout.bottom)):
                for group in groups:
                    self._add_group(area, group)
            for name, *place in layout.floating:
                self._float(self._docks[name], place)
            self._raise(layout)
        finally:
            self._window.setUpdatesEnabled(True)
        if focus is not None and focus.isVisible():
            focus.setFocus()
        self._raises = True
        # Sizing before the docks have settled leaves an empty tab bar behind.
        self._scale.start()
        self.style_tabs_later()

    def _set_corners(self, layout: Layout) -> None:
        for corner, side in ((Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea),
                             (Qt.Corner.BottomRightCorner, Area.RightDockWidgetArea)):
            self._window.setCorner(corner, Area.BottomDockWidgetArea if layout.across else side)

    def _take_away(self) -> None:
        for dock in self._docks.values():
            if dock.isFloating():  # for a docked one, too, Qt would create a new native window, which is slow
                dock.setFloating(False)
            self._window.removeDockWidget(dock)

    def _add_group(self, area: Qt.DockWidgetArea, group: tuple[str, ...]) -> None:
        first = self._docks[group[0]]
        along = Qt.Orientation.Horizontal if area == Area.BottomDockWidgetArea else Qt.Orientation.Vertical
        self._window.addDockWidget(area, first, along)
        first.show()
        for before, name in pairwise(group):
            self._window.addDockWidget(area, self._docks[name])
            self._window.tabifyDockWidget(self._docks[before], self._docks[name])
            self._docks[name].show()

    def _float(self, dock: Dock, place: list[int]) -> None:
        self._window.addDockWidget(Area.RightDockWidgetArea, dock)
        dock.setFloating(True)
        dock.setGeometry(placed(QRect(*place), areas()))
        dock.show()

    def _join(self, name: str, layout: Layout) -> None:
        group = next(group for group in layout.groups if name in group)
        dock, beside = self._docks[name], self._docks[next(other for other in reversed(group) if other != name)]
        self._window.addDockWidget(self._window.dockWidgetArea(beside), dock)
        self._window.tabifyDockWidget(beside, dock)

    def _raise(self, layout: Layout) -> None:
        for group in layout.groups:
            self._docks[layout.front_of(group)].raise_()
        self.raised.emit()

    def _resize(self) -> None:
        """Gives all groups of the applied layout their sizes."""
        if self._hidden:
            return
        layout, window, docks = self._applied, self._window, self._docks
        if (window_layout := window.layout()) is not None:
            window_layout.activate()  # Qt drops sizes that are set before it has laid out new docks
        found = sizes(layout, self._room())
        sides = [(docks[layout.front_of(groups[0])], wide)
                 for groups, wide in ((layout.left, found.left), (layout.right, found.right)) if groups]
        window.resizeDocks([dock for dock, _ in sides], [wide for _, wide in sides], Qt.Orientation.Horizontal)
        if layout.bottom:
            window.resizeDocks([docks[layout.front_of(layout.bottom[0])]], [found.bottom], Qt.Orientation.Vertical)
        for groups, heights in ((layout.left, found.left_heights), (layout.right, found.right_heights)):
            window.resizeDocks([docks[layout.front_of(group)] for group in groups], list(heights), Qt.Orientation.Vertical)
        if self._raises:
            self._raises = False
            self._raise(layout)
        self._check.start()

    def _check_sizes(self) -> None:
        """Sets the sizes again, a few times at most: Qt drops sizes that are set while it is still laying out its docks."""
        if self._hidden or not self._window.isVisible() or self._grabbed is not None:
            return
        wanted, seen = sizes(self._applied, self._room()), self._read()
        if as_arranged(seen) != as_arranged(self._applied):
            return
        pairs = [*zip(wanted.left_heights, seen.left_shares, strict=True),
                 *zip(wanted.right_heights, seen.right_shares, strict=True)]
        pairs += [(wanted.bottom, seen.high)] if seen.bottom else []
        tabs = self._theme.px(MOST_TAB_HEIGHT)
        if self._tries < MOST_TRIES and any(abs(high - is_high) > tabs for high, is_high in pairs):
            self._tries += 1
            self._resize()
        else:
            self._tries = 0

    # --- what the operator changes -----------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follows drags of the gaps between docks: their mouse events reach the window itself."""
        kind = event.type()
        if kind in (QEvent.Type.ChildPolished, QEvent.Type.ChildAdded):
            self._style.start()  # it may be a new tab bar
        elif watched is self._window and kind == QEvent.Type.MouseButtonPress:
            self._grabbed = self._read()
        elif watched is self._window and kind == QEvent.Type.MouseButtonRelease and self._grabbed is not None:
            before, self._grabbed = self._grabbed, None
            self._wanted = resized(self._wanted, before, self._read(), self._room())
            self._applied = self._fitting()
        return False

    def _on_change(self, *_: object) -> None:
        self._look.start()
        self.style_tabs_later()

    def _observe(self) -> None:
        """Takes over what the operator did to the docks: moved, floated, closed, raised."""
        self._look.stop()
        if self._hidden or not self.settled:
            return
        seen = self._read()
        if as_arranged(seen) != as_arranged(self._applied):
            self._wanted = reconciled(self._wanted, self._applied, seen)
            fit = self._fitting()
            self._applied = fit
            if as_arranged(fit) != as_arranged(seen) and as_arranged(fit) != self._tried:
                self._apply()
                self._tried = as_arranged(fit)
                return
            self._tried = ()
        else:
            self._tried = ()  # the arrangement is applied, so the same one may be the answer to the operator's next change
            self._wanted = self._take_fronts(self._wanted, seen)

    def _read(self) -> Layout:
        return read_layout(self._window, self._docks, self._applied, settled=not self._scale.isActive())

    def _take_fronts(self, layout: Layout, seen: Layout | None = None) -> Layout:
        """Returns the layout with the panels in front that are in front now.

        Groups merged for lack of room keep their former fronts.
        """
        if self._hidden or not self.settled:
            return layout
        seen = seen or self._read()
        for name in sorted(seen.raised):
            if name in layout.names and layout.groups == seen.groups:
                layout = layout.raising(name)
        same = {f[0] for f in layout.floating} == {f[0] for f in seen.floating}
        return replace(layout, floating=seen.floating) if same else layout

    def _style_tabs(self) -> None:
        """Shows titles in tabs or in headers, and sets the tabs' fonts."""
        for dock in self._docks.values():
            if dock.made is not None:
                dock.made.set_tabbed(not dock.isFloating() and bool(self._window.tabifiedDockWidgets(dock)))
        for bar in tab_bars(self._window):
            bar.setFont(self._theme.font("body", 500))
            bar.setElideMode(Qt.TextElideMode.ElideNone)
            bar.setUsesScrollButtons(True)
            bar.setExpanding(False)


def _with_fronts(layout: Layout) -> Layout:
    """Returns the layout with every front named, so that layouts that look equal compare equal."""
    return replace(layout, raised=frozenset(layout.front_of(group) for group in layout.groups))


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
    # Without the system's frame, as it is set again: otherwise panels would move down by a title bar at each start.
    floating = tuple((name, d.geometry().x(), d.geometry().y(), d.width(), d.height())
                     for name, d in placed.items() if d.isFloating())
    order, fronts = _tabs(window, docks)
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

    sides = {area: groups(area) for area in (Area.LeftDockWidgetArea, Area.RightDockWidgetArea, Area.BottomDockWidgetArea)}
    for area, rows in sides.items():
        row = area == Area.BottomDockWidgetArea
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


def _tabs(window: QMainWindow, docks: Mapping[str, Dock]) -> tuple[dict[str, int], set[str]]:
    """Returns the index of each panel in its tab bar, and the panels in front of their tab bars, by name."""
    names = {dock.windowTitle(): name for name, dock in docks.items()}
    order: dict[str, int] = {}
    fronts: set[str] = set()
    for bar in tab_bars(window):
        if bar.isVisible() and bar.count() > 1:
            tabs = [names.get(bar.tabText(k), "") for k in range(bar.count())]
            order |= {name: k for k, name in enumerate(tabs) if name}
            fronts.add(tabs[bar.currentIndex()] if bar.currentIndex() >= 0 else "")
    return order, fronts


def tab_bars(window: QMainWindow) -> list[QTabBar]:
    """Returns the tab bars of a window's dock areas."""
    return window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
