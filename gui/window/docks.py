"""The panels of the window: cards in docks, each with its own header, and the keys that go from one panel to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDockWidget,
    QFrame,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QStatusBar,
    QTextEdit,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.key_labels import with_keys
from gui.control.previews import NOT_REAL
from gui.control.snapshot_texts import age
from gui.panels.base import BrokenPanel, Offer, Panel
from gui.panels.registry import PANELS, broken_panel, make_panel
from gui.widgets import Header, PopupMenu, StaleOverlay, tool_action, tool_key
from gui.widgets.keyboard import is_text
from gui.widgets.lists import Rows
from gui.window.pages import Page, marked, page_of

T = TypeVar("T")
LEAST_WIDE, LEAST_HIGH = 140, 90
"""Least width and height of a card in pixels at 100 % text size; less than a group of tabs needs (`layout_fitting`)."""


class Card(QFrame):
    """A rounded card with a header over a panel. The panel is created when it is first needed."""

    exposed = Signal()
    """It is painted, and so in view."""
    retitled = Signal(str)
    """Its panel has another title."""

    def __init__(self, context: Context, name: str, more: Callable[[], object] | None = None, on: QWidget | None = None):
        """`more` is called by a tool of the header that is there for it; `on` is the widget around the card."""
        super().__init__(on)
        self.context, self.name, self._more = context, name, more
        self.panel: Panel | None = None
        self._age = ""
        """The turn the panel's content is from, if it is not the present one; otherwise empty."""
        self._preview_words = ""
        """The change that a preview on show assumes; empty without a preview."""
        self._marks_staleness = False
        """Whether the panel itself marks content of another turn."""
        self.tools: tuple[QAction, ...] = ()
        """The panel's tools, read only when they change: each call of `Panel.tools` may create them again."""
        self._named: tuple[tuple[QAction, str, str], ...] = ()
        """Each tool, its text, and its default key."""
        self.title = PANELS.title(name)
        self.setObjectName("Card")
        context.keys_changed.connect(self._name_tools)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self.header = Header(context.theme, self.title, on=self)
        self._column.addWidget(self.header)
        self._column.addStretch(1)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the frame, and says that it is in view."""
        super().paintEvent(event)
        self.exposed.emit()

    def fill(self) -> Panel:
        """Returns the panel. Creates it at the first call."""
        if self.panel is None:
            self._column.takeAt(1)
            self._place(make_panel(self.name, self.context))
        assert self.panel is not None
        return self.panel

    def _place(self, panel: Panel) -> None:
        """Places a panel below a header with its tools."""
        self.panel = panel
        self._column.addWidget(panel, 1)
        panel.headline_changed.connect(self._show_headline)
        panel.retitled.connect(self._retitle)
        panel.tools_changed.connect(self._show_tools)
        self._marks_staleness = panel.findChild(StaleOverlay) is not None
        self._show_tools()

    def _show_tools(self) -> None:
        """Makes the header with the panel's tools."""
        panel = self.panel
        tools = self._ask(lambda panel: tuple(panel.tools())) or ()
        if panel is not self.panel:  # it is broken and has been replaced
            return
        known = {action: words for action, words, _ in self._named}
        self.tools, self._named = tools, tuple(
            (action, known.get(action, action.text()), tool_key(action)) for action in tools)
        self._name_tools()
        for action in tools:
            if action.shortcutContext() == Qt.ShortcutContext.WindowShortcut:
                action.setShortcut(QKeySequence())  # the window's table triggers it; two claims on a key cancel out
        more = () if self._more is None else (tool_action(self, self.context.theme, "More", "more", self._more),)
        self.header.set_tools((*tools, *more))
        if panel is not None and not isinstance(panel, BrokenPanel):
            self._explain(panel, page_of(self.name))

    def _retitle(self, title: str) -> None:
        self.title = title
        self.header.title.say(title)
        self.retitled.emit(title)

    def _explain(self, panel: Panel, page: Page) -> None:
        """Puts what the page of the panel says into the tooltips of its header and of its columns."""
        self.header.setToolTip(f"<p>{marked(page.about)}</p>")
        for rows in panel.findChildren(Rows):
            rows.horizontalHeader().setToolTip(page.tip)

    def _ask(self, question: Callable[[Panel], T]) -> T | None:
        """Returns what the panel answers; None if it is of another package and raises. The reason then takes its place."""
        panel = self.fill()
        if self.name in PANELS.ours:
            return question(panel)
        try:
            return question(panel)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an error in another package must not hurt the window
            self._column.removeWidget(panel)
            panel.hide()
            panel.deleteLater()
            self._place(broken_panel(self.name, self.context, "has failed", error))
            return None

    def _name_tools(self) -> None:
        for action, words, key in self._named:
            action.setText(with_keys(self.context, f"{words} ({{{key}}})") if key else words)
            action.setToolTip(action.text())

    def offers(self) -> Iterator[Offer]:
        """Yields what the tools and the panel can do now."""
        has_nothing = self.panel is not None and self.panel.has_nothing
        for action, words, key in self._named:
            if action.isEnabled() and words and not has_nothing:
                yield Offer(words, action.trigger, key)
        if self.panel is not None:
            yield from self._ask(lambda panel: tuple(panel.offers())) or ()

    def restyle(self) -> None:
        """Applies the theme to the panel, if there is one."""
        if self.panel is not None:
            self._ask(lambda panel: panel.restyle())

    def take_focus(self) -> None:
        """Gives the keyboard focus to the first list or canvas of the panel."""
        panel = self.fill()
        parts = (part for part in panel.findChildren(QWidget) if part.isVisible() and _takes_keys(part))
        (panel if _takes_keys(panel) else next(parts, panel)).setFocus(Qt.FocusReason.OtherFocusReason)

    def mark_focus(self, *, shown: bool) -> None:
        """Shows or hides the border that marks the panel with the keyboard focus."""
        self._mark("ringed", shown)

    def _mark(self, kind: str, shown: bool) -> None:
        if bool(self.property(kind)) != shown:
            self.setProperty(kind, shown)
            self.style().unpolish(self)
            self.style().polish(self)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows a snapshot and updates the header, which says so if the snapshot is a preview."""
        self._preview_words = self.context.preview.title if snapshot is self.context.preview.snapshot else ""
        self._mark("preview", bool(self._preview_words))
        self._ask(lambda panel: panel.receive(snapshot))
        panel = self.fill()
        self.header.leave_out(len(self.tools) if panel.has_nothing else 0)
        self._age = "" if self._marks_staleness else age(snapshot, panel.facets)
        self._show_headline()
        if panel.hasFocus():  # it was empty when it received the focus
            self.take_focus()

    def _show_headline(self) -> None:
        if self._preview_words:
            self.header.say(f"{self._preview_words} · {NOT_REAL}", "operator_act")
            return
        headline = self._ask(lambda panel: str(panel.headline())) if self.panel is not None else None
        self.header.say(" · ".join(filter(None, (self._age, headline))))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A header and a few rows, whatever the panel: a window must be able to give every panel its least size."""
        px = self.context.theme.px
        return QSize(px(LEAST_WIDE), px(LEAST_HIGH))

    def set_tabbed(self, tabbed: bool) -> None:
        """Hides the title in the header while a tab shows it."""
        self.header.show_title(not tabbed)
        self._mark("tabbed", tabbed)


