"""The strip below a view: a form for each edit of what is chosen, and why an edit is not made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QSlider, QWidget

from core.llm.grounding import ground_action
from core.views.values import Act, Edit, EditValue, Form, Pick, Press, Slider, Write
from core.views.wording import cell_text
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.theme.icons import ICONS
from gui.views.text_editor import is_long
from gui.views.widget import Choice, plain
from gui.widgets import Button, Line, Prose
from gui.widgets.buttons import ButtonRow
from gui.widgets.search import FindField

STEPS = 1000
"""Steps of a slider that has none of its own."""
REST_MS = 120
"""Milliseconds for which a slider rests before its number is an edit."""
FEW, MOST = 3, 5
"""Buttons that fill the width together, and edits with a form or a button; the menu has all."""


class EditStrip(QWidget):
    """Forms for edits. Hidden without any.

    Attributes:
        asked: an edit is made: the Edit, its value, and the number of the drag that it is part of, -1 if of none.
        listing: an action is being written: `offer` should be given those that are possible.
        written: a text of several lines is to be written for an Edit.
        closed: the writing of a text was given up.
    """

    asked = Signal(object, object, int)
    listing = Signal()
    written = Signal(object)
    closed = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._drags = theme, 0
        self._edits: tuple[Edit, ...] = ()
        self._address: object = None
        self._forms: dict[str, FormWidget] = {}
        self.buttons: dict[str, Button] = {}
        self._about, self.trouble = Line(theme, "", "small", "muted", 600), Prose(theme, "", "small", "bad")
        self._content = QWidget()
        self._column = vbox(theme, self._about, self._content, self.trouble, on=self, spacing=4, margins=(8, 4, 8, 6))
        self.trouble.hide()
        self.hide()

    def form(self, name: str) -> FormWidget | None:
        """Returns the form of an edit by its name, or None."""
        return self._forms.get(name)

    def show_choice(self, choice: Choice | None, title: str) -> None:
        """Shows the forms of a choice; None: there is nothing that can be edited. A form in use keeps its contents."""
        edits = () if choice is None else choice.edits[:MOST]
        same = [_shape(edit) for edit in edits] == [_shape(edit) for edit in self._edits]
        is_other = choice is None or choice.address != self._address
        if is_other:
            self.say("")
            self._address = None if choice is None else choice.address
            self._drags += 1
        self._edits = edits
        if not same:
            self._build()
        self._about.say(plain(title))
        self._about.setVisible(bool(title))
        for edit in edits:
            if (form := self._forms.get(edit.name)) is not None:
                form.show_form(edit, fresh=is_other or not same)
        self.setVisible(bool(edits) or not self.trouble.isHidden())

    def offer(self, actions: Sequence[tuple[Action, str]]) -> None:
        """Sets the actions that can be written, with their words."""
        for form in self._forms.values():
            if isinstance(form, ActForm):
                form.offer(actions)

    @property
    def takes_actions(self) -> bool:
        """Whether an action can be written."""
        return any(isinstance(form, ActForm) for form in self._forms.values())

    def say(self, trouble: str) -> None:
        """Shows why an edit is not made; empty hides it."""
        self.trouble.say(trouble)
        self.trouble.setVisible(bool(trouble))
        if trouble:
            self.show()

    def _build(self) -> None:
        old, self._content = self._content, QWidget()
        self._forms, self.buttons = {}, {}
        rows: list[QWidget] = []
        for edit in self._edits:
            if isinstance(edit.form, Press) or is_long(edit):
                icon = edit.icon if edit.icon in ICONS else "edit"
                button = self.buttons[edit.name] = Button(self._theme, edit.title, icon, act=partial(self._press, edit.name))
                button.setToolTip(edit.about)
            else:
                form = self._forms[edit.name] = FORMS[type(edit.form)](self._theme, edit)
                form.entered.connect(partial(self._enter, edit.name))
                form.begun.connect(self._begin)
                if isinstance(form, WriteForm):
                    form.field.closed.connect(self.closed)
                if isinstance(form, ActForm):
                    form.listing.connect(self.listing)
                rows.append(form)
        if self.buttons:
            is_pair = len(rows) == len(self.buttons) == 1
            buttons = ButtonRow(self._theme, self.buttons.values(), 1 if is_pair else FEW, 0)
            rows = [beside(self._theme, rows[0], buttons)] if is_pair else [*rows, buttons]
        vbox(self._theme, *rows, on=self._content, spacing=4, margins=FLUSH)
        self._column.replaceWidget(old, self._content)
        old.hide()
        old.deleteLater()

    def _begin(self) -> None:
        self._drags += 1

    def _press(self, name: str) -> None:
        self._ask(name, None, -1)

    def _enter(self, name: str, value: EditValue) -> None:
        self._ask(name, value, self._drags if isinstance(self._forms[name], SliderForm) else -1)

    def _ask(self, name: str, value: EditValue, drag: int) -> None:
        edit = next((edit for edit in self._edits if edit.name == name), None)
        if edit is not None and is_long(edit):
            self.written.emit(edit)
        elif edit is not None:
            self.asked.emit(edit, value, drag)


def beside(theme: Theme, form: QWidget, buttons: QWidget) -> QWidget:
    """Returns a widget of a form and the only button beside it."""
    part = QWidget()
    hbox(theme, (form, 2), (buttons, 1), on=part, spacing=6, margins=FLUSH)
    return part


def _shape(edit: Edit) -> tuple[object, ...]:
    form = edit.form
    fixed = (form.low, form.high, form.step) if isinstance(form, Slider) else form.options if isinstance(form, Pick) else ()
    return edit.name, edit.title, edit.icon, type(form), fixed


class FormWidget(QWidget):
    """One edit: its title and a control.

    Attributes:
        entered: a value was entered.
        begun: another drag begins.
    """

    entered = Signal(object)
    begun = Signal()

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__()
        self.theme, self.edit = theme, edit
        self.title = Line(theme, edit.title, "small", "muted")

    def show_form(self, edit: Edit, *, fresh: bool) -> None:
        """Shows the present value. `fresh`: of another item, so that what was begun here is dropped."""
        raise NotImplementedError

    def begin(self) -> None:
        """Gives the control the keyboard."""
        raise NotImplementedError


class SliderForm(FormWidget):
    """A number by a slider."""

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__(theme, edit)
        assert isinstance(edit.form, Slider)
        self._form = edit.form
        self.slider = QSlider(Qt.Orientation.Horizontal)
        span = self._form.high - self._form.low
        self._steps = min(max(1, round(span / self._form.step)), 100_000) if self._form.step > 0 else STEPS
        self.slider.setRange(0, self._steps)
        self.slider.setPageStep(max(1, self._steps // 10))
        self.slider.setAccessibleName(edit.title)
        self.number = Line(theme, "", "small", "text", shrinks=False, room=12)
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._tell)
        hbox(theme, (self.title, 1), (self.slider, 2), self.number, on=self, spacing=8, margins=FLUSH)
        self.slider.sliderPressed.connect(self.begun)
        self.slider.sliderReleased.connect(self._release)
        self.slider.valueChanged.connect(self._change)

    @property
    def value(self) -> float:
        """The number that the slider shows."""
        return self._form.low + (self._form.high - self._form.low) * self.slider.value() / self._steps

    def show_form(self, edit: Edit, *, fresh: bool) -> None:
        """Shows the present number, unless the slider is being moved."""
        assert isinstance(edit.form, Slider)
        self.edit, self._form = edit, edit.form
        if not fresh and (self.slider.isSliderDown() or self._rest.isActive()):
            return
        self._rest.stop()
        span = max(self._form.high - self._form.low, 1e-300)
        self.slider.blockSignals(True)
        now = min(max(self._form.now, self._form.low), self._form.high)
        self.slider.setValue(round((now - self._form.low) / span * self._steps))
        self.slider.blockSignals(False)
        self.number.say(self._text(self._form.now))

    def _text(self, number: float) -> str:
        in_01 = self._form.low >= 0 and self._form.high <= 1
        return cell_text(float(number), "probability" if in_01 else "count" if self._form.step >= 1 else "value")

    def begin(self) -> None:
        """Gives the slider the keyboard."""
        self.slider.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _change(self) -> None:
        self.number.say(self._text(self.value))
        if not self._rest.isActive():
            self._rest.start()

    def _release(self) -> None:
        if self._rest.isActive():
            self._rest.stop()
            self._tell()

    def _tell(self) -> None:
        self.entered.emit(self.value)


class PickForm(FormWidget):
    """One of several texts."""

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__(theme, edit)
        assert isinstance(edit.form, Pick)
        self.box = QComboBox()
        self.box.addItems([str(option) for option in edit.form.options])
        self.box.setAccessibleName(edit.title)
        hbox(theme, (self.title, 1), (self.box, 2), on=self, spacing=8, margins=FLUSH)
        self.box.activated.connect(lambda _: self.entered.emit(self.box.currentText()))

    def show_form(self, edit: Edit, *, fresh: bool) -> None:
        """Shows the present text."""
        del fresh
        assert isinstance(edit.form, Pick)
        self.edit = edit
        self.box.setCurrentIndex(self.box.findText(edit.form.now, Qt.MatchFlag.MatchExactly))

    def begin(self) -> None:
        """Opens the list."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.showPopup()


