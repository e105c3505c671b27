"""The property editor."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters, described, parameter
from core.session.commands import Command, SetParameter
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.parameters import ParametersPanel, range_words, step_of
from tests.gui.panels import searches as s
from tests.gui.panels import worlds


@dataclass(frozen=True)
class Searching(Parameters):
    simulations: int = parameter(100, "simulations for each decision", low=1, high=1000)
    discount: float = parameter(0.95, "what a step later is worth", low=0.0)
    depth: int = parameter(5, "steps ahead", low=0, high=9, unit="steps")
    rollout: str = parameter("greedy", "below the tree", choices=("greedy", "uniform"))
    guard: bool = parameter(True, "never walk in circles")
    title: str = parameter("", "what it is called")


def snapshot(parameters: Parameters) -> Snapshot:
    began = Began("toy", "line", "line", "guide", 0, s.GOAL, Searching(), 30)
    return replace(s.snapshot(), parameters=parameters, began=began)


def shown(qtbot: QtBot, state: Snapshot) -> tuple[ParametersPanel, Context, list[Command]]:
    context, said = worlds.context()
    panel = ParametersPanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 420)
    panel.show()
    panel.show_snapshot(state)
    return panel, context, said


def line(panel: ParametersPanel, name: str) -> QLineEdit:
    field = panel.rows[name].field
    assert isinstance(field, QLineEdit)
    return field


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, s.snapshot())
    assert panel.rows == {}
    assert panel.headline() == ""
    panel.grab()


def test_shows_names_values_help_and_limits(qtbot: QtBot) -> None:
    panel, _, _ = shown(qtbot, snapshot(replace(Searching(), depth=7)))
    assert panel.headline() == "6 parameters · 1 changed"
    assert line(panel, "simulations").text() == "100"
    assert panel.rows["depth"].reset_tool.isVisible()
    assert not panel.rows["discount"].reset_tool.isVisible()
    panel.grab()
    panel.restyle()


def test_what_is_typed_is_said_once_it_settles(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(Searching()))
    line(panel, "simulations").selectAll()
    QTest.keyClicks(line(panel, "simulations"), "250")
    assert said == []
    qtbot.waitUntil(lambda: said == [SetParameter("simulations", 250)])
    context.undo.undo()
    assert said[-1] == SetParameter("simulations", 100)


def test_what_is_refused_is_said_in_words(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, snapshot(Searching()))
    row = panel.rows["simulations"]
    for typed, words in (("5000", "Simulations=5000: give 1 to 1000"), ("many", "Simulations=many: write a whole number")):
        line(panel, "simulations").selectAll()
        QTest.keyClicks(line(panel, "simulations"), typed)
        row.settle()
        assert row.wrong() == words
    assert said == []
    panel.show_snapshot(snapshot(replace(Searching(), depth=7)))
    assert line(panel, "simulations").text() == "many"  # what is being typed is left alone
    row.reset()
    assert (row.wrong(), line(panel, "simulations").text()) == ("", "100")


def test_enter_leaves_the_field_unless_something_is_wrong(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, snapshot(Searching()))
    field = line(panel, "simulations")
    panel.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    for typed, stays in (("5000", True), ("250", False)):
        field.selectAll()
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert field.hasFocus() is stays
    assert said == [SetParameter("simulations", 250)]


def test_arrow_keys_boxes_and_choices(qtbot: QtBot) -> None:
    panel, _, said = shown(qtbot, snapshot(Searching()))
    QTest.keyClick(line(panel, "simulations"), Qt.Key.Key_Up)
    QTest.keyClick(line(panel, "simulations"), Qt.Key.Key_Return)
    guard, rollout = panel.rows["guard"].field, panel.rows["rollout"].field
    assert isinstance(guard, QCheckBox)
    assert isinstance(rollout, QComboBox)
    guard.click()
    rollout.textActivated.emit("uniform")
    assert said == [SetParameter("simulations", 110), SetParameter("guard", False), SetParameter("rollout", "uniform")]


def test_back_to_what_the_run_began_with(qtbot: QtBot) -> None:
    panel, context, said = shown(qtbot, snapshot(replace(Searching(), discount=0.5)))
    QTest.mouseClick(panel.rows["discount"].reset_tool, Qt.MouseButton.LeftButton)
    assert said == [SetParameter("discount", 0.95)]
    context.set_live(False)
    assert not line(panel, "discount").isEnabled()


def test_ranges_in_words_and_steps_in_round_numbers() -> None:
    words = [range_words(p) for p in described(Searching())]
    assert words == ["1 to 1,000", "at least 0", "0 to 9", "", "", ""]
    assert step_of(100, whole=True) == 10
    assert step_of(5, whole=True) == 1
    assert step_of(0.95, whole=False) == pytest.approx(0.01)
