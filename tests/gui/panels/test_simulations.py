"""The simulations panel: the list, and the steps of one of them, both drawn from views."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.simulation_facets import SimulatedStep, SimulatedUpdate, Simulations, SimulationSteps
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.panels.simulations import SimulationsPanel
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.settling import run_out


def simulations() -> Simulations:
    """Three of two actions, one of them a macro, and one that began with a rollout."""
    def ints(*numbers: int) -> npt.NDArray[np.int32]:
        return np.array(numbers, np.int32)

    return Simulations(
        ((s.FRIDGE,), (s.FRIDGE, s.CABINET)), ints(0, 1, 1, -1), ints(0, 0, 0, 0), np.array([5.7, 6.3, 0.0, 1.0]),
        ints(12, 9, 27, 3), ints(4, 9, 0, 0).reshape(4, 1), s.GOAL.literals, ("apple",), (("fridge_1", "inside"),),
        np.zeros((1, 1), np.int32))


STEPS = SimulationSteps(
    1, (("apple", "fridge_1", "inside"),),
    (SimulatedStep(s.FRIDGE, True, (), 0.0, 0.0), SimulatedStep(s.OPEN, True, (("apple", "fridge_1"),), 0.0, 0.0),
     SimulatedStep(s.GRAB, False, (), 10.0, 6.3)),
    (SimulatedUpdate(s.FRIDGE, 6.3, 0, None, 6.3), SimulatedUpdate(s.OPEN, 7.0, 3, 5.1, 5.6)), 6.3)


@pytest.fixture
def shown(qtbot: QtBot) -> tuple[SimulationsPanel, Context]:
    context, _ = worlds.context()
    panel = SimulationsPanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 420)
    panel.show()
    panel.show_snapshot(s.snapshot(simulations()))
    return panel, context


def stepping() -> Snapshot:
    snapshot = s.snapshot(simulations())
    return replace(snapshot, facets=MappingProxyType({**snapshot.facets, SimulationSteps: (STEPS, Moment(0, snapshot.turn))}))


def words(panel: SimulationsPanel) -> list[str]:
    return [panel.steps.rows.row_words(k) for k in range(panel.steps.rows.count())]


def test_the_simulations_are_listed_in_their_order(shown: tuple[SimulationsPanel, Context]) -> None:
    panel, context = shown
    rows = panel.list.rows
    assert panel.headline() == "4 simulations"
    assert [rows.row_words(k) for k in range(rows.count())] == [
        "simulation 1: walk to the fridge · return 5.70 · steps 12 · literals 1 of 1",
        "simulation 2: open cabinet 2 · return 6.30 · steps 9 · literals 1 of 1",
        "simulation 3: open cabinet 2 · return 0.00 · steps 27 · literals 0 of 1",
        "simulation 4: rollout from the root · return 1.00 · steps 3 · literals 0 of 1"]
    assert words(panel) == ["Enter steps into the simulation chosen above"]
    QTest.keyClick(rows, Qt.Key.Key_Down)
    QTest.keyClick(rows, Qt.Key.Key_Down)
    assert context.selection.now == Selected("simulation", number=1)
    assert not panel.grab().isNull()


def test_sorting_the_list_changes_no_number(shown: tuple[SimulationsPanel, Context], qtbot: QtBot) -> None:
    panel, context = shown
    panel.list.rows.sort_at(panel.list.rows._placed[0].x + 1)  # the smallest return first
    panel.list.rows.choose(0, tell=True)
    assert context.selection.now == Selected("simulation", number=2)
    with qtbot.waitSignal(context.preview.troubled):
        panel.list.opened.emit()


def test_the_steps_of_one_are_listed_and_played(shown: tuple[SimulationsPanel, Context], qtbot: QtBot) -> None:
    panel, context = shown
    panel.show_snapshot(stepping())
    assert panel.headline() == "simulation 2, not part of the run"
    assert words(panel) == [
        "Sampled world", "apple · inside the fridge", "In the tree", "1 walk to the fridge",
        "2 open the fridge · finds apple at the fridge", "Rollout, below the tree", "3 grab the apple · +10.00, now worth 6.30",
        "Backup: how the tree's values changed · return 6.30",
        "walk to the fridge · N 0 → 1 · Q – → 6.30", "open the fridge · N 3 → 4 · Q 5.10 → 5.60"]
    assert context.selection.now == Selected("action", action=s.FRIDGE)
    QTest.keyClick(panel.steps.rows, Qt.Key.Key_F)
    for action in (s.OPEN, s.GRAB, s.GRAB):
        run_out(panel._film)
        assert context.selection.now == Selected("action", action=action)
    assert not panel._film.isActive(), "after the last step it stops"
    assert not panel.grab().isNull()
    context.preview.ask("Simulation 2", repeat=1)
    with qtbot.waitSignal(context.preview.cancelled):
        QTest.keyClick(panel.steps.rows, Qt.Key.Key_Escape)
    panel.show_snapshot(s.snapshot(simulations()))
    assert words(panel) == ["Enter steps into the simulation chosen above"]
