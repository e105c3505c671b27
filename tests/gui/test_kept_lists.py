"""What several windows add to a list in the settings is all kept, and what cannot be kept is said."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from core.common.errors import DataError
from core.common.installation import ROOT
from core.recording.labels import Label, LabelSet, as_json
from gui.control.kept_lists import change_texts, texts
from gui.control.watches import Watches
from gui.recordings.kept_label_sets import add_set, kept_sets, remove_set
from tests.full_disk import full_disk


def test_a_list_is_read_whatever_is_kept(settings: QSettings) -> None:
    for kept, read in ((None, ()), ("a", ("a",)), (["a", "", "b"], ("a", "b")), (5, ()), ([5, "a"], ("a",)), ({"a": 1}, ())):
        settings.setValue("list", kept)
        assert texts(settings, "list") == read


OTHER_WINDOW = """
import sys
from PySide6.QtCore import QSettings
from gui.control.kept_lists import change_texts
change_texts(QSettings(sys.argv[1], QSettings.Format.IniFormat), "list", lambda known: (*known, "theirs"))
"""


def test_what_another_window_has_added_is_kept(settings: QSettings) -> None:
    change_texts(settings, "list", lambda known: (*known, "ours"))
    settings.setValue("one value", 1)
    subprocess.run([sys.executable, "-c", OTHER_WINDOW, settings.fileName()], check=True, cwd=ROOT, timeout=60)
    assert change_texts(settings, "list", lambda known: (*known, "ours too")) == ("ours", "theirs", "ours too")
    assert settings.value("one value") == 1


def test_two_windows_add_and_remove_label_sets(settings: QSettings) -> None:
    again, one, two = QSettings(settings.fileName(), settings.format()), LabelSet("One", ()), LabelSet("Two", ())
    add_set(settings, one)
    add_set(again, two)
    add_set(settings, replace(one, labels=(Label("odd"),)))
    assert kept_sets(again) == ((two, replace(one, labels=(Label("odd"),))), "")
    remove_set(again, "Two")
    assert [kept.title for kept in kept_sets(settings)[0]] == ["One"]


def test_label_sets_that_cannot_be_read_stay(settings: QSettings) -> None:
    settings.setValue("label sets", json.dumps([as_json(LabelSet("One", ())), {"title": "of a later version"}]))
    add_set(settings, LabelSet("Two", ()))
    found, trouble = kept_sets(settings)
    assert [kept.title for kept in found] == ["One", "Two"]
    assert "settings" in trouble
    assert "of a later version" in "".join(texts(settings, "label sets"))


def test_watches_of_an_earlier_version_are_read_and_can_be_removed(settings: QSettings) -> None:
    settings.setValue("watches", "turn\nnothing at all\ncalls")
    watches = Watches(lambda moment, then: None)
    watches.keep_in(settings)
    assert watches.texts == ("turn", "calls")
    watches.remove("turn")
    assert watches.texts == texts(settings, "watches") == ("calls",)


def test_a_list_that_cannot_be_kept_holds_and_is_told(settings: QSettings) -> None:
    change_texts(settings, "list", lambda known: (*known, "a"))
    before = Path(settings.fileName()).read_bytes()
    with full_disk(), pytest.raises(DataError, match="only until the window is closed"):
        change_texts(settings, "list", lambda known: (*known, "b"))
    assert texts(settings, "list") == ("a", "b")
    assert Path(settings.fileName()).read_bytes() == before
    assert change_texts(settings, "list", lambda known: (*known, "c")) == ("a", "b", "c")
