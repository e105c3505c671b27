"""A panel in a dock: a card with its own header, which shows the title only while no tab shows it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QDockWidget,
    QFrame,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.key_labels import with_keys
from gui.control.previews import NOT_REAL
from gui.control.snapshot_texts import age
from gui.panels.base import Offer, Panel
from gui.panels.registry import PANELS, make_panel
from gui.widgets import Header, StaleVeil, tool_action, tool_key

LEAST_WIDE, LEAST_HIGH = 140, 100
"""Least width and height of a card in pixels at 100 % text size; less than a group of tabs needs (`layout_fitting`)."""


class Card(QFrame):
    """A rounded card with a header over a panel. The panel is created when it is first needed."""

    def __init__(self, context: Context, name: str, more: QMenu | None = None):
        super().__init__()
        self.context, self.name, self._more = context, name, more
        self.panel: Panel | None = None
        self._age = ""
        """The turn the panel's content is from, if it is not the present one; otherwise empty."""
        self._preview_words = ""
        """The change that a preview on show assumes; empty without a preview."""
        self._marks_staleness = False
        """Whether the panel itself marks content of another turn."""
        self.tools: tuple[QAction, ...] = ()
        """The panel's tools, read once: each call of `Panel.tools` may create them again."""
        self._named: tuple[tuple[QAction, str, str], ...] = ()
        """Each tool, its text, and its default key."""
        self.title = PANELS.title(name)
        self.setObjectName("Card")
        context.keys_changed.connect(self._name_tools)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self.header = Header(context.theme, self.title)
        self._column.addWidget(self.header)
        self._column.addStretch(1)

    def fill(self) -> Panel:
        """Returns the panel. Creates it at the first call."""
        if self.panel is None:
            self.panel = make_panel(self.name, self.context)
            self.panel.headline_changed.connect(self._say_headline)
            self._marks_staleness = self.panel.findChild(StaleVeil) is not None
            self.tools = self.panel.tools()
            self._named = tuple((action, action.text(), tool_key(action)) for action in self.tools)
            self._name_tools()
            for action in self.tools:
                if action.shortcutContext() == Qt.ShortcutContext.WindowShortcut:
                    action.setShortcut(QKeySequence())  # the window's table triggers it; two claims on a key cancel out
            self._column.takeAt(1)
            old, self.header = self.header, Header(self.context.theme, self.title, (*self.tools, *self._own_tools()))
            self.header.show_title(not old.title.isHidden())
            self._column.replaceWidget(old, self.header)
            old.hide()
            old.deleteLater()
            self._column.addWidget(self.panel, 1)
        return self.panel

    def _name_tools(self) -> None:
        """Updates the texts of the tools with their present keys."""
        for action, words, key in self._named:
            action.setText(with_keys(self.context, f"{words} ({{{key}}})") if key else words)
            action.setToolTip(action.text())

    def offers(self) -> Iterator[Offer]:
        """Yields what the tools and the panel can do now."""
        for action, words, key in self._named:
            if action.isEnabled() and words:
                yield Offer(words, action.trigger, key)
        if self.panel is not None:
            yield from self.panel.offers()

    def take_focus(self) -> None:
        """Gives the keyboard focus to the first list or canvas of the panel."""
        panel = self.fill()
        parts = (part for part in panel.findChildren(QWidget) if part.isVisible() and _takes_keys(part))
        (panel if _takes_keys(panel) else next(parts, panel)).setFocus(Qt.FocusReason.OtherFocusReason)

    def mark_focus(self, *, shown: bool) -> None:
        """Shows or hides the border that marks the panel with the keyboard focus."""
        self._border("ringed", shown)

    def _border(self, kind: str, shown: bool) -> None:
        if bool(self.property(kind)) != shown:
            self.setProperty(kind, shown)
            self.style().unpolish(self)
            self.style().polish(self)

    def _own_tools(self) -> tuple[QAction, ...]:
        if self._more is None:
            return ()
        return (tool_action(self, self.context.theme, "More", "more", self._open_more),)

    def _open_more(self) -> None:
        if self._more is not None:
            self._more.popup(self.mapToGlobal(self.header.geometry().bottomRight()))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows a snapshot and updates the header, which says so if the snapshot is a preview."""
        panel = self.fill()
        self._preview_words = self.context.preview.words if snapshot is self.context.preview.snapshot else ""
        self._border("preview", bool(self._preview_words))
        panel.show_snapshot(snapshot)
        self._age = "" if self._marks_staleness else age(snapshot, panel.facets)
        self._say_headline()
        if panel.hasFocus():  # it was empty when it received the focus
            self.take_focus()

    def _say_headline(self) -> None:
        if self._preview_words:
            self.header.say(f"Preview: what if {self._preview_words} · {NOT_REAL}", "operator_act")
            return
        headline = self.panel.headline() if self.panel is not None else ""
        self.header.say(" · ".join(filter(None, (self._age, headline))))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A header and a few rows, whatever the panel: a window must be able to give every panel its least size."""
        px = self.context.theme.px
        return QSize(px(LEAST_WIDE), px(LEAST_HIGH))

    def set_tabbed(self, tabbed: bool) -> None:
        """Hides the title in the header while a tab shows it."""
        name = "CardTabbed" if tabbed else "Card"
        self.header.show_title(not tabbed)
        if self.objectName() != name:
            self.setObjectName(name)
            self.style().unpolish(self)
            self.style().polish(self)


class Dock(QDockWidget):
    """A dock without Qt's title bar."""

    seen = Signal(str)
    """The dock came into view."""

    def __init__(self, context: Context, name: str, parent: QWidget):
        super().__init__(PANELS.title(name), parent)
        self.name = name
        self.setObjectName(f"dock {name}")
        self.setTitleBarWidget(QWidget(self))
        self._menu = QMenu(self)
        self.card = Card(context, name, self._menu)
        self.setWidget(self.card)
        self._fill_menu()
        self.visibilityChanged.connect(self._on_visible)
        self.topLevelChanged.connect(self._on_floating)

    def _fill_menu(self) -> None:
        self._menu.addAction("Float, or dock again").triggered.connect(lambda: self.setFloating(not self.isFloating()))
        for text, area in (("Move to the left", Qt.DockWidgetArea.LeftDockWidgetArea),
                           ("Move to the right", Qt.DockWidgetArea.RightDockWidgetArea),
                           ("Move to the bottom", Qt.DockWidgetArea.BottomDockWidgetArea)):
            self._menu.addAction(text).triggered.connect(lambda _=False, area=area: self.move_to(area))
        self._menu.addAction("Hide").triggered.connect(self.hide)

    def move_to(self, area: Qt.DockWidgetArea) -> None:
        """Moves the dock to another side of the window."""
        window = self.parent()
        if isinstance(window, QMainWindow):
            self.setFloating(False)
            window.addDockWidget(area, self)

    def _on_visible(self, visible: bool) -> None:
        if visible:
            self.seen.emit(self.name)

    def _on_floating(self, floating: bool) -> None:
        """Gives a floating panel the system's title bar, by which it can be moved."""
        self.setTitleBarWidget(None if floating else QWidget(self))  # type: ignore[arg-type]


def _takes_keys(part: QWidget) -> bool:
    """Whether a widget can have the focus and is neither a button nor a text field, which would take letters as text."""
    others = QAbstractButton | QLineEdit | QTextEdit | QPlainTextEdit
    return bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and not isinstance(part, others)
