"""The chips of a goal that is being edited: one a literal, and one that adds another. The keyboard alone can edit them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip

from gui.control.goal_draft import GoalDraft
from gui.theme import Theme
from gui.widgets import ChipLook, draw_chip, flow_chips
from gui.widgets.text import PaintedWidget
from gui.window.goal_field import reading_key

ADD = ChipLook("add", "faint", "", "add", line="dashed")
KEYS = "← → choose · Enter edit · + add · Del remove · N never · Esc back"
_OWN = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
                  Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape,
                  Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Plus, Qt.Key.Key_Insert, Qt.Key.Key_N,
                  *(Qt.Key(Qt.Key.Key_0 + digit) for digit in range(10))})
"""Keys that do not reach the shortcuts of the window while the chips have the focus."""


class GoalChips(PaintedWidget):
    """The chips of a draft, wrapped to its width. One of them is current while the widget has the focus."""

    opened = Signal(int)
    """The index of a literal to edit; the number of literals to add one."""
    removed = Signal(int)
    negated = Signal(int)
    asked_reading = Signal(int)
    """Another reading: its number from 1, or 0 for the next one of the current chip."""
    left = Signal()
    """Back to the text."""
    focused = Signal()
    confirmed = Signal()
    """Set the goal (Ctrl+Enter)."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._draft: GoalDraft | None = None
        self._looks: list[ChipLook] = [ADD]
        self.at = 0
        """The index of the current chip."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(KEYS)

    def show_draft(self, draft: GoalDraft | None, editing: int = -1) -> None:
        """Shows the chips of a draft; without one only the chip that adds. The chip that is being edited is outlined."""
        self._draft = draft
        literals = draft.literals if draft is not None else ()
        self._looks = [self._look(draft, k, editing) for k in range(len(literals))] if draft is not None else []
        self._looks.append(ADD)
        self.at = min(self.at, len(self._looks) - 1)
        self._describe()
        self.updateGeometry()
        self.update()

    @staticmethod
    def _look(draft: GoalDraft, index: int, editing: int) -> ChipLook:
        literal = draft.literals[index]
        step = f"{literal.stage + 1}. " if any(one.stage for one in draft.literals) else ""
        guessed = draft.guess_at(index) is not None
        tone = "operator_act" if index == editing else "warn" if guessed else "bad" if literal.never else "text"
        return ChipLook(f"{step}{literal}", tone, "warn_bg" if guessed else "raised",
                        "help" if guessed else "ban" if literal.never else "goal", line="solid" if index == editing else "none")

    def _describe(self) -> None:
        self.setAccessibleName("Parts of the goal")
        now = self._looks[self.at].text
        self.setAccessibleDescription(f"{self.at + 1} of {len(self._looks)}: {now}. {KEYS}")

    def texts(self) -> list[str]:
        """Returns the texts of the literals' chips."""
        return [look.text for look in self._looks[:-1]]

    def go_to(self, index: int) -> None:
        """Makes a chip the current one; negative indices count from the last literal."""
        literals = len(self._looks) - 1
        self.at = max(0, min(index if index >= 0 else max(0, literals + index), literals))
        self._describe()
        self.update()

    # --- keys and mouse --------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Keeps its keys from the shortcuts of the window, and shows why a chip is a guess."""
        if isinstance(event, QKeyEvent) and (event.key() in _OWN or event.text() == "+"):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self._tab(1 if event.key() == Qt.Key.Key_Tab else -1)
                return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(self._chip_at(event.pos().x(), event.pos().y())), self)
            return True
        return super().event(event)

    def _tip(self, index: int) -> str:
        guess = self._draft.guess_at(index) if self._draft is not None and index >= 0 else None
        if guess is None:
            return KEYS
        return f"“{guess.words}” is read as {guess.taken}; Alt+↓ for {guess.others[0][0]}" if guess.others else KEYS

    def _tab(self, step: int) -> None:
        if not 0 <= self.at + step < len(self._looks):
            self.left.emit()
        else:
            self.go_to(self.at + step)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Moves between the chips and edits the current one."""
        key, at, count = event.key(), self.at, len(self._looks) - 1
        other = reading_key(event) or (key - Qt.Key.Key_0 if Qt.Key.Key_1 <= key <= Qt.Key.Key_9 else None)
        moves = {Qt.Key.Key_Left: max(0, at - 1), Qt.Key.Key_Right: at + 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: count}
        if other is not None or reading_key(event) == 0:
            self.asked_reading.emit(other or 0)
        elif key in moves:
            self.go_to(moves[Qt.Key(key)])
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._step_line(1 if key == Qt.Key.Key_Down else -1)
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            self._edit(event, at, count)

    def _edit(self, event: QKeyEvent, at: int, count: int) -> None:
        """Handles the keys that change the chip `at`; `count` is the chip that adds."""
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.confirmed.emit()
            else:
                self.opened.emit(at)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and at < count:
            self.removed.emit(at)
        elif key == Qt.Key.Key_N and at < count:
            self.negated.emit(at)
        elif key == Qt.Key.Key_Insert or event.text() == "+":
            self.opened.emit(count)
        else:
            super().keyPressEvent(event)

    def _step_line(self, step: int) -> None:
        """Moves to the nearest chip in the line above or below; above the first line is the text."""
        rects = self._rects()
        now = rects[self.at]
        lines = sorted({rect.y() for rect in rects})
        line = lines.index(now.y()) + step
        if line < 0:
            self.left.emit()
        elif line < len(lines):
            there = [k for k, rect in enumerate(rects) if rect.y() == lines[line]]
            self.go_to(min(there, key=lambda k: abs(rects[k].center().x() - now.center().x())))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the chip under the mouse."""
        index = self._chip_at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.setFocus()
            self.go_to(index)
            self.opened.emit(index)

    def _chip_at(self, x: float, y: float) -> int:
        return next((k for k, rect in enumerate(self._rects()) if rect.contains(x, y)), -1)

    # --- painting --------------------------------------------------------------
    def _rects(self, width: int = 0) -> list[QRectF]:
        inset = self._theme.px(2)
        rects = flow_chips(self._theme, self._looks, (width or self.width()) - 2 * inset)
        return [rect.translated(inset, inset) for rect in rects]

    def hasHeightForWidth(self) -> bool:  # noqa: N802 - Qt's name
        """True: the chips wrap."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Returns the height in pixels that shows all chips at a width."""
        return int(self._rects(width)[-1].bottom()) + self._theme.px(3)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size at the present width."""
        width = max(self.width(), self._theme.px(200))
        return QSize(width, self.heightForWidth(width))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Shows the current chip."""
        super().focusInEvent(event)
        self.focused.emit()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Hides the current chip."""
        super().focusOutEvent(event)
        self.update()

    def paint(self, painter: QPainter) -> None:
        """Paints the chips; the current one has a ring in the colour of the focus."""
        for k, (look, rect) in enumerate(zip(self._looks, self._rects(), strict=True)):
            draw_chip(painter, self._theme, rect, look)
            if k == self.at and self.hasFocus():
                painter.setPen(QPen(self._theme.colour("accent"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), 5, 5)
