"""The why panel for planners that do not search: it has something to compare with, and says why a run stopped."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from core.app.launch import build
from core.app.run_request import Request
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.panels.why.panel import WhyPanel
from gui.theme import theme_named
from sim.registry import simulator_class


def played(request: Request, kind: type[e.Payload]) -> Snapshot:
    """Plays a run. Returns the snapshot after the last event of a kind."""
    session, now, last = Session(build(request, simulator_class)), Snapshot(), Snapshot()

    def listen(event: e.Event) -> None:
        nonlocal now, last
        now = fold(now, event)
        last = now if isinstance(event.what, kind) else last

    session.subscribe(listen)
    session.run()
    return last


def panel_of(qtbot: QtBot, snapshot: Snapshot) -> WhyPanel:
    posted: list[c.Command] = []
    panel = make_panel("why", Context(theme_named("dark"), posted.append))
    assert isinstance(panel, WhyPanel)
    qtbot.addWidget(panel)
    panel.show_snapshot(snapshot)
    qtbot.waitUntil(lambda: panel.shown.snapshot is snapshot)
    return panel


@pytest.mark.parametrize("planner", ["bcr", "llm-state", "progprompt", "greedy", "oracle"])
def test_a_decision_can_be_compared_with_another_action(planner: str, qtbot: QtBot) -> None:
    panel = panel_of(qtbot, played(Request(planner, seed=4, max_steps=4), e.Acted))
    assert panel.sentences
    shown = " ".join(panel.text.toPlainText().split())
    assert "and not" in shown
    assert all(sentence.evidence[0].label.partition(":")[0] in shown for sentence in panel.sentences)


def test_the_end_of_a_run_is_explained_when_it_comes(qtbot: QtBot) -> None:
    request = Request("progprompt", "once", {"line_actions": 1}, seed=4, max_steps=30)
    session, now = Session(build(request, simulator_class)), [Snapshot()]
    session.subscribe(lambda event: now.append(fold(now[-1], event)))
    session.run()
    end = next(k for k, snapshot in enumerate(now) if snapshot.ended is not None)
    panel = panel_of(qtbot, now[end - 1])
    panel.show_snapshot(now[end])
    qtbot.waitUntil(lambda: panel.text.toPlainText().startswith("Why no action"))


def test_the_end_of_a_run_without_an_action_is_explained(qtbot: QtBot) -> None:
    end = played(Request("progprompt", "once", {"line_actions": 1}, seed=4, max_steps=30), e.Ended)
    text = panel_of(qtbot, end).text.toPlainText()
    assert text.startswith("Why no action")
    assert "No action was chosen: “1 program ended short" in " ".join(text.split())
