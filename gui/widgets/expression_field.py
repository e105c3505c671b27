"""A text field for expressions: it completes names, and objects, actions and keys of the run, and underlines what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice

from PySide6.QtCore import QEvent, QPointF, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from core.planning.measures import FacetIndex
from core.planning.search_facets import Ranking
from core.session.breakpoints import quoted
from core.session.expressions import ExpressionError
from core.session.quantities import QUANTITIES
from core.session.row_quantities import viewed
from core.session.snapshot import Snapshot
from gui.theme import Theme
from gui.widgets.painting import SMOOTH

SHOWN = 12
"""Number of words that the completion shows at once."""
BORDERS = 8
"""Pixels of the list's borders, above and below its words."""
WAVE = 2.0
"""Pixels of half a wave of the underline."""


NAMES: tuple[str, ...] = tuple(dict.fromkeys(
    q.form.replace("[k]", "[0]") if "." in q.name else f"{q.name}(" if q.arguments else q.name for q in QUANTITIES.values()))
MOST_ACTIONS = 200
MOST_ROWS, MOST_COLUMNS = 200, 30
"""Rows and columns of each view that are offered."""
TAIL = re.compile(r"[^\W0-9]\w*$")


def tail(text: str) -> str:
    """Returns the end of a text that a completion replaces: the last word, or the text in the last open quotation mark."""
    if text.count('"') % 2:
        return text[text.rindex('"'):]
    found = TAIL.search(text)
    return found.group() if found is not None else ""


def words(snapshot: Snapshot, index: FacetIndex | None = None) -> tuple[str, ...]:
    """Returns the names, then objects, places and keys, columns and rows of views, then actions in quotation marks.

    Args:
        snapshot: the run.
        index: keeps the rows of its views.
    """
    ranking = snapshot.facet(Ranking)
    seen = snapshot.seen.entities if snapshot.seen is not None else ()
    objects = [*(name for facet, _ in snapshot.facets.values() for name in facet.mentions()), *(entity.cls for entity in seen)]
    views = [rows for _, rows in viewed(snapshot, index or FacetIndex(), fresh=False)]
    objects += [name for rows in views for part in rows.parts for name in part.names[:MOST_COLUMNS]]
    objects += [text for rows in views for text in islice(rows.texts(), MOST_ROWS)]
    ranked = () if ranking is None else tuple(step for a in ranking.actions for step in a.steps[-1:])
    listed = () if snapshot.options is None else tuple(action for action, verdict in snapshot.options.options if verdict.ok)
    done = tuple(turn.done for turn in snapshot.line[-20:] if turn.done is not None)
    actions = list(dict.fromkeys(map(str, (*ranked, *listed, *done))))[:MOST_ACTIONS]
    plain = dict.fromkeys(name if name.isidentifier() else quoted(name) for name in objects)
    return (*NAMES, *plain, *map(quoted, dict.fromkeys((*(text.split()[0] for text in actions), *actions))))


NO_NAME = "\0"
"""A text that no name contains. After a number or a sign all names would cover what the field says; arrow down lists them."""


class TailCompleter(QCompleter):
    """Completes the end of a field's text from a list below it.

    Args:
        words: what is offered.
        field: the field.
        tail: returns the end of a text that a chosen word replaces.
        empty: stands for an empty end; by default it is completed by all words.

    Attributes:
        list: the list below the field.
    """

    def __init__(self, words: QStringListModel, field: QLineEdit, tail: Callable[[str], str], empty: str = ""):
        super().__init__(words, field)
        self._tail, self._empty = tail, empty
        self.list = QListView()
        self.list.setObjectName("Names")
        self.setPopup(self.list)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setMaxVisibleItems(SHOWN)
        field.setCompleter(self)

    def splitPath(self, path: str) -> list[str]:  # noqa: N802 - Qt's name
        """Returns the part that is completed, and fits the list under the field: above, it would cover what is said there."""
        field = self.widget()
        if field is not None:
            below = field.screen().availableGeometry().bottom() - field.mapToGlobal(field.rect().bottomLeft()).y()
            row = max(1, self.list.sizeHintForRow(0), self.list.fontMetrics().height())
            self.setMaxVisibleItems(min(SHOWN, max(1, int((below - BORDERS) / row))))
        return [self._tail(path) or self._empty]

    def pathFromIndex(self, index: object) -> str:  # noqa: N802 - Qt's name
        """Returns the text of the field with the chosen word."""
        chosen = super().pathFromIndex(index)  # type: ignore[arg-type]
        field = self.widget()
        text = field.text() if isinstance(field, QLineEdit) else ""
        return text[:len(text) - len(self._tail(text))] + chosen


class ExpressionField(QLineEdit):
    """The field. Enter confirms, Esc leaves it.

    Args:
        theme: gives the colour of the underline.
        hint: shown while the field is empty, and its accessible name.
        check: raises ExpressionError if a text is wrong.
    """

    confirmed = Signal()
    left = Signal()
    judged = Signal()
    """`error` was found again, because the text changed."""

    def __init__(self, theme: Theme, hint: str, check: Callable[[str], object]):
        super().__init__()
        self._theme, self._check = theme, check
        self.error: ExpressionError | None = None
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self._words = QStringListModel(self)
        self._completer = TailCompleter(self._words, self, tail, NO_NAME)
        self.returnPressed.connect(self.confirmed)
        self.textChanged.connect(self._judge)

    def offer(self, words: Sequence[str]) -> None:
        """Completes these words from now on. They do not change while they are shown."""
        if not self._completer.list.isVisible() and self._words.stringList() != list(words):
            self._words.setStringList(list(words))

    def _judge(self, text: str) -> None:
        self.error = None
        try:
            if text.strip():
                self._check(text)
        except ExpressionError as error:
            self.error = error
        self.judged.emit()
        self.update()

    def event(self, event: QEvent) -> bool:
        """Keeps Esc from the shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leaves on Esc; shows all words on arrow down. Enter confirms unless a word is chosen in the list."""
        words, key = self._completer.list, event.key()
        if words.isVisible() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not words.currentIndex().isValid():
            words.hide()
        if words.isVisible():
            super().keyPressEvent(event)  # Esc and Enter belong to the list
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_Down:
            self._completer.setCompletionPrefix(tail(self.text()))
            self._completer.complete()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the field, and a wavy line under the characters that are wrong."""
        super().paintEvent(event)
        error, text, metrics = self.error, self.text(), self.fontMetrics()
        if error is None:
            return
        cursor = self.cursorRect()
        origin = cursor.center().x() - metrics.horizontalAdvance(text[:self.cursorPosition()])
        left = origin + metrics.horizontalAdvance(text[:error.start])
        right = max(left + 6, origin + metrics.horizontalAdvance(text[:error.end]))
        y, x = min(self.height() - 4.0, cursor.center().y() + metrics.height() / 2), max(4.0, float(left))
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        painter.setPen(QPen(self._theme.colour("bad"), 1.2))
        points = [QPointF(x, y)]
        while x < min(right, self.width() - 6):
            x += WAVE
            points.append(QPointF(x, y + (WAVE if len(points) % 2 else 0)))
        painter.drawPolyline(points)
        painter.end()
