"""A thing has one name in all of the window, whatever part of it was shown which moment of the run."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from core.common.parameters import Parameters
from core.session import events as e
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, Entity
from gui.control.run_names import MOST_RUNS, RunNames
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.panels.viewed import words_in

CABINETS = tuple(Entity(f"cabinet_{k}", "cabinet", "cabinet", "object") for k in (1, 2))


def moment(*entities: Entity, began: e.Began) -> Snapshot:
    return replace(Snapshot(), began=began, seen=replace(s.seen(), entities=entities, landmarks=()))


def run(seed: int) -> e.Began:
    return e.Began("uct", "household", "toy", "commonsense", seed, s.GOAL, Parameters(), 30)


def test_what_was_seen_earlier_in_the_run_counts_and_what_another_run_saw_does_not() -> None:
    names, first, second = RunNames(), run(1), run(2)
    assert names.of(moment(CABINETS[1], began=first)).display("cabinet_2") == "cabinet"
    names.of(moment(*CABINETS, began=first))
    other = names.of(moment(CABINETS[1], began=second))
    assert names.of(moment(CABINETS[1], began=first)).display("cabinet_2") == "cabinet 2"
    assert other.display("cabinet_2") == "cabinet"
    met = names.meet(moment(CABINETS[1], began=second), [Action("open", ("cabinet_7",)), None])
    assert met.display("cabinet_2") == "cabinet 2"
    for seed in range(3, 3 + MOST_RUNS):
        names.of(moment(*CABINETS, began=run(seed)))
    assert names.of(moment(CABINETS[1], began=first)).display("cabinet_2") == "cabinet", "of the last runs only"


def test_a_panel_that_is_opened_late_names_things_as_the_others_do(qtbot: QtBot) -> None:
    context, _ = worlds.context()
    began = run(1)

    def opened() -> ViewPanel:
        panel = make_panel("scene", context)
        assert isinstance(panel, ViewPanel)
        qtbot.addWidget(panel)
        panel.show()
        return panel

    early = opened()
    early.receive(moment(*CABINETS, began=began))
    late, now = opened(), moment(CABINETS[1], began=began)
    for panel in (early, late):
        panel.receive(now)
    assert words_in(early) == words_in(late)
    assert any("cabinet 2" in words for words in words_in(late))
