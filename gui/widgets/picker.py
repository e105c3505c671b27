"""What is plugged in: glyph, value, chevron; a click lists what there is, and what is missing with its install command."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from gui.choices import Choice, chosen
from gui.theme import Theme
from gui.widgets.painting import SMOOTH, draw_block, draw_text

SEARCHING = "Loading the other choices …"


class Picker(QWidget):
    """One part of the request. Below the parts themselves it may list variants (presets)."""

    picked = Signal(str)
    variant_picked = Signal(str)
    opened = Signal()
    """The list is shown; what is offered meanwhile is added to it."""

    def __init__(self, theme: Theme, icon: str, caption: str, stretch: int = 1):
        super().__init__()
        self._theme, self._icon, self._caption = theme, icon, caption
        self._choices: tuple[Choice, ...] = ()
        self._variants: tuple[Choice, ...] = ()
        self._current, self._variant, self._more = "", "", False
        self._menu: QMenu | None = None
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
        self.setToolTip(f"{self._caption}: {title}" + (f" · {variant}" if variant else ""))
        self.update()
        if found and self._menu is not None:
            self._fill(self._menu)

    def menu(self) -> QMenu:
        """The list: what is missing is greyed, with its hint."""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self._fill(menu)
        return menu

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        for choice in self._choices:
            self._add(menu, choice, self._current, self.picked.emit)
        if len(self._variants) > 1:
            menu.addSeparator()
            for variant in self._variants:
                self._add(menu, variant, self._variant or self._variants[0].name, self.variant_picked.emit)
        if self._more:
            menu.addAction(SEARCHING).setEnabled(False)

    def _add(self, menu: QMenu, choice: Choice, current: str, say: Callable[[str], object]) -> None:
        note = f"  ·  {choice.hint}" if choice.hint and not choice.available else ""
        model = "" if choice.is_model else "  ·  not an LLM"
        action = menu.addAction(choice.title + model + note)
        action.setToolTip(choice.hint)
        action.setEnabled(choice.available)
        if choice.name == current:
            action.setIcon(self._theme.icon("check", "accent"))
        action.triggered.connect(lambda: say(choice.name))

    def open_menu(self) -> None:
        """Show the list under the picker."""
        menu = self.menu()
        menu.setMinimumWidth(self.width())
        menu.aboutToHide.connect(self._on_hidden)
        self._menu = menu
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 2)))
        self.opened.emit()

    def _on_hidden(self) -> None:
        menu, self._menu = self._menu, None
        if menu is not None:
            menu.deleteLater()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """28 px high."""
        return QSize(self._theme.px(118), self._theme.px(28))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Room for a few letters."""
        return QSize(self._theme.px(60), self._theme.px(28))

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
        painter.drawPixmap(px(8), top, theme.pixmap(self._icon, side, "muted"))
        choice = chosen(self._choices, self._current)
        tone = "text" if choice.available else "faint"
        draw_text(painter, theme, rect.adjusted(px(26), 0, -px(19), 0), choice.title, "body", tone, 500)
        painter.drawPixmap(self.width() - px(18), top, theme.pixmap("down", side, "faint"))
        painter.end()
