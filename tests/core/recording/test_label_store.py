"""Labels of several windows in files: renamed, copied, killed, full disks, undone. Nothing that was given is missing."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.recording import label_file
from core.recording.annotations import append, live_changes, read_annotations, sidecar
from core.recording.files import labels_of_user, move_recording
from core.recording.label_log import LabelLog
from core.recording.label_store import LabelStore
from core.recording.reader import Recording, open_recording
from core.session.annotation import Annotation, Change, new_id
from core.session.commands import Annotate
from tests.core.recording.common import CODEC, recorded
from tests.long_tests import either

ROOT = Path(__file__).parents[3]


class Place:
    """Where a recording is, and whether its folder takes files.

    Attributes:
        path: its present path.
        full: whether nothing can be written beside it.
    """

    def __init__(self, path: Path):
        self.path, self.full = path, False
        with open_recording(path, CODEC) as recording:
            self.run, self.live = recording.identity, live_changes(recording)

    @contextmanager
    def written(self) -> Iterator[None]:
        """Refuses to write beside the recording while it is full. Nothing waits for the device."""
        real = label_file.append

        def write(path: Path, changes: Iterable[Change], run: str = "") -> None:
            if self.full and path.parent == self.path.parent:
                raise DataError(f"cannot write {path}: No space left on device")
            real(path, changes, run)

        with patch.object(label_file, "append", write), patch("os.fsync"):
            yield

    def read(self, path: Path | None = None) -> LabelLog:
        """Returns the labels as any reader finds them."""
        with open_recording(path or self.path, CODEC) as recording:
            return read_annotations(recording)[0]


class Window:
    """One annotator's window on a recording: what it shows, what it has done, and its files."""

    def __init__(self, place: Place, annotator: str):
        self.annotator, self.shown = annotator, place.read()
        self.store = LabelStore(place.run, lambda: place.path, place.live)
        self.done: list[Change] = []

    def look(self) -> None:
        """Takes what the other window has written."""
        for change in self.store.read():
            self.shown.take(change)

    def change(self, before: Annotation | None, after: Annotation | None) -> None:
        """Changes a label."""
        change = self.shown.next(before, after)
        self.shown.take(change)
        self.store.give((change,))
        self.done.append(change)

    def mine(self) -> list[Annotation]:
        """The labels of this annotator."""
        return [a for a in self.shown.annotations.values() if a.annotator == self.annotator]


class Given:
    """What was told to the annotators: the last note and rating of each label, and which labels were removed."""

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}
        self.ratings: dict[str, int | None] = {}
        self.removed: set[str] = set()

    def check(self, found: LabelLog) -> None:
        """Asserts that nothing is missing, and that nothing removed is there unless the other annotator had rated it."""
        assert {key: found.annotations[key].note for key in self.notes.keys() - self.removed} == {
            key: note for key, note in self.notes.items() if key not in self.removed}
        assert {key: a.rating for key, a in found.annotations.items() if key in self.ratings} == {
            key: rating for key, rating in self.ratings.items() if key in found.annotations}
        assert all(self.ratings[key] for key in self.removed & found.annotations.keys())


