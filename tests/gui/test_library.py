"""The library by clicks and keys: found, sorted, grouped, marked, opened, compared, exported, moved to the bin."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from core.library.entry import Entry
from core.library.scan import NO_FOLDER
from core.recording.annotations import Annotation, append
from core.recording.exports import Exported
from core.recording.files import sidecar
from core.recording.reader import open_recording
from core.session.annotation import Change
from gui.app import App
from gui.control.recording_files import RecordingFiles
from gui.library import acts
from gui.library.shelf import Heading, Wish
from gui.library.table import COLUMNS, next_sort
from gui.panels.compare.panel import ComparePanel
from gui.widgets import Button
from gui.window.worst_decisions import WorstDialog
from tests.core.library.common import Variants, pictured
from tests.core.recording.common import CODEC
from tests.gui.conftest import MakeApp
from tests.gui.settling import settle
from tests.gui.test_runs import toys

COUNT = 12
Key, Shift, Control = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pictured(tmp_path_factory.mktemp("source") / "toys.mcap")


@pytest.fixture
def folder(source: Path, tmp_path: Path) -> Path:
    """The console's folder of recordings, with some."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    variants = Variants(source)
    for k in range(COUNT):
        variants.write(folder / f"run {k}.mcap", k)
    return folder


@pytest.fixture
def app(make_app: MakeApp, folder: Path) -> App:
    del folder
    return make_app(toys())


@pytest.fixture
def opened(app: App, qtbot: QtBot) -> App:
    """The console with its library open and filled."""
    press(app, qtbot, Key.Key_L, Control)
    qtbot.waitUntil(lambda: app.pages.library.isVisible() and shown(app) == COUNT)
    qtbot.waitUntil(lambda: app.pages.shelf.wish.query == "" and not app.pages.library.news.text.startswith("Reading"))
    return app


