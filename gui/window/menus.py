"""The menus, made from the window's table of actions and from what the palette lists.

They cost no height: one button of the operator bar opens them all, and on macOS they are in the system's bar at the top of the
screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui.window.main_window import MainWindow
from gui.window.operator_bar import IS_MAC
from gui.window.palette import Entry

Fill = Callable[[QMenu], None]
"""Fills an empty submenu."""
MenuName = Literal["File", "Edit", "View", "Run", "Record", "Tools", "Help"]
MENUS: tuple[MenuName, ...] = get_args(MenuName)
MOST = 40
"""A submenu lists at most this many entries; the palette finds the others by a few letters."""


@dataclass(frozen=True, slots=True)
class Submenu:
    """A submenu with the entries of the palette whose titles begin alike. It is filled when it opens.

    Attributes:
        menu: the menu that has it.
        group: its group in that menu.
        title: its title.
        beginnings: how titles of its entries begin. If there is only one, the submenu leaves it out of their text.
        under: the title of the submenu it is in; empty: it is in the menu itself.
        without: how titles of entries begin that do not belong here; empty: all do.
    """

    menu: MenuName
    group: int
    title: str
    beginnings: tuple[str, ...]
    under: str = ""
    without: str = ""

    def has(self, entry: Entry) -> bool:
        """Returns whether an entry of the palette belongs here."""
        return entry.title.startswith(self.beginnings) and not (self.without and entry.title.startswith(self.without))

    def text(self, title: str) -> str:
        """Returns the text of an entry in this submenu."""
        rest = title.removeprefix(self.beginnings[0]) if len(self.beginnings) == 1 else title
        return rest[:1].upper() + rest[1:]


NEXT = "Parts of the next run"
SUBMENUS = (
    Submenu("View", 3, "Go to panel", ("Go to ",), without="Go to turn"),
    Submenu("View", 3, "Show or hide", ("Show or hide ",)),
    Submenu("View", 4, "Theme", ("Theme: ",)),
    Submenu("View", 4, "Text size", ("Text size: ",)),
    Submenu("Run", 3, "Turns and branches", ("Go to turn", "Rewind to turn", "Fork at turn", "Switch to ")),
    Submenu("Run", 4, "Breakpoints", ("Break ", "Log when", "Delete breakpoint", "Turn breakpoint")),
    Submenu("Run", 4, "Watches", ("Watch ", "Stop watching ")),
    Submenu("Run", 4, "Parameters", ("Set ",)),
    Submenu("Run", 4, "Model calls", ("Ask call ", "Answer calls ", "Let ")),
    Submenu("Run", 5, "Planner", ("Planner: ",), NEXT),
    Submenu("Run", 5, "Second planner", ("Second planner, only thinks: ",), NEXT),
    Submenu("Run", 5, "Preset", ("Preset: ",), NEXT),
    Submenu("Run", 5, "Simulator", ("Simulator: ",), NEXT),
    Submenu("Run", 5, "Scene", ("Scene: ",), NEXT),
    Submenu("Run", 5, "Provider", ("Provider: ",), NEXT),
    Submenu("Run", 5, "Model", ("Model: ",), NEXT),
)
"""What depends on the run: the same entries as in the palette."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """An action and its place: its menu, and its group there."""

    menu: MenuName
    group: int
    action: QAction


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """A file in *Open recent*. `reason` says why it cannot be opened; empty if it can."""

    title: str
    icon: str
    tip: str
    run: Callable[[], object]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MenuSources:
    """What menus show, read when they open.

    Attributes:
        offered_keys: returns the default keys of the tools that panels in view offer now.
        entries: returns what the palette lists now.
        recent: returns the files that were opened last.
        exports: returns the formats a recording can be exported to.
        run: runs an entry of the palette; for one that needs a word or number, opens the palette.
        look_for: opens the palette with the beginning of a title.
        anchor: returns the button that opens the menus.
    """

    offered_keys: Callable[[], Iterable[str]]
    entries: Callable[[], Sequence[Entry]]
    recent: Callable[[], Sequence[RecentEntry]]
    exports: Callable[[], Sequence[Entry]]
    run: Callable[[Entry], object]
    look_for: Callable[[str], object]
    anchor: Callable[[], QWidget]


class Menus:
    """The seven menus.

    Args:
        window: owns them.
        table: all actions of the window's table, in its order.
        tools: the actions of the panels' tools, by their default keys.
        sources: what depends on the moment.
    """

    def __init__(self, window: MainWindow, table: Sequence[MenuEntry], tools: Mapping[str, QAction], sources: MenuSources):
        self._theme, self._tools, self._sources = window.context.theme, tools, sources
        self.all = QMenu("Menu", window)
        self.menus = {name: QMenu(f"&{name}", window) for name in MENUS}
        for name, menu in self.menus.items():
            menu.setToolTipsVisible(True)
            self._fill(name, menu, [row for row in table if row.menu == name])
            self.all.addMenu(menu)
            if IS_MAC:
                window.menuBar().addMenu(menu)

    def _fill(self, name: MenuName, menu: QMenu, rows: Sequence[MenuEntry]) -> None:
        subs: list[tuple[int, str, Fill]] = [(sub.group, sub.title, partial(self._fill_from_palette, sub))
                                             for sub in SUBMENUS if sub.menu == name and not sub.under]
        if name == "File":
            subs += [(1, "Open recent", self._fill_recent), (2, "Export as", self._fill_exports)]
        groups = sorted({*(row.group for row in rows), *(group for group, *_ in subs)})
        for group in groups:
            if group != groups[0]:
                menu.addSeparator()
            for row in rows:
                if row.group == group:
                    menu.addAction(row.action)
            for _, title, fill in (sub for sub in subs if sub[0] == group):
                self._add_sub(menu, title, fill)
        nested = [sub for sub in SUBMENUS if sub.menu == name and sub.under]
        menus = {under: menu.addMenu(under) for under in dict.fromkeys(sub.under for sub in nested)}
        for sub in nested:
            self._add_sub(menus[sub.under], sub.title, partial(self._fill_from_palette, sub))
        if name == "Tools":
            menu.addSeparator()
            tools = menu.addMenu("In the panels")
            tools.addActions(list(self._tools.values()))
            tools.aboutToShow.connect(self._grey_tools)
            tools.aboutToHide.connect(lambda: self._enable_tools(self._tools))

    @staticmethod
    def _add_sub(menu: QMenu, title: str, fill: Fill) -> None:
        sub = menu.addMenu(title)
        sub.setToolTipsVisible(True)

        def refill() -> None:
            sub.clear()
            fill(sub)

        sub.aboutToShow.connect(refill)

    def open(self) -> None:
        """Opens the menus under their button, with the first one chosen."""
        anchor = self._sources.anchor()
        self.all.popup(anchor.mapToGlobal(QPoint(0, anchor.height())))
        self.all.setActiveAction(self.all.actions()[0])

    # --- submenus ------------------------------------------------------------
    def _fill_from_palette(self, sub: Submenu, menu: QMenu) -> None:
        found = [entry for entry in self._sources.entries() if sub.has(entry)]
        for entry in found[:MOST]:
            self._add(menu, sub.text(entry.title), entry.icon, partial(self._sources.run, entry), entry.key)
        if len(found) > MOST:
            self._add(menu, f"All {len(found)} …", "palette", partial(self._sources.look_for, sub.beginnings[0]))
        if not found:
            menu.addAction("Nothing to choose now").setEnabled(False)

    def _fill_recent(self, menu: QMenu) -> None:
        recent = self._sources.recent()
        for row in recent:
            action = self._add(menu, f"{row.title}   ({row.reason})" if row.reason else row.title, row.icon, row.run)
            action.setEnabled(not row.reason)
            action.setToolTip(row.tip)
        if not recent:
            menu.addAction("No file was opened yet").setEnabled(False)

    def _fill_exports(self, menu: QMenu) -> None:
        for entry in self._sources.exports():
            self._add(menu, entry.title, "", entry.run)

    def _add(self, menu: QMenu, text: str, icon: str, run: Callable[[], object], key: str = "") -> QAction:
        text = text.replace("&", "&&")
        action = menu.addAction(f"{text}\t{key}" if key else text)
        if icon:
            action.setIcon(self._theme.icon(icon))
        action.triggered.connect(lambda: run())
        return action

    # --- tools of panels -----------------------------------------------------
    def _grey_tools(self) -> None:
        """Greys tools that no panel in view offers, while the menu is open: a disabled action would lose its key."""
        self._enable_tools(frozenset(self._sources.offered_keys()))

    def _enable_tools(self, possible: Iterable[str]) -> None:
        kept = frozenset(possible)
        for key, action in self._tools.items():
            action.setEnabled(key in kept)
