"""Random walks of two annotators: two windows on one recording, finished or under way, show and keep the same labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.recording.annotations import read_annotations
from core.recording.files import HIDDEN
from core.recording.reader import open_recording
from core.session.annotation import Annotation
from gui.app import App
from tests.core.recording.common import CODEC, recorded
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle
from tests.long_tests import either
from tests.walk_seeds import number_of_walks, walk_seeds

ACTS = either(24, 60)
LABELS = "mistake", "surprise", "bookmark"


class Annotator:
    """Labels a recording in one window, at random."""

    def __init__(self, app: App, dice: Random, name: str):
        self.app, self._dice, self._name = app, dice, name
        labelling, undo = app.labelling, app.console.undoing
        self._acts: dict[str, tuple[int, Callable[[], object]]] = {
            "label": (4, lambda: labelling.point(dice.choice(LABELS))),
            "note": (3, lambda: self._change("note", f"{self._name} {dice.randrange(100)}")),
            "rate": (2, lambda: self._change("rating", dice.choice((1, 2, 3, 4, 5, None)))),
            "remove": (1, self._remove), "undo": (3, undo.undo), "redo": (2, undo.redo),
            "look": (2, self._look),
        }

    def act(self) -> str:
        """Does one thing. Returns what."""
        names = list(self._acts)
        name = self._dice.choices(names, [self._acts[name][0] for name in names])[0]
        self._acts[name][1]()
        return f"{self._name}: {name}"

    def _one(self) -> Annotation | None:
        shown = list(self.app.labelling.visible.values())
        return self._dice.choice(shown) if shown else None

    def _change(self, what: str, value: str | int | None) -> None:
        if (before := self._one()) is not None:
            self.app.labelling.change(before, replace(before, **{what: value}), what)  # type: ignore[arg-type]

    def _remove(self) -> None:
        if (before := self._one()) is not None:
            self.app.labelling.change(before, None, "Remove")

    def _look(self) -> None:
        turns = self.app.console.snapshot.turns
        if len(turns):
            self.app.console.go_to(self._dice.choice(turns).moment)


def shown(app: App) -> dict[str, Annotation]:
    """Returns the labels that a window shows, by id."""
    return dict(app.labelling.visible)


def kept(path: Path) -> dict[str, Annotation]:
    """Returns the labels that any reader of the recording finds, by id."""
    with open_recording(path, CODEC) as recording:
        return {a.id: a for a in read_annotations(recording)[0].in_order()}


def open_in(qtbot: QtBot, app: App, path: Path) -> None:
    """Opens a recording in a window."""
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)


def recorded_to(qtbot: QtBot, app: App) -> Path:
    """Returns the file that a run is recorded to, once it has its name and is being written."""
    def is_there() -> bool:
        file, present = app.recorders.shown_file, app.recorders.present
        return file is not None and not file.name.startswith(HIDDEN) and file.is_file() and (
            present is not None and present.recorder is not None)

    qtbot.waitUntil(is_there)
    assert app.recorders.shown_file is not None
    return app.recorders.shown_file


def walk(qtbot: QtBot, one: App, other: App, path: Path, seed: int, between: Callable[[Random], None]) -> None:
    """Lets both annotators label by turns; `between` does what else happens. Both must come to show the same labels."""
    dice, did = Random(seed), list[str]()
    both = Annotator(one, dice, "one"), Annotator(other, dice, "other")
    try:
        for _ in range(ACTS):
            did.append(dice.choice(both).act())
            between(dice)
            if dice.random() < 0.3:
                settle(one, other)
                qtbot.waitUntil(lambda: shown(one) == shown(other))
        settle(one, other)
        qtbot.waitUntil(lambda: shown(one) == shown(other) and not one.labels.keeping.unsaved)
        qtbot.waitUntil(lambda: kept(path) == shown(one))
    except Exception as error:
        raise AssertionError(f"BELVEDERE_WALK_SEED={seed}: {did[-12:]}: {shown(one)}, {shown(other)}: {error}") from error


@pytest.mark.timeout(60 + 30 * number_of_walks(1))
def test_two_windows_on_a_recording_show_the_same_labels_whatever_is_done(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    one, other = (make_app(parts()) for _ in range(2))
    for seed in walk_seeds(1):
        path = tmp_path / f"{seed}.mcap"
        recorded(path, steps=4)
        for app in (one, other):
            open_in(qtbot, app, path)
        walk(qtbot, one, other, path, seed, lambda dice: None)


@pytest.mark.timeout(60 + 60 * number_of_walks(1))
def test_a_run_and_a_replay_of_its_recording_show_the_same_labels_whatever_is_done(qtbot: QtBot, make_app: MakeApp) -> None:
    for seed in walk_seeds(1):
        live, other = make_app(parts()), make_app(parts())
        live.recorders.toggle()
        live.console.step()
        settle(live)
        path = recorded_to(qtbot, live)
        open_in(qtbot, other, path)

        def run_on(dice: Random, live: App = live) -> None:
            if live.console.snapshot.ended is None and dice.random() < 0.2:  # a step after the end begins another run
                live.console.step()
                settle(live)
            elif dice.random() < 0.1 and len(live.console.snapshot.turns) > 1:
                live.console.rewind(Moment(live.console.snapshot.branch, 1))
                settle(live)

        walk(qtbot, live, other, path, seed, run_on)
        live.console.stop()
        settle(live)
        assert kept(path) == shown(live)
        for app in (live, other):
            app.window.close()