class Story:
    """Two annotators at work on one recording; each step is a method.

    Attributes:
        windows: theirs.
        given: what was told to them.
    """

    def __init__(self, place: Place):
        self.place, self.given = place, Given()
        self.windows = [Window(place, "ann"), Window(place, "bob")]

    def give(self, window: Window, which: int) -> None:
        """Gives a new label."""
        new = Annotation(new_id(), "stuck", float(which), annotator=window.annotator, note=f"note {which}")
        self.given.notes[new.id], self.given.ratings[new.id] = new.note, None
        window.change(None, new)

    def note(self, window: Window, which: int) -> None:
        """Changes the note of an own label."""
        for own in window.mine()[which:which + 1]:
            self.given.notes[own.id] = f"{own.note} {which}"
            window.change(own, replace(own, note=self.given.notes[own.id]))

    def rate(self, window: Window, which: int) -> None:
        """Rates a label of the other annotator."""
        others = [a for a in window.shown.annotations.values() if a.annotator != window.annotator and a.id in self.given.notes]
        for a in others[which:which + 1]:
            if a.rating != 1 + which % 5:
                self.given.ratings[a.id] = 1 + which % 5
                window.change(a, replace(a, rating=1 + which % 5))

    def remove(self, window: Window, which: int) -> None:
        """Removes an own label."""
        for own in window.mine()[which:which + 1]:
            self.given.removed.add(own.id)
            window.change(own, None)

    def undo(self, window: Window, which: int) -> None:
        """Undoes the last change of this window if it was that of a note, which only its annotator changes."""
        del which
        last = window.done[-1] if window.done else Change(None, None)
        now = window.shown.annotations.get(last.key)
        if now and last.before and last.after and now.note == last.after.note != last.before.note:
            self.given.notes[now.id] = last.before.note
            window.change(now, replace(now, note=last.before.note))

    def look(self, window: Window, which: int) -> None:
        """Sees what the other one has done."""
        del which
        window.look()

    def rename(self, window: Window, which: int) -> None:
        """Renames the recording, with the file beside it or, for an odd number, without."""
        del window
        old, new = self.place.path, self.place.path.with_name(f"{which}.mcap")
        if not new.exists():
            if which % 2 == 0 and sidecar(old).exists() and not sidecar(new).exists():
                sidecar(old).rename(sidecar(new))
            self.place.path = old.rename(new)

    def kill(self, window: Window, which: int) -> None:
        """Kills a window in the middle of a line, and opens the recording again."""
        del which
        with sidecar(self.place.path).open("a") as file:
            file.write('{"run": "half a li')
        self.windows[self.windows.index(window)] = Window(self.place, window.annotator)

    def fill(self, window: Window, which: int) -> None:
        """Fills the disk, or makes room."""
        del window
        self.place.full = which % 2 == 0


ACTS = (Story.give, Story.give, Story.note, Story.rate, Story.remove, Story.undo, Story.look, Story.rename, Story.kill,
        Story.fill)
