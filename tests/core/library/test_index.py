"""The index says of every folder what its files say now, and survives what happens to files and to itself."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError, UsageError
from core.common.installation import ROOT
from core.library import tables
from core.library.checking import check
from core.library.child import ChildUpdate
from core.library.entry import FIELDS, WHY
from core.library.index import Index, is_in
from core.library.scan import Progress, pending, update
from core.library.summary import file_state, summarise
from core.recording.annotations import Annotation, append
from core.recording.files import HIDDEN, Disk, labels_of_user, sidecar
from core.recording.label_file import append as append_lines
from core.session.annotation import Change
from tests.altered import altered_bytes
from tests.core.library.common import Variants, fresh, plain
from tests.core.recording.common import CODEC
from tests.full_disk import full_disk
from tests.long_tests import either
from tests.waiting import PATIENCE

NAMES = ("a.mcap", "b.mcap", "Küche 日本.mcap", "in/c.mcap", "in/deeper/d.mcap", ".unrecorded 1-2.mcap")
LABEL = Annotation("ann 1", "stuck", 1.0, annotator="ann")


def refresh(index: Index, folder: Path) -> list[Progress]:
    return list(update(index, [folder], CODEC))


@given(st.lists(st.tuples(st.sampled_from(["add", "change", "label", "delete", "rename", "cut", "touch", "scan"]),
                          st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 5)), max_size=14))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_index_equals_fresh_summaries(variants: Variants, tmp_path: Path,
                                          steps: list[tuple[str, str, str, int]]) -> None:
    folder = tmp_path / "runs"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with Index(tmp_path / "library.sqlite") as index:
        index.clear()
        for k, (step, one, other, number) in enumerate(steps):
            _do(step, folder / one, folder / other, number + 10 * k, variants)
            if step == "scan":
                refresh(index, folder)
        refresh(index, folder)
        now, found = fresh(folder), plain(index.entries([folder]))
        gone = {path for path, entry in found.items() if entry.state == "gone"}
        assert {path: found[path] for path in found.keys() - gone} == {path: s.entry for path, s in now.items()}
        assert not any(path.exists() for path in gone)
        assert not {found[path].identity for path in gone if found[path].identity} & {s.entry.identity for s in now.values()}
        assert all(index.thumbnail(path) == summary.thumbnail for path, summary in now.items())
        assert refresh(index, folder) == [Progress(0, 0)], "nothing is read twice"
        with Index(tmp_path / "library.sqlite") as again:
            assert plain(again.find("", [folder])) == found


def _do(step: str, one: Path, other: Path, number: int, variants: Variants) -> None:
    one.parent.mkdir(parents=True, exist_ok=True)
    other.parent.mkdir(parents=True, exist_ok=True)
    match step:
        case "add" | "change":
            variants.write(one, number)
        case "delete":
            one.unlink(missing_ok=True)
        case "label" if one.exists():
            append(one, Change(None, Annotation(f"ann {number}", "stuck", 1.0)))
        case "rename" if one.exists() and not other.exists():
            one.rename(other)
        case "cut" if one.exists():
            os.truncate(one, max(1, one.stat().st_size - 300))
        case "touch" if one.exists():
            os.utime(one, (number, number))


def test_files_say_what_happened_to_them(variants: Variants, index: Index, tmp_path: Path) -> None:
    a, b, d = (variants.write(tmp_path / name, k) for k, name in enumerate(("a.mcap", "b.mcap", "d.mcap")))
    refresh(index, tmp_path)
    a.unlink()
    variants.write(b, 7)
    stopped: list[bool] = []
    for _ in update(index, [tmp_path], CODEC, stopped=lambda: True):
        stopped.append(True)
    assert [plain(index.entries())[path].state for path in (a, b, d)] == ["gone", "changed", "ok"]
    refresh(index, tmp_path)
    assert [entry.path for entry in index.find("gone")] == [a]
    variants.write(a, 0)
    refresh(index, tmp_path)
    assert plain(index.entries())[a].state == "ok"
    shutil.rmtree(tmp_path / "none", ignore_errors=True)
    assert "none" in next(iter(update(index, [tmp_path / "none"], CODEC))).troubles[0]


def test_a_vanished_autosave_leaves_the_list(variants: Variants, index: Index, tmp_path: Path) -> None:
    kept, thrown_away = variants.write(tmp_path / "a.mcap", 0), variants.write(tmp_path / f"{HIDDEN}b.mcap", 1)
    refresh(index, tmp_path)
    assert [entry.path for entry in index.find("unrecorded")] == [thrown_away]
    kept.unlink()
    thrown_away.unlink()
    refresh(index, tmp_path)
    assert [(entry.path, entry.state, entry.trouble) for entry in index.entries()] == [(kept, "gone", WHY["gone"])]


def test_a_run_under_way_is_read_again_until_it_is_over(source: Path, index: Index, tmp_path: Path) -> None:
    data = source.read_bytes()
    disk = Disk(tmp_path / "now.mcap")
    disk.append(memoryview(data[:-200]))
    refresh(index, tmp_path)
    assert [entry.state for entry in index.find("recording")] == ["recording"]
    disk.append(memoryview(data[-200:]))
    disk.close()
    refresh(index, tmp_path)
    assert [entry.state for entry in index.entries()] == ["ok"]


def test_sorted_grouped_and_by_folder(variants: Variants, index: Index, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "one more"
    for k, folder in enumerate((one, one, two, two, two)):
        folder.mkdir(exist_ok=True)
        variants.write(folder / f"{k}.mcap", k)
    refresh(index, tmp_path)
    assert len(index.find("", [one])) == 2
    assert is_in(one / "x", [one])
    assert not is_in(two / "x", [one])
    assert [entry.seed for entry in index.find("", sort="seed")] == [0, 1, 2, 3, 4]
    assert [entry.seed for entry in index.find("", sort="-seed")] == [4, 3, 2, 1, 0]
    for name, field in FIELDS.items():
        found = index.find("", sort="-date", group=name)
        keys = [field.key(entry) for entry in found]
        assert keys == sorted(keys), name
    assert [entry.seed for entry in index.find("variant3")] == [3]


def test_damaged_and_old_indexes_are_thrown_away(variants: Variants, tmp_path: Path) -> None:
    path = tmp_path / "index" / "library.sqlite"
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1000)
    with Index(path) as index:
        assert "damaged" in index.notice
        variants.write(tmp_path / "a.mcap", 1)
        refresh(index, tmp_path)
        assert len(index.entries()) == 1
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with Index(path) as index:
        assert "another version" in index.notice
        assert index.entries() == []


def test_damage_that_shows_later_is_one_line_and_mended(variants: Variants, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    for k in range(30):
        variants.write(tmp_path / f"{k}.mcap", k)
    with Index(path) as index:
        refresh(index, tmp_path)
    data = bytearray(path.read_bytes())
    for at in range(8192, len(data), 64):
        data[at:at + 32] = b"\xee" * 32
    path.write_bytes(bytes(data))
    with Index(path) as index:
        for _ in range(3):
            with suppress(DataError):
                refresh(index, tmp_path)
        assert len(index.find("")) == 30


def test_an_index_that_another_console_writes_to(variants: Variants, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BUSY_SECONDS", 0.05)
    path = tmp_path / "library.sqlite"
    variants.write(tmp_path / "a.mcap", 1)
    with Index(path) as index:
        refresh(index, tmp_path)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        variants.write(tmp_path / "b.mcap", 2)
        with pytest.raises(DataError, match="another console is writing"):
            refresh(index, tmp_path)
        assert len(index.find("")) == 1, "reading goes on"
        other.execute("ROLLBACK")
        other.close()
        refresh(index, tmp_path)
        assert len(index.find("")) == 2


def test_two_consoles_at_once(variants: Variants, tmp_path: Path) -> None:
    for k in range(40):
        variants.write(tmp_path / f"{k}.mcap", k)
    errors: list[Exception] = []

    def work() -> None:
        try:
            with Index(tmp_path / "library.sqlite") as index:
                refresh(index, tmp_path)
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Index(tmp_path / "library.sqlite") as index:
        assert plain(index.find("")) == {path: s.entry for path, s in fresh(tmp_path).items()}


def test_a_child_process_does_the_same(variants: Variants, tmp_path: Path) -> None:
    for k in range(5):
        variants.write(tmp_path / f"Küche {k}.mcap", k)
    child = ChildUpdate(tmp_path / "library.sqlite", [tmp_path])
    assert [p.is_over for p in child.progress()][-1]
    with Index(tmp_path / "library.sqlite") as index:
        assert pending(index, [tmp_path]) == 0
        assert plain(index.entries()) == {path: s.entry for path, s in fresh(tmp_path).items()}
    other = ChildUpdate(tmp_path / "library.sqlite", [tmp_path])
    other.stop()
    assert list(other.progress()) == []


def test_what_an_update_told_of_outlasts_kills_at_any_moment(variants: Variants, tmp_path: Path) -> None:
    for k in range(8):
        variants.write(tmp_path / f"{k}.mcap", k)
    command = [sys.executable, "-m", "tests.core.library.killed_updates", str(tmp_path), str(either(8, 60))]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=10 * PATIENCE)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["missing"] == 0
    assert found["told"]
    with Index(tmp_path / "index" / "library.sqlite") as index:
        refresh(index, tmp_path)
        assert plain(index.entries()) == {path: s.entry for path, s in fresh(tmp_path).items()}


def test_a_cache_that_cannot_be_written(variants: Variants, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    variants.write(tmp_path / "a.mcap", 1)
    with Index(tmp_path / "file" / "library.sqlite") as index:
        assert "cannot be kept" in index.notice
        refresh(index, tmp_path)
        assert len(index.find("")) == 1


def test_a_read_only_folder_is_only_read(variants: Variants, index: Index, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    path = variants.write(folder / "a.mcap", 1)
    os.truncate(path, path.stat().st_size - 100)
    before = path.read_bytes()
    folder.chmod(0o555)
    try:
        refresh(index, folder)
    finally:
        folder.chmod(0o755)
    assert [entry.state for entry in index.entries()] == ["damaged"]
    assert [p.name for p in folder.iterdir()] == ["a.mcap"]
    assert path.read_bytes() == before


def test_labels_beside_a_recording_are_a_change(variants: Variants, index: Index, tmp_path: Path) -> None:
    path = variants.write(tmp_path / "a.mcap", 1)
    refresh(index, tmp_path)
    append(path, Change(None, LABEL))
    refresh(index, tmp_path)
    assert [entry.labels for entry in index.find("label:stuck annotator:ann")] == [("stuck",)]
    sidecar(path).unlink()
    refresh(index, tmp_path)
    assert index.find("labelled") == []


def test_labels_that_only_the_users_data_folder_holds_are_a_change(
        variants: Variants, index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "recordings"
    folder.mkdir()
    variants.write(folder / "a.mcap", 1)
    refresh(index, folder)
    (entry,) = index.entries()
    kept = labels_of_user(entry.identity)
    kept.parent.mkdir(parents=True)
    append_lines(kept, (Change(None, LABEL),), entry.identity)
    assert pending(index, [folder]) == 1
    refresh(index, folder)
    assert [entry.labels for entry in index.find("label:stuck")] == [("stuck",)]
    assert pending(index, [folder]) == 0, "it is read once"


def test_nothing_that_others_said_is_found_blind(variants: Variants, index: Index, tmp_path: Path) -> None:
    for k in range(4):
        path = variants.write(tmp_path / f"{k}.mcap", k)
        append(path, Change(None, Annotation("ann 1", f"stuck{k}", 1.0, note="door", annotator="ann", rating=k + 1)))
    refresh(index, tmp_path)
    every = [entry.path for entry in index.find("")]
    for query in ("stuck1", "door", "ann", "note:door", "label:stuck", "annotator:ann", "rating>1", "labelled", "rated"):
        assert index.find(query), query
        assert index.find(query, blind=True) == [], query
        assert len(index.find(f"-{query}", blind=True)) == 4, query
    assert [entry.path for entry in index.find("", blind=True)] == every
    by_label, by_rating = (index.find("", sort=field, blind=True) for field in ("label", "-rating"))
    assert by_label == by_rating == sorted(by_label, key=lambda entry: str(entry.path)), "no order tells of labels"
    assert not any(entry.labels or entry.ratings or entry.annotators for entry in by_label)
    index.find("")
    assert all(entry.labels for entry in index.find(""))


def test_removing_and_clearing_touch_no_file(variants: Variants, index: Index, tmp_path: Path) -> None:
    path = variants.write(tmp_path / "a.mcap", 1)
    refresh(index, tmp_path)
    index.remove([path])
    assert index.find("") == []
    refresh(index, tmp_path)
    index.clear()
    assert index.thumbnail(path) == b""
    assert path.exists()
    with pytest.raises(UsageError):
        index.find("colour:red")


def test_whatever_is_in_its_place_the_index_works_and_says_so(variants: Variants, tmp_path: Path) -> None:
    path, aside = tmp_path / "index" / "library.sqlite", tmp_path / "index" / "library.damaged"
    variants.write(tmp_path / "a.mcap", 1)
    foreign = "CREATE TABLE entries (id INTEGER PRIMARY KEY, path); CREATE TABLE mine (x); PRAGMA user_version = {}"
    for content in (b"no database" * 1000, b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000,
                    *(foreign.format(version).encode() for version in (0, tables.VERSION, 7))):
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.mkdir()
        if content.startswith(b"CREATE"):
            with closing(sqlite3.connect(path)) as db:
                db.executescript(content.decode())
        else:
            path.write_bytes(content)
        before = path.read_bytes()
        with Index(path) as index:
            assert index.notice == (f"the index was damaged: it is made again from the recordings, and the old one is kept as "
                                    f"{aside}")
            refresh(index, tmp_path)
            assert len(index.find("")) == 1
        assert aside.read_bytes() == before, "it may be somebody's"
        with Index(path) as index:
            assert (index.notice, len(index.find(""))) == ("", 1)


def test_an_index_that_cannot_be_kept_leaves_nothing_behind(variants: Variants, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    variants.write(tmp_path / "a.mcap", 1)
    with closing(sqlite3.connect(tmp_path / "held", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        for path, why in ((tmp_path / "file" / "x", "File exists"), (tmp_path / "folder", "a folder has this name"),
                          (tmp_path / "held", "another program holds it"), (tmp_path / "\0", "null")):
            with Index(path) as index:
                assert index.is_temporary
                assert f"cannot be kept in {path} (" in index.notice
                assert why in index.notice
                refresh(index, tmp_path)
                with Index(index.path) as another:
                    assert len(another.find("")) == 1
                assert index.path.exists()
    Index(tmp_path / "read-only").close()
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda path, *_, **__: tmp_path not in Path(path).parents)
        with Index(tmp_path / "read-only") as index:
            assert "it is read-only" in index.notice
    with full_disk(), pytest.raises(DataError, match=r"neither in .*/new .* nor in a temporary folder .*make room"):
        Index(tmp_path / "new")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_disk_that_becomes_full_is_one_line_and_costs_no_entry(variants: Variants, tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    variants.write(tmp_path / "0.mcap", 0)
    with Index(path) as index:
        refresh(index, tmp_path)
        for k in range(1, 60):
            variants.write(tmp_path / f"{k}.mcap", k)
        with full_disk(path.stat().st_size), pytest.raises(DataError, match=f"index of the library, {path}, cannot be used: "):
            refresh(index, tmp_path)
        assert len(index.find("")) >= 1
        refresh(index, tmp_path)
        assert len(index.find("")) == 60


def test_no_altered_value_is_a_traceback_and_the_next_start_has_all_recordings(variants: Variants, tmp_path: Path) -> None:
    path, rng, told = tmp_path / "library.sqlite", random.Random(5), Counter[str]()
    for k in range(3):
        append(variants.write(tmp_path / f"{k}.mcap", k), Change(None, LABEL))
    with Index(path) as index:
        refresh(index, tmp_path)
        whole = plain(index.find(""))
    kept = path.read_bytes()
    for _ in range(either(60, 1000)):
        path.write_bytes(kept)
        if rng.random() < 0.8:
            alter(path, rng)
        else:
            path.write_bytes(altered_bytes(kept, rng))
        with Index(path) as index:
            told[index.notice.partition(" (")[0][-30:]] += 1
            for _ in range(2):  # what shows only in a search is made again by the next look at the folder
                index.find("toys")
                [index.thumbnail(entry.path) for entry in index.find("stuck")]
                [field.key(entry) for entry in index.entries() for field in FIELDS.values()]
                refresh(index, tmp_path)
            found = plain(index.find(""))
            assert not index.is_temporary
        assert found.keys() >= whole.keys()
        with Index(path) as index:
            assert not index.notice
            assert not [progress for progress in refresh(index, tmp_path) if progress.total]
    assert len(told) > 1


def alter(path: Path, rng: random.Random) -> None:
    """Gives one cell of one table another value, as another program could."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        named = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        name = rng.choice([*["entries"] * 6, *named])
        columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({name})")]
        with suppress(sqlite3.Error):  # some tables take no such value
            db.execute(f"UPDATE {name} SET {rng.choice(columns)} = ?", (rng.choice(CELLS),))


CELLS = (None, 0, 1, -1, 2**63 - 1, -2**63, 1e308, float("inf"), "", "x", "[]", "[1", '["a", 5]', "{}", b"", b"\xff\xfe",
         b"x" * 99, "ok", "gone", "é\x1b[2J\n", "[" * 3000)


def test_values_of_recordings_that_no_index_can_hold_are_one_line(variants: Variants, index: Index, tmp_path: Path) -> None:
    path = variants.write(tmp_path / "a.mcap", 1)
    summary = summarise(path, file_state(path), CODEC)
    with pytest.raises(DataError, match="turns"):
        check(replace(summary.entry, turns=2**63))
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.mcap"))
    entry = replace(summary.entry, path=odd, goal="half a \ud83d pair", labels=("\ud83d",))
    index.put([replace(summary, entry=entry, words=replace(summary.words, notes="\ud83d note"))])
    (found,) = index.find("note")
    assert (found.path, found.goal, found.labels) == (odd, "half a ? pair", ("?",))
    assert index.thumbnail(odd) == summary.thumbnail
    index.mark([(odd, "gone")])
    assert [entry.state for entry in index.entries()] == ["gone"]
    index.remove([odd])
    assert index.entries() == []
