"""What several windows change in the settings is all kept, without the GUI thread waiting for the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.common.installation import ROOT
from core.recording.labels import Label, LabelSet, as_json
from gui.control.kept_settings import KeptSettings
from gui.control.watches import Watches
from gui.recordings.kept_label_sets import KEY, MOST_SETS, add_set, kept_sets, remove_set
from tests.full_disk import full_disk
from tests.gui.settling import run_out, settle


@contextmanager
def another_window(settings: QSettings) -> Iterator[KeptSettings]:
    """The same settings in another window, which has not read them since they were opened."""
    other = KeptSettings(settings)
    yield other
    other.close(60)


def in_file(settings: QSettings, name: str) -> tuple[str, ...]:
    """The list that a window finds at its start."""
    return KeptSettings(settings).texts(name)


def test_a_list_is_read_whatever_is_kept(kept: KeptSettings) -> None:
    for value, read in ((None, ()), ("a", ("a",)), (["a", "", "b"], ("a", "b")), (5, ()), ([5, "a"], ("a",)), ({"a": 1}, ())):
        kept.set_value("list", value)
        assert kept.texts("list") == read


def test_values_and_groups_come_back_as_they_were_and_are_removed(settings: QSettings, kept: KeptSettings) -> None:
    values = {"keys/run": "Ctrl+J", "keys/a/b": "x", "place": QByteArray(b"\0\xff"), "text": "käthe \\ = ; \n", "n": "0.5"}
    for name, value in values.items():
        kept.set_value(name, value)
    settle(kept)
    path = Path(settings.fileName())
    again = KeptSettings(settings)
    assert dict(again.content) == values
    assert again.group("keys") == {"run": "Ctrl+J", "a/b": "x"}
    again.remove("keys")
    again.remove("nothing")
    settle(again)
    assert "keys" not in path.read_text().lower()
    assert "place" in path.read_text()
    again.close(60)


def test_what_two_windows_add_at_once_is_kept_and_seen_by_both(settings: QSettings, kept: KeptSettings) -> None:
    with another_window(settings) as other:
        for number in range(5):
            kept.change_texts("list", lambda known, number=number: (*known, f"ours {number}"))  # type: ignore[misc]
            other.change_texts("list", lambda known, number=number: (*known, f"theirs {number}"))  # type: ignore[misc]
        other.set_value("one value", 1)
        settle(kept, other)
        kept.change_texts("list", lambda known: (*known, "last"))
        settle(kept)
        expected = {f"{who} {number}" for who in ("ours", "theirs") for number in range(5)}
        assert set(kept.texts("list")) == {*expected, "last"} == set(in_file(settings, "list"))
        assert kept.value("one value") == "1"


def test_two_windows_add_and_remove_label_sets(settings: QSettings, kept: KeptSettings) -> None:
    one, two = LabelSet("One", ()), LabelSet("Two", ())
    with another_window(settings) as other:
        add_set(kept, one)
        settle(kept)
        add_set(other, two)
        settle(other)
        add_set(kept, replace(one, labels=(Label("odd"),)))
        settle(kept)
        assert kept_sets(kept) == ((two, replace(one, labels=(Label("odd"),))), "")
        remove_set(kept, "Two")
        settle(kept)
        assert [known.title for known in kept_sets(KeptSettings(settings))[0]] == ["One"]


def test_a_change_that_another_window_has_made_impossible_is_taken_back_and_told(settings: QSettings,
                                                                                 kept: KeptSettings) -> None:
    told, seen = list[str](), list[int]()
    kept.told.connect(lambda line, tone: told.append(line))
    with another_window(settings) as other:
        for number in range(MOST_SETS):
            add_set(other, LabelSet(f"Set {number}", ()))
        settle(other)
        kept.follow(KEY, lambda: seen.append(len(kept_sets(kept)[0])))
        add_set(kept, LabelSet("Mine", ()))
        assert [one.title for one in kept_sets(kept)[0]] == ["Mine"]
        settle(kept)
        assert seen == [1, MOST_SETS]
        why = f"{MOST_SETS} label sets are kept: remove one before “Mine” is added"
        assert told == [f"A change of the settings was taken back: {why}"]
        assert not kept.left
        with pytest.raises(DataError, match="remove one before"):
            add_set(kept, LabelSet("Mine", ()))


def test_label_sets_that_cannot_be_read_stay(kept: KeptSettings) -> None:
    kept.set_value("label sets", json.dumps([as_json(LabelSet("One", ())), {"title": "of a later version"}]))
    add_set(kept, LabelSet("Two", ()))
    found, trouble = kept_sets(kept)
    assert [one.title for one in found] == ["One", "Two"]
    assert "settings" in trouble
    assert "of a later version" in "".join(kept.texts("label sets"))


def test_watches_of_an_earlier_version_are_read_and_can_be_removed(kept: KeptSettings) -> None:
    kept.set_value("watches", "turn\nnothing at all\ncalls")
    watches = Watches(lambda moment, then: None)
    watches.keep_in(kept)
    assert watches.texts == ("turn", "calls")
    watches.remove("turn")
    assert watches.texts == kept.texts("watches") == ("calls",)


def test_what_cannot_be_kept_holds_is_told_once_and_is_kept_when_there_is_room(qtbot: QtBot, settings: QSettings,
                                                                              kept: KeptSettings) -> None:
    told = list[str]()
    kept.told.connect(lambda line, tone: told.append(line))
    kept.change_texts("list", lambda known: (*known, "a"))
    settle(kept)
    path = Path(settings.fileName())
    before = path.read_bytes()
    with full_disk():
        for text in "bc":
            kept.change_texts("list", lambda known, text=text: (*known, text))  # type: ignore[misc]
            settle(kept)
    assert kept.texts("list") == ("a", "b", "c")
    assert path.read_bytes() == before
    why = f"cannot write {path}: File too large; make room, or free the file"
    assert kept.left == f"2 changes of the settings are not saved: {why}"
    assert told == [f"1 change of the settings is not saved: {why}; tried again until the window closes"]
    run_out(kept._retry)
    settle(kept)
    assert not kept.left
    assert told[1:] == ["Every change of the settings is saved now"]
    assert b"list=a, b, c" in path.read_bytes()


def test_only_the_thread_of_the_settings_touches_the_file_of_qt() -> None:
    """Qt locks and writes the file in the event loop of the thread that has set a value."""
    naming = {path.relative_to(ROOT).as_posix() for path in (ROOT / "gui").rglob("*.py") if "QSettings" in path.read_text()}
    assert naming == {"gui/app.py", "gui/offscreen.py", "gui/control/kept_settings.py"}
    for name in ("gui/app.py", "gui/offscreen.py"):
        text = (ROOT / name).read_text()
        assert "setValue" not in text
        assert "settings.sync" not in text