STEPS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(ACTS), st.integers(0, 5)), max_size=30)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with a label of its own."""
    path = tmp_path_factory.mktemp("source") / "a.mcap"
    recorded(path, Annotate("nice", "live", annotator="ann"), steps=2)
    return path


@settings(max_examples=either(30, 1000))
@example(steps=[(0, Story.give, 0), (1, Story.look, 0), (0, Story.note, 1), (1, Story.rate, 0)])
@example(steps=[(1, Story.give, 0), (0, Story.look, 0), (1, Story.remove, 0), (0, Story.rate, 0), (1, Story.look, 0)])
@given(steps=STEPS)
def test_nothing_that_two_people_give_is_missing(tmp_path_factory: pytest.TempPathFactory, source: Path,
                                                 steps: list[tuple[int, Callable[[Story, Window, int], None], int]]) -> None:
    place = Place(Path(shutil.copy(source, tmp_path_factory.mktemp("labels") / "a.mcap")))
    labels_of_user(place.run).unlink(missing_ok=True)
    with place.written():
        story = Story(place)
        for who, step, which in steps:
            step(story, story.windows[who], which)
        given, windows = story.given, story.windows
        given.check(place.read())
        for window in windows:
            window.look()
            given.check(window.shown)
        copied = Path(shutil.copy(place.path, tmp_path_factory.mktemp("copied") / "elsewhere.mcap"))
        given.check(place.read(copied))
        place.full = False
        for window in windows:
            window.store.save()
            assert not window.store.unsaved
        labels_of_user(place.run).unlink(missing_ok=True)
        if all(window.done for window in windows):
            given.check(place.read())  # on another computer, the files beside it are all there is
    assert place.path.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("labelled", [False, True], ids=["the first label", "a later label"])
def test_a_label_that_is_written_while_its_recording_moves_goes_along(tmp_path: Path, labelled: bool) -> None:
    recorded(tmp_path / "a.mcap", steps=2)
    place = Place(tmp_path / "a.mcap")
    store, new, write = LabelStore(place.run, lambda: place.path, place.live), tmp_path / "b.mcap", label_file.append
    given = [Change(None, Annotation(new_id(), label, 0.0), 1) for label in ("stuck", "mistake")]
    if labelled:
        store.give(given[:1])

    def moved_before(path: Path, changes: Iterable[Change], run: str = "") -> None:
        if path == sidecar(tmp_path / "a.mcap"):
            move_recording(place.path, new)
            place.path = new
        write(path, changes, run)

    with patch.object(label_file, "append", moved_before):
        store.give(given[1:] if labelled else given)
    assert {a.label for a in place.read().annotations.values()} == {"stuck", "mistake"}
    assert not store.unsaved
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.mcap", sidecar(new).name]


def test_a_file_beside_another_recording_of_the_name_keeps_its_labels_to_itself(tmp_path: Path) -> None:
    """A recording is replaced by another of its name; later lines go to the same file, and each line names its run."""
    recorded(tmp_path / "a.mcap", steps=1)
    recorded(tmp_path / "b.mcap", steps=1)
    first = Place(tmp_path / "a.mcap")
    Window(first, "ann").change(None, Annotation("one", "stuck", 0.0))
    labels_of_user(first.run).unlink()
    (tmp_path / "a.mcap").rename(tmp_path / "old.mcap")
    (tmp_path / "b.mcap").rename(tmp_path / "a.mcap")
    second = Place(tmp_path / "a.mcap")
    assert not second.read().annotations
    Window(second, "ann").change(None, Annotation("two", "stuck", 0.0))
    assert [*second.read().annotations] == ["two"]
    assert [*first.read(tmp_path / "old.mcap").annotations] == ["one"], "found by the run, beside a recording of another name"
    assert len({json.loads(line)["run"] for line in sidecar(tmp_path / "a.mcap").read_text().splitlines()}) == 2


def test_labels_of_an_earlier_version_stay_when_a_recording_is_renamed_with_them_and_labelled(tmp_path: Path) -> None:
    path, new = tmp_path / "a.mcap", tmp_path / "b.mcap"
    recorded(path, steps=1)
    append(path, Change(None, Annotation("ann 1", "stuck", 1.0, annotator="ann")))
    place = Place(path)
    Window(place, "ann").change(None, Annotation(new_id(), "mistake", 2.0))
    place.path = path.rename(new)
    labels_of_user(place.run).unlink()
    assert {a.label for a in place.read().annotations.values()} == {"stuck", "mistake"}
    window = Window(place, "ann")
    stuck = window.shown.annotations["ann 1"]
    window.change(stuck, replace(stuck, note="late"))
    assert place.read().annotations["ann 1"].note == "late"


def test_a_window_that_cannot_read_a_users_file_shows_the_others(tmp_path: Path) -> None:
    recorded(tmp_path / "a.mcap", steps=1)
    place = Place(tmp_path / "a.mcap")
    append(place.path, Change(None, Annotation("ann 1", "stuck", 1.0)))
    labels_of_user(place.run).mkdir(parents=True)
    with open_recording(place.path, CODEC) as recording:
        log, notice = read_annotations(recording)
    assert [*log.annotations] == ["ann 1"]
    assert "is no file: move it away" in notice
    window = Window(place, "ann")
    window.change(None, Annotation(new_id(), "mistake", 2.0))
    assert not window.store.unsaved, "it is beside the recording"


CHILD = """
import sys
from pathlib import Path
from core.recording.label_store import LabelStore
from core.session.annotation import Annotation, new_id
store = LabelStore(sys.argv[2], lambda: Path(sys.argv[1]))
while True:
    store.give((store.log.next(None, Annotation(new_id(), "stuck", 1.0, note=str(len([*store.log.changes()])))),))
    print(len(store.log.annotations), flush=True)
"""


@pytest.mark.parametrize("number", range(either(2, 30)))
def test_every_label_that_was_told_survives_a_kill(tmp_path: Path, number: int) -> None:
    recorded(tmp_path / "a.mcap", steps=1)
    place, told = Place(tmp_path / "a.mcap"), 0
    wanted = random.Random(number).randrange(3, 60)
    with subprocess.Popen([sys.executable, "-c", CHILD, str(place.path), place.run], cwd=ROOT, stdout=subprocess.PIPE,
                          text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            told = int(line)
            if told == wanted:
                child.send_signal(signal.SIGKILL)
                break
        told = max([told, *(int(line) for line in child.stdout if line.strip().isdigit())])
    notes = {int(a.note) for a in place.read().annotations.values()}
    assert notes >= set(range(told))


def test_a_recording_without_metadata_is_told_from_others_by_its_first_event(tmp_path: Path) -> None:
    for name in ("a", "b"):
        recorded(tmp_path / f"{name}.mcap", steps=1)

    def identity(recording: Recording) -> str:
        recording.metadata = {}
        return recording.identity

    with open_recording(tmp_path / "a.mcap", CODEC) as one, open_recording(tmp_path / "b.mcap", CODEC) as other:
        assert one.identity != other.identity, "every run has an id of its own"
        assert len(identity(one)) == 24
        assert identity(one) == identity(one)
        assert identity(other)
