"""Labels: live and later, undone and redone, by several people, with intervals closed, and never written into the recording."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError
from core.recording.annotations import (
    Annotation,
    Change,
    LabelLog,
    append,
    closed_intervals,
    made_live,
    read_annotations,
    sidecar,
    unpaired,
)
from core.recording.labels import STANDARD, Label, LabelSet, read_labels, write_labels
from core.recording.reader import open_recording
from core.session.commands import Annotate
from tests.core.recording.common import CODEC, recorded
from tests.own_calls import OwnCalls

A, B = Annotation("ann 1", "good", 1.0, rating=4), Annotation("bob 1", "stuck", 2.0, state=True, annotator="bob")


def test_the_same_changes_make_the_same_labels_in_any_order_and_however_often() -> None:
    good, stuck = Change(None, A, 1), Change(None, B, 1)
    rated, noted = Change(A, replace(A, rating=1), 2), Change(A, replace(A, note="late"), 2)
    ended = Change(B, replace(B, until=5.0), 2)
    changes = [good, stuck, rated, noted, ended, Change(B, None, 2)]
    for order in permutations(changes):
        log = LabelLog((*order, *order))
        assert log.annotations == {A.id: replace(A, rating=1, note="late"), B.id: replace(B, until=5.0)}, \
            "two fields changed at once are both changed, and what another changed is not removed"
        assert set(log.changes()) == set(changes)
    removed = log.next(log.annotations[B.id], None)
    assert removed.version == 3
    assert log.take(removed)
    assert not log.take(removed), "known already"
    assert [*log.annotations] == [A.id]


def test_labels_that_two_windows_of_an_earlier_version_gave_one_id_are_both_kept(tmp_path: Path) -> None:
    path, other = tmp_path / "a.mcap", replace(A, label="mistake", at=2.0)
    recorded(path, steps=1)
    for change in (Change(None, A), Change(None, other), Change(other, replace(other, note="of the second")),
                   Change(A, replace(A, note="of the first"))):
        append(path, change)
    with open_recording(path, CODEC) as recording:
        log, odd = read_annotations(recording)
        again, _ = read_annotations(recording)
    assert not odd
    assert {(a.label, a.note) for a in log.annotations.values()} == {("good", "of the first"), ("mistake", "of the second")}
    assert again.annotations == log.annotations, "the second one has the same id at each reading"


def test_live_and_later_ones_come_together_and_the_recording_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path, Annotate("slow", "", "start", "ann"), Annotate("slow", "", "start", "bob"),
             Annotate("slow", "", "stop", "ann"), Annotate("nice", "see"), Annotate("lost", "", "stop"))
    before = path.read_bytes()
    with open_recording(path, CODEC) as recording:
        live = made_live(recording)
        assert [(a.label, a.annotator, a.paired) for a in live] == [
            ("slow", "ann", True), ("slow", "bob", False), ("nice", "", True), ("lost", "", True)]
        book, odd = read_annotations(recording)
        assert not odd
        noted = Change(A, replace(A, note="naïve"))
        for change in (Change(None, A), Change(live[2], None), noted, noted.undone):
            book.take_line(change)
            append(path, change)
        with sidecar(path).open("a") as file:
            file.write('{"before": null, "aft')
        again, odd = read_annotations(recording)
        assert again.annotations == book.annotations
        assert odd == "a.mcap.annotations.jsonl: 1 line left out, damaged or cut off"
        append(path, Change(None, B))
        assert read_annotations(recording)[0].annotations["bob 1"] == B, "a cut-off line does not swallow the next"
    assert path.read_bytes() == before


def test_states_without_an_end_are_found_and_mended() -> None:
    known = [B, replace(B, id="bob 2", at=5.0), replace(B, id="ann 7", at=3.0, annotator="ann"), A]
    assert [a.id for a in unpaired(known)] == ["bob 1", "bob 2", "ann 7"]
    changes = closed_intervals(known, 9.0)
    ends = {c.after.id: c.after.until for c in changes if c.after}
    assert ends == {"bob 1": 5.0, "ann 7": 9.0, "bob 2": 9.0}
    assert not unpaired([c.after for c in changes if c.after])


FOREIGN = ["1", "{}", '{"before": 1, "after": null}', '{"before": null, "after": {"id": 3}}', "[" * 9999]


@pytest.mark.parametrize("line", FOREIGN)
def test_foreign_lines_are_left_out(tmp_path: Path, line: str) -> None:
    recorded(tmp_path / "a.mcap", steps=1)
    sidecar(tmp_path / "a.mcap").write_text(line + "\n")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        book, odd = read_annotations(recording)
    assert not book.annotations
    assert "1 line left out" in odd


def test_label_sets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"title": "Mine", "labels": [{"name": "slip", "key": "s", "colour": "#ff0000"},
                                                            {"name": "wait", "kind": "state"}]}))
    found = read_labels(path)
    assert found.by_key("s") == Label("slip", "point", "s", "#ff0000")
    assert found.by_key("x") is None
    assert found.labels[1].kind == "state"
    assert STANDARD.by_key("4") == Label("mistake", "point", "4", help="a decision that cost steps or success")


@pytest.mark.parametrize(("labels", "words"), [
    ("nothing", "a list of labels"), ([1], "label 1: a label needs a name"),
    ([{"name": "a"}, {"name": "a"}], "'a' is given twice"),
    ([{"name": "a", "kind": "zone"}], "point or state"), ([{"name": "a", "key": "ab"}], "one character"),
    ([{"name": "a", "colour": "red"}], "#rrggbb"), ([{"name": "a", "hue": "1"}], "unknown hue"),
    ([{"name": str(k)} for k in range(1001)], "1,001 labels, at most 1,000"), ([{"name": "a" * 201}], "at most 200 characters"),
])
def test_label_sets_that_make_no_sense_name_the_label(tmp_path: Path, labels: object, words: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"title": "Mine", "labels": labels}))
    with pytest.raises(DataError, match=words):
        read_labels(path)


def test_the_work_for_many_labels_grows_with_them(tmp_path: Path) -> None:
    """Copies and look-ups once took a minute for 30,000 labels. Nothing may be read twice per label."""
    path, work = tmp_path / "a.mcap", dict[int, int]()
    recorded(path)
    for many in (500, 1000):
        rows = [Annotation(f"a {k}", "stuck", k * 0.01, None, True) for k in range(many)]
        sidecar(path).write_text("".join(
            json.dumps({"before": None, "after": {f.name: object.__getattribute__(row, f.name) for f in fields(row)}}) + "\n"
            for row in rows))
        with open_recording(path, CODEC) as recording, OwnCalls() as calls:
            book, odd = read_annotations(recording)
            assert (odd, len(book.annotations)) == ("", many)
            changes = closed_intervals(book.annotations.values(), 1000.0)
        assert [c.after.until for c in changes if c.after is not None] == [row.at for row in rows[1:]] + [1000.0]
        copies = calls.of(LabelLog.annotations.fget)  # type: ignore[attr-defined]
        assert copies == 2, "each is a copy of all labels"
        work[many] = calls.codes.total()
    assert 500 < work[1000] - work[500] < 1.1 * work[500], "quadratic ways take four times as much for twice as many"


LABELS = st.builds(Label, st.text(min_size=1, max_size=20).filter(str.strip), st.sampled_from(["point", "state"]),
                   st.sampled_from(["", "1", "x"]), st.sampled_from(["", "#12abEF"]), st.text(max_size=20))


@given(st.text(max_size=30), st.lists(LABELS, max_size=6, unique_by=lambda label: label.name))
def test_a_set_that_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, title: str, labels: list[Label]) -> None:
    once = {label.key: label for label in labels if label.key}
    kept = LabelSet(title, tuple(label for label in labels if once.get(label.key, label) is label))
    path = tmp_path_factory.getbasetemp() / "set.json"
    write_labels(kept, path)
    assert read_labels(path) == kept
    with pytest.raises(DataError, match="cannot write"):
        write_labels(kept, path / "no folder")
