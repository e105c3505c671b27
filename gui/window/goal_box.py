"""The goal field: the operator's text, the literals it was parsed into, and a card of help while the text is not understood."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QInputMethodEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
)
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QSizePolicy, QWidget

from core.goals.literals import Goal, LiteralProgress
from gui.control.background import Reading
from gui.control.context import Context
from gui.control.key_labels import KeyLabel
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import RIGHT, SMOOTH, Chip, ChipLook, Line, Prose, chip_width, draw_block, draw_text, rounded, text_width

HINT = "Type a task in plain words ({Ctrl+G}); you see how it is understood before you set it"
UNCHANGED = "Not understood as a goal; the run is unchanged"
MOST_CHIPS = 5


class GoalBox(QFrame):
    """The goal field. A click starts editing; a click on a chip selects its objects. A green line shows the share reached."""

    typed = Signal(str)
    """The text so far, to be parsed."""
    entered = Signal(str, object)
    """The text, and the Goal it was parsed into."""
    literal_clicked = Signal(object)
    """LiteralProgress."""

    def __init__(self, context: Context):
        super().__init__()
        self._theme = theme = context.theme
        self._task, self._reached = "", 0.0
        self._progress: tuple[LiteralProgress, ...] = ()
        self._order: tuple[LiteralProgress, ...] = ()
        self._reading: Reading | None = None
        self._entered = False
        """Whether Enter was pressed before the text was parsed."""
        self._help: GoalHelp | None = None
        self._corner: QWidget | None = None
        self._line = Line(theme, "No goal yet", "body", "faint", 500)
        self._field = _Field()
        self._field.setAccessibleName("Task in plain words")
        self._field.setPlaceholderText("Put one apple on the kitchen table")
        self._field.hide()
        self._note = Line(theme, "", "small", "faint")
        self._count = Line(theme, "", "small", "muted", shrinks=False)
        self._chips: list[Chip] = []
        self._row = hbox(theme, self._note, 0, self._count)
        self._column = vbox(theme, self._line, self._field, self._row, on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName("Goal")
        self._field.textEdited.connect(self._on_typed)
        self._field.returnPressed.connect(self._enter)
        self._field.left.connect(self.leave)
        self._field.moved.connect(self._on_moved)
        self._hint = KeyLabel(context, self, self._show_hint, HINT)
        context.theme_changed.connect(self._restyle)
        self._restyle()

    # --- what it shows -----------------------------------------------------
    def show_goal(self, task: str, progress: tuple[LiteralProgress, ...]) -> None:
        """Shows the task and how far each literal is reached."""
        if (task, progress) == (self._task, self._progress):
            return
        self._task, self._progress = task, progress
        self._line.say(task or "No goal yet", "text" if task else "faint")
        self.setAccessibleDescription("; ".join(f"{p.literal} {p.have} of {p.literal.count}" for p in progress))
        if not self.editing:
            self._show_chips(progress)

    def _show_chips(self, progress: tuple[LiteralProgress, ...]) -> None:
        fitting = self._fitting()
        self._order = progress if len(progress) <= fitting else tuple(sorted(progress, key=lambda p: p.reached))[:fitting]
        looks = [chip_look(p) for p in self._order]
        if len(progress) > len(looks):
            looks.append(ChipLook(f"+{len(progress) - len(looks)}"))
        self._fit_chips(len(looks))
        for chip, look in zip(self._chips, looks, strict=True):
            if chip.look != look:
                chip.show_look(look)
        done = sum(p.reached for p in progress)
        self._reached = done / len(progress) if progress else 0.0
        self._count.say(f"{done} of {len(progress)}" if self._is_counted() else "")
        self._note.setVisible(not progress)
        self._show_hint(self._hint.now)
        self.update()

    def _show_hint(self, text: str) -> None:
        if not self.editing:
            self._note.say(text, "faint")

    def _is_counted(self) -> bool:
        """Whether the number of literals reached is shown: there are several, and there is room beside the chips."""
        return len(self._progress) > 1 and self.width() >= self._theme.px(230)

    def _fitting(self) -> int:
        """Returns the number of chips that fit; the others are shown as a number."""
        px = self._theme.px
        most = len(self._progress)
        counted = text_width(self._theme, f"{most} of {most}") + px(8) if self._is_counted() else 0.0
        room = self.width() - px(39) - counted
        progress = sorted(self._progress, key=lambda p: p.reached)
        fitting, took = 0, 0.0
        for one in progress[:MOST_CHIPS]:
            took += chip_width(self._theme, chip_look(one)) + px(6)
            more = px(40) if fitting + 1 < len(progress) else 0
            if took + more > room:
                break
            fitting += 1
        return max(1, fitting)

    def set_corner(self, tool: QWidget) -> None:
        """Shows a tool at the right end of the field."""
        self._corner = tool
        tool.setParent(self)
        tool.installEventFilter(self)
        self._place_corner()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Moves the tool in the corner when its size changes with the text."""
        if watched is self._corner and event.type() == QEvent.Type.Resize:
            self._place_corner()
        return False

    def _place_corner(self) -> None:
        if self._corner is not None:
            px = self._theme.px
            self._corner.move(self.width() - self._corner.width() - px(5), px(5))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shows as many chips as fit."""
        super().resizeEvent(event)
        self._place_corner()
        if self._help is not None and self._help.isVisible():
            self._help.place()
        if not self.editing and self._progress:
            self._show_chips(self._progress)

    def _fit_chips(self, count: int) -> None:
        while len(self._chips) > count:
            old = self._chips.pop()
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        while len(self._chips) < count:
            k = len(self._chips)
            chip = Chip(self._theme, ChipLook(""))
            chip.setCursor(Qt.CursorShape.PointingHandCursor)
            chip.clicked.connect(lambda k=k: self._on_chip(k))
            chip.double_clicked.connect(self.edit)
            self._row.insertWidget(k, chip)
            self._chips.append(chip)

    def _on_chip(self, k: int) -> None:
        if not self.editing and k < len(self._order):
            self.literal_clicked.emit(self._order[k])

    # --- editing -----------------------------------------------------------
    @property
    def editing(self) -> bool:
        """Whether the operator is typing."""
        return not self._field.isHidden()

    def edit(self) -> None:
        """Starts editing."""
        self._line.hide()
        self._field.show()
        self._field.setText(self._task)
        self._field.selectAll()
        self._field.setFocus()
        self._forget_reading()

    def leave(self) -> None:
        """Ends editing and restores the former text."""
        self._forget_reading()
        self._field.hide()
        self._line.show()
        self._show_chips(self._progress)

    def show_reading(self, reading: Reading) -> None:
        """Shows what the text typed so far means."""
        if not self.editing or reading.text != self._field.text():
            return
        self._reading = reading
        self._field.underline(reading.span, self._theme.colour("bad"))
        self._field.setAccessibleDescription(reading.reason)
        if reading.goal is None:
            self._entered = False
            self._refuse(reading)
            return
        self._close_help()
        self._preview(reading.goal)
        if self._entered:
            self._enter()

    def _refuse(self, reading: Reading) -> None:
        """Shows why there is no goal. The text stays for correction, and the run is unchanged."""
        self._fit_chips(0)
        self._note.show()
        self._note.say(UNCHANGED, "warn")
        self._count.say("")
        if self._help is None:
            self._help = GoalHelp(self._theme, self)
            self._help.chosen.connect(self._take)
        self._help.explain(reading.reason, reading.suggestions)

    def _take(self, text: str) -> None:
        """Takes a suggestion, which is parsed as if it were typed."""
        self._field.setText(text)
        self._field.setFocus()
        self._on_typed(text)

    def _on_moved(self, step: int) -> None:
        if self._help is not None and self._help.isVisible():
            self._help.move_by(step)

    def _close_help(self) -> None:
        if self._help is not None:
            self._help.hide()

    def _preview(self, goal: Goal) -> None:
        looks = [ChipLook(str(x), "muted", "raised", "goal") for x in goal.literals[:MOST_CHIPS]]
        self._fit_chips(len(looks))
        for chip, look in zip(self._chips, looks, strict=True):
            chip.show_look(look)
        self._count.say("Enter to set")
        self._note.hide()

    def _on_typed(self, text: str) -> None:
        self._forget_reading()
        self.typed.emit(text)

    def _forget_reading(self) -> None:
        self._reading, self._entered = None, False
        self._field.underline((0, 0), self._theme.colour("bad"))
        self._close_help()

    def _enter(self) -> None:
        """Sets the goal once the text is parsed. Until then the field keeps the focus."""
        if self._help is not None and self._help.isVisible() and self._help.current:
            self._take(self._help.current)
            return
        text, reading = self._field.text().strip(), self._reading
        if not text or text == self._task:
            self.leave()
        elif reading is None:
            self._entered = True
            self.typed.emit(self._field.text())
        elif reading.goal is not None:
            self.leave()
            self._line.say(text, "muted")
            self.entered.emit(text, reading.goal)

    # --- Qt ----------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Starts editing."""
        if event.button() == Qt.MouseButton.LeftButton and not self.editing:
            self.edit()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """64 px high."""
        return QSize(self._theme.px(300), self._theme.px(64))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Narrower than its text, which is then cut off."""
        return QSize(self._theme.px(130), self._theme.px(64))

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(64))
        self._field.setFont(self._theme.font("body", 500))
        self._field.setFixedHeight(px(26))
        self._line.setFixedHeight(px(26))
        self._note.setFixedHeight(px(22))
        self._column.setContentsMargins(px(30), px(4), px(33), px(7))  # the dice is at the right end
        self._column.setSpacing(px(3))
        self._row.setSpacing(px(6))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a sunken field with a flag, and the green line."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect = QRectF(self.rect())
        draw_block(painter, theme, rect, "sunken", "accent" if self.editing else "line", 5)
        painter.drawPixmap(px(10), px(10), theme.pixmap("goal", px(14), "muted"))
        if self._reached and not self.editing:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("good"))
            painter.setClipPath(rounded(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5))
            painter.drawRect(QRectF(0, self.height() - 2.5, self.width() * self._reached, 3))
        painter.end()


def chip_look(progress: LiteralProgress) -> ChipLook:
    """Returns a chip that is amber with a lens while the literal is pending, and green with a check when it is reached."""
    count = f"{progress.have}/{progress.literal.count}"
    words = str(progress.literal)
    if progress.reached:
        return ChipLook(words, "good", "good_bg", "check", count)
    return ChipLook(words, "warn", "warn_bg", "search", count)


class _Field(QLineEdit):
    """The text field. Esc restores the former text; arrow keys move through the suggestions."""

    left = Signal()
    moved = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def underline(self, span: tuple[int, int], colour: QColor) -> None:
        """Underlines the characters of a span; an empty span removes the underline."""
        start, end = span
        marks = []
        if end > start:
            wavy = QTextCharFormat()
            wavy.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wavy.setUnderlineColor(colour)
            kind = QInputMethodEvent.AttributeType.TextFormat
            marks = [QInputMethodEvent.Attribute(kind, start - self.cursorPosition(), end - start, wavy)]
        # A line edit has no text formats of its own; those of an input method are drawn without changing the text.
        QApplication.sendEvent(self, QInputMethodEvent("", marks))


class GoalHelp(QFrame):
    """The cause, then rows of suggestions. A child of the window, placed under the widget it explains."""

    chosen = Signal(str)
    """A suggested task."""

    def __init__(self, theme: Theme, below: QWidget):
        super().__init__(below.window())
        self._theme, self._below = theme, below
        self._rows: list[TaskRow] = []
        self._at = -1
        self.setObjectName("Dialog")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._cause = Prose(theme, "", "small", "warn")
        self._offer = Prose(theme, "Possible goals here:", "small", "muted")
        self._column = vbox(theme, self._cause, self._offer, on=self)
        self.hide()

    @property
    def current(self) -> str:
        """The row chosen with the arrow keys; empty if none."""
        return self._rows[self._at].text if 0 <= self._at < len(self._rows) else ""

    def explain(self, cause: str, suggestions: tuple[str, ...]) -> None:
        """Shows the cause and the suggestions."""
        self._cause.say(cause[:1].upper() + cause[1:])
        self._offer.setVisible(bool(suggestions))
        self._at = -1
        for old in self._rows:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = [TaskRow(self._theme, text, takes_focus=False) for text in suggestions]
        for row in self._rows:
            row.clicked.connect(self.chosen)
            self._column.addWidget(row)
        self.setAccessibleName(cause)
        self.setAccessibleDescription("; ".join(suggestions))
        self.show()
        self.place()
        self.raise_()

    def move_by(self, step: int) -> None:
        """Chooses the next row, or the previous one. Before the first row is the field."""
        self._at = max(-1, min(len(self._rows) - 1, self._at + step))
        for k, row in enumerate(self._rows):
            row.choose(k == self._at)

    def place(self) -> None:
        """Places the card under the widget, with the same width."""
        px, below = self._theme.px, self._below
        self._column.setContentsMargins(px(12), px(9), px(12), px(10))
        self._column.setSpacing(px(6))
        width = below.width()
        inner = width - px(24) - 2
        high = sum(part.heightForWidth(inner) + px(6) for part in (self._cause, self._offer) if not part.isHidden())
        high += len(self._rows) * px(34) + px(18)
        corner = below.mapTo(below.window(), QPoint(0, below.height() + px(3)))
        self.setGeometry(corner.x(), corner.y(), width, high)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The present size."""
        return self.size()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self.place()


