"""The card under the goal field: why a text is no goal and tasks that are, or the goal as chips that can be edited."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from gui.control.goal_draft import GoalDraft, LiteralForm, SceneNames, form_of
from gui.theme import Theme
from gui.theme.boxes import vbox
from gui.widgets import Line, Prose
from gui.widgets.task_row import TaskRow
from gui.window.goal_chips import KEYS, GoalChips
from gui.window.literal_editor import LiteralEditor

NARROWEST = 460
"""Least width at 100 % text size, in pixels, if the window is as wide."""
READERS = {"rules": "Understood as", "model": "Understood by the language model as", "formal": "Understood as",
           "operator": "Edited by you"}
"""How a goal is introduced, by who read it."""


class GoalCard(QFrame):
    """A child of the window, placed under the widget it belongs to.

    It shows one of: the cause and suggestions; or the chips, a row for each other reading, and the form of a chip.
    """

    chosen = Signal(str)
    """A suggested task."""
    reading_chosen = Signal(int)
    """The number of another reading, from 1."""
    literal_edited = Signal(int, object)
    """The index of a literal, and its LiteralForm."""

    def __init__(self, theme: Theme, below: QWidget):
        super().__init__(below.window())
        self._theme, self._below = theme, below
        self._rows: list[TaskRow] = []
        self._at = -1
        self._draft: GoalDraft | None = None
        self.editing = -1
        """The index of the literal in the form; -1: the form is closed."""
        self.setObjectName("Dialog")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._cause = Prose(theme, "", "small", "warn")
        self._offer = Prose(theme, "Possible goals here:", "small", "muted")
        self._head = Line(theme, "", "small", "muted", 600)
        self._keys = Line(theme, "", "micro", "faint")
        self.chips, self.form = GoalChips(theme), LiteralEditor(theme)
        self._column = vbox(theme, self._head, self.chips, self._cause, self._offer, self.form, self._keys, on=self)
        self.chips.opened.connect(self.open_form)
        self.form.taken.connect(self._on_form)
        self.form.left.connect(self.close_form)
        self.form.hide()
        self.hide()

    @property
    def current(self) -> TaskRow | None:
        """The row chosen with the arrow keys, or None."""
        return self._rows[self._at] if 0 <= self._at < len(self._rows) else None

    # --- what it shows -----------------------------------------------------
    def explain(self, cause: str, suggestions: tuple[str, ...], tone: str = "warn") -> None:
        """Shows why there is no goal, or in another tone the answer to a question, and tasks that are possible."""
        self._draft = None
        self._close_form()
        for part in (self._head, self.chips, self._keys):
            part.hide()
        self._say(cause, tone)
        self._offer.say("Possible goals here:")
        self._offer.setVisible(bool(suggestions))
        self._show_rows([(text, "") for text in suggestions])
        for row in self._rows:
            row.clicked.connect(self.chosen)
        self.setAccessibleName(cause)
        self.setAccessibleDescription("; ".join(suggestions))
        self._open()

    def show_draft(self, draft: GoalDraft, trouble: str = "") -> None:
        """Shows a goal as chips, with the other readings of guessed words.

        Args:
            draft: the goal.
            trouble: why the last edit was refused; empty: it was not.
        """
        self._draft = draft
        self._head.say(READERS[draft.by])
        self._say(trouble if self.editing < 0 else "")
        self.form.say(trouble)
        self._show_chips()
        others = [(words, guess) for guess in draft.guesses for words, _ in guess.others]
        asked = ", ".join(f"“{guess.words}” as {guess.taken}" for guess in draft.guesses if guess.others)
        self._offer.say(f"Guessed {asked}. It may also be read as:")
        self._offer.setVisible(bool(others))
        self._show_rows([(f"{guess.words}: {words}" if len(draft.guesses) > 1 else words, f"Alt+{k}")
                         for k, (words, guess) in enumerate(others, 1)])
        for k, row in enumerate(self._rows, 1):
            row.clicked.connect(partial(self._on_row, k))
        self.setAccessibleName(f"{READERS[draft.by]}: {draft.text}")
        self.setAccessibleDescription(trouble)
        self._open()

    def _on_row(self, number: int, text: str) -> None:
        del text
        self.reading_chosen.emit(number)

    def _show_chips(self) -> None:
        for part in (self._head, self.chips, self._keys):
            part.show()
        self.chips.show_draft(self._draft, self.editing)
        self._keys.say("Enter use · ↓ names · Tab next field · Esc cancel" if self.editing >= 0 else
                       KEYS if self.chips.hasFocus() else "Enter set · Tab chips" + self._reading_keys())

    def _reading_keys(self) -> str:
        return " · Alt+↓ other reading" if self._draft is not None and self._draft.guesses else ""

    def show_keys(self) -> None:
        """Shows the keys of the part that has the focus now."""
        if self._draft is not None and self.isVisible():
            self._show_chips()

    def _say(self, cause: str, tone: str = "warn") -> None:
        self._cause.say(cause[:1].upper() + cause[1:], tone)
        self._cause.setVisible(bool(cause))

    def _show_rows(self, rows: list[tuple[str, str]]) -> None:
        self._at = -1
        for old in self._rows:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._rows = [TaskRow(self._theme, text, note, takes_focus=False) for text, note in rows]
        at = self._column.indexOf(self._offer) + 1
        for k, row in enumerate(self._rows):
            self._column.insertWidget(at + k, row)
            row.show()  # otherwise the layout counts it only later, if the card is shown already

    def move_by(self, step: int) -> bool:
        """Chooses the next row, or the previous one. Before the first row is the field.

        Returns:
            False if there are no rows.
        """
        self._at = max(-1, min(len(self._rows) - 1, self._at + step))
        for k, row in enumerate(self._rows):
            row.choose(k == self._at)
        return bool(self._rows)

    # --- the form ------------------------------------------------------------
    def offer(self, names: SceneNames) -> None:
        """Completes the names of a scene in the form."""
        self.form.offer(names)

    def open_form(self, index: int) -> None:
        """Opens the form of a literal; behind the last one, of a new one."""
        literals = self._draft.literals if self._draft is not None else ()
        self.editing = index
        self._say("")
        self.form.setEnabled(True)
        self.form.show()
        self._show_chips()
        self._open()
        self.form.edit(form_of(literals[index]) if index < len(literals) else
                       LiteralForm(step=str(literals[-1].stage + 1) if literals else "1"))

    def _on_form(self, form: LiteralForm) -> None:
        self.literal_edited.emit(self.editing, form)

    def close_form(self) -> None:
        """Closes the form and returns to the chips."""
        if self.editing >= 0:
            self._close_form()
            self.chips.setFocus()
            self._show_chips()
            self._open()

    def _close_form(self) -> None:
        self.editing = -1
        self.form.setEnabled(False)  # a list of names that closes late gives its field no focus
        self.form.hide()

    # --- its place -----------------------------------------------------------
    def _open(self) -> None:
        self.show()
        self.place()
        self.raise_()

    def leave(self) -> None:
        """Closes the card."""
        self._close_form()
        self._draft = None
        self.hide()

    def place(self) -> None:
        """Places the card under the widget, at least as wide, within the window."""
        px, below, window = self._theme.px, self._below, self._below.window()
        self._column.setContentsMargins(px(12), px(9), px(12), px(10))
        self._column.setSpacing(px(6))
        width = min(max(below.width(), px(NARROWEST)), window.width() - 2 * px(6))
        corner = below.mapTo(window, QPoint(0, below.height() + px(3)))
        self._column.invalidate()
        high = self._column.totalHeightForWidth(width) if self._column.hasHeightForWidth() else self._column.sizeHint().height()
        self.setGeometry(max(px(6), min(corner.x(), window.width() - width - px(6))), corner.y(), width, high)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The present size."""
        return self.size()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.isVisible():
            self.place()
