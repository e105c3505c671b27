"""A panel in a dock: a card with its own header, which keeps the title only while it is not a tab."""

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
from gui.control.key_labels import keyed
from gui.control.previews import NOT_REAL
from gui.control.staleness import age
from gui.panels.base import Offer, Panel
from gui.panels.registry import PANELS, make_panel
from gui.widgets import Header, StaleVeil, tool_action

LEAST_WIDE, LEAST_HIGH = 140, 100
"""Pixels a card is wide and high at least, at 100 % text size; less than a group of tabs needs (`layout_fitting`)."""


class Card(QFrame):
    """A header over a panel, in a rounded card. The panel is made when it is first needed."""

    def __init__(self, context: Context, name: str, more: QMenu | None = None):
        super().__init__()
        self.context, self.name, self._more = context, name, more
        self.panel: Panel | None = None
        self._age = ""
        """How old what the panel shows is, or empty."""
        self._supposed = ""
        """What the preview supposes that it shows; empty while it shows none."""
        self._veiled = False
        """Whether the panel says itself that what it shows is of another turn."""
        self.tools: tuple[QAction, ...] = ()
        """The panel's own, asked for once: each call of `Panel.tools` may make them anew."""
        self._named: tuple[tuple[QAction, str, str], ...] = ()
        """Each tool, its words, and the key it has at first."""
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
        """The panel, made now if it was not yet."""
        if self.panel is None:
            self.panel = make_panel(self.name, self.context)
            self.panel.headline_changed.connect(self._say_headline)
            self._veiled = self.panel.findChild(StaleVeil) is not None
            self.tools = self.panel.tools()
            self._named = tuple((action, *_words_and_key(action.text())) for action in self.tools)
            self._name_tools()
            for action in self.tools:
                if action.shortcutContext() == Qt.ShortcutContext.WindowShortcut:
                    action.setShortcut(QKeySequence())  # the window's own table triggers it; two claims on a key cancel out
            self._column.takeAt(1)
            old, self.header = self.header, Header(self.context.theme, self.title, (*self.tools, *self._own_tools()))
            self.header.show_title(not old.title.isHidden())
            self._column.replaceWidget(old, self.header)
            old.hide()
            old.deleteLater()
            self._column.addWidget(self.panel, 1)
        return self.panel

    def _name_tools(self) -> None:
        """Tools name the key they have now."""
        for action, words, key in self._named:
            action.setText(keyed(self.context, f"{words} ({{{key}}})") if key else words)
            action.setToolTip(action.text())

    def offers(self) -> Iterator[Offer]:
        """What its tools and its panel can do now."""
        for action, words, key in self._named:
            if action.isEnabled() and words:
                yield Offer(words, action.trigger, key)
        if self.panel is not None:
            yield from self.panel.offers()

    def take_focus(self) -> None:
        """The keyboard is the panel's: that of the first list or canvas in it."""
        panel = self.fill()
        parts = (part for part in panel.findChildren(QWidget) if part.isVisible() and _takes_keys(part))
        (panel if _takes_keys(panel) else next(parts, panel)).setFocus(Qt.FocusReason.OtherFocusReason)

    def ring(self, *, shown: bool) -> None:
        """A border that says where the keyboard is."""
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
        """Show a moment, and say in the header what is inside; of a preview that it is one."""
        panel = self.fill()
        self._supposed = self.context.preview.words if snapshot is self.context.preview.snapshot else ""
        self._border("preview", bool(self._supposed))
        panel.show_snapshot(snapshot)
        self._age = "" if self._veiled else age(snapshot, panel.facets)
        self._say_headline()
        if panel.hasFocus():  # it was empty when the keyboard came
            self.take_focus()

    def _say_headline(self) -> None:
        if self._supposed:
            self.header.say(f"Preview: what if {self._supposed} · {NOT_REAL}", "operator_act")
            return
        headline = self.panel.headline() if self.panel is not None else ""
        self.header.say(" · ".join(filter(None, (self._age, headline))))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """A header and a few rows, whatever is inside: a window must be able to give every panel its least size."""
        px = self.context.theme.px
        return QSize(px(LEAST_WIDE), px(LEAST_HIGH))

    def set_tabbed(self, tabbed: bool) -> None:
        """In a tab group the tab carries the title."""
        name = "CardTabbed" if tabbed else "Card"
        self.header.show_title(not tabbed)
        if self.objectName() != name:
            self.setObjectName(name)
            self.style().unpolish(self)
            self.style().polish(self)


class Dock(QDockWidget):
    """A dock without Qt's title bar."""

    seen = Signal(str)
    """It came into view."""

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
        """Another side of the window."""
        window = self.parent()
        if isinstance(window, QMainWindow):
            self.setFloating(False)
            window.addDockWidget(area, self)

    def _on_visible(self, visible: bool) -> None:
        if visible:
            self.seen.emit(self.name)

    def _on_floating(self, floating: bool) -> None:
        """A floating panel needs the system's title bar to be moved by."""
        self.setTitleBarWidget(None if floating else QWidget(self))  # type: ignore[arg-type]


def _words_and_key(text: str) -> tuple[str, str]:
    """`Find a node (Ctrl F)` as its words and its key, spelled as the table does."""
    words, bracket, key = text.rpartition(" (")
    return (words, key.removesuffix(")").replace(" ", "+")) if bracket and _is_key(key) else (text, "")


def _is_key(text: str) -> bool:
    """Whether a bracket holds a key and no explanation."""
    *held, last = text.removesuffix(")").split(" ")
    return text.endswith(")") and len(last) == 1 and set(held) <= {"Ctrl", "Shift", "Alt"}


def _takes_keys(part: QWidget) -> bool:
    """Whether it is what a panel is about: no button, and no field that would take letters for text."""
    others = QAbstractButton | QLineEdit | QTextEdit | QPlainTextEdit
    return bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus) and not isinstance(part, others)
