"""The main window: cards on a canvas, arranged by planner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QTabWidget, QToolBar, QVBoxLayout, QWidget

from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.goal_reader import GoalReader
from gui.control.kept_settings import KeptSettings
from gui.panels.base import Offer
from gui.panels.registry import PANELS
from gui.recordings.failures import FailureReview
from gui.recordings.labelling import Labelling
from gui.recordings.recorders import Recorders
from gui.recordings.viewer import RecordingViewer, ReplayStrip
from gui.theme import PaletteName
from gui.theme.screens import GEOMETRY, LEAST
from gui.theme.tokens import GUTTER
from gui.timeline import Timeline
from gui.timeline.watch_strip import WatchStrip
from gui.widgets.chooser import chosen
from gui.window.arrangement import Arrangement
from gui.window.distributor import Distributor
from gui.window.docks import Card, Dock, PanelNavigation
from gui.window.layout_fitting import Room
from gui.window.layouts import Declared, Shows
from gui.window.operator_bar import OperatorBar
from gui.window.stage import CardCallbacks, Notices, Stage, run_state
from gui.window.status_line import StatusLine
from gui.window.task_card import TaskCard
from gui.window.visitor_bar import VisitorBar


class MainWindow(QMainWindow):
    """Operator bar, docks around the frames, timeline, status line. Knows no planner, only panels by name."""

    asked_override = Signal()
    asked_opening = Signal()
    asked_library = Signal()
    asked_evaluations = Signal()
    asked_tour = Signal()
    asked_batch = Signal(str)
    """Requests what is done with a batch: `open` its dialog, `skip` the episode, or `stop`."""
    asked_review = Signal(bool)
    """Requests the next recording to review; True: the one shown is finished."""
    closed = Signal()

    def __init__(self, console: Console, recorders: Recorders, viewer: RecordingViewer, labelling: Labelling,
                 failures: FailureReview, reader: GoalReader, settings: KeptSettings):
        super().__init__()
        self.console, self.context, self._settings = console, console.context, settings
        self.recorders, self.viewer, self.labelling, self.failures = recorders, viewer, labelling, failures
        self._paints, self._passes = False, 0
        self._painting = QTimer(self, interval=0, singleShot=True)
        self._painting.timeout.connect(self._paint_soon)
        self.setWindowTitle("Belvedere")
        self.setDockNestingEnabled(False)  # only columns of groups, which a layout can store
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setContentsMargins(GUTTER, GUTTER, GUTTER, 0)
        self.setMinimumSize(*map(self.context.theme.px, LEAST))
        self.bar = OperatorBar(console, recorders, reader)
        self.timeline = Timeline(console, labelling)
        self.status = StatusLine(console, recorders, labelling.keeping)
        self.stage = Stage(self.context, lambda: self._room().height)
        self.context.judged = self.stage.judged
        self.notices = Notices(console, self.stage)
        self.may_close: Callable[[], bool] = lambda: True
        """Returns whether the window may close now; asks the operator if something would be lost."""
        self.task_card = TaskCard(console, reader, self, self._middle)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.stage)
        self.setCentralWidget(self._pages)
        self._add_bar(Qt.ToolBarArea.TopToolBarArea, self.bar, (0, 0, 0, GUTTER))
        self.strip = ReplayStrip(console, viewer, failures, self)
        self.visitor_bar = VisitorBar(console)
        self._visitors = self._add_bar(Qt.ToolBarArea.TopToolBarArea, self.visitor_bar, (0, 0, 0, GUTTER))
        self._visitors.hide()
        self.addToolBarBreak(Qt.ToolBarArea.TopToolBarArea)
        self._strip_bar = self._add_bar(Qt.ToolBarArea.TopToolBarArea, self.strip, (0, 0, 0, GUTTER))
        self._strip_bar.hide()
        self.watches = WatchStrip(console)
        self._watch_bar = self._add_bar(Qt.ToolBarArea.BottomToolBarArea, self.watches, (0, GUTTER, 0, 0))
        self._watch_bar.hide()
        self.addToolBarBreak(Qt.ToolBarArea.BottomToolBarArea)
        self._add_bar(Qt.ToolBarArea.BottomToolBarArea, self.timeline, (0, GUTTER, 0, 0))
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setContentsMargins(0, 0, 0, 0)
        self._distributor = Distributor(console.bridge.activity, self.is_painting_due)
        self._distributor.serve(self.stage.card)
        self.docks = {name: Dock(self.context, name, self, self._distributor.serve) for name in PANELS if name != "frames"}
        self._closed_card: Snapshot | None = None
        self._offered: frozenset[str] = frozenset()
        self._offered_lists: set[tuple[str, str]] = set()
        self._settled = False
        self._arrangement = Arrangement(self, self.docks, self.context.theme, settings, self._room)
        self._arrangement.raised.connect(self.task_card.place)
        self.navigation = PanelNavigation(self, self.stage.card, self.docks, self._bring)
        self._connect()
        self.use_layout(console.request.planner)

    def _add_bar(self, area: Qt.ToolBarArea, widget: QWidget, margins: tuple[int, int, int, int]) -> QToolBar:
        bar = QToolBar(widget.accessibleName(), self)
        bar.setObjectName(f"bar {widget.accessibleName()}")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.toggleViewAction().setVisible(False)
        wrap = QWidget(bar)
        column = QVBoxLayout(wrap)
        column.setContentsMargins(*margins)
        bar.addWidget(wrap)
        self.addToolBar(area, bar)
        column.addWidget(widget)  # last: Qt styles a widget with all its parts again whenever it, or what it lies on, moves
        return bar

    def _connect(self) -> None:
        console = self.console
        console.shown_changed.connect(self._distributor.offer)
        self.context.preview.changed.connect(lambda: self._distributor.preview(self.context.preview.snapshot))
        console.live_snapshot.connect(self._on_live)
        console.trouble_changed.connect(lambda _: self._show_state())
        console.choices_changed.connect(self._on_choices)
        console.replay.changed.connect(self._on_replay)
        self.watches.resized.connect(self._on_watches)
        self.watches.redraw()
        self.failures.changed.connect(self._show_state)
        self.failures.changed.connect(lambda: self.timeline.show_failure(self.failures.proposal))
        console.forked.connect(lambda: None if self.context.plain else self._bring("compare"))  # visitors do not compare
        self.context.selection.asked_panel.connect(self.show_panel)
        self.asked_opening.connect(lambda: self.viewer.ask(self))
        self.viewer.asked_recording.connect(lambda link: self.viewer.ask(self, link))
        self.viewer.asked_panels.connect(self._show_panels)
        self.viewer.unreadable.connect(lambda name, why: self.notices.report_unreadable(name, why, self.asked_opening.emit))
        console.runner.phase_changed.connect(lambda _: self._show_state())
        self.context.breakpoints.changed.connect(self._offer_lists)
        self.context.runs.changed.connect(self._offer_lists)
        console.request_changed.connect(lambda request: self.use_layout(request.planner))
        for dock in self.docks.values():
            dock.seen.connect(self._on_seen)

    def _on_live(self, snapshot: Snapshot) -> None:
        self._show_state()
        if self._settled:
            self._offer_views(snapshot)

    def _offer_views(self, snapshot: Snapshot) -> None:
        """Adds the panels made from views as tabs when there is something to show, once for each window."""
        found = {name for name, cls in PANELS.derived.items() if not cls.facets.isdisjoint(snapshot.facets)} - self._offered
        self._offered |= found
        for name in sorted(found):
            if self.docks[name].isHidden():
                self._arrangement.place(name, front=False)

    def _offer_lists(self) -> None:
        """Adds the lists of runs and breakpoints as tabs when they have content, once for each planner's layout."""
        filled = {"breakpoints": bool(self.context.breakpoints.points), "runs": len(self.context.runs.rows) > 1}
        for name in (name for name in filled if filled[name] and self._settled):
            key = (self.console.request.planner, name)
            if key not in self._offered_lists:
                self._offered_lists.add(key)
                if self.docks[name].isHidden():
                    self._arrangement.place(name, front=False)

    def _on_watches(self) -> None:
        self._watch_bar.setVisible(bool(self.context.watches.watched))
        self._arrangement.adapt_later()

    def _on_replay(self) -> None:
        if self._strip_bar.isHidden() == self.console.replaying:
            self.timeline.fit(self.height())
        self._strip_bar.setVisible(self.console.replaying and not self._arrangement.only_frames)
        self._arrangement.adapt_later()
        if self.console.replaying:
            self.task_card.close_card()
        self._show_state()

    # --- states ------------------------------------------------------------
    def _show_state(self) -> None:
        """Updates the card over the frames. If the operator closed it, it stays closed for the end of that run."""
        state = run_state(self.console, CardCallbacks(self.asked_override.emit, self.recorders.go_on_without, self.close_card,
                                              self.bar.goal.edit, self.console.asked_models.emit,
                                              self.failures.action(self)))
        closed = self._closed_card is not None and self.console.snapshot.ended is self._closed_card.ended
        if state is not None and state.kind in ("done", "large") and (closed or self.console.moment is not None):
            state = None
        self.stage.show_state(state)

    def close_card(self) -> bool:
        """Closes the card over the frames. Returns True if there was one that can be closed."""
        if self.task_card.shown:
            self.task_card.close_card()
            return True
        if self.console.snapshot.ended is not None and self._closed_card is not self.console.snapshot:
            self._closed_card = self.console.snapshot
            shown = self.stage.has_state
            self._show_state()
            return shown
        return False

    def ask_task(self) -> None:
        """Opens the card for the first task."""
        if not self.console.may_change():
            return
        self.task_card.close_card()
        card = self.task_card.open_card(offers_tour=not self._settings.value("tour seen"))
        card.connected_model.connect(self.console.asked_models)
        card.opened_recording.connect(self.asked_opening)
        card.started_tour.connect(self.asked_tour)

    def _room(self) -> Room:
        """The room that docks and frames share."""
        bars = [self.bar, self.timeline, *(() if self._strip_bar.isHidden() else (self.strip,)),
                *(() if self._watch_bar.isHidden() else (self.watches,))]
        taken = sum(bar.height() + GUTTER for bar in bars) + self.status.height() + GUTTER
        return Room(self.width() - 2 * GUTTER, max(1, self.height() - taken), self.context.theme.scale)

    def _on_choices(self) -> None:
        """Completes the layout in use, which is that of the recording's planner while a recording is shown, and the state."""
        self._arrangement.learn(*self._wants(self._arrangement.planner or self.console.request.planner))
        self._show_state()

    def _wants(self, planner: str) -> tuple[Shows | None, Declared]:
        """Returns the kinds of facet a planner shows, None while that is not known, and the layout it declares."""
        console = self.console
        choice = chosen(console.choices.planners, planner)
        if choice.shows is None and console.replaying:
            return frozenset(console.snapshot.facets), choice.layout
        return choice.shows, choice.layout

    def _middle(self) -> QRect:
        """The rectangle between the bar and the timeline."""
        top = self.bar.mapTo(self, self.bar.rect().bottomLeft()).y() + GUTTER
        bottom = self.timeline.mapTo(self, self.timeline.rect().topLeft()).y() - GUTTER
        return QRect(GUTTER, top, self.width() - 2 * GUTTER, max(1, bottom - top))

    def event(self, event: QEvent) -> bool:
        """Leaves painting to a later pass of the event loop. Marks layouts as work, so that the session's thread waits."""
        kind = event.type()
        if kind == QEvent.Type.UpdateRequest and not self._paints:
            if not self._painting.isActive():
                self._passes = 0
                self._painting.start()
            return True
        if kind == QEvent.Type.LayoutRequest:
            with self.console.bridge.activity.work():
                return super().event(event)
        return super().event(event)

    def _paint_soon(self) -> None:
        """Paints in the second pass: timers and input of one pass come in any order, and input must not wait for painting."""
        self._passes += 1
        if self._passes < 2:
            self._painting.start()
        else:
            self._paint()

    def _paint(self) -> None:
        """Paints what changed. Input that arrived while it was laid out has been handled by then."""
        self._paints = True
        with self.console.bridge.activity.work():
            QCoreApplication.sendEvent(self, QEvent(QEvent.Type.UpdateRequest))
        self._paints = False

    def is_painting_due(self) -> bool:
        """Returns True if changes wait to be painted in a later pass of the event loop."""
        return self._painting.isActive()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts the layout and the card to the new size."""
        super().resizeEvent(event)
        self.timeline.fit(self.height())
        self._arrangement.adapt_later()
        QTimer.singleShot(0, self.task_card, self.task_card.place)

    # --- panels ------------------------------------------------------------
    def has_shown(self, snapshot: Snapshot) -> bool:
        """Returns True if the panels in view show a snapshot, and it is painted."""
        return self._distributor.has_shown(snapshot)

    @property
    def is_idle(self) -> bool:
        """True if no panel waits to be shown a snapshot, and nothing waits to be painted."""
        return self._distributor.is_idle and not self.is_painting_due()

    def stale_panels(self) -> tuple[str, ...]:
        """Returns the names of the panels in view that do not show what they should; none while the window is idle."""
        return self._distributor.stale()

    def cards(self) -> tuple[Card, ...]:
        """The frames' card and those of the docks that have been shown."""
        return (self.stage.card, *(dock.made for dock in self.docks.values() if dock.made is not None))

    def visible_cards(self) -> tuple[Card, ...]:
        """The cards that have a place: the one with the focus first, then those in view, then those behind a tab."""
        focus = QApplication.focusWidget()
        shown = [card for card in self.cards() if card.isVisible()]
        return tuple(sorted(shown, key=lambda card: (not (focus is not None and card.isAncestorOf(focus)),
                                                     card.visibleRegion().isEmpty())))

    def offers(self) -> Iterator[tuple[Card, Offer]]:
        """Yields what the cards that have a place can do now, in their order. Those behind a tab show the present first."""
        for card in self.visible_cards():
            if card.visibleRegion().isEmpty():
                self._distributor.show_now(card)
            for offer in card.offers():
                yield card, offer

    def _on_seen(self, name: str) -> None:
        if self._settled:
            self._distributor.show_now(self.docks[name].card)
            self.context.selection.shown_panel.emit(self.docks[name].card)
        self._arrangement.style_tabs_later()

    def settle(self) -> None:
        """Fills the visible panels after the first show. Hidden panels wait until they come into view."""
        self._settled = self._arrangement.settled = True
        self._arrangement.adapt_later()
        self._distributor.offer(self.console.shown)

    def show_panel(self, name: str) -> None:
        """Brings a panel into view and gives it the focus."""
        self.navigation.go(name)

    def shown_panels(self) -> tuple[str, ...]:
        """Returns the names of the panels in view."""
        return tuple(name for name, dock in self.docks.items() if dock.isVisible() and not dock.visibleRegion().isEmpty())

    def _show_panels(self, names: Iterable[str]) -> None:
        """Brings panels into view; names of panels that are not installed here are left out."""
        for name in names:
            if name in self.docks:
                self._bring(name)

    def _bring(self, name: str) -> None:
        if name == "frames":
            return
        self.leave_frames_only()
        self._arrangement.place(name)
        self.context.selection.shown_panel.emit(self.docks[name].card)

    def go_to_panel(self, number: int) -> None:
        """Goes to the n-th panel in reading order, from 1."""
        self.leave_frames_only()
        if not self.navigation.go_to(number):
            self.console.message.emit(f"There are only {len(self.navigation.order())} panels here", "warn")

    def toggle_visitors(self) -> None:
        """Shows only the frames and the visitors' bar, or everything again."""
        if not self.leave_frames_only():
            self._arrangement.show_only_frames()
            self.visitor_bar.take_goal(self.bar.goal)
            self._visitors.show()
            self.context.set_plain(True)
            self.stage.card.take_focus()

    def add_page(self, page: QWidget) -> None:
        """Adds a page that can be shown in place of the console. The window owns it from now on."""
        self._pages.addWidget(page)

    def toggle_page(self, page: QWidget) -> None:
        """Shows a page in place of the console, or the console again, as it was."""
        shown = self._pages.currentWidget() is page
        self.leave_frames_only()
        if not shown:
            self._arrangement.show_only_frames()
            self._pages.setCurrentWidget(page)

    @property
    def shows_page(self) -> bool:
        """Whether a page is shown in place of the console."""
        return self._pages.currentWidget() is not self.stage

    def leave_page(self) -> None:
        """Shows the console again if a page is shown in its place."""
        if self.shows_page:
            self.leave_frames_only()

    def leave_frames_only(self) -> bool:
        """Shows everything again. Returns True if only the frames were shown."""
        self._pages.setCurrentWidget(self.stage)
        was = self._arrangement.show_all()
        if was:
            self._visitors.hide()
            self.bar.take_goal()
            self.context.set_plain(False)
            self._strip_bar.setVisible(self.console.replaying)  # it may have changed meanwhile
            self._arrangement.adapt_later()
        return was

    def toggle_panel(self, name: str) -> None:
        """Shows or hides a panel."""
        dock = self.docks[name]
        if dock.isVisible():
            dock.hide()
        else:
            self.show_panel(name)

    def use_layout(self, planner: str) -> None:
        """Applies the layout of a planner: the one the operator left, or the designed one. A page or the frames alone stay.

        The next episode of a batch may have another planner while the operator looks into the library.
        """
        self._arrangement.use(planner, *self._wants(planner))
        self._offer_lists()

    def reset_layout(self) -> None:
        """Applies the designed layout."""
        self.leave_frames_only()
        self._arrangement.reset()

    def save_layout(self) -> None:
        """Saves the layout for this planner now. It is also saved when the window closes or another planner is chosen."""
        self.leave_frames_only()
        self._arrangement.save()
        self.console.message.emit("Layout saved for this planner", "good")

    # --- theme and end -----------------------------------------------------
    def set_theme(self, name: PaletteName, scale: float | None = None) -> None:
        """Sets the palette and text size, and keeps them for the next start."""
        theme = self.context.theme
        theme.become(name, scale)
        self._settings.set_value("theme", name)
        self._settings.set_value("text size", theme.wanted)
        if scale is not None and theme.scale < theme.wanted:
            self.console.message.emit(f"Text size {theme.scale:.0%}: larger text has no room on this screen", "warn")
        self._dress()

    def fit_text(self, most: float) -> None:
        """Makes the text no larger than `most` (1 is 100 %), and as large as was chosen where there is room."""
        theme = self.context.theme
        theme.most, before = most, theme.scale
        theme.become(theme.name)
        if theme.scale != before:
            self._dress()

    def _dress(self) -> None:
        theme, app = self.context.theme, QApplication.instance()
        if isinstance(app, QApplication):
            theme.apply(app)
        self.setMinimumSize(*map(theme.px, LEAST))
        self.context.theme_changed.emit()
        for card in self.cards():
            card.restyle()
        self.timeline.fit(self.height())
        self._arrangement.adapt_later()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Saves the layout. The owner of the window ends the run."""
        self._arrangement.save()  # before the guard, which waits until it is in the file
        if not self.may_close():
            event.ignore()
            return
        self._settings.set_value(GEOMETRY, self.saveGeometry())
        self.hide()
        self._distributor.stop()
        self.closed.emit()
        super().closeEvent(event)
