"""The fields of a model's entry, made from the settings of its provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.common.parameters import Parameter, Value, changed
from core.llm.budget import Limits, Price
from core.llm.model import provider_class
from core.llm.model_check import settings_of, wrong_amount, wrong_name, wrong_settings
from core.llm.model_config import ModelConfig, free_name
from gui.panels.parameters import make_field, range_words, show_value
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Button, Line, Prose
from gui.widgets.text import ThemedWidget

NAMES, NUMBERS = 124, 130
"""Width in pixels of the column of names, and of fields for numbers."""
COMMON = ("base_url", "model", "file", "temperature", "max_tokens", "timeout")
"""Settings shown first, in this order; the others are under *More settings*."""
TITLES = {"base_url": "Address", "extra_body": "Extra body"}
AMOUNTS = (
    ("price_in", "Price in", "Per million tokens of prompts, in your currency; empty: unknown", False),
    ("price_out", "Price out", "Per million tokens of replies", False),
    ("calls", "Most calls", "Of one run; empty: no limit", True),
    ("tokens", "Most tokens", "Of one run, prompts and replies together; empty: no limit", True),
    ("cost", "Most cost", "Of one run, in the currency of the prices; empty: no limit", False),
)
"""Name, title, meaning, whether it is a whole number."""


class ModelForm(QScrollArea):
    """Fields of one entry, the common ones first. Errors are shown at the fields. `taken` are names of the other entries."""

    def __init__(self, theme: Theme, entry: ModelConfig, taken: Iterable[str], on_change: Callable[[], object]):
        super().__init__()
        self._theme, self._entry, self._taken, self._on_change = theme, entry, tuple(taken), on_change
        self._settings, self._ready = settings_of(entry.provider), False
        self.rows: dict[str, FieldRow] = {}
        """Rows by setting, and those of `name`, `price_in`, `price_out`, `calls`, `tokens` and `cost`."""
        self.list_models = Button(theme, "List models", "retry")
        self.list_models.setToolTip("Ask the server which models it has")
        self.more = Button(theme, "More settings", "right", act=self._toggle_more)
        for button in (self.list_models, self.more):
            button.setAutoDefault(False)
        self._rest = QWidget()
        inside = QWidget()
        self.column = QVBoxLayout(inside)
        self._fill()
        self._show(entry)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        inside.setAutoFillBackground(False)  # the dialog's colour, not the window's
        self.viewport().setAutoFillBackground(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._toggle_more(False)
        self.judge()
        self._ready = True

    # --- the fields -----------------------------------------------------------
    def _fill(self) -> None:
        theme, px = self._theme, self._theme.px
        self.column.setContentsMargins(0, 0, px(10), px(4))
        self.column.setSpacing(px(8))
        self._add(self.column, "name", FieldRow(theme, "Name", self._line(), "What you call it in lists"))
        known = {parameter.name: parameter for parameter in self._settings}
        for name in COMMON:
            if name in known:
                self._add(self.column, name, self._setting(known[name]))
        self.column.addWidget(Line(theme, "Prices, and limits of a run", "small", "muted", 600))
        for name, title, meaning, _ in AMOUNTS:
            self._add(self.column, name, FieldRow(theme, title, self._line(), meaning, narrow=True))
        self.column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        rest = vbox(theme, on=self._rest, spacing=8, margins=(0, 0, 0, 0))
        for name, parameter in known.items():
            if name not in COMMON:
                self._add(rest, name, self._setting(parameter))
        self.column.addWidget(self._rest)
        self.more.setVisible(len(known) > len(self.rows.keys() & known.keys() & set(COMMON)))
        self.column.addStretch(1)

    def _add(self, column: QVBoxLayout, name: str, row: FieldRow) -> None:
        self.rows[name] = row
        column.addWidget(row)

    def _line(self) -> QLineEdit:
        field = QLineEdit()
        field.textEdited.connect(lambda _: self._changed())
        return field

    def _setting(self, parameter: Parameter) -> FieldRow:
        field: QWidget | None = None
        beside: QWidget | None = None
        if parameter.name == "model":
            field, beside = self._model_box(), self.list_models
        elif parameter.name == "file":
            beside = Button(self._theme, "Choose …", "folder", act=self.ask_file)
            beside.setAutoDefault(False)
        title = TITLES.get(parameter.name) or parameter.name.replace("_", " ").capitalize()
        return setting_row(self._theme, parameter, title, self._changed, field, beside)

    def _model_box(self) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.editTextChanged.connect(lambda _: self._changed())
        return box

    def _show(self, entry: ModelConfig) -> None:
        """Shows the values of an entry; for settings that it does not contain, their defaults."""
        self.rows["name"].show_text(entry.name)
        values = vars(changed(provider_class(entry.provider).settings, entry.options))
        for parameter in self._settings:
            self.rows[parameter.name].show_text(values[parameter.name])
        price, limits = entry.price, entry.limits
        amounts = {"price_in": price and price.tokens_in, "price_out": price and price.tokens_out, "calls": limits.calls,
                   "tokens": limits.tokens, "cost": limits.cost}
        for name, amount in amounts.items():
            self.rows[name].show_text("" if amount is None else f"{amount:.12g}")

    def _toggle_more(self, on: bool | None = None) -> None:
        shown = not self._rest.isVisibleTo(self) if on is None else on
        self._rest.setVisible(shown)
        self.more.dress("More settings", "down" if shown else "right")
        self.more.setAccessibleDescription("shown" if shown else "hidden")

    # --- models of the server, and files ----------------------------------------
    def offer_models(self, names: tuple[str, ...]) -> None:
        """Lists models to choose from. Typed text stays; if there is none, the first model is taken."""
        box = self.rows["model"].field
        assert isinstance(box, QComboBox)
        typed = box.currentText()
        box.blockSignals(True)
        box.clear()
        box.addItems(list(names))
        box.setEditText(typed or names[0])
        box.blockSignals(False)
        self._changed()
        if len(names) > 1:
            box.showPopup()

    def ask_file(self) -> None:
        """Opens a dialog to choose the model's file."""
        dialog = QFileDialog(self, "Choose a model", filter="Models (*.gguf);;All files (*)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.take_file)
        dialog.open()

    def take_file(self, path: str) -> None:
        """Sets the model's file."""
        name = self.rows["name"]
        if name.text() == self._entry.name and not self._entry.options.get("file"):  # it has no name of its own yet
            name.show_text(free_name(Path(path).stem, self._taken))
        self.rows["file"].show_text(path)
        self._changed()

    # --- what they say ------------------------------------------------------------
    def options(self) -> dict[str, str]:
        """Returns the settings that differ from their defaults.

        The address is always included, so that the file contains it.
        """
        found = {}
        for parameter in self._settings:
            text = self.rows[parameter.name].text()
            left_empty = text == "" and not isinstance(parameter.value, str)
            if parameter.name == "base_url" or not (left_empty or _same(parameter, text)):
                found[parameter.name] = text
        return found

    def judge(self) -> str:
        """Shows at each field what is wrong with it. Returns the first error in one line, or empty."""
        wrong = {"name": wrong_name(self.rows["name"].text(), self._taken)}
        wrong |= wrong_settings(self._entry.provider, self.options())
        amounts = {name: self.rows[name].text() for name, *_ in AMOUNTS}
        wrong |= {name: wrong_amount(amounts[name], whole=whole) for name, _, _, whole in AMOUNTS}
        if bool(amounts["price_in"]) != bool(amounts["price_out"]):
            empty = "price_out" if amounts["price_in"] else "price_in"
            wrong[empty] = wrong[empty] or "Give both prices, or none"
        if amounts["cost"] and not (amounts["price_in"] and amounts["price_out"]):
            wrong["cost"] = wrong["cost"] or "A limit of cost needs both prices"
        for name, row in self.rows.items():
            row.complain(wrong.get(name, ""))
        first = next((name for name in self.rows if wrong.get(name)), "")
        if first and self.rows[first].parent() is self._rest:
            self._toggle_more(True)
        return f"{self.rows[first].label.text()}: {wrong[first][:1].lower()}{wrong[first][1:]}" if first else ""

    def entry(self) -> ModelConfig:
        """Returns the entry of the fields; only valid while there is no error."""
        number = {name: self.rows[name].text() for name, *_ in AMOUNTS}
        price = Price(float(number["price_in"]), float(number["price_out"])) if number["price_in"] else None
        limits = Limits(int(number["calls"]) if number["calls"] else None, int(number["tokens"]) if number["tokens"] else None,
                        float(number["cost"]) if number["cost"] else None)
        return ModelConfig(self.rows["name"].text(), self._entry.provider, MappingProxyType(self.options()), price, limits)

    def _changed(self) -> None:
        if self._ready:
            self._on_change()


class FieldRow(ThemedWidget):
    """A labelled editor with an optional widget `beside` it, on the right."""

    def __init__(self, theme: Theme, title: str, field: QWidget, help: str = "", beside: QWidget | None = None,
                 *, narrow: bool = False):
        super().__init__()
        self._theme, self.field, self._narrow = theme, field, narrow
        self.label = Prose(theme, title, "body", "text", 500)
        self.label.setWordWrap(False)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.label.setBuddy(field)
        field.setAccessibleName(title)
        field.setAccessibleDescription(help)
        self._help, self._wrong = Prose(theme, help), Prose(theme, "", "small", "bad")
        self._beside = beside
        self._lay_out(beside)
        self.complain("")
        self.restyle()

    def _lay_out(self, beside: QWidget | None) -> None:
        theme, gap = self._theme, (0,) if self._narrow else ()
        parts = (self.field if self._narrow else (self.field, 1), *((beside,) if beside is not None else ()), *gap)
        inside = vbox(theme, hbox(theme, *parts, spacing=6), self._help, self._wrong, spacing=2)
        whole = hbox(theme, self.label, (inside, 1), on=self, spacing=10, margins=(0, 0, 0, 0))
        whole.setAlignment(self.label, Qt.AlignmentFlag.AlignTop)

    def restyle(self) -> None:
        """Takes fonts and sizes of the theme again."""
        px = self._theme.px
        self.label.setFixedWidth(px(NAMES))
        self.label.setFixedHeight(px(28))
        if not isinstance(self.field, QCheckBox):
            self.field.setFont(self._theme.font("body"))
            self.field.setFixedHeight(px(28))
        if self._narrow and not isinstance(self.field, QCheckBox):
            self.field.setFixedWidth(px(NUMBERS))

    @property
    def wrong(self) -> str:
        """The error shown, or empty."""
        return self._wrong.text()

    def complain(self, words: str) -> None:
        """Shows an error; empty removes it."""
        self._wrong.say(words)
        self._wrong.setVisible(bool(words))
        self._help.setVisible(bool(self._help.text()) and not words)
        self.field.setAccessibleDescription(words or self._help.text())

    def text(self) -> str:
        """The editor's value as text."""
        match self.field:
            case QCheckBox() as box:
                return "true" if box.isChecked() else "false"
            case QComboBox() as combo:
                return combo.currentText().strip()
            case QLineEdit() as line:
                return line.text().strip()
        return ""

    def show_text(self, value: Value) -> None:
        """Puts a value into the editor."""
        if isinstance(self.field, QComboBox) and self.field.isEditable():
            self.field.setEditText(str(value))
        else:
            show_value(self.field, value)


def setting_row(theme: Theme, parameter: Parameter, title: str, changed: Callable[[], object], field: QWidget | None = None,
                beside: QWidget | None = None) -> FieldRow:
    """Returns the row of a provider's setting. Without a `field`, an editor for the setting's type is created."""
    def on_change(value: Value) -> None:
        del value
        if isinstance(editor, QCheckBox):
            editor.setText("on" if editor.isChecked() else "off")
        changed()

    editor = field or make_field(parameter, on_change)
    allowed = f"{range_words(parameter)} {parameter.limits.unit}".strip()
    meaning = parameter.limits.help[:1].upper() + parameter.limits.help[1:]
    narrow = not isinstance(parameter.value, str) or bool(parameter.limits.choices)
    row = FieldRow(theme, title, editor, f"{meaning} · {allowed}" if allowed else meaning, beside, narrow=narrow)
    row.show_text(parameter.value)
    return row


def _same(parameter: Parameter, text: str) -> bool:
    """Whether a text equals the default of a parameter."""
    if isinstance(parameter.value, bool):
        return text == ("true" if parameter.value else "false")
    if isinstance(parameter.value, str):
        return text == parameter.value
    try:
        return float(text) == float(parameter.value)
    except ValueError:
        return False
