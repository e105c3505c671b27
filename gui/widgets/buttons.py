"""Buttons, tools, segments and rows of buttons that follow the theme, and the menus that buttons open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from gui.theme import Theme
from gui.theme.boxes import hbox
from gui.widgets.painting import text_width
from gui.widgets.text import ThemedWidget

ButtonLook = Literal["plain", "primary", "operator"]
_ICON_TONES: dict[ButtonLook, str] = {"plain": "text", "primary": "on_accent", "operator": "operator_act"}


class Button(QPushButton):
    """A button with an icon and text.

    A view has at most one `primary` button, which Enter presses in a dialog. The look `operator` marks an action of the
    operator.
    """

    def __init__(self, theme: Theme, text: str, icon: str = "", look: ButtonLook = "plain",
                 act: Callable[[], object] | None = None):
        super().__init__()
        self._theme, self._icon, self._look = theme, icon, look
        self.dress(text, icon, look)
        if act is not None:
            self.clicked.connect(lambda: act())

    def dress(self, text: str, icon: str = "", look: ButtonLook | None = None) -> None:
        """Changes the text, the icon and the look."""
        self._icon, changed = icon, look is not None and look != self.property("look")
        self._look = look or self._look
        self.setText(f" {text}" if icon else text)
        self.setAccessibleName(text)
        if changed:
            self.setProperty("look", self._look)
            if self.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):  # otherwise Qt styles it before it is shown
                self.style().unpolish(self)
                self.style().polish(self)
        self._restyle()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Takes its font again: the style sheet sets another one when it is applied before the first show.

        A primary button becomes what Enter presses; otherwise Qt takes the first button of a dialog, such as Close.
        """
        super().showEvent(event)
        self._restyle()
        if self._look == "primary" and isinstance(self.window(), QDialog):
            self.setDefault(True)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        theme = self._theme
        self.setFont(theme.font("body", 500 if self._look == "plain" else 600))
        if self._icon:
            self.setIcon(theme.icon(self._icon, _ICON_TONES[self._look]))
            self.setIconSize(QSize(theme.px(15), theme.px(15)))
        self.setFixedHeight(theme.px(28))


class Tool(QToolButton):
    """An icon button at the right end of a header. It follows the state, name and check of its action."""

    def __init__(self, theme: Theme, action: QAction, icon: str = "more"):
        """Builds a tool for an action. `icon` names a theme icon; an icon name in the action's `data()` takes its place."""
        super().__init__()
        self._theme = theme
        named = action.data()
        self._icon = named if isinstance(named, str) and named else icon
        self.setDefaultAction(action)
        self.setProperty("look", "flat")
        action.changed.connect(self._restyle)
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        theme, action = self._theme, self.defaultAction()
        self.setAccessibleName(action.text())
        on = action.isCheckable() and action.isChecked()
        if action.icon().isNull() or isinstance(action.data(), str):
            self.setIcon(theme.icon(self._icon, "accent" if on else "muted"))
        self.setIconSize(QSize(theme.px(15), theme.px(15)))
        self.setFixedSize(theme.px(24), theme.px(22))


def tool_action(parent: QObject | None, theme: Theme, text: str, icon: str, act: Callable[[], object] | None = None, *,
                checkable: bool = False, checked: bool = False, key: str = "") -> QAction:
    """Returns an action for a header.

    Args:
        parent: owns the action.
        theme: gives the icon.
        text: its tooltip and accessible name, without the key: `Fit`.
        icon: name of one of the theme's icons.
        act: called when the action is triggered.
        checkable: whether it can be switched on and off.
        checked: whether it is on at first.
        key: its default key as the window's table spells it (`Ctrl+F`); empty for none. `tool_key` reads it.
    """
    action = QAction(text, parent)
    action.setIcon(theme.icon(icon))
    action.setData(icon)
    action.setCheckable(checkable)
    action.setChecked(checked)
    action.setToolTip(text)
    action.setProperty("key", key)
    if act is not None:
        action.triggered.connect(lambda: act())
    return action


def tool_key(action: QAction) -> str:
    """Returns the default key of an action made by `tool_action`; empty if it has none."""
    return str(action.property("key") or "")


