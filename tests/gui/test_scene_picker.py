"""The list of scenes: groups, pictures that are drawn once and never keep the window waiting, and graph files."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.planning.facets import Frame
from gui.app import App
from gui.control.kept_settings import KeptSettings
from gui.control.scene_choices import OPEN_GRAPH, OWN, scene_choices, scene_of
from gui.control.scene_pictures import ScenePictures
from gui.theme import Theme
from gui.widgets.chooser import Choice, Chooser
from gui.window.scene_files import SceneFiles
from tests.gui.conftest import MakeApp
from tests.gui.parts import choices, parts
from tests.gui.settling import PATIENCE, settle

SCENES = {"household": tuple(Choice(f"four-rooms-{k}", f"Four rooms {k}", group="Homes") for k in (1, 2)),
          "virtualhome-graph": (Choice("file1", "Apartment 1", group="VirtualHome"),)}
OFFERED = replace(choices(), scenes=SCENES, graph_simulators=("household", "virtualhome-graph"))


class Painter:
    """Draws scenes of one colour, and notes which; `held` makes it wait."""

    def __init__(self) -> None:
        self.drawn, self.held = list[tuple[str, str]](), threading.Event()
        self.held.set()

    def __call__(self, simulator: str, scene: str) -> Frame | None:
        self.held.wait(PATIENCE / 1000)
        self.drawn.append((simulator, scene))
        if scene == "broken":
            raise DataError("broken")
        return None if scene == "slow" else Frame("dollhouse", np.full((40, 64, 3), 90, np.uint8), None, ("",))


@pytest.fixture
def painter() -> Painter:
    return Painter()


@pytest.fixture
def app(make_app: MakeApp, painter: Painter, tmp_path: Path) -> App:
    return make_app(replace(parts("greedy", "Put one apple inside the fridge"), choices=OFFERED, draw_scene=painter,
                            pictures=tmp_path / "pictures"))


def chooser_of(app: App) -> Chooser:
    chooser = app.window.bar.pickers.scene.chooser
    assert chooser is not None
    return chooser


def test_scenes_of_all_that_open_graphs_are_listed_in_groups_with_own_files(app: App) -> None:
    listed = scene_choices(app.console.request, OFFERED, ("/home/me/flat.json",))
    assert [(c.group, c.title) for c in listed] == [
        ("Homes", "Four rooms 1"), ("Homes", "Four rooms 2"), ("VirtualHome", "Apartment 1"), (OWN, "flat.json"),
        (OWN, "Open a graph file …")]
    assert [scene_of(c.name, app.console.request) for c in listed[1:4]] == [
        ("household", "four-rooms-2"), ("virtualhome-graph", "file1"), ("household", "/home/me/flat.json")]
    others = scene_choices(replace(app.console.request, simulator="line"), OFFERED, ())
    assert others == OFFERED.scenes.get("line", ()), "a simulator that opens no graphs lists its own scenes only"


def test_a_scene_is_found_by_typing_while_its_picture_is_still_drawn(qtbot: QtBot, app: App, painter: Painter) -> None:
    painter.held.clear()
    app.window.bar.pickers.scene.open_menu()
    chooser = chooser_of(app)
    chooser.look_for("rooms 2")
    QTest.keyClick(chooser, Qt.Key.Key_Return)
    assert app.console.request.scene == "four-rooms-2", "nothing waits for pictures"
    painter.held.set()


def test_pictures_are_drawn_once_and_kept_for_the_next_start(qtbot: QtBot, app: App, painter: Painter, tmp_path: Path) -> None:
    app.window.bar.pickers.scene.open_menu()
    chooser = chooser_of(app)
    qtbot.waitUntil(lambda: len(painter.drawn) == 3)
    pictures = [option.picture() for option in chooser.options if option.picture is not None]
    qtbot.waitUntil(lambda: app.offers.pictures.of("household", "four-rooms-1") is not None)
    assert len(pictures) == 3
    qtbot.waitUntil(lambda: len(list((tmp_path / "pictures").glob("[!p]*.png"))) == 3)
    again = Painter()
    later = ScenePictures(again, tmp_path / "pictures")
    with qtbot.waitSignal(later.drawn):
        assert later.of("household", "four-rooms-1") is None
    assert later.of("household", "four-rooms-1") is not None
    assert again.drawn == []
    later.jobs.close()


@pytest.mark.parametrize("scene", ["broken", "slow"])
def test_a_scene_that_cannot_be_drawn_is_asked_for_once_and_keeps_its_mark(qtbot: QtBot, painter: Painter, scene: str) -> None:
    pictures = ScenePictures(painter, None)
    with qtbot.waitSignal(pictures.drawn):
        pictures.of("household", scene)
    assert pictures.of("household", scene) is None
    assert painter.drawn == [("household", scene)]
    pictures.jobs.close()


def test_a_graph_file_is_opened_from_the_list_and_stays_in_it(
        qtbot: QtBot, app: App, theme: Theme, settings: QSettings, tmp_path: Path) -> None:
    with qtbot.waitSignal(app.console.asked_graph):
        app.console.asked_graph.disconnect(app.offers.files.ask)  # no dialog in a test
        app.console.run_request.choose_scene(OPEN_GRAPH)
    path = tmp_path / "flat.json"
    path.write_text("{}")
    app.offers.files.open(str(path))
    assert app.console.request.scene == str(path)
    qtbot.waitUntil(lambda: app.console.trouble is not None)  # it is no household, and the window says so
    assert OWN in {option.group for option in app.window.bar.pickers.scene.options()}
    settle(app.settings)
    assert SceneFiles(app.console, KeptSettings(settings), app.window) is not None
    assert app.console.graph_files == (str(path),), "kept for the next start"


def test_a_scene_of_another_simulator_brings_it_along(app: App) -> None:
    app.console.run_request.choose_scene("virtualhome-graph\tfile1")
    assert (app.console.request.simulator, app.console.request.scene) == ("virtualhome-graph", "file1")
