"""Recordings of formats 1 and 2 are read. What their events do not hold is left out or derived, never invented."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any, cast

import pytest

from core.common.errors import DataError
from core.common.parameters import Parameters
from core.common.recorded import added_fields, field_name
from core.planning.facets import Grounding
from core.recording import mcap_messages
from core.recording.exports import export
from core.recording.reader import open_recording
from core.recording.types import TYPES, UPGRADES, recorded_name
from core.recording.writer import QueuedEvent
from core.recording.writer import RecordingWriter as Writer
from core.session import commands as c
from core.session import events as e
from core.session.snapshot import fold_all
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import Ear, session

NEW = {recorded_name(cls): names for cls in TYPES if (names := added_fields(cls))}
FIELDS = tuple(Path(__file__).with_name(f"fields_of_format_{number}.json") for number in (1, 3))
"""The fields of every recorded class when it was first written: in versions of format 1, and in the first of format 3."""


def earlier(value: Any, of: str = "") -> Any:
    """Returns a value without the fields that later formats added."""
    if isinstance(value, list):
        return [earlier(v) for v in value]
    if not isinstance(value, dict):
        return value
    left_out = NEW.get(value.get("$", of), frozenset())
    return {key: earlier(v) for key, v in value.items() if key not in left_out}


@pytest.fixture(params=["1", "2"])
def old(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Makes recorders write as an earlier version did, which recorded nothing of where a run goes on."""
    add = Writer.add

    def add_old(self: Writer, heard: QueuedEvent) -> None:
        what = heard.event.what
        if isinstance(what, e.Standing) or (isinstance(what, e.Shown) and what.of is not None):
            return
        plain = CODEC.plain(heard.event) if request.param == "1" else json.loads(heard.encoded or b"{}")
        data = json.dumps(earlier(plain), separators=(",", ":")).encode()
        add(self, QueuedEvent(heard.event, None, data))

    monkeypatch.setattr(Writer, "add", add_old)
    monkeypatch.setattr(mcap_messages, "FORMAT", request.param)
    return str(request.param)


def played(path: Path, ear: Ear, *, linger: bool = False) -> list[e.Event]:
    recorder = recorder_of(path, ear.session, [])
    ear.session.run(linger=linger)
    recorder.close()
    return ear.events


def test_a_run_of_an_earlier_format_is_read_as_it_was(tmp_path: Path, old: str) -> None:
    run, ear = session()
    run.post(c.Pause())
    ear.when(lambda event: isinstance(event.what, e.Paused), c.Resume())
    ear.when(lambda event: event.turn == 4 and isinstance(event.what, e.TurnBegan), c.Rewind(2))
    events = played(tmp_path / "a.mcap", ear)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.metadata["format"] == old
        end, live = recording.snapshot_at(), fold_all(events)
        assert (end.ended, end.outcome, end.branches) == (live.ended, live.outcome, live.branches)
        assert [(t.moment, t.done) for t in end.turns] == [(t.moment, t.done) for t in live.turns]
        assert end.facets.keys() == live.facets.keys()
        read = list(recording.events())
        assert [event.number for event in read] == sorted(event.number for event in read)
        assert all(one.worked <= other.worked for one, other in itertools.pairwise(read))
        paused = next(k for k, event in enumerate(read) if isinstance(event.what, e.Paused))
        resumed = next(k for k, event in enumerate(read) if isinstance(event.what, e.Resumed))
        assert read[paused].worked == read[resumed].worked, "a pause is no work"
        assert 0 < end.worked <= end.at
        back = next(event.number for event in read if isinstance(event.what, e.Rewound))
        assert not recording.snapshot_at(back).facets, "what another branch showed is not of this one"
    export(tmp_path / "a.mcap", "csv", tmp_path / "a.csv", CODEC)
    export(tmp_path / "a.mcap", "html", tmp_path / "a.html", CODEC)


def test_an_end_that_was_told_again_by_an_earlier_version_is_the_first_one(tmp_path: Path) -> None:
    """Earlier sessions reported a stop after their end. The outcome of such a file is the first end."""
    run, ear = session()
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.run()
    last = ear.events[-1]
    recorder.on_event(e.Event(last.number + 1, last.at + 9, last.turn, 0, e.Ended(False, e.STOPPED, ()), worked=last.worked))
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        end = recording.snapshot_at()
        assert end.ended == last.what
        assert end.outcome.words == "reached"
        assert end.progress
        assert all(p.reached for p in end.progress)


@pytest.mark.parametrize("fields", FIELDS, ids=lambda path: path.stem)
def test_every_field_that_was_added_since_may_be_missing(fields: Path) -> None:
    """Otherwise recordings of earlier versions cannot be read."""
    then: dict[str, list[str]] = json.loads(fields.read_text("utf-8"))
    known = [cls for cls in TYPES if recorded_name(cls) in then and not issubclass(cls, Parameters) and cls not in UPGRADES]
    assert len(known) > len(then) * 0.9, "a class that has another name now is recorded under the one it had"
    for cls in known:  # those of UPGRADES are tested with the values that they replace
        before, now = set(then[recorded_name(cls)]), {field_name(field): field for field in dataclasses.fields(cast(Any, cls))}
        assert before <= now.keys(), f"recordings hold fields of {cls.__name__} that are gone"
        assert now.keys() - before <= added_fields(cls), f"declare the new fields of {cls.__name__} with metadata=ADDED"
        assert not any(now[name].default is now[name].default_factory is dataclasses.MISSING for name in added_fields(cls))


def test_a_grounding_of_an_earlier_version_is_read() -> None:
    grounding = CODEC.plain(Grounding("digest", "reply", "left", 0.5, "exact", words_only=True))
    del grounding["words_only"]
    assert CODEC.value(grounding, Grounding) == Grounding("digest", "reply", "left", 0.5, "exact")
    with pytest.raises(DataError, match="with an unknown more"):
        CODEC.value({**grounding, "more": 1}, Grounding)
    del grounding["score"]
    with pytest.raises(DataError, match="without score"):
        CODEC.value(grounding, Grounding)
