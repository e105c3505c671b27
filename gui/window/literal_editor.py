"""The form that edits one literal of a goal, with completion from the names of the scene."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit

from core.goals.formal_text import EVERY, STATES, TAKES_TARGET
from core.goals.literals import ABOUT_ROBOT
from gui.control.goal_draft import RELATIONS, LiteralForm, SceneNames, completed
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Button, Line, Prose
from gui.widgets.expression_field import TailCompleter
from gui.widgets.text import ThemedWidget

SEPARATOR = re.compile(r"(\s+or\s+|,\s*|\|)")


class NameField(QLineEdit):
    """A field that completes names. Enter confirms the form, Esc leaves it."""

    confirmed = Signal()
    left = Signal()

    def __init__(self, name: str, hint: str = ""):
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self._names = QStringListModel(self)
        self._completer = TailCompleter(self._names, self, lambda text: SEPARATOR.split(text)[-1])
        self.returnPressed.connect(self.confirmed)

    def offer(self, names: Sequence[str]) -> None:
        """Completes these names from now on."""
        if self._names.stringList() != list(names):
            self._names.setStringList(list(names))

    def event(self, event: QEvent) -> bool:
        """Keeps Esc from the shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leaves on Esc; shows the names on arrow down. Enter confirms unless a name is chosen in the list."""
        completer, names, key = self._completer, self._completer.list, event.key()
        if names.isVisible() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not names.currentIndex().isValid():
            names.hide()
        if names.isVisible():
            super().keyPressEvent(event)  # Esc and Enter belong to the list
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_Down:
            completer.setCompletionPrefix(completer.splitPath(self.text())[0])
            completer.complete()
        else:
            super().keyPressEvent(event)


class LiteralEditor(ThemedWidget):
    """The form: relation, object, place, number, room, state, step, never. Enter takes it, Esc leaves it as it was."""

    taken = Signal(object)
    """LiteralForm."""
    left = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._names = SceneNames()
        self.relation = NameField("Relation", "inside, on, is …")
        self.subject = NameField("Object", "apple, fruit, plate or bowl")
        self.place = NameField("Place", "fridge, kitchen")
        self.count = NameField("Number", "1")
        self.room = NameField("Only in room", "any")
        self.states = NameField("States", "any")
        self.step = NameField("Step", "1")
        self.never = QCheckBox("Never")
        self._labels = [Line(theme, field.accessibleName(), "micro", "muted") for field in self._fields]
        self._note = Prose(theme, "", "small", "warn")
        self._grid = QGridLayout()
        for k, (label, field) in enumerate(zip(self._labels, self._fields, strict=True)):
            row, column = divmod(k, 4)
            self._grid.addWidget(label, 2 * row, column)
            self._grid.addWidget(field, 2 * row + 1, column)
            field.confirmed.connect(self._take)
            field.left.connect(self.left)
        self._grid.addWidget(self.never, 3, 3)
        buttons = hbox(theme, (self._note, 1), Button(theme, "Cancel", act=self.left.emit),
                       Button(theme, "Use", "check", act=self._take), spacing=6)
        vbox(theme, self._grid, buttons, on=self, spacing=6, margins=(0, 2, 0, 0))
        self.never.installEventFilter(self)
        self.relation.textChanged.connect(lambda _: self._fit())
        self.relation.offer(tuple(RELATIONS))
        self.count.offer((EVERY, *map(str, range(1, 10))))
        self.states.offer(sorted(STATES))
        self.step.offer(tuple(map(str, range(1, 5))))
        self.restyle()

    @property
    def _fields(self) -> tuple[NameField, ...]:
        return self.relation, self.subject, self.place, self.count, self.room, self.states, self.step

    def edit(self, form: LiteralForm) -> None:
        """Shows a form for editing, with the cursor in the object, or in the relation if there is no object."""
        values = (form.relation, form.subject, form.place, form.count, form.room, form.states, form.step)
        for field, text in zip(self._fields, values, strict=True):
            field.setText(text)
            field.setCursorPosition(0)
        self.never.setChecked(form.never)
        self.say("")
        first = self.subject if self.subject.isEnabled() else self.relation
        first.setFocus()
        first.selectAll()

    @property
    def form(self) -> LiteralForm:
        """What the fields say; those that the relation does not use are empty."""
        texts = (field.text() if field.isEnabled() else "" for field in self._fields)
        relation, subject, place, count, room, states, step = texts
        return LiteralForm(relation, subject, place, count or "1", room, states, step or "1", self.never.isChecked())

    def offer(self, names: SceneNames) -> None:
        """Completes the names of a scene."""
        self._names = names
        self.place.offer(names.places)
        self.room.offer(names.rooms)
        self._fit()

    def say(self, text: str) -> None:
        """Shows in one line why the form is not taken; empty: nothing."""
        self._note.say(text[:1].upper() + text[1:])

    def _fit(self) -> None:
        """Enables the fields that the relation uses."""
        predicate, _ = RELATIONS.get(completed(self.relation.text(), RELATIONS), ("inside", ""))
        robot = predicate in ABOUT_ROBOT
        self.subject.setEnabled(predicate != "standing")
        self.place.setEnabled(predicate in TAKES_TARGET)
        self.count.setEnabled(not robot)
        self.room.setEnabled(predicate not in ("standing", "robot_in"))
        self.states.setEnabled(not robot)
        self.subject.offer(self._names.rooms if predicate == "robot_in" else self._names.things)

    def _take(self) -> None:
        self.say("")
        self.taken.emit(self.form)

    def eventFilter(self, watched: object, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles Enter and Esc on the tick box as in the fields."""
        if watched is self.never and isinstance(event, QKeyEvent):
            confirms = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if confirms or event.key() == Qt.Key.Key_Escape:
                if event.type() == QEvent.Type.KeyPress:
                    (self._take if confirms else self.left.emit)()
                event.accept()
                return True
        return False

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        px = self._theme.px
        for field in (*self._fields, self.never):
            field.setFont(self._theme.font("small"))
            field.setFixedHeight(px(26))
            field.setMinimumWidth(px(60))
        self._grid.setHorizontalSpacing(px(6))
        self._grid.setVerticalSpacing(px(2))
        for column, share in enumerate((3, 4, 4, 3)):
            self._grid.setColumnStretch(column, share)
