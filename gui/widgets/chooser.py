"""Choosing one of many: a popup list that is filtered by typing, and the picker of one part of a run request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QMouseEvent, QPainter, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.planning.facets import Facet
from gui.theme import Theme
from gui.widgets.painting import RIGHT, SMOOTH, draw_block, draw_text, text_width
from gui.widgets.text import PaintedWidget


@dataclass(frozen=True, slots=True)
class Choice:
    """One part that can be chosen.

    Attributes:
        name: its name in run requests.
        title: its name on screen.
        available: if False, it is greyed, with `hint`.
        hint: the command that installs it, or a short description.
        is_model: False for providers that are not a language model. The window says so wherever it names them.
        shows: the kinds of facet a planner shows; None if they are unknown.
        layout: a planner's panels by side (`Planner.layout`). If it is empty, the layout follows from `shows`.
        note: a few words shown beside the title in lists.
        group: the heading under which it is listed, or empty.
        by_models: True for a provider that needs its own settings to answer. It is chosen as one of the user's models.
        pictured: whether the list shows a picture of it.
    """

    name: str
    title: str
    available: bool = True
    hint: str = ""
    is_model: bool = True
    shows: frozenset[type[Facet]] | None = None
    layout: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    note: str = ""
    group: str = ""
    by_models: bool = False
    pictured: bool = False


def chosen(choices: tuple[Choice, ...], name: str) -> Choice:
    """Returns the choice of a name. An unknown name gives a choice with that name as title."""
    return next((c for c in choices if c.name == name), Choice(name, name))


LONG = 10
"""With more options than this there is a search field."""
MOST_ROWS = 16
ROW, PICTURED, FIELD = 26, 50, 30
WIDEST = 560
OPTION = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a list.

    Attributes:
        title: its name.
        note: a few words shown at the right in small type.
        group: the heading under which it is listed, or empty.
        tip: a description, or why it cannot be chosen.
        enabled: if False, it is shown and cannot be chosen.
        current: whether it is the current choice.
        act: called when it is chosen.
        picture: returns its picture, or None while there is none; None: it has no room for one.
    """

    title: str
    note: str = ""
    group: str = ""
    tip: str = ""
    enabled: bool = True
    current: bool = False
    act: Callable[[], object] = lambda: None
    picture: Callable[[], QPixmap | None] | None = None


def matching(query: str, options: Iterable[Option]) -> list[Option]:
    """Returns the options whose group, title and note contain every word of a query.

    Options in which each word is a whole word come first: `kitchen 3` finds kitchen 3 before kitchen 13.
    """
    words = query.lower().split()

    def text(option: Option) -> str:
        return f"{option.group} {option.title} {option.note}".lower()

    found = [option for option in options if all(word in text(option) for word in words)]
    return sorted(found, key=lambda option: not all(word in text(option).split() for word in words))


def row_height(option: Option) -> int:
    """Returns the height of an option's row in pixels at 100 % text size."""
    return ROW if option.picture is None else PICTURED


def draw_picture(painter: QPainter, theme: Theme, room: QRectF, picture: QPixmap | None) -> None:
    """Draws a picture as large as fits in its room, or the mark of a scene while there is none."""
    draw_block(painter, theme, room, "sunken", radius=3)
    if picture is None or picture.isNull():
        side = theme.px(16)
        painter.drawPixmap(int(room.center().x() - side / 2), int(room.center().y() - side / 2),
                           theme.pixmap("scene", side, "faint"))
        return
    size = QSizeF(picture.size()).scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
    corner = QPointF(room.center().x() - size.width() / 2, room.center().y() - size.height() / 2)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawPixmap(QRectF(corner, size), picture, QRectF(picture.rect()))