class Dock(QDockWidget):
    """A dock without Qt's title bar.

    Attributes:
        made: its card, which is made when the dock is shown for the first time: half of the panels are in no planner's layout.
    """

    seen = Signal(str)
    """The dock came into view."""

    def __init__(self, context: Context, name: str, parent: QWidget, serve: Callable[[Card], object]):
        """`serve` is called with the card once it is made."""
        super().__init__(PANELS.title(name), parent)
        self.name = name
        self.made: Card | None = None
        self._context, self._serve = context, serve
        self.setObjectName(f"dock {name}")
        self.setTitleBarWidget(QWidget(self))
        self.visibilityChanged.connect(lambda visible: self.seen.emit(name) if visible else None)
        self.topLevelChanged.connect(self._on_floating)

    @property
    def card(self) -> Card:
        """Its card."""
        return self.made if self.made is not None else self._make()

    def setVisible(self, visible: bool) -> None:  # noqa: N802 - Qt's name
        """Makes the card before the first show."""
        if visible and self.made is None:
            self._make()
        super().setVisible(visible)

    def _make(self) -> Card:
        card = self.made = Card(self._context, self.name, self._open_menu, on=self)
        self.setWidget(card)
        card.retitled.connect(self.setWindowTitle)
        self._serve(card)
        return card

    def _open_menu(self) -> None:
        menu = PopupMenu(self)
        menu.add("Float, or dock again", lambda: self.setFloating(not self.isFloating()))
        for text, area in (("Move to the left", Qt.DockWidgetArea.LeftDockWidgetArea),
                           ("Move to the right", Qt.DockWidgetArea.RightDockWidgetArea),
                           ("Move to the bottom", Qt.DockWidgetArea.BottomDockWidgetArea)):
            menu.add(text, partial(self.move_to, area))
        menu.add("Hide", self.hide)
        menu.open_at(self.card.mapToGlobal(self.card.header.geometry().bottomRight()))

    def move_to(self, area: Qt.DockWidgetArea) -> None:
        """Moves the dock to another side of the window."""
        window = self.parent()
        if isinstance(window, QMainWindow):
            self.setFloating(False)
            window.addDockWidget(area, self)

    def _on_floating(self, floating: bool) -> None:
        """Gives a floating panel the system's title bar, by which it can be moved."""
        self.setTitleBarWidget(None if floating else QWidget(self))  # type: ignore[arg-type]