class WriteForm(FormWidget):
    """A text. Enter makes the edit, Escape takes the field back."""

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__(theme, edit)
        assert isinstance(edit.form, Write)
        self.field = FindField(edit.form.hint or edit.title)
        self.field.setAccessibleName(edit.title)
        self.field.setToolTip(edit.form.hint)
        self.row = hbox(theme, self.title, (self.field, 1), on=self, spacing=8, margins=FLUSH)
        self.field.returnPressed.connect(self._enter)
        self.field.closed.connect(lambda: self.show_form(self.edit, fresh=True))

    def show_form(self, edit: Edit, *, fresh: bool) -> None:
        """Shows the present text, unless another is being written."""
        assert isinstance(edit.form, Write)
        self.edit = edit
        if fresh or not (self.field.hasFocus() and self.field.isModified()):
            self.field.setText(edit.form.now)
            self.field.setCursorPosition(0)
            self.field.setModified(False)

    def begin(self) -> None:
        """Gives the field the keyboard, with all of its text selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _enter(self) -> None:
        self.field.setModified(False)
        self.entered.emit(self.field.text())


class ActForm(WriteForm):
    """An action. What is written is grounded to the nearest possible one, which Enter takes.

    Attributes:
        listing: writing begins.
    """

    listing = Signal()

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__(theme, edit)
        self._actions: Sequence[tuple[Action, str]] = ()
        self._found: Action | None = None
        self.match = Line(theme, "", "small", "muted", shrinks=False)
        self.row.addWidget(self.match)
        self.match.hide()
        self.field.textChanged.connect(self._ground)

    def offer(self, actions: Sequence[tuple[Action, str]]) -> None:
        """Sets the actions that can be written, with their words."""
        if actions != self._actions:
            self._actions = actions
            self._ground(self.field.text())

    def begin(self) -> None:
        """Gives the field the keyboard."""
        super().begin()
        self.listing.emit()

    def _ground(self, text: str) -> None:
        if text and not self.match.isVisible():
            self.listing.emit()
        match = ground_action(text, self._actions) if text.strip() and self._actions else None
        self._found = match.candidate if match is not None else None
        words = next((words for action, words in self._actions if action == self._found), "")
        self.match.say(f"{words} · Enter takes it" if words else "no such action")
        self.match.setVisible(bool(text.strip()))

    def _enter(self) -> None:
        if self._found is not None:
            found = self._found
            self.show_form(self.edit, fresh=True)
            self.entered.emit(str(found))


FORMS: dict[type[Form], Callable[[Theme, Edit], FormWidget]] = {
    Slider: SliderForm, Pick: PickForm, Write: WriteForm, Act: ActForm}