class _Rows(QStyledItemDelegate):
    """The painter of headings and options."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        del option
        row = index.data(OPTION)
        return QSize(self._theme.px(120), self._theme.px(row_height(row) if isinstance(row, Option) else ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        theme, px, rect = self._theme, self._theme.px, QRectF(option.rect)
        row = index.data(OPTION)
        painter.save()
        painter.setRenderHint(SMOOTH)
        if not isinstance(row, Option):
            draw_text(painter, theme, rect.adjusted(px(8), px(3), -px(8), 0), str(index.data()), "small", "faint", 600)
        else:
            on = bool(option.state & QStyle.StateFlag.State_Selected) and row.enabled
            if on:
                draw_block(painter, theme, rect, "accent_bg", radius=4)
            side = px(14)
            if row.current:
                picture = theme.pixmap("check", side, "accent")
                painter.drawPixmap(int(rect.x() + px(8)), int(rect.center().y() - side / 2 + 1), picture)
            note, left = text_width(theme, row.note), px(28)
            if row.picture is not None:
                room = QRectF(rect.x() + px(28), rect.y() + px(3), px(PICTURED) * 1.4, rect.height() - px(6))
                left += int(room.width()) + px(8)
                draw_picture(painter, theme, room, row.picture())
            room = rect.adjusted(left, 0, -(note + px(20) if note else px(10)), 0)
            draw_text(painter, theme, room, row.title, "body", "text" if row.enabled else "faint", 600 if row.current else 400)
            draw_text(painter, theme, rect.adjusted(0, 0, -px(10), 0), row.note, "small", "muted" if row.enabled else "faint",
                      align=RIGHT)
        painter.restore()


class Chooser(QFrame):
    """A popup list at a point of the screen. Letters filter, arrow keys move, Enter chooses, Escape closes."""

    def __init__(self, theme: Theme, name: str, parent: QWidget):
        super().__init__(parent, Qt.WindowType.Popup)
        self._theme, self._options = theme, tuple[Option, ...]()
        self._pointer = QPoint()
        """The last position of the mouse. A row that opens or scrolls below a resting mouse is not selected."""
        self.setObjectName("Popup")
        self.setAccessibleName(name)
        self._field = QLineEdit()
        self._field.setPlaceholderText("Type to filter")
        self._field.setAccessibleName(f"Filter: {name}")
        self._field.textChanged.connect(self._show)
        self._model = QStandardItemModel(self)
        self._view = QListView()
        self._view.setModel(self._model)
        self._view.setItemDelegate(_Rows(theme, self._view))
        self._view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._view.setMouseTracking(True)
        self._view.setAccessibleName(name)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.entered.connect(self._point)
        self._view.clicked.connect(self._choose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._column = column = QVBoxLayout(self)  # the same margins at each text size
        column.setContentsMargins(5, 5, 5, 5)
        column.setSpacing(4)
        column.addWidget(self._field)
        column.addWidget(self._view)

    @property
    def options(self) -> tuple[Option, ...]:
        """All options, whether the filter lists them or not."""
        return self._options

    def titles(self) -> list[str]:
        """Returns the titles of the options that are listed."""
        return [row.title for k in range(self._model.rowCount()) if (row := self._option(k)) is not None]

    def offer(self, options: Sequence[Option]) -> None:
        """Lists other options. The filter stays."""
        self._options = tuple(options)
        self._field.setVisible(len(options) > LONG)
        self._show(self._field.text())
        if self.isVisible():
            self._size(self.width())
            self._column.activate()
            self._reveal()

    def show_pictures(self) -> None:
        """Paints the rows again, because another picture is there."""
        self._view.viewport().update()

    def look_for(self, query: str) -> None:
        """Sets the filter, as if it was typed."""
        self._field.setText(query)

    def open_at(self, point: QPoint, least: int) -> None:
        """Opens below a point of the screen, without a filter, at least `least` pixels wide and within the screen."""
        self._field.setFont(self._theme.font("body"))
        self._field.setFixedHeight(self._theme.px(FIELD))
        self._field.clear()
        self._pointer = QCursor.pos()
        self._size(least)
        screen = self.screen().availableGeometry()
        x = max(screen.left(), min(point.x(), screen.right() - self.width()))
        y = point.y() if point.y() + self.height() <= screen.bottom() else max(screen.top(), screen.bottom() - self.height())
        self.move(x, y)
        self.show()
        self.take_focus()
        self._reveal()

    def take_focus(self) -> None:
        """Gives the keyboard to the filter, or to the list if there is none."""
        (self._field if not self._field.isHidden() else self).setFocus()

    def _size(self, least: int) -> None:
        px = self._theme.px
        wide = max((text_width(self._theme, o.title, "body", 600) + self._note_width(o) for o in self._options), default=0)
        wide += self._view.verticalScrollBar().sizeHint().width()
        pictured = any(option.picture is not None for option in self._options)
        wide += px(PICTURED) * 1.4 + px(8) if pictured else 0
        shown = [row_height(row) if (row := self._option(k)) is not None else ROW for k in range(self._model.rowCount())]
        high = px(min(sum(shown) or ROW, MOST_ROWS * ROW))
        field = px(FIELD) + 4 if not self._field.isHidden() else 0
        screen = self.screen().availableGeometry()
        self.resize(min(max(least, int(wide) + px(70)), px(WIDEST), screen.width()),
                    min(high + field + 14, screen.height()))

    def _note_width(self, option: Option) -> float:
        """Returns the width of the text at the right, in pixels: the note, or the group that replaces it while filtering."""
        return max(text_width(self._theme, option.note), text_width(self._theme, option.group))

    def _show(self, query: str) -> None:
        self._model.clear()
        found = matching(query, self._options)
        if query.strip():
            rows: list[tuple[str, list[Option]]] = [("", found)]
        else:
            rows = [(group, list(members)) for group, members in groupby(found, key=lambda o: o.group)]
        for group, members in rows:
            if group:
                head = QStandardItem(group)
                head.setFlags(Qt.ItemFlag.NoItemFlags)
                self._model.appendRow(head)
            for option in members:
                self._model.appendRow(self._item(option, query))
        if not found:
            nothing = QStandardItem(f"Nothing matches “{query}”" if query.strip() else "Nothing to choose from")
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self._model.appendRow(nothing)
        self._reveal()

    def _item(self, option: Option, query: str) -> QStandardItem:
        # A filtered list has no headings, so each option shows its group.
        shown = replace(option, note=option.group) if query.strip() and option.group else option
        item = QStandardItem(option.title)
        item.setData(shown, OPTION)
        item.setToolTip(option.tip)
        item.setAccessibleText(" · ".join(filter(None, (option.title, option.note, option.group))))
        item.setEnabled(option.enabled)
        return item

    def _reveal(self) -> None:
        """Selects the current choice, or with a filter the first option that can be chosen."""
        rows = [(k, row) for k in range(self._model.rowCount()) if (row := self._option(k)) is not None and row.enabled]
        now = [k for k, row in rows if row.current] if not self._field.text().strip() else []
        at = next(iter(now or [k for k, _ in rows]), -1)
        self._view.scrollToTop()
        if at >= 0:
            self._view.setCurrentIndex(self._model.index(at, 0))
            how = QListView.ScrollHint.PositionAtCenter if now else QListView.ScrollHint.EnsureVisible
            self._view.scrollTo(self._model.index(at, 0), how)

    def _option(self, row: int) -> Option | None:
        data = self._model.index(row, 0).data(OPTION)
        return data if isinstance(data, Option) else None

    def _point(self, index: QModelIndex) -> None:
        rested, self._pointer = self._pointer == QCursor.pos(), QCursor.pos()
        if not rested and (row := self._option(index.row())) is not None and row.enabled:
            self._view.setCurrentIndex(index)

    def _choose(self, index: QModelIndex) -> None:
        row = self._option(index.row())
        if row is not None and row.enabled:
            self.hide()
            row.act()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the keys that the field does not use: arrows, Enter, Escape."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self._view.currentIndex())
        elif event.key() == Qt.Key.Key_Escape:
            self.hide()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home,
                             Qt.Key.Key_End):
            self._view.keyPressEvent(event)
        elif self._field.isHidden() and event.text():
            self._view.keyboardSearch(event.text())
        else:
            super().keyPressEvent(event)


SEARCHING = "Loading the other choices …"
VARIANTS = "Presets"
LEAST_VALUE = 34
"""Width in pixels below which a cut value is left out. The glyph and the tooltip remain."""


class Picker(PaintedWidget):
    """A picker of one part of the run request. Below the parts it can list variants (presets)."""

    picked = Signal(str)
    variant_picked = Signal(str)
    opened = Signal()
    """Emitted when the list is shown. Choices offered while it is open are added to it."""

    def __init__(self, theme: Theme, icon: str, caption: str, stretch: int = 1, most: int = 0):
        """Builds a picker.

        `most` is the width in pixels, at 100 % text size, that it requests for its value; longer values may be cut. 0 requests
        the whole width.
        """
        super().__init__()
        self._most = most
        self._theme, self._icon, self._caption = theme, icon, caption
        self._choices: tuple[Choice, ...] = ()
        self._variants: tuple[Choice, ...] = ()
        self._current, self._variant, self._more = "", "", False
        self.chooser: Chooser | None = None
        """The list, once it has been opened."""
        self.picture_of: Callable[[str], QPixmap | None] | None = None
        """Returns the picture of a choice by its name; None: the list shows no pictures."""
        self._width = 0.0
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHorizontalStretch(stretch)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def offer(self, choices: tuple[Choice, ...], current: str, variants: tuple[Choice, ...] = (), variant: str = "",
              *, more: bool = False) -> None:
        """Shows the choices and the current one.

        If `more` is True, other choices are still being loaded.
        """
        found = self._more and not more
        self._choices, self._current, self._variants, self._variant, self._more = choices, current, variants, variant, more
        title = chosen(choices, current).title
        self.setAccessibleName(f"{self._caption}: {title}")
        note = chosen(choices, current).note
        self.setToolTip(f"{self._caption}: {title}" + (f" · {note}" if note else "") + (f" · {variant}" if variant else ""))
        self._width = text_width(self._theme, title, "body", 500)
        self.update()
        if found and self.chooser is not None:
            self.chooser.offer(self.options())

    def options(self) -> tuple[Option, ...]:
        """Returns the options of the list: the parts, then the variants of the current part."""
        found = [self._option(choice, self._current, self.picked.emit, choice.group) for choice in self._choices]
        if len(self._variants) > 1:
            current = self._variant or self._variants[0].name
            found += [self._option(choice, current, self.variant_picked.emit, VARIANTS) for choice in self._variants]
        if self._more:
            found.append(Option(SEARCHING, enabled=False))
        return tuple(found)

    def _option(self, choice: Choice, current: str, say: Callable[[str], object], group: str) -> Option:
        note = "" if choice.is_model else "not an LLM"
        if not choice.available:
            note = "not available"
        picture = partial(self.picture_of, choice.name) if self.picture_of is not None and choice.pictured else None
        return Option(choice.title, note or choice.note, group, choice.hint, choice.available, choice.name == current,
                      lambda: say(choice.name), picture)

    def open_menu(self) -> None:
        """Opens the list below the picker."""
        if self.chooser is None:
            self.chooser = Chooser(self._theme, self._caption, self)
        self.chooser.offer(self.options())
        self.chooser.open_at(self.mapToGlobal(QPoint(0, self.height() + 2)), self.width())
        self.opened.emit()

    def show_pictures(self) -> None:
        """Shows another picture in the list if it is open."""
        if self.chooser is not None:
            self.chooser.show_pictures()

    def natural_width(self) -> int:
        """Returns the width in pixels that shows the whole value."""
        wide = int(text_width(self._theme, chosen(self._choices, self._current).title, "body", 500))
        return self._theme.px(26 + 19 + 4) + (min(wide, self._theme.px(self._most)) if self._most else wide)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the preferred size; the height is 28 px at 100 % text size."""
        return QSize(self._theme.px(118), self._theme.px(28))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size: room for the icon and the chevron."""
        return QSize(self._theme.px(52), self._theme.px(28))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the list."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.open_menu()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the list on Enter and arrow down."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open_menu()
        else:
            super().keyPressEvent(event)

    def paint(self, painter: QPainter) -> None:
        """Paints the icon, the value and the chevron."""
        theme, px = self._theme, self._theme.px
        rect = QRectF(self.rect())
        line = "accent" if self.hasFocus() else "line_strong" if self.underMouse() else "line"
        draw_block(painter, theme, rect, "hover" if self.underMouse() else "raised", line, 5)
        side, top = px(14), int((self.height() - px(14)) / 2)
        choice = chosen(self._choices, self._current)
        left, right = self._margins(choice.title)
        if left > px(8):
            painter.drawPixmap(px(8), top, theme.pixmap(self._icon, side, "muted"))
        if right > px(8):
            painter.drawPixmap(self.width() - px(18), top, theme.pixmap("down", side, "faint"))
        room = rect.adjusted(left, 0, -right, 0)
        if room.width() >= min(px(LEAST_VALUE), self._width):
            draw_text(painter, theme, room, choice.title, "body", "text" if choice.available else "faint", 500)

    def _margins(self, title: str) -> tuple[int, int]:
        """Returns the margins left and right of the value, in pixels.

        Where the value would be cut, the chevron is left out first, then the icon.
        """
        px, needs = self._theme.px, text_width(self._theme, title, "body", 500)
        whole, no_chevron, value_only = (px(26), px(19)), (px(26), px(6)), (px(8), px(6))
        if self.width() < px(LEAST_VALUE) + sum(value_only):
            return whole
        return next((m for m in (whole, no_chevron, value_only) if needs + sum(m) <= self.width()), whole)
