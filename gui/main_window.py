"""The window: cards on a canvas, one arrangement per planner."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import QByteArray, QRect, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar, QTabWidget, QToolBar, QVBoxLayout, QWidget

from core.facets import Facet
from core.snapshot import Snapshot
from gui.asking import Asking
from gui.console import Console
from gui.distributor import Distributor
from gui.docks import Card, Dock
from gui.goal_reader import GoalReader
from gui.layouts import Layout, layout_of, shared, widths
from gui.operator_bar import OperatorBar
from gui.panels.facet_tree import unclaimed
from gui.panels.registry import PANELS
from gui.run_states import run_state
from gui.stage import Stage
from gui.status_line import StatusLine
from gui.theme import PaletteName
from gui.theme.tokens import GUTTER
from gui.timeline import Timeline

Area = Qt.DockWidgetArea
SMALLEST = (1024, 680)
LAYOUT_VERSION = 1


class MainWindow(QMainWindow):
    """Operator bar, docks around the frames, timeline, status line. Knows no planner: only panels by name."""

    asked_override = Signal()
    asked_palette = Signal()
    asked_recording = Signal()
    closed = Signal()

    def __init__(self, console: Console, reader: GoalReader, settings: QSettings):
        super().__init__()
        self.console, self.context, self._settings = console, console.context, settings
        self.setWindowTitle("Belvedere")
        self.setDockNestingEnabled(True)
        self.setTabPosition(Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setContentsMargins(GUTTER, GUTTER, GUTTER, 0)
        self.setMinimumSize(*SMALLEST)
        acts: dict[str, Callable[[], object]] = {
            "override": self.asked_override.emit, "palette": self.asked_palette.emit, "record": self.asked_recording.emit}
        self.bar = OperatorBar(console, reader, acts)
        self.timeline = Timeline(console)
        self.status = StatusLine(console)
        self.stage = Stage(self.context)
        self.asking = Asking(console, reader, self, self._middle)
        self.setCentralWidget(self.stage)
        self._add_bar(Qt.ToolBarArea.TopToolBarArea, self.bar, (0, 0, 0, GUTTER))
        self._add_bar(Qt.ToolBarArea.BottomToolBarArea, self.timeline, (0, GUTTER, 0, 0))
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setContentsMargins(0, 0, 0, 0)
        self.docks = {name: Dock(self.context, name, self) for name in PANELS if name != "frames"}
        self._distributor = Distributor()
        self._distributor.serve((self.stage.card, *(dock.card for dock in self.docks.values())))
        self._closed_card: Snapshot | None = None
        self._offered: frozenset[type[Facet]] = frozenset()
        self._planner = ""
        self._settled = False
        self._tabs_later = QTimer(self)
        self._tabs_later.setSingleShot(True)
        self._tabs_later.timeout.connect(self._dress_tabs)
        self._connect()
        self.use_layout(console.request.planner)

    def _add_bar(self, area: Qt.ToolBarArea, widget: QWidget, margins: tuple[int, int, int, int]) -> None:
        bar = QToolBar(widget.accessibleName(), self)
        bar.setObjectName(f"bar {widget.accessibleName()}")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.toggleViewAction().setVisible(False)
        wrap = QWidget()
        column = QVBoxLayout(wrap)
        column.setContentsMargins(*margins)
        column.addWidget(widget)
        bar.addWidget(wrap)
        self.addToolBar(area, bar)

    def _connect(self) -> None:
        console = self.console
        console.shown_changed.connect(self._distributor.offer)
        console.live_snapshot.connect(self._on_live)
        console.trouble_changed.connect(lambda _: self._show_state())
        console.runner.phase_changed.connect(lambda _: self._show_state())
        console.request_changed.connect(lambda request: self.use_layout(request.planner))
        for dock in self.docks.values():
            dock.seen.connect(self._on_seen)
            dock.dockLocationChanged.connect(lambda _: self._tabs_later.start(0))
            dock.topLevelChanged.connect(lambda _: self._tabs_later.start(0))

    def _on_live(self, snapshot: Snapshot) -> None:
        self._show_state()
        if self._settled and self.docks["facets"].isHidden() and unclaimed(snapshot) - self._offered:
            self._offered |= unclaimed(snapshot)
            self._offer("facets")

    def _offer(self, name: str) -> None:
        """Add a panel as a tab, beside the log where there is one, without raising it."""
        dock = self.docks[name]
        placed = [d for d in (self.docks["log"], *self.docks.values()) if not d.isHidden() and not d.isFloating()]
        if not placed:
            return
        raised = [d for d in (placed[0], *self.tabifiedDockWidgets(placed[0])) if not d.visibleRegion().isEmpty()]
        self.addDockWidget(self.dockWidgetArea(placed[0]), dock)
        self.tabifyDockWidget(placed[0], dock)
        dock.show()
        for before in raised[:1]:
            before.raise_()

    # --- states ------------------------------------------------------------
    def _show_state(self) -> None:
        """The card over the frames; one that was closed stays closed for that run's end."""
        state = run_state(self.console, self.asked_override.emit, self.close_card)
        closed = self._closed_card is not None and self.console.snapshot.ended is self._closed_card.ended
        if state is not None and state.kind in ("done", "large") and (closed or self.console.moment is not None):
            state = None
        self.stage.show_state(state)

    def close_card(self) -> bool:
        """Close the card over the frames; whether there was one that can be closed."""
        if self.asking.shown:
            self.asking.close_card()
            return True
        if self.console.snapshot.ended is not None and self._closed_card is not self.console.snapshot:
            self._closed_card = self.console.snapshot
            shown = not self.stage.overlay.isHidden()
            self._show_state()
            return shown
        return False

    def ask_task(self, recordings: bool) -> None:
        """The first-run card."""
        card = self.asking.open_card(recordings)
        card.connected_model.connect(self.bar.pickers.provider.open_menu)
        card.opened_recording.connect(self.asked_recording)

    def _middle(self) -> QRect:
        """All between the bar and the timeline."""
        top = self.bar.mapTo(self, self.bar.rect().bottomLeft()).y() + GUTTER
        bottom = self.timeline.mapTo(self, self.timeline.rect().topLeft()).y() - GUTTER
        return QRect(GUTTER, top, self.width() - 2 * GUTTER, max(1, bottom - top))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """The first-run card follows."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self.asking, self.asking.place)

    # --- panels ------------------------------------------------------------
    def cards(self) -> tuple[Card, ...]:
        """The frames' card and those of all docks."""
        return (self.stage.card, *(dock.card for dock in self.docks.values()))

    def visible_cards(self) -> tuple[Card, ...]:
        """Cards in view, the one with the focus first."""
        focus = QApplication.focusWidget()
        shown = [card for card in self.cards() if card.isVisible()]
        return tuple(sorted(shown, key=lambda card: not (focus is not None and card.isAncestorOf(focus))))

    def _on_seen(self, name: str) -> None:
        if self._settled:
            self._distributor.show_now(self.docks[name].card)
        self._tabs_later.start(0)

    def settle(self) -> None:
        """After the first show: fill the panels in view, and let hidden ones wait until they are seen."""
        self._settled = True
        self._distributor.offer(self.console.shown)

    def show_panel(self, name: str) -> None:
        """Bring a panel into view and give it the focus."""
        if name == "frames":
            self.stage.card.fill().setFocus()
            return
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        dock.card.fill().setFocus()

    def toggle_panel(self, name: str) -> None:
        """Show or hide a panel."""
        dock = self.docks[name]
        if dock.isVisible():
            dock.hide()
        else:
            self.show_panel(name)

    # --- arrangement -------------------------------------------------------
    def use_layout(self, planner: str) -> None:
        """The arrangement of a planner: as it was left, or as designed."""
        if planner == self._planner:
            return
        self.save_layout()
        self._planner = planner
        across = layout_of(planner).across
        for corner, side in ((Qt.Corner.BottomLeftCorner, Area.LeftDockWidgetArea),
                             (Qt.Corner.BottomRightCorner, Area.RightDockWidgetArea)):
            self.setCorner(corner, Area.BottomDockWidgetArea if across else side)
        saved = self._settings.value(f"layout/{planner}")
        if not (isinstance(saved, QByteArray) and self.restoreState(saved, LAYOUT_VERSION)):
            self.reset_layout()
        self._tabs_later.start(0)

    def save_layout(self) -> None:
        """Keep the arrangement for this planner."""
        if self._planner and self._settled:
            self._settings.setValue(f"layout/{self._planner}", self.saveState(LAYOUT_VERSION))

    def reset_layout(self) -> None:
        """As designed."""
        layout = layout_of(self._planner)
        for dock in self.docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        for area, groups in ((Area.LeftDockWidgetArea, layout.left), (Area.RightDockWidgetArea, layout.right),
                             (Area.BottomDockWidgetArea, layout.bottom)):
            for group in groups:
                self._add_group(area, group)
        self._settings.remove(f"layout/{self._planner}")
        # Sizing before the docks have settled leaves an empty tab bar behind.
        QTimer.singleShot(0, self, lambda: self._size(layout))
        self._tabs_later.start(0)

    def _add_group(self, area: Qt.DockWidgetArea, group: tuple[str, ...]) -> None:
        first = self.docks[group[0]]
        self.addDockWidget(area, first)
        first.show()
        for before, name in pairwise(group):
            self.addDockWidget(area, self.docks[name])
            self.tabifyDockWidget(self.docks[before], self.docks[name])
            self.docks[name].show()
        first.raise_()

    def _size(self, layout: Layout) -> None:
        left, right = widths(layout, self.width(), self.context.theme.scale)
        wide = [(self.docks[groups[0][0]], size) for groups, size in ((layout.left, left), (layout.right, right)) if groups]
        self.resizeDocks([dock for dock, _ in wide], [size for _, size in wide], Qt.Orientation.Horizontal)
        high = max(200, self.height() - self.bar.height() - self.timeline.height() - 48)
        for groups, shares in ((layout.left, layout.left_shares), (layout.right, layout.right_shares)):
            first = [self.docks[group[0]] for group in groups]
            self.resizeDocks(first, shared(high, shares, len(first)), Qt.Orientation.Vertical)
        if layout.bottom:
            self.resizeDocks([self.docks[layout.bottom[0][0]]], [round(high * layout.high / 644)], Qt.Orientation.Vertical)
        for group in (*layout.left, *layout.right, *layout.bottom):
            self.docks[group[0]].raise_()

    def _dress_tabs(self) -> None:
        """Titles in tabs or in headers, and the tabs' own fonts."""
        for dock in self.docks.values():
            dock.card.set_tabbed(not dock.isFloating() and bool(self.tabifiedDockWidgets(dock)))
        for bar in self.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setFont(self.context.theme.font("body", 500))
            bar.setElideMode(Qt.TextElideMode.ElideRight)
            bar.setUsesScrollButtons(False)
            bar.setExpanding(False)

    # --- theme and end -----------------------------------------------------
    def set_theme(self, name: PaletteName, scale: float | None = None) -> None:
        """Another palette or text size, kept for the next start."""
        theme, app = self.context.theme, QApplication.instance()
        theme.become(name, scale)
        if isinstance(app, QApplication):
            theme.apply(app)
        self._settings.setValue("theme", name)
        self._settings.setValue("text size", theme.scale)
        self.context.theme_changed.emit()
        for card in self.cards():
            if card.panel is not None:
                card.panel.restyle()
        self._tabs_later.start(0)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Keep the arrangement; whoever made the window ends the run."""
        self.save_layout()
        self._settings.setValue("geometry", self.saveGeometry())
        self.hide()
        self._distributor.stop()
        self.closed.emit()
        super().closeEvent(event)