class SegmentButton(QToolButton):
    """One choice of a segment. It takes its font again itself, because a new style sheet resets the fonts of widgets."""

    stepped = Signal(int)
    """An arrow key was pressed: by how many choices it leads on. Home and End lead by more than there are."""

    def __init__(self, theme: Theme, name: str):
        super().__init__()
        self._theme = theme
        self.setText(name)
        self.setCheckable(True)
        self.setProperty("look", "segment")
        self.setAccessibleName(name)
        self.toggled.connect(lambda _: self.restyle())
        self.restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leads to another choice with the arrow keys, Home and End."""
        by = _step_of(event)
        if by:
            self.stepped.emit(by)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Takes these keys before the window's shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _step_of(event):
            event.accept()
            return True
        return super().event(event)

    def restyle(self) -> None:
        """Takes font and height of the theme again. The chosen one is bold, and the one that Tab goes to."""
        self.setFont(self._theme.font("small", 600 if self.isChecked() else 400))
        self.setFixedHeight(self._theme.px(18))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if self.isChecked() else Qt.FocusPolicy.NoFocus)


FAR = 1000
STEPS: Mapping[int, int] = MappingProxyType({Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1,
                          Qt.Key.Key_Home: -FAR, Qt.Key.Key_End: FAR})


def _step_of(event: QKeyEvent) -> int:
    """Returns by how many choices a key leads on; 0 if it leads to none."""
    plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
    return STEPS.get(event.key(), 0) if plain else 0


class Segment(QFrame):
    """A choice among a few values; the chosen one is raised. As in every list of choices, the arrow keys choose."""

    chosen = Signal(int)
    """Emitted with the index that the operator chose."""

    def __init__(self, theme: Theme, names: tuple[str, ...], index: int = 0, what: str = ""):
        super().__init__()
        self._theme = theme
        self.setObjectName("Segment")
        self.setAccessibleName(what or " or ".join(names))
        self._parts = [SegmentButton(theme, name) for name in names]
        for k, part in enumerate(self._parts):
            part.clicked.connect(lambda _=False, k=k: self._pick(k))
            part.stepped.connect(self._step)
        hbox(theme, *self._parts, on=self, spacing=0, margins=(1, 1, 1, 1))
        self._index = index
        self._restyle()

    @property
    def index(self) -> int:
        """The index of the chosen value."""
        return self._index

    def choose(self, index: int) -> None:
        """Shows a value as chosen without emitting `chosen`."""
        self._index = index
        self._restyle()

    def _pick(self, index: int) -> None:
        self.choose(index)
        self.chosen.emit(index)

    def _step(self, by: int) -> None:
        wanted = min(max(0, self._index + by), len(self._parts) - 1)
        if wanted != self._index:
            self.choose(wanted)
            self._parts[wanted].setFocus(Qt.FocusReason.OtherFocusReason)
            self.chosen.emit(wanted)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        for k, part in enumerate(self._parts):
            part.setChecked(k == self._index)
            part.restyle()
        self.setFixedHeight(self._theme.px(18) + 4)


class ButtonRow(ThemedWidget):
    """A row of buttons of equal width. Each must have an icon.

    Args:
        theme: the theme.
        buttons: the buttons.
        places: into how many places the row is divided, if there are fewer buttons.
        margin: pixels at text size 100 % at its left and right.
    """

    def __init__(self, theme: Theme, buttons: Iterable[Button], places: int = 1, margin: int = 8):
        super().__init__()
        self._theme, self._buttons, self._margin = theme, tuple(buttons), margin
        self._places = max(places, len(self._buttons))
        self._tips = {button: button.toolTip() for button in self._buttons}
        self._row = QHBoxLayout(self)
        for button in self._buttons:
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self._row.addWidget(button, 1)
        if self._places > len(self._buttons):
            self._row.addStretch(self._places - len(self._buttons))
        self.restyle()

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        px = self._theme.px
        self._row.setContentsMargins(px(self._margin), 0, px(self._margin), 0)
        self._row.setSpacing(px(5))
        for button in self._buttons:
            button.setMinimumWidth(px(30))
        self.fit()

    def fit(self) -> None:
        """Chooses between texts and icons. Call it after the text of a button changed."""
        px, count = self._theme.px, self._places
        each = (self.width() - 2 * px(self._margin) - px(5) * (count - 1)) / max(1, count)
        words = max(text_width(self._theme, b.accessibleName(), "body", 600) for b in self._buttons)
        narrow = each < words + px(15 + 24)
        for button in self._buttons:
            name = button.accessibleName()
            button.setText("" if narrow else f" {name}")
            tip = self._tips[button]
            button.setToolTip(": ".join(filter(None, (name, tip))) if narrow else tip)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses between texts and icons for the new width."""
        super().resizeEvent(event)
        self.fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size: room for the icons."""
        px, count = self._theme.px, len(self._buttons)
        return QSize(2 * px(self._margin) + px(30) * count + px(5) * (count - 1), px(28))


class PopupMenu(QMenu):
    """A menu that is made when it is opened, and deleted when it closes."""

    def add(self, text: str, act: Callable[[], object], *, checked: bool | None = None) -> None:
        """Adds a line that calls `act`. With `checked` it has a place for a check mark, which is set or not."""
        action = self.addAction(text)
        if checked is not None:
            action.setCheckable(True)
            action.setChecked(checked)
        action.triggered.connect(lambda _=False: act())

    def add_menu(self, title: str) -> PopupMenu:
        """Adds a submenu, and returns it."""
        menu = PopupMenu(self)
        menu.setTitle(title)
        self.addMenu(menu)
        return menu

    def open_under(self, widget: QWidget) -> None:
        """Opens below a widget."""
        self.open_at(widget.mapToGlobal(QPoint(0, widget.height() + 2)))

    def open_at(self, point: QPoint) -> None:
        """Opens at a point of the screen. A submenu is not opened this way: it is deleted with its menu."""
        self.aboutToHide.connect(self.deleteLater)
        self.popup(point)