class TaskRow(QWidget):
    """One task to choose: a flag, its text, and a note on the right.

    Args:
        theme: the colours and fonts.
        text: the task.
        note: what is said about it.
        takes_focus: whether it can have the keyboard focus; otherwise `choose` marks it.
    """

    clicked = Signal(str)

    def __init__(self, theme: Theme, text: str, note: str = "", *, takes_focus: bool = True):
        super().__init__()
        self._theme, self.text, self._note, self._chosen = theme, text, note, False
        self._edges = (10, 34, 24) if takes_focus else (9, 31, 10)
        """Pixels left of the flag, left of the text, and right of it, at 100 % text size."""
        self.setFixedHeight(theme.px(30 if takes_focus else 28))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if takes_focus else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{text} ({note})" if note else text if takes_focus else f"Use “{text}”")
        self.setToolTip("" if takes_focus else text)

    def choose(self, chosen: bool) -> None:
        """Marks or unmarks the row as the one that Enter takes."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit(self.text)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a flag, the text and the note."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect, side, (flag, left, right) = QRectF(self.rect()), px(14), self._edges
        marked = self._chosen or self.hasFocus()
        draw_block(painter, theme, rect, "hover" if marked or self.underMouse() else "raised", "accent" if marked else "line",
                   5)
        painter.drawPixmap(px(flag), int((self.height() - side) / 2), theme.pixmap("goal", side))
        note = text_width(theme, self._note)
        draw_text(painter, theme, rect.adjusted(px(left), 0, -note - px(right), 0), self.text, "body", "text", 500)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(12), 0), self._note, "small", "faint", align=RIGHT)
        painter.end()
