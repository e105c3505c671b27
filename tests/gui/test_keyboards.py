"""Keys act alike on every keyboard layout: events as X11 sends them under French, German and Russian layouts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QKeySequenceEdit, QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.widgets.keyboard import US_KEYS, X11_ROWS, character, meant, us_keys
from gui.widgets.lists import ItemRows
from gui.window.actions import ACTIONS, TOOLS
from gui.window.keys import KeyDialog
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle
from tests.gui.test_annotating import labels

Held = Qt.KeyboardModifier
NO, SHIFT, CTRL, ALT = Held.NoModifier, Held.ShiftModifier, Held.ControlModifier, Held.AltModifier
LAYOUTS = {
    "us": ("1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"),
    "fr": ("&é\"'(-è_çà)=", "azertyuiop^$", "qsdfghjklmù", "wxcvbn,;:!"),
    "de": ("1234567890ß´", "qwertzuiopü+", "asdfghjklöä", "yxcvbnm,.-"),
    "ru": ("1234567890-=", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю."),
}
"""What the rows of keys type without Shift."""
SHIFTED = {"us": "!@#$%^&*()_+", "fr": "1234567890°+", "de": "!\"§$%&/()=?`", "ru": "!\"№;%:?*()_+"}
"""What the row of digits types with Shift."""
FIRST = tuple(X11_ROWS)


@dataclass(frozen=True)
class Stroke:
    """A key as X11 tells of it: its scan code and what the layout types."""

    code: int
    typed: str
    held: Held = NO

    def event(self, kind: QEvent.Type) -> QKeyEvent:
        text = "" if self.held & (CTRL | ALT) else self.typed
        return QKeyEvent(kind, ord(self.typed.replace("ß", "ẞ").upper()), self.held, self.code, ord(self.typed), 0, text)


def stroke(layout: str, key: str, held: Held = NO) -> Stroke:
    """The key labelled with a letter or digit: where the layout types it, or else where a US keyboard has it."""
    for first, row, us in zip(FIRST, LAYOUTS[layout], LAYOUTS["us"], strict=True):
        for where in (row, us if layout == "ru" or key.isdigit() else ""):
            if key in where:
                k = where.index(key)
                if row[k] in "+-" and not held:  # these are keys of the window themselves
                    return Stroke(first + k, key, SHIFT)
                return Stroke(first + k, row[k].upper() if held & SHIFT and row[k].isalpha() else row[k], held)
    raise AssertionError(f"{layout} has no {key}")


def send(stroke: Stroke) -> None:
    """Sends a key to the window that has the keyboard, as the platform does: the question first, then press and release."""
    window = QGuiApplication.focusWindow()
    assert window is not None
    asked = stroke.event(QEvent.Type.ShortcutOverride)
    asked.setAccepted(False)
    QCoreApplication.sendEvent(window, asked)
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QCoreApplication.sendEvent(window, stroke.event(kind))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_letter_and_digit_is_meant_by_the_key_that_is_labelled_so(layout: str) -> None:
    for key in "1234567890abcdefghijklmnopqrstuvwxyz":
        for held in (NO, CTRL, ALT) if key.isdigit() else (NO, SHIFT, CTRL, ALT):
            event = stroke(layout, key, held).event(QEvent.Type.KeyPress)
            assert (character(event), meant(event).keyboardModifiers()) == (key.upper(), held), f"{layout}: {key}"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_signs_and_letters_of_latin_layouts_are_meant_as_they_are_typed(layout: str) -> None:
    for first, row in zip(FIRST, LAYOUTS[layout], strict=True):
        for k, typed in enumerate(row):
            stands_for_digit = first == FIRST[0] and k < 10 and typed not in "+-"
            if layout != "ru" and not stands_for_digit:
                event = Stroke(first + k, typed).event(QEvent.Type.KeyPress)
                assert meant(event) == event.keyCombination(), f"{layout}: {typed}"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_digits_need_shift_only_where_they_are_typed_with_it(layout: str) -> None:
    for k, typed in enumerate(SHIFTED[layout][:10]):
        event = Stroke(FIRST[0] + k, typed, SHIFT).event(QEvent.Type.KeyPress)
        wanted = (typed, NO) if typed.isdigit() else (typed, SHIFT)
        assert (chr(meant(event).key().value), meant(event).keyboardModifiers()) == wanted, f"{layout}: Shift {typed}"


def test_signs_of_altgr_and_the_keypad_are_left_alone() -> None:
    brace = QKeyEvent(QEvent.Type.KeyPress, ord("{"), NO, 16, ord("{"), 0x80, "{")
    keypad = QKeyEvent(QEvent.Type.KeyPress, ord("1"), SHIFT | Held.KeypadModifier, 87, ord("1"), 0, "1")
    arrow = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Left, NO, 113, 0xff51, 0, "")
    for event in (brace, keypad, arrow):
        assert meant(event) == event.keyCombination()


def test_every_default_key_of_the_window_can_be_pressed_on_a_russian_keyboard() -> None:
    wanted = {key.split("+")[-1].lower() for key in (*(act.key for act in ACTIONS), *TOOLS) if len(key.split("+")[-1]) == 1}
    typed = {character(Stroke(first + k, sign, held).event(QEvent.Type.KeyPress)).lower() for held in (NO, SHIFT)
             for first, row in zip(FIRST, LAYOUTS["ru"], strict=True) for k, sign in enumerate(row)}
    assert not wanted - typed - {"+"}, "+ is typed with Shift there, as on a US keyboard"
    assert "<" in typed


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_letter_and_digit_has_its_place_on_each_system(platform: str) -> None:
    assert set("abcdefghijklmnopqrstuvwxyz0123456789") <= set(us_keys(platform).values())
    assert us_keys("linux")[52] == "z" == us_keys("darwin")[6] == us_keys("win32")[0x5A]
    assert US_KEYS


# --- in the window -----------------------------------------------------------------------
@pytest.mark.parametrize("layout", ["fr", "de", "ru"])
def test_shortcuts_labels_and_the_keys_of_lists_and_panels_work(qtbot: QtBot, make_app: MakeApp, layout: str) -> None:
    app = make_app(parts("llm-mcts", TASK))
    app.console.step()
    settle(app)
    app.window.show_panel("ranking")
    rows = app.window.docks["ranking"].card.findChild(ItemRows) or QApplication.focusWidget()
    assert isinstance(rows, QWidget)
    rows.setFocus()
    send(stroke(layout, "k"))
    send(stroke(layout, "3"))
    send(stroke(layout, "2", CTRL))
    settle(app)
    assert set(labels(app)) == {"bookmark", "good decision"}
    assert app.window.navigation.order()[1] == _focused(app)
    send(stroke(layout, "z", CTRL))
    settle(app)
    assert len(labels(app)) == 1, "Ctrl Z takes the last label away"
    app.window.show_panel("tree")
    tree = app.window.docks["tree"].card.panel
    assert tree is not None
    tree.setFocus()
    was = tree._follow.isChecked()  # type: ignore[attr-defined]
    send(stroke(layout, "v"))
    assert tree._follow.isChecked() != was  # type: ignore[attr-defined]


def _focused(app: App) -> str:
    focus = QApplication.focusWidget()
    return next((card.name for card in app.window.cards() if focus is not None and card.isAncestorOf(focus)), "")


@pytest.mark.parametrize("layout", ["fr", "ru"])
def test_what_is_typed_in_a_field_stays_what_it_is(qtbot: QtBot, make_app: MakeApp, layout: str) -> None:
    app = make_app(parts())
    app.window.bar.goal.edit()
    field = QApplication.focusWidget()
    before = field.text()  # type: ignore[union-attr]
    field.selectAll()  # type: ignore[union-attr]
    send(stroke(layout, "2"))
    send(stroke(layout, "z"))
    typed = field.text()  # type: ignore[union-attr]
    assert typed == stroke(layout, "2").typed + stroke(layout, "z").typed
    for _ in typed:
        send(stroke(layout, "z", CTRL))
    assert field.text() == before, "Ctrl Z is undo in a field, too"  # type: ignore[union-attr]


@pytest.mark.parametrize("layout", ["fr", "de", "ru"])
def test_the_key_dialog_takes_the_key_that_is_meant(qtbot: QtBot, make_app: MakeApp, layout: str) -> None:
    app = make_app(parts())
    app.actions.show_keys()
    dialog = next(d for d in app.window.findChildren(KeyDialog) if d.isVisible())
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.list.choose_object([row.name for row in dialog.list.objects].index("bookmark"), tell=True)
    edit = dialog.findChild(QKeySequenceEdit)
    assert edit is not None
    edit.setFocus()
    send(stroke(layout, "y"))
    qtbot.waitUntil(lambda: edit.keySequence().toString() == "Y")
    dialog.reject()


def test_letters_and_undo_of_the_agreement_dialog_work_on_a_russian_keyboard(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    dialog = app.tools.dialogs.agreement()
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    pressed: list[str] = []
    for key in "ABNOU":
        dialog.list.rows.on_key(Qt.Key(ord(key)), partial(pressed.append, key))
    dialog._stack.setCurrentIndex(2)
    dialog.list.rows.setFocus()
    for key in "abnou":
        send(stroke("ru", key))
    assert "".join(pressed) == "ABNOU"
    app.context.push("Say so", lambda: pressed.append("done"), lambda: pressed.append("undone"))
    send(stroke("ru", "z", CTRL))
    assert pressed[-2:] == ["done", "undone"]
