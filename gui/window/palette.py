"""The command palette: every action by name, found by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text, text_width
from gui.widgets.lists import MOVES, ItemRows, Rows

MOST_ROWS = 11
Complete = Callable[[str], "Sequence[Entry]"]
"""Returns the actions that the text typed so far may mean."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One action of the palette.

    Attributes:
        title: its text.
        icon: its icon.
        run: runs the action.
        key: its key as shown, or empty.
        complete: if the action needs a word or number: when it is chosen, the palette stays open and lists these entries.
        hint: what the action needs then.
    """

    title: str
    icon: str
    run: Callable[[], object]
    key: str = ""
    complete: Complete | None = None
    hint: str = ""


def no_action() -> None:
    """Does nothing: the action of an entry that only shows a message."""


def needs_input(title: str, icon: str, complete: Complete, hint: str) -> Entry:
    """Returns an entry that needs a word or number."""
    return Entry(title, icon, no_action, "", complete, hint)


def message_entry(words: str) -> Entry:
    """Returns an entry that does nothing and shows what is wrong with the text typed."""
    return Entry(words, "info", no_action)


def fuzzy(query: str, text: str) -> float | None:
    """Returns how well the letters of a query match a text, in order; higher is better, None is no match.

    Letters at the beginnings of words score highest, then letters that follow each other.
    """
    want, have = "".join(query.lower().split()), text.lower()
    if not want:
        return 0.0
    score, at, last = 0.0, 0, -2
    whole = query.lower().strip()
    if whole in have:
        score += 40.0 - have.index(whole) * 0.2 + (20.0 if have.startswith(whole) else 0.0)
    for letter in want:
        found = _next_letter(have, letter, at, last)
        if found < 0:
            return None
        begins = found == 0 or not have[found - 1].isalnum()
        score += 6.0 if begins else 4.0 if found == last + 1 else 1.0
        score -= found * 0.05
        last, at = found, found + 1
    return score - len(have) * 0.02


def _next_letter(have: str, letter: str, at: int, last: int) -> int:
    """The next position of a letter: right after the last one, otherwise at the beginning of a word, otherwise anywhere."""
    if have[last + 1 : last + 2] == letter and last + 1 >= at:
        return last + 1
    start = at
    while (found := have.find(letter, start)) >= 0:
        if found == 0 or not have[found - 1].isalnum():
            return found
        start = found + 1
    return have.find(letter, at)


def ranked(query: str, entries: Sequence[Entry]) -> list[Entry]:
    """Returns the entries that match, best first; without a query in their given order."""
    scored = [(score, -k, entry) for k, entry in enumerate(entries) if (score := fuzzy(query, entry.title)) is not None]
    return [entry for _, _, entry in sorted(scored, key=lambda row: row[:2], reverse=True)]


class EntryRows(ItemRows[Entry]):
    """The entries that match. The row under the pointer is the current one; a click opens it."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=26)
        self.setAccessibleName("Commands")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hovered.connect(lambda index: self.choose(index) if index >= 0 else None)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Replaces the entries. The first one is the current one."""
        self.show_items(entries)
        self.choose(0)
        self.scrollToTop()

    def row_words(self, index: int) -> str:
        """The title of an entry and its key."""
        return f"{self.items[index].title} {self.items[index].key}".strip()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the entry that was clicked."""
        index = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.opened.emit(index)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints icon, title and key."""
        theme, px, entry, on = self.theme, self.theme.px, self.items[index], index == self.current
        if entry.run is no_action and entry.complete is None:  # the only one: it has the room of all rows
            painter.setFont(theme.font("body"))
            painter.setPen(theme.colour("warn"))
            room = QRectF(rect.x() + px(12), rect.y() + px(5), rect.width() - px(24), px(26) * MOST_ROWS)
            painter.drawText(room, Qt.TextFlag.TextWordWrap, entry.title)
            return
        if on:
            draw_block(painter, theme, rect, "accent_bg")
        side = px(15)
        picture = theme.pixmap(entry.icon, side, "accent" if on else "muted")
        painter.drawPixmap(int(rect.x() + px(12)), int(rect.center().y() - side / 2 + 1), picture)
        key = text_width(theme, entry.key)
        draw_text(painter, theme, rect.adjusted(px(36), 0, -key - px(24), 0), entry.title, "body", "text", 600 if on else 400)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(12), 0), entry.key, "small", "muted", align=RIGHT)


class ListField(QLineEdit):
    """A field that filters a list. Its arrow keys move in the list."""

    def __init__(self, rows: Rows):
        super().__init__()
        self._rows = rows

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Passes the list's keys on to the list."""
        if event.key() in MOVES:
            self._rows.keyPressEvent(event)
        else:
            super().keyPressEvent(event)


class _Field(ListField):
    """The query field. Esc, or a click elsewhere, closes the palette."""

    def __init__(self, rows: Rows, close: Callable[[], object]):
        super().__init__(rows)
        self._close = close

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        if event.reason() in (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.TabFocusReason):
            self._close()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)


class Palette(QFrame):
    """The palette over the window; Enter runs the chosen action."""

    def __init__(self, theme: Theme, window: QWidget, entries: Callable[[], Sequence[Entry]]):
        super().__init__(window)
        self._theme, self._window, self._entries = theme, window, entries
        self._all: Sequence[Entry] = ()
        self._before: QWidget | None = None
        self._complete: Complete | None = None
        self.setObjectName("Dialog")
        self.setAccessibleName("Command palette")
        self._rows = EntryRows(theme)
        self._rows.opened.connect(lambda _: self._do())
        self._field = _Field(self._rows, self.hide)
        self._field.setAccessibleName("Find a command")
        self._field.textChanged.connect(self._filter)
        self._field.returnPressed.connect(self._do)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.setSpacing(6)
        column.addWidget(self._field)
        column.addWidget(self._rows)
        self.hide()

    def open_palette(self, entry: Entry | None = None) -> None:
        """Opens the palette with the actions that are possible now, or with the completions of an entry that needs a word."""
        px = self._theme.px
        self._all = self._entries()
        self._before = QApplication.focusWidget()
        self._field.setFont(self._theme.font("body", 500))
        self._field.setFixedHeight(px(32))
        if entry is not None and entry.complete is not None:
            self._begin(entry.complete, entry.hint)
        else:
            self._begin(None, "Find a command")
        width = min(px(520), self._window.width() - 40)
        self.setFixedSize(width, px(32) + px(26) * MOST_ROWS + 30)
        at = QPoint((self._window.width() - width) // 2, px(96))
        self.move(at)
        self.show()
        self.raise_()
        self._field.setFocus()

    def leave(self) -> None:
        """Closes the palette and restores the focus."""
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus()

    def titles(self) -> list[str]:
        """The titles listed now."""
        return [entry.title for entry in self._rows.items]

    def look_for(self, query: str) -> None:
        """Sets the query."""
        self._field.setText(query)

    def _begin(self, complete: Complete | None, hint: str) -> None:
        self._complete = complete
        self._field.setPlaceholderText(hint)
        self._field.setText("")
        self._filter("")

    def _filter(self, query: str) -> None:
        found = ranked(query, self._all) if self._complete is None else self._complete(query.strip())
        self._rows.show_entries(found or [message_entry("No match")])

    def _do(self) -> None:
        entry = self._rows.items[self._rows.current]
        if entry.complete is not None:
            self._begin(entry.complete, entry.hint)
            self._field.setFocus()
        elif entry.run is not no_action:
            self.leave()
            entry.run()
