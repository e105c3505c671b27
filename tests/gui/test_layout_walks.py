"""Random walks over planners, scenes, sizes and layouts: the window has no faults after any sequence of actions.

See `tests/walk_seeds.py` for more of them.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.planners.registry import PLANNERS, planner_class
from gui.app import App
from tests.gui.conftest import MakeApp
from tests.gui.looking import faults
from tests.gui.parts import TASK, parts
from tests.gui.settling import lay_out
from tests.long_tests import either
from tests.walk_seeds import walk_seeds

STEPS = either(15, 25)
WINDOWS = ((1024, 600), (1280, 720), (1280, 800), (1366, 768), (1440, 900), (1920, 1080), (2560, 1440))
TEXT = (0.9, 1.0, 1.1, 1.25, 1.4, 1.5)
TRIED = [name for name in PLANNERS if not planner_class(name).missing() and "rooms" in planner_class(name).plays]
AREAS = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea)


class Walk:
    """Applies random actions to a window and remembers them."""

    def __init__(self, app: App, seed: int):
        self.app, self.window, self._dice = app, app.window, random.Random(seed)
        self.done: list[str] = []
        self.opened: set[str] = set()
        """Panels that were opened on purpose since the layout changed."""
        self.acts = (
            (4, self._planner), (2, self._scene), (5, self._resize), (4, self._text), (3, self._show), (3, self._hide),
            (2, self._float), (2, self._move), (2, self._save), (1, self._reset), (1, self._alone), (2, self._run),
            (2, self._raise))

    def act(self) -> None:
        """Applies one action."""
        self._dice.choices([act for _, act in self.acts], [weight for weight, _ in self.acts])[0]()

    def _say(self, what: str) -> None:
        self.done.append(what)

    def _planner(self) -> None:
        name = self._dice.choice(TRIED)
        self._say(f"planner {name}")
        if name != self.app.console.request.planner:
            self.opened.clear()
        self.app.console.choose(replace(self.app.console.request, planner=name, preset="", parameters={}))

    def _scene(self) -> None:
        scene = f"four-rooms-{self._dice.randrange(1, 5)}"
        self._say(scene)
        self.app.console.choose(replace(self.app.console.request, scene=scene))

    def _resize(self) -> None:
        size = self._dice.choice(WINDOWS)
        self._say(f"resize {size}")
        self.window.resize(*size)

    def _text(self) -> None:
        scale = self._dice.choice(TEXT)
        self._say(f"text {scale:.0%}")
        self.window.set_theme("dark", scale)

    def _show(self) -> None:
        name = self._dice.choice(list(self.window.docks))
        self._say(f"show {name}")
        self.opened.add(name)
        self.window.show_panel(name)

    def _dock(self) -> str:
        there = [name for name, dock in self.window.docks.items() if not dock.isHidden()]
        return self._dice.choice(there) if there else ""

    def _hide(self) -> None:
        if name := self._dock():
            self._say(f"hide {name}")
            self.window.docks[name].hide()

    def _float(self) -> None:
        if name := self._dock():
            dock = self.window.docks[name]
            self._say(f"float {name}: {not dock.isFloating()}")
            dock.setFloating(not dock.isFloating())

    def _move(self) -> None:
        if name := self._dock():
            where = self._dice.choice(AREAS)
            self._say(f"move {name} to {where.name}")
            self.window.docks[name].move_to(where)

    def _raise(self) -> None:
        if name := self._dock():
            self._say(f"raise {name}")
            self.window.docks[name].raise_()

    def _save(self) -> None:
        self._say("save")
        self.window.save_layout()

    def _reset(self) -> None:
        self._say("reset")
        self.opened.clear()
        self.window.reset_layout()

    def _alone(self) -> None:
        self._say("alone and back")
        self.window.toggle_visitors()
        QApplication.processEvents()
        self.window.toggle_visitors()

    def _run(self) -> None:
        self._say("run")
        if not self.app.console.running:
            self.app.console.run()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", walk_seeds(1))
def test_the_window_stays_whole_whatever_is_done(qtbot: QtBot, make_app: MakeApp, seed: int) -> None:
    app = make_app(parts("llm-mcts", TASK))
    walk = Walk(app, seed)
    for _ in range(STEPS):
        before = len(walk.done)
        walk.act()
        if len(walk.done) == before:
            continue
        wrong: list[str] = []

        def look() -> bool:
            shows = planner_class(app.console.request.planner).shows
            wrong[:] = faults(app.window, shows, walk.opened)  # noqa: B023
            return not wrong  # noqa: B023

        lay_out(app.window)
        try:
            qtbot.waitUntil(look)
        except qtbot.TimeoutError:
            told = "\n".join(wrong)
            size, scale = app.window.size().toTuple(), app.context.theme.scale
            pytest.fail(f"seed {seed}: {'; '.join(walk.done[-14:])}\nat {size}, {scale:.0%}:\n{told}")
    app.window.close()
    kept = {name: app.settings.value(f"layout/{name}") for name in TRIED}
    for name, text in kept.items():
        foreign = {dock for dock in app.window.docks if f'"{dock}"' in str(text)} - walk.opened
        shows = planner_class(name).shows
        from gui.window.layouts import has_something_to_show

        assert all(has_something_to_show(dock, shows) for dock in foreign), f"seed {seed}: {name} keeps {text}"
