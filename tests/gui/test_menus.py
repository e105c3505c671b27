"""Menus, palette and keys are one table: each action is in a menu and in the palette, with its key, enabled alike."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.window.actions import ACTIONS, NOT_IN_MENUS, TOOLS
from gui.window.menus import MENUS, MenuName
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts


def leaves(menu: QMenu) -> Iterator[QAction]:
    """All actions of a menu and its submenus, as they are while it is open."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        sub = action.menu()
        if isinstance(sub, QMenu):
            yield from leaves(sub)
        elif not action.isSeparator():
            yield action


def submenu(app: App, name: MenuName, title: str) -> list[QAction]:
    found = next(a.menu() for a in app.actions.menus.menus[name].actions() if a.text() == title)
    assert isinstance(found, QMenu)
    return list(leaves(found))


def test_each_action_is_in_a_menu_and_in_the_palette_with_its_key(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.actions.keys.change("bookmark", "Ctrl+J")
    assert [menu.title() for menu in app.actions.menus.menus.values()] == [f"&{name}" for name in MENUS]
    shown = {name: list(leaves(app.actions.menus.menus[name])) for name in MENUS}
    listed = {entry.title: entry for entry in app.actions.entries()}
    go_to = {action.text().partition("\t")[2]: action for action in shown["View"]}
    for act in ACTIONS:
        action, key = app.actions._actions[act.name], app.actions.keys.written(act.name)
        if act.name not in NOT_IN_MENUS and not act.name.startswith("panel "):
            assert action in shown[act.menu], act.name
            assert sum(action in actions for actions in shown.values()) == 1, act.name
            assert action.text() == act.title
            assert action.shortcut().toString() == app.actions.keys.of(act.name)
        if act.listed:
            assert listed[act.title].key == key
            assert action.isEnabled(), "what the palette runs, the menu runs"
    for k in range(1, min(9, len(app.window.navigation.order())) + 1):
        assert f"Ctrl {k}" in go_to, "panels are reached by number, by title and by key"
    tools = {a.text(): a for a in submenu(app, "Tools", "In the panels")}
    offered = {offer.key for card in app.window.visible_cards() for offer in card.offers()}
    assert list(tools) == list(TOOLS.values())
    for key, title in TOOLS.items():
        assert tools[title].isEnabled() == (key in offered), title
    closed = next(a.menu() for a in app.actions.menus.menus["Tools"].actions() if a.text() == "In the panels")
    assert isinstance(closed, QMenu)
    closed.aboutToHide.emit()
    assert all(action.isEnabled() for action in tools.values()), "a disabled action would lose its key"


def test_submenus_hold_the_palettes_entries_and_run_them(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    themes = submenu(app, "View", "Theme")
    titles = {entry.title for entry in app.actions.entries()}
    assert {f"Theme: {action.text().lower()}" for action in themes} <= titles
    next(action for action in themes if action.text() == "Light").trigger()
    assert app.context.theme.name == "light"
    at_turn = next(a for a in submenu(app, "Run", "Breakpoints") if a.text() == "Break at turn …")
    at_turn.trigger()
    assert app.actions.palette.isVisible()
    app.actions.palette.look_for("7")
    assert app.actions.palette.titles() == ["Break at turn 7"]


def test_f10_opens_the_menus_under_their_button(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    high = app.window.stage.height()
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_F10)
    qtbot.waitUntil(app.actions.menus.all.isVisible)
    assert app.window.stage.height() == high, "menus cost no height"
    app.actions.menus.all.hide()
