"""A picker of one part of a run request: icon, value, chevron. A click lists the available and the missing parts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets.buttons import Choice, chosen
from gui.widgets.chooser import Chooser, Option
from gui.widgets.painting import SMOOTH, draw_block, draw_text, text_width

SEARCHING = "Loading the other choices …"
VARIANTS = "Presets"
LEAST_VALUE = 34
"""Width in pixels below which a cut value is left out. The glyph and the tooltip remain."""


class Picker(QWidget):
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
        return Option(choice.title, note or choice.note, group, choice.hint, choice.available, choice.name == current,
                      lambda: say(choice.name))

    def open_menu(self) -> None:
        """Opens the list below the picker."""
        if self.chooser is None:
            self.chooser = Chooser(self._theme, self._caption, self)
        self.chooser.offer(self.options())
        self.chooser.open_at(self.mapToGlobal(QPoint(0, self.height() + 2)), self.width())
        self.opened.emit()

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

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Updates its size."""
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the icon, the value and the chevron."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
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
        painter.end()

    def _margins(self, title: str) -> tuple[int, int]:
        """Returns the margins left and right of the value, in pixels.

        Where the value would be cut, the chevron is left out first, then the icon.
        """
        px, needs = self._theme.px, text_width(self._theme, title, "body", 500)
        whole, no_chevron, value_only = (px(26), px(19)), (px(26), px(6)), (px(8), px(6))
        if self.width() < px(LEAST_VALUE) + sum(value_only):
            return whole
        return next((m for m in (whole, no_chevron, value_only) if needs + sum(m) <= self.width()), whole)
