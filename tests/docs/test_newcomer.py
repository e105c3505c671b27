"""A newcomer's planner, one file without Qt: its facet has a table, a tree and a matrix, and a slider changes the cells."""

from __future__ import annotations

import json
from pathlib import Path

from tests.docs.packages import Machine, install

PLANNER = '''"""A planner whose facet has a table, a tree and a matrix. A slider changes the cells of the matrix."""
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.planning.exploration import next_chore, next_look
from core.planning.facets import Facet
from core.planning.planner import Decision, Planner
from core.planning.regression import Memory, Stuck
from core.views.addresses import cell_at, section_at
from core.views.values import CHOSEN, Column, Edit, Item, Matrix, Sections, Slider, Table, Tree
from core.world.known_world import KnownWorld


@dataclass(frozen=True, slots=True)
class Likings(Facet):
    """How much each room is liked for each verb, and what is done next."""
    rooms: tuple[str, ...]
    verbs: tuple[str, ...]
    likes: npt.NDArray[np.float64]
    doing: str = ""

    def view(self):
        rooms, verbs = (tuple(Item(name, name) for name in names) for names in (self.rooms, self.verbs))
        total = self.likes.sum(axis=1).tolist()
        table = tuple(Item(r, r, (n,), (CHOSEN,) if n == max(total) else ()) for r, n in zip(self.rooms, total))
        tree = Item("goal", "the goal"), Item("next", self.doing, parent=0)
        slider = Edit("like", "Like it", Slider(0, 1, 0))
        return Sections((Table(table, (Column("likes", "value"),), title="Rooms"), Tree(tree, title="Plan"),
                         Matrix(rooms, verbs, self.likes, "probability", edits=(slider,), title="Cells")))

    def edited(self, address, edit, value):
        matrix, cell = section_at(self.view(), address)
        likes = self.likes.copy()
        likes[cell_at(matrix, cell)] = value
        return replace(self, likes=likes)


class Newcomer(Planner):
    """Works on what it has seen, and looks around otherwise."""
    name, shows, edits = "newcomer", frozenset({Likings}), frozenset({Likings})

    def begin(self, goal, schemas, seed):
        self.goal, self.verbs, self.world, self.memory = goal, frozenset(s.verb for s in schemas), KnownWorld(), Memory()
        self.likings = Likings(("kitchen", "bedroom"), ("walk", "open", "grab"), np.full((2, 3), 0.5))

    def plan(self, observation):
        self.world.see(observation)
        try:
            action = next_chore(self.goal, self.world.merged(), self.memory, self.verbs)
        except Stuck:
            action = next_look(self.world, self.verbs, self.banned, frozenset(), partial=observation.partial)
        self.likings = replace(self.likings, doing=str(action))
        yield self.likings
        return Decision(action)

    def accept(self, facet):
        self.likings = facet
'''
PROJECT = """[project]
name = "newcomer"
version = "0.1"
[project.entry-points."belvedere.planners"]
newcomer = "newcomer:Newcomer"
[project.entry-points."belvedere.facets"]
Likings = "newcomer:Likings"
"""
USE = """
import json, shutil, time
from pathlib import Path
import main
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication
from core.recording.reader import open_recording
from gui.window.main_window import MainWindow
from newcomer import Likings


def wait(until):
    end = time.monotonic() + 120
    while not until():
        assert time.monotonic() < end, "the state did not come"
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)


def shown(panel):
    return [type(part.shown).__name__ for part in panel.shown.parts], panel.shown.parts[2].shown.cells.view.numbers[1, 2]


def closing(self, event, close=MainWindow.closeEvent):
    said, console, panel = {}, self.console, self.docks["likings"].card.panel
    said["panel"] = [self.docks["likings"].isVisible(), self.docks["likings"].windowTitle(), *shown(panel)]
    cells = panel.shown.parts[2].shown.cells
    cells.choose((1, 2), tell=True)
    panel.strip.form("like").slider.setValue(900)
    wait(lambda: self.context.undo.count() == 1)
    said["undo"] = self.context.undo.undoText()
    console.step()
    wait(lambda: console.snapshot.status == "paused" and len(console.snapshot.line) == 3)
    wait(lambda: console.snapshot.facet(Likings).likes[1, 2] == 0.9)
    said["live"] = console.snapshot.facet(Likings).likes[1].tolist()
    file = self.recorders.written_file()()
    kept = Path("kept.mcap").resolve()
    wait(lambda: shutil.copy(file, kept) and _edited(kept))
    self.viewer.open(kept, lambda recording: recording.before_action(recording.turns()[-1]))
    wait(lambda: console.replaying)
    self.show_panel("likings")
    wait(lambda: shown(panel)[1] == 0.9)
    said["replay"] = [*shown(panel), panel.strip.isVisible(), self.context.live]
    print("\\f" + json.dumps(said) + "\\f")
    close(self, event)


def _edited(path):
    with open_recording(path) as recording:
        facet = recording.snapshot_at().facet(Likings)
    return facet is not None and facet.likes[1, 2] == 0.9


MainWindow.closeEvent = closing
main.main(["screenshot", "--planner", "newcomer", "--seed", "3", "--turns", "2", "--out", "shot.png"])
"""


def test_a_planner_without_qt_has_a_panel_an_edit_a_recording_and_a_replay(tmp_path: Path) -> None:
    assert len(PLANNER.splitlines()) <= 60
    machine = Machine(tmp_path, install({"pyproject.toml": PROJECT, "newcomer.py": PLANNER}, tmp_path / "site"))
    said = json.loads(machine.python("-c", USE).split("\f")[1])
    kinds = ["ItemsView", "ItemsView", "MatrixView"]
    assert said["panel"] == [True, "Likings", kinds, 0.5]
    assert said["undo"] == "Like it: bedroom · grab → 0.90"
    assert said["live"] == [0.5, 0.5, 0.9]
    assert said["replay"] == [kinds, 0.9, False, False]
