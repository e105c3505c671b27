"""The seed of the next run: a number to type, and a dice button that draws another one."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QSizePolicy

from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox
from gui.widgets.buttons import Tool, tool_action
from gui.widgets.painting import text_width
from gui.widgets.search import FindField
from gui.widgets.text import ThemedWidget

HIGHEST = 2_000_000_000
LEAST_DIGITS = 4
"""The number of digits that have room, also if the seed has fewer."""


class _Field(FindField):
    """A field for digits. Escape discards the input, and the arrow keys count."""

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the arrow keys."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.stepped.emit(1 if event.key() == Qt.Key.Key_Up else -1)
        else:
            super().keyPressEvent(event)


class SeedBox(ThemedWidget):
    """A field for the seed and a dice button."""

    chosen = Signal(int)
    rolled = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._seed, self._compact = theme, 0, False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.field = _Field("Seed")
        self.field.setToolTip("Seed: where objects are, and all random draws. Enter prepares a run with it")
        self.field.setValidator(QIntValidator(0, HIGHEST, self.field))
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.dice = Tool(theme, tool_action(self, theme, "Draw another seed", "dice", self.rolled.emit))
        hbox(theme, (self.field, 1), self.dice, on=self, spacing=0, margins=FLUSH)
        self.field.returnPressed.connect(self._enter)
        self.field.closed.connect(self._leave)
        self.field.editingFinished.connect(self._reset)
        self.field.stepped.connect(self._step)
        self.restyle()

    def show_seed(self, seed: int) -> None:
        """Shows the seed of the run request. An input that is being typed stays unless the seed changed."""
        if seed != self._seed or not self.field.hasFocus():
            longer = len(str(seed)) != len(str(self._seed))
            self._seed = seed
            self._reset()
            if longer:
                self.restyle()

    def compact(self, compact: bool) -> None:
        """Shows the number without the dice, if `compact` is True."""
        self._compact = compact
        self.dice.setVisible(not compact)
        self.restyle()

    def _enter(self) -> None:
        text = self.field.text()
        if text and int(text) != self._seed:
            self.chosen.emit(int(text))
        self._leave()

    def _leave(self) -> None:
        self._reset()
        self.field.clearFocus()

    def _reset(self) -> None:
        if self.field.text() != str(self._seed):
            self.field.setText(str(self._seed))
        self.field.setCursorPosition(0)

    def _step(self, by: int) -> None:
        seed = int(self.field.text() or 0) + by
        if 0 <= seed <= HIGHEST:
            self.field.setText(str(seed))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size of the number, and of the dice if it is shown."""
        return QSize(self.field_width() + (0 if self._compact else self.dice_width()), self._theme.px(28))

    def field_width(self) -> int:
        """Returns the width of the number alone, in pixels: its digits, at least four."""
        digits = str(self._seed).rjust(LEAST_DIGITS, "0")
        return ceil(text_width(self._theme, digits, "body", 500)) + self._theme.px(12)

    def dice_width(self) -> int:
        """Returns the width of the dice, in pixels."""
        return self._theme.px(24)

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        self.field.setFont(self._theme.font("body", 500))
        self.field.setFixedHeight(self._theme.px(28))
        self.setFixedSize(self.sizeHint())
