"""The window with a second planner that only thinks: choose it, run to the next divergence, marks, recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

import main
from core.app.launch import build
from core.app.run_request import Request
from core.llm.model_config import ModelConfig
from core.planning.companion import CompanionDecision
from core.recording.recorder import Recorder
from core.session.session import Session
from gui.control.choices import BESIDE, ONLY_THINKS, planner_choices, planner_title
from gui.recordings.viewer import request_of
from gui.widgets.chooser import Choice
from gui.window.palette import Entry
from sim.registry import simulator_class
from tests.core.recording.common import PATIENT
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts

REQUEST = Request(planner="greedy", beside="bcr", seed=3, max_steps=8, scene="four-rooms-1")


def recorded(path: Path) -> Session:
    run, recorder = Session(build(REQUEST, simulator_class)), Recorder(path, lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    return run


def test_a_planner_is_called_as_in_the_list_of_planners_with_what_its_name_carries() -> None:
    known = replace(main.choices(), planners=(Choice("llm-mcts", "LLM-MCTS"), Choice("bcr", "BCR")))
    assert [planner_title(known, name) for name in ("bcr", "llm-mcts:paper", "llm-mcts+depth=3", "of another package")] == [
        "BCR", "LLM-MCTS:paper", "LLM-MCTS+depth=3", "of another package"]


def test_the_list_of_planners_offers_those_that_only_think() -> None:
    choices = main.choices()
    request = replace(REQUEST, planner="llm-mcts", beside="llm-mcts:paper")
    second = [choice for choice in planner_choices(request, choices) if choice.group == ONLY_THINKS]
    names = [choice.name.removeprefix(BESIDE) for choice in second]
    assert names[0] == "", "none is a choice"
    assert {"bcr", "llm-mcts", "llm-mcts:paper", "llm-mcts:uniform-prior"} <= set(names)
    assert [choice.name for choice in second if choice.note] == [f"{BESIDE}llm-mcts:paper"]
    assert not next(choice for choice in second if choice.name == f"{BESIDE}lab-model").available
    odd = planner_choices(replace(request, beside="bcr+tries=9"), choices)
    assert odd[-1].name == f"{BESIDE}bcr+tries=9", "what the command line chose is listed, too"


def test_a_run_goes_on_to_the_next_divergence_and_is_marked(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(replace(parts(), make_setup=lambda request: build(request, simulator_class), request=REQUEST))
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    app.console.run_to_divergence()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None)
    now = app.bridge.snapshot
    decision = now.fresh(CompanionDecision)
    assert decision is not None
    assert not decision.agrees
    assert len(now.line) == now.turn - 1, "before the action"
    [mark] = [mark for mark in now.marks if mark.kind == "divergence"]
    assert mark.turn == now.turn
    first = now.turn
    app.console.run_to_divergence()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > first and (
        app.bridge.snapshot.stopped is not None or app.bridge.snapshot.ended is not None))
    app.console.run_request.choose_planner(BESIDE)
    assert app.console.request.beside == ""


def test_a_run_that_ends_without_a_divergence_says_so_and_leaves_no_stop_behind(qtbot: QtBot, make_app: MakeApp) -> None:
    alike = replace(REQUEST, planner="oracle", beside="oracle")
    app = make_app(replace(parts(), make_setup=lambda request: build(request, simulator_class), request=alike))
    qtbot.waitUntil(lambda: app.bridge.snapshot.status == "paused")
    said: list[str] = []
    app.console.message.connect(lambda text, tone: said.append(text))
    for _ in range(2):  # also asked for when the run has ended
        with qtbot.waitSignal(app.console.message):
            app.console.run_to_divergence()
        assert app.bridge.snapshot.ended is not None
        assert not app.context.breakpoints.points
    assert said == ["The run ended before the two planners differed"] * 2


def test_without_a_second_planner_it_says_so(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    said: list[str] = []
    app.console.message.connect(lambda text, tone: said.append(text))
    app.console.run_to_divergence()
    assert said == ["No second planner thinks in this run: choose one in the list of planners"]


def test_a_recording_goes_from_divergence_to_divergence(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap")
    app = make_app(parts())
    app.viewer.open(tmp_path / "a.mcap")
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    assert app.replay.recording is not None
    marks = [mark for mark in app.replay.recording.stops if mark.kind == "divergence"]
    assert marks
    app.console.run_to_divergence()
    qtbot.waitUntil(lambda: app.replay.number == marks[0].number)
    decision = app.console.shown.fresh(CompanionDecision)
    assert decision is not None
    assert not decision.agrees
    began = app.console.shown.began
    assert began is not None
    assert request_of(began).beside == "bcr", "what takes it over has a second planner, too"
    read: list[int] = []
    app.context.read_recording(tmp_path / "a.mcap", 2, lambda found: read.append(-1 if found is None else found.turn))
    app.context.read_recording(tmp_path / "a.mcap", 99, lambda found: read.append(-1 if found is None else found.turn))
    app.context.read_recording(tmp_path / "none.mcap", 2, lambda found: read.append(-1 if found is None else found.turn))
    qtbot.waitUntil(lambda: len(read) == 3)
    assert read == [2, -1, -1]


def test_the_palette_chooses_the_second_planner_and_its_model(make_app: MakeApp) -> None:
    app = make_app(replace(parts(), make_setup=lambda request: build(request, simulator_class), request=REQUEST))
    app.console.models.put(ModelConfig("mine", "openai", {"model": "small"}))

    def found() -> dict[str, Entry]:
        return {entry.title: entry for entry in app.actions.entries()}

    found()["Model of the second planner: mine"].run()
    assert (app.console.request.beside_provider, dict(app.console.request.beside_model)) == ("openai", {"model": "small"})
    found()["Second planner, only thinks: None"].run()
    assert app.console.request.beside == ""
    assert "Model of the second planner: mine" not in found()
