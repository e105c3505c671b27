"""What is plugged in: glyph, value, chevron; a click lists what there is, and what is missing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets.choice import Choice, chosen
from gui.widgets.chooser import Chooser, Option
from gui.widgets.painting import SMOOTH, draw_block, draw_text, text_width

SEARCHING = "Loading the other choices …"
VARIANTS = "Presets"
LEAST_VALUE = 34
"""Pixels under which a value that is cut is left out: the glyph and the tip say it."""


class Picker(QWidget):
    """One part of the request. Below the parts themselves it may list variants (presets)."""

    picked = Signal(str)
    variant_picked = Signal(str)
    opened = Signal()
    """The list is shown; what is offered meanwhile is added to it."""

    def __init__(self, theme: Theme, icon: str, caption: str, stretch: int = 1, most: int = 0):
        """`most`: pixels of a value that it asks room for at 100 % text size; longer ones may be cut. 0: it asks for all."""
        super().__init__()
        self._most = most
        self._theme, self._icon, self._caption = theme, icon, caption
        self._choices: tuple[Choice, ...] = ()
        self._variants: tuple[Choice, ...] = ()
        self._current, self._variant, self._more = "", "", False
        self.chooser: Chooser | None = None
        """The list, once it was opened."""
        self._width = 0.0
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHorizontalStretch(stretch)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def offer(self, choices: tuple[Choice, ...], current: str, variants: tuple[Choice, ...] = (), variant: str = "",
              *, more: bool = False) -> None:
        """What there is, and what is chosen; `more`: there may be others, which are being looked for."""
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
        """What the list holds: the parts, then the variants of the chosen one."""
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
        """Show the list under the picker."""
        if self.chooser is None:
            self.chooser = Chooser(self._theme, self._caption, self)
        self.chooser.offer(self.options())
        self.chooser.open_at(self.mapToGlobal(QPoint(0, self.height() + 2)), self.width())
        self.opened.emit()

    def natural_width(self) -> int:
        """Pixels that show the whole value."""
        wide = int(text_width(self._theme, chosen(self._choices, self._current).title, "body", 500))
        return self._theme.px(26 + 19 + 4) + (min(wide, self._theme.px(self._most)) if self._most else wide)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """28 px high."""
        return QSize(self._theme.px(118), self._theme.px(28))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for the glyph and the chevron."""
        return QSize(self._theme.px(52), self._theme.px(28))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Open the list."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.open_menu()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Enter and arrow down open the list."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open_menu()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The theme changed."""
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Glyph, value, chevron."""
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
        """Pixels left and right of the value: where it would be cut, the chevron gives way to it, then the glyph."""
        px, needs = self._theme.px, text_width(self._theme, title, "body", 500)
        whole, no_chevron, value_only = (px(26), px(19)), (px(26), px(6)), (px(8), px(6))
        if self.width() < px(LEAST_VALUE) + sum(value_only):
            return whole
        return next((m for m in (whole, no_chevron, value_only) if needs + sum(m) <= self.width()), whole)