def _takes_keys(part: QWidget) -> bool:
    """Whether a widget can have the focus and is neither a button nor a text field, which would take letters as text."""
    others = QAbstractButton | QLineEdit | QTextEdit | QPlainTextEdit
    return bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and not isinstance(part, others)


class PanelNavigation(QObject):
    """Moves between panels in reading order: left side from top to bottom, frames and what is under them, right side."""

    def __init__(self, window: QMainWindow, frames: Card, docks: Mapping[str, Dock], show: Callable[[str], None]):
        super().__init__(window)
        self._window, self._frames, self._docks, self._show = window, frames, docks, show
        self._marked: Card | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    def order(self) -> list[str]:
        """The names of all panels that have a place. Panels behind a tab follow the one in front of them."""
        placed = [dock for dock in self._docks.values() if not dock.isHidden()]
        corner = self._frames.mapTo(self._window, self._frames.rect().topLeft())
        where = {"frames": (corner.x(), corner.y(), 0)}
        for dock in placed:
            group = [dock, *self._window.tabifiedDockWidgets(dock)]
            front = next((d for d in group if not d.visibleRegion().isEmpty()), dock)
            at = front.mapTo(self._window, front.rect().topLeft()) if not front.isFloating() else front.pos()
            where[dock.name] = (at.x(), at.y(), 0 if dock is front else 1)
        return sorted(where, key=lambda name: where[name])

    def go_by(self, step: int) -> None:
        """Goes to the next visible panel, or the previous one, cyclically."""
        cards = self._cards()
        names = [name for name in self.order() if name in cards]
        focus = QApplication.focusWidget()
        here = next((name for name in names if focus is not None and cards[name].isAncestorOf(focus)), "")
        at = (names.index(here) + step) if here else (0 if step > 0 else -1)
        self.go(names[at % len(names)])

    def go_to(self, number: int) -> bool:
        """Goes to a panel by its number from 1, in reading order. Returns False if there is none."""
        names = self.order()
        if number > len(names):
            return False
        self.go(names[number - 1])
        return True

    def go(self, name: str) -> None:
        """Brings a panel into view and gives it the focus."""
        self._show(name)
        card = self._frames if name == "frames" else self._docks[name].card
        card.take_focus()
        self._mark_focus(card)

    def go_to_control(self, step: int) -> None:
        """Goes to the next control, or the previous one, as Tab does in other windows."""
        self._window.focusNextPrevChild(step > 0)

    def keeps_tab(self, widget: QWidget) -> bool:
        """Whether Tab belongs to this widget: in text, and in what lies over the window."""
        if is_text(widget):
            return True
        part: QWidget | None = widget
        while part is not None and part is not self._window:
            if isinstance(part, Card | QToolBar | QStatusBar):
                return False
            part = part.parentWidget()
        return part is None or widget is not self._window

    def _cards(self) -> dict[str, Card]:
        docks = {name: dock.card for name, dock in self._docks.items() if not dock.visibleRegion().isEmpty()}
        return {"frames": self._frames, **docks}

    def _on_focus(self, old: QWidget | None, new: QWidget | None) -> None:
        del old
        if self._marked is not None and (new is None or not self._marked.isAncestorOf(new)):
            self._mark_focus(None)

    def _mark_focus(self, card: Card | None) -> None:
        before, self._marked = self._marked, card
        if before is not None and before is not card:
            before.mark_focus(shown=False)
        if card is not None:
            card.mark_focus(shown=True)