def press(app: App, qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(app.window.focusWidget() or app.window, key, modifier)  # type: ignore[no-untyped-call]


def shown(app: App) -> int:
    return len(entries(app))


def entries(app: App) -> list[Entry]:
    return [row for row in app.pages.library.table.items if isinstance(row, Entry)]


def has_seeds(app: App, seeds: list[int]) -> bool:
    return [entry.seed for entry in entries(app)] == seeds


def ask(app: App, qtbot: QtBot, text: str, fits: Callable[[], bool]) -> None:
    """Types a query and waits for its answer."""
    app.pages.library.focus_search()
    qtbot.keyClicks(app.pages.library.search, text)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(fits)


def click(app: App, qtbot: QtBot, row: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    table = app.pages.library.table
    table.show_row(row)
    at = QPoint(200, table.rowViewportPosition(row) + table.row_height() // 2)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, modifier, at)  # type: ignore[no-untyped-call]


def push(button: Button, qtbot: QtBot) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]


def menu_of(app: App) -> QMenu:
    return next(menu for menu in app.pages.library.findChildren(QMenu) if menu.isVisible())


def choose(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text().startswith(text)).trigger()
    menu.close()


# --- the page --------------------------------------------------------------------
def places(app: App) -> dict[str, QRect]:
    """Where everything of the console is."""
    window = app.window
    found: dict[str, QWidget] = {name: dock for name, dock in window.docks.items() if not dock.visibleRegion().isEmpty()}
    found |= {"bar": window.bar, "timeline": window.timeline, "stage": window.stage, "status": window.status}
    return {name: QRect(part.mapTo(window, QPoint()), part.size()) for name, part in found.items()}


@pytest.mark.parametrize("how", ["key", "escape", "button"])
def test_the_console_comes_back_as_it_was(how: str, app: App, qtbot: QtBot) -> None:
    settle(app)
    before = places(app)
    press(app, qtbot, Key.Key_L, Control)
    qtbot.waitUntil(app.pages.library.isVisible)
    assert not app.window.stage.isVisible()
    assert all(dock.visibleRegion().isEmpty() for dock in app.window.docks.values())
    match how:
        case "key":
            press(app, qtbot, Key.Key_L, Control)
        case "escape":
            press(app, qtbot, Key.Key_Escape)
        case _:
            push(app.pages.library.back, qtbot)
    qtbot.waitUntil(lambda: not app.pages.library.isVisible() and places(app) == before)


def test_an_empty_folder_says_what_to_do(make_app: MakeApp, qtbot: QtBot) -> None:
    app = make_app(toys())
    app.window.asked_library.emit()
    qtbot.waitUntil(lambda: not app.pages.library.table.isVisible())
    assert app.pages.library._empty.state.heading == "No recordings yet"
    assert str(app.pages.shelf.folders[0]) in app.pages.library._empty.state.text
    assert not app.pages.shelf.worth_telling([f"{app.pages.shelf.folders[0]}: {NO_FOLDER}"]), "the first recording makes it"
    gone = app.pages.shelf.folders[0] / "gone"
    app.pages.shelf.add_folder(gone)
    qtbot.waitUntil(lambda: app.pages.library.news.text == f"Cannot be read: {gone}: {NO_FOLDER}")


def test_all_widths_show_columns_that_fit(opened: App, qtbot: QtBot) -> None:
    table = opened.pages.library.table
    for width in (1024, 1280, 1440, 1920, 2560):
        opened.window.resize(width, 800)
        settle(opened)
        columns = table.columns()
        edges = [(place.left(), place.right()) for _, place in columns]
        assert edges == sorted(edges)
        assert all(one[1] < other[0] for one, other in pairwise(edges))
        assert edges[0][0] >= 260
        assert edges[-1][1] <= table.viewport().width()
        told = {line.partition(":")[0] for line in table.row_tip(0).splitlines()}
        assert {c.title for c in COLUMNS} - {c.title for c, _ in columns} <= told, "what has no room is in the tooltip"
    assert len(table.columns()) == len(COLUMNS)


# --- finding ---------------------------------------------------------------------
def test_typing_finds(opened: App, qtbot: QtBot) -> None:
    every = entries(opened)
    wanted = every[3]
    ask(opened, qtbot, f"seed={wanted.seed}", lambda: entries(opened) == [wanted])
    assert opened.pages.library._count.text == f"1 of {COUNT} recordings"
    press(opened, qtbot, Key.Key_Escape)
    qtbot.waitUntil(lambda: shown(opened) == COUNT)
    assert opened.pages.library.isVisible(), "Escape clears first, then leaves"
    ask(opened, qtbot, "nothing has this word", lambda: shown(opened) == 0)
    assert opened.pages.library._empty.state.heading == "Nothing found"
    opened.pages.library.show_all()
    ask(opened, qtbot, "colour:red", lambda: opened.pages.library._empty.state.kind == "failed")
    assert "no field 'colour'" in opened.pages.library._empty.state.text


def test_enter_takes_what_was_typed_unless_a_completion_is_chosen(opened: App, qtbot: QtBot) -> None:
    search, offered = opened.pages.library.search, opened.pages.library.search._list
    opened.pages.library.focus_search()
    QTest.keyClicks(search, "planner:")
    qtbot.waitUntil(offered.isVisible)
    qtbot.waitUntil(lambda: opened.pages.shelf.wish.query == "planner:")
    QTest.keyClick(search, Key.Key_Return)
    assert (search.text(), offered.isVisible(), opened.pages.library.table.hasFocus()) == ("planner:", False, True)
    opened.pages.library.focus_search()
    QTest.keyClicks(search, "planner:")
    qtbot.waitUntil(offered.isVisible)
    for key in (Key.Key_Tab, Key.Key_Return):
        QTest.keyClick(offered, key)
    assert search.text().removeprefix("planner:")
    qtbot.waitUntil(lambda: opened.pages.shelf.wish.query == search.text())


def test_arrow_down_and_enter_open_what_was_found_also_over_completions(opened: App, qtbot: QtBot) -> None:
    search, offered = opened.pages.library.search, opened.pages.library.search._list
    opened.pages.library.focus_search()
    QTest.keyClicks(search, "planner:")
    qtbot.waitUntil(offered.isVisible)
    qtbot.waitUntil(lambda: opened.pages.shelf.wish.query == "planner:" and shown(opened) > 0)
    QTest.keyClick(offered, Key.Key_Down)
    assert (search.text(), offered.isVisible(), opened.pages.library.table.hasFocus()) == ("planner:", False, True)
    QTest.keyClick(opened.pages.library.table, Key.Key_Return)
    qtbot.waitUntil(lambda: opened.console.replaying)


def test_only_the_newest_query_is_answered(opened: App, qtbot: QtBot) -> None:
    answers: list[str] = []
    opened.pages.shelf.found.connect(lambda found: answers.append(found.wish.query))
    for text in ("a", "ap", "app", "appl", "apple"):
        opened.pages.shelf.ask(Wish(text))
    qtbot.waitUntil(lambda: "apple" in answers)
    settle(opened)
    assert answers == ["apple"]


def test_one_click_filters(opened: App, qtbot: QtBot) -> None:
    reached = [entry.path for entry in entries(opened) if entry.result == "reached"]
    qtbot.mouseClick(opened.pages.library.quick._parts[1], Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: [entry.path for entry in entries(opened)] == reached)
    ask(opened, qtbot, "seed>5", lambda: all(e.seed > 5 and e.result == "reached" for e in entries(opened)))


def test_a_click_on_a_title_sorts(opened: App, qtbot: QtBot) -> None:
    table = opened.pages.library.table
    place = next(place for column, place in table.columns() if column.field == "seed")
    at = QPoint(int(place.center().x()), 10)
    largest_first = list(range(COUNT))[::-1]
    for order in (largest_first, largest_first[::-1]):
        qtbot.mouseClick(table.horizontalHeader().viewport(), Qt.MouseButton.LeftButton, pos=at)  # type: ignore[no-untyped-call]
        qtbot.waitUntil(partial(has_seeds, opened, order))
    assert next_sort("-date", "goal") == "goal"
    assert next_sort("goal", "goal") == "-goal"


def test_groups_are_folded(opened: App, qtbot: QtBot) -> None:
    push(opened.pages.library.group, qtbot)
    choose(menu_of(opened), "Planner")
    qtbot.waitUntil(lambda: isinstance(opened.pages.library.table.item(0), Heading))
    table = opened.pages.library.table
    headings = [row for row in table.items if isinstance(row, Heading)]
    assert sum(row.count for row in headings) == COUNT == shown(opened)
    first = headings[0]
    click(opened, qtbot, 0)
    qtbot.waitUntil(lambda: shown(opened) == COUNT - first.count)
    assert not table.marked
    click(opened, qtbot, 0)
    qtbot.waitUntil(lambda: shown(opened) == COUNT)


# --- marking ---------------------------------------------------------------------
def test_marking_with_mouse_and_keys(opened: App, qtbot: QtBot) -> None:
    table, page = opened.pages.library.table, opened.pages.library
    click(opened, qtbot, 1)
    assert [table.items.index(e) for e in table.chosen_entries] == [1]
    assert page.open.isEnabled()
    assert not page.compare.isEnabled()
    click(opened, qtbot, 4, Control)
    assert page.compare.isEnabled()
    assert not page.open.isEnabled()
    click(opened, qtbot, 6, Shift)
    assert [table.items.index(e) for e in table.chosen_entries] == [4, 5, 6]
    table.setFocus()
    press(opened, qtbot, Key.Key_Down)
    press(opened, qtbot, Key.Key_Down, Shift)
    assert [table.items.index(e) for e in table.chosen_entries] == [7, 8]
    press(opened, qtbot, Key.Key_Home)
    assert table.current == 0
    press(opened, qtbot, Key.Key_End, Shift)
    assert len(table.chosen_entries) == COUNT
    press(opened, qtbot, Key.Key_Home)
    press(opened, qtbot, Key.Key_A, Control)
    assert len(table.chosen_entries) == COUNT
    assert page.news.text == f"{COUNT} selected"
    marked = table.marked
    opened.pages.shelf.ask(Wish(sort="seed"))
    qtbot.waitUntil(lambda: entries(opened)[0].seed == 0)
    assert table.marked == marked, "they stay marked in another order"


def test_from_the_search_box_into_the_table(opened: App, qtbot: QtBot) -> None:
    opened.pages.library.focus_search()
    press(opened, qtbot, Key.Key_Down)
    assert opened.pages.library.table.hasFocus()
    assert opened.pages.library.table.current == 0
    press(opened, qtbot, Key.Key_Slash)
    assert opened.pages.library.search.hasFocus()


# --- what is done ----------------------------------------------------------------
def test_plain_keys_do_not_act_on_the_hidden_console(opened: App, qtbot: QtBot) -> None:
    before, marks = len(opened.bridge.snapshot.line), len(opened.bridge.snapshot.labels)
    opened.pages.library.table.setFocus()
    for key in (Key.Key_Space, Key.Key_S, Key.Key_M, Key.Key_1, Key.Key_B, Key.Key_W):
        QTest.keyClick(opened.pages.library.table, key)
    settle(opened)
    assert not [d for d in opened.window.findChildren(WorstDialog) if d.isVisible()]
    assert (len(opened.bridge.snapshot.line), len(opened.bridge.snapshot.labels)) == (before, marks)
    assert opened.pages.library.isVisible()
    QTest.keyClick(opened.pages.library.table, Key.Key_Slash)
    assert opened.pages.library.search.hasFocus()


def test_enter_opens(opened: App, qtbot: QtBot) -> None:
    wanted = entries(opened)[2]
    click(opened, qtbot, 2)
    press(opened, qtbot, Key.Key_Return)
    qtbot.waitUntil(lambda: opened.replay.recording is not None and not opened.pages.library.isVisible())
    assert opened.replay.recording is not None
    assert opened.replay.recording.path == wanted.path
    assert opened.window.stage.isVisible()


def test_a_recording_that_vanished_says_so(opened: App, folder: Path, qtbot: QtBot) -> None:
    click(opened, qtbot, 0)
    gone = opened.pages.library.table.chosen_entries[0].path
    gone.unlink()
    press(opened, qtbot, Key.Key_Return)
    qtbot.waitUntil(lambda: gone.name in opened.pages.library.news.text)
    assert opened.pages.library.isVisible()
    opened.pages.shelf.rescan()
    qtbot.waitUntil(lambda: [e.path for e in entries(opened) if e.state == "gone"] == [gone])
    assert opened.pages.library.table.row_words(opened.pages.library.table.current).startswith("Gone")
    assert opened.pages.library.bin.accessibleName() == "Take off the list"
    push(opened.pages.library.bin, qtbot)
    qtbot.waitUntil(lambda: shown(opened) == COUNT - 1)
    assert len(list(folder.glob("*.mcap"))) == COUNT - 1


def test_what_is_recorded_meanwhile_appears_at_once(opened: App, folder: Path, source: Path, qtbot: QtBot) -> None:
    opened.pages.shelf._look.setInterval(3_600_000)
    path = Variants(source).write(folder / "new.mcap", COUNT)
    opened.recorders.recorded.emit(path)
    qtbot.waitUntil(lambda: path in {entry.path for entry in entries(opened)})


def test_take_over(opened: App, qtbot: QtBot) -> None:
    click(opened, qtbot, 0)
    with open_recording(opened.pages.library.table.chosen_entries[0].path, CODEC) as recording:
        done = [turn.done for turn in recording.snapshot_at().line]
    with qtbot.waitSignal(opened.replay.opened):
        push(opened.pages.library.take_over, qtbot)
    qtbot.waitUntil(lambda: opened.runner.phase == "live" and not opened.console.replaying)
    qtbot.waitUntil(lambda: [turn.done for turn in opened.bridge.snapshot.line][:len(done)] == done)
    assert not opened.pages.library.isVisible()


def test_compare_two(opened: App, qtbot: QtBot) -> None:
    click(opened, qtbot, 0)
    click(opened, qtbot, 3, Control)
    one, other = opened.pages.library.table.chosen_entries
    push(opened.pages.library.compare, qtbot)
    qtbot.waitUntil(lambda: opened.replay.recording is not None and opened.replay.recording.path == one.path)
    panel = opened.window.docks["compare"].card.fill()
    assert isinstance(panel, ComparePanel)
    qtbot.waitUntil(lambda: panel._mode == str(other.path))
    assert opened.window.docks["compare"].isVisible()


def test_export_of_several(opened: App, tmp_path: Path, qtbot: QtBot) -> None:
    out = tmp_path / "out"
    out.mkdir()
    opened.pages.library.table.mark(entries(opened)[:3])
    with qtbot.waitSignal(opened.pages.acts.exporting, check_params_cb=lambda said: said is None):
        opened.pages.acts.export(opened.pages.library.table.chosen_entries, "csv", out)
        assert opened.pages.library.cancel.isVisible()
    assert sorted(p.name for p in out.iterdir()) == sorted(f"{e.path.stem}.csv" for e in entries(opened)[:3])
    assert opened.pages.library.news.text == f"3 recordings exported to {out}"
    with qtbot.waitSignal(opened.pages.acts.exporting, check_params_cb=lambda said: said is None):
        opened.pages.library.export.setFocus()
        opened.pages.acts.export(opened.pages.library.table.chosen_entries, "csv", out)
        assert opened.pages.library.table.hasFocus(), "the next key is none for the button of the bin"
    opened.pages.acts.export(entries(opened), "jsonl", out)
    opened.pages.acts.cancel()
    qtbot.waitUntil(lambda: "cancelled" in opened.pages.library.news.text)
    assert len(list(out.glob("*.jsonl"))) < COUNT


def test_an_export_that_is_not_as_the_recording_leaves_nothing_out(
        opened: App, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RecordingFiles, "export", lambda _self, _paths, _to, out, _: Exported(out, ("2 pictures resized",)))
    one = entries(opened)[0]
    opened.pages.acts.export([one], "csv", tmp_path)
    said = f"1 recording exported to {tmp_path}; {one.path.stem}.csv: 2 pictures resized"
    qtbot.waitUntil(lambda: opened.pages.library.news.text == said)


def test_the_bin(opened: App, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()

    def to_bin(path: Path) -> bool:
        path.rename(bin_folder / path.name)
        return True

    monkeypatch.setattr(acts, "move_file_to_bin", to_bin)
    first = entries(opened)[0]
    append(first.path, Change(None, Annotation("ann 1", "stuck", 1.0)))
    click(opened, qtbot, 0)
    click(opened, qtbot, 1, Shift)
    press(opened, qtbot, Key.Key_Delete)
    qtbot.waitUntil(lambda: shown(opened) == COUNT - 2)
    assert len(list(bin_folder.iterdir())) == 3, "the labels go with their recording"
    assert (bin_folder / sidecar(first.path).name).exists()
    monkeypatch.setattr(acts, "move_file_to_bin", lambda path: False)
    keeps = next(e for e in entries(opened) if e.state == "ok")
    opened.pages.acts.move_to_bin([keeps])
    qtbot.waitUntil(lambda: "no bin" in opened.pages.library.news.text)
    assert keeps.path.exists()


def test_folders_are_kept(opened: App, folder: Path, tmp_path: Path, source: Path, qtbot: QtBot) -> None:
    other = tmp_path / "Küche"
    other.mkdir()
    Variants(source).write(other / "x.mcap", 77)
    opened.pages.shelf.add_folder(other)
    opened.pages.library._change_folders(lambda: opened.pages.shelf.remove_folder(folder))
    qtbot.waitUntil(lambda: [e.seed for e in entries(opened)] == [77])
    assert opened.pages.shelf.folders == (other,)
    assert opened.pages.library.places.accessibleName() == "Küche"
    opened.pages.library._change_folders(opened.pages.shelf.choose_usual_folders)
    qtbot.waitUntil(lambda: shown(opened) == COUNT)


def test_a_cache_that_cannot_be_written_is_told_and_nothing_is_left_of_what_takes_its_place(
        make_app: MakeApp, folder: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".library.sqlite").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    app, told = make_app(toys()), list[str]()
    app.pages.shelf.troubled.connect(told.append)
    app.window.asked_library.emit()
    qtbot.waitUntil(lambda: shown(app) == COUNT)
    assert "a folder has this name" in told[0]
    assert list((tmp_path / "temporary").iterdir())
    app.window.close()
    qtbot.waitUntil(lambda: not list((tmp_path / "temporary").iterdir()))


def test_damaged_entries_of_the_index_are_told_and_read_again(opened: App, make_app: MakeApp, folder: Path,
                                                              qtbot: QtBot) -> None:
    opened.window.close()
    with closing(sqlite3.connect(folder / ".library.sqlite")) as db, db:
        db.execute("UPDATE entries SET labels = 'no JSON', turns = 'many' WHERE seed < 3")
    app, told = make_app(toys()), list[str]()
    app.pages.shelf.troubled.connect(told.append)
    app.window.asked_library.emit()
    qtbot.waitUntil(lambda: shown(app) == COUNT)
    assert told == ["3 damaged entries of the index are read again from the recordings"]


def test_rebuilding_changes_nothing(opened: App, qtbot: QtBot) -> None:
    before = entries(opened)
    with qtbot.waitSignal(opened.pages.shelf.progressed, check_params_cb=lambda progress: progress is None):
        push(opened.pages.library.rebuild, qtbot)
    qtbot.waitUntil(lambda: entries(opened) == before)


def test_closing_while_indexing(app: App, folder: Path, source: Path, qtbot: QtBot) -> None:
    for k in range(100, 200):
        Variants(source).write(folder / f"more {k}.mcap", k)
    with qtbot.waitSignal(app.pages.shelf.progressed):
        app.window.asked_library.emit()
    app.window.close()
    assert not app.window.isVisible()
