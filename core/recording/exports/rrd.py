"""A Rerun file of one or many recordings: pictures with their boxes, log lines, and curves of numbers.

A turn without a picture of its own shows none: the picture of the turn before is cleared at its beginning.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import rerun as rr  # type: ignore[import-not-found,import-untyped,unused-ignore]

from core.common import child_python
from core.common.errors import DataError
from core.common.visible import path_text, readable
from core.planning.belief_facets import Belief
from core.planning.facets import Frame, Moment
from core.planning.search_facets import Ranking
from core.recording.annotations import final
from core.recording.exports.episodes import Source
from core.recording.exports.timeline import Pictures
from core.recording.label_turns import TurnLabels, label_words, turns_of
from core.recording.losses import turn_words
from core.recording.mcap_messages import VIEWS, logged, picture_topic
from core.recording.reader import Recording, TurnMark
from core.session.event_lines import EventFormatter
from core.session.events import Event, Shown, TurnBegan

LEVELS = {"info": rr.TextLogLevel.INFO, "warning": rr.TextLogLevel.WARN, "error": rr.TextLogLevel.ERROR}


def write(recording: Recording, out: Path) -> Path:
    """Writes the file."""
    if path_text(out) == str(out):
        return _write(recording, out)
    with tempfile.TemporaryDirectory() as folder:  # Rerun opens only names in UTF-8
        shutil.move(_write(recording, Path(folder) / "one.rrd"), out)
    return out


def _write(recording: Recording, out: Path) -> Path:
    name = readable(recording.path.stem)
    stream = rr.RecordingStream("belvedere", recording_id=" ".join(filter(None, (recording.metadata.get("began"), name))))
    stream.save(str(out))
    stream.send_recording_name(name)
    shots, formatter = {view: recording.jpegs(view) for view in VIEWS}, EventFormatter()
    turns = {Moment(turn.branch, turn.number): turn for turn in recording.turns()}
    for event in recording.events():
        seconds, turn = _time_of(event, turns)
        stream.set_time("session", duration=seconds)
        stream.set_time("work", duration=event.worked)
        stream.set_time("turn", sequence=turn)
        if (line := formatter.format(event)) is not None:
            stream.log("log", rr.TextLog(line.text, level=LEVELS[logged(line).level]))
        if isinstance(event.what, TurnBegan):
            for number, literal in enumerate(event.what.progress):
                stream.log(f"goal/{number}", rr.Scalars(literal.have))
            pictures = recording.picture_rows
            for view in pictures.views:
                if pictures.of(view, event.moment) is None:  # otherwise the viewer keeps showing an earlier turn's
                    stream.log(picture_topic(view)[1:], rr.Clear(recursive=True))
                    stream.log("log", rr.TextLog(f"no {view} picture of turn {turn}", level=rr.TextLogLevel.WARN))
        if isinstance(event.what, Shown):
            _shown(stream, event, event.what)
            if isinstance(event.what.facet, Frame) and not event.what.facet.is_missing:
                _, jpeg = next(shots[event.what.facet.camera])
                stream.log(_place(event.what.facet), rr.EncodedImage(contents=jpeg, media_type="image/jpeg"))
    _labels(stream, recording)
    stream.log("outcome", rr.TextDocument(recording.snapshot_at().outcome.words), static=True)
    if recording.notice:
        stream.log("notice", rr.TextDocument(recording.notice), static=True)
    stream.flush()
    stream.disconnect()
    return out


def write_together(sources: Sequence[Source], out: Path) -> list[str]:
    """Writes one file of many recordings, which the viewer lists by name.

    Rerun's own tool joins them, because files put end to end have no valid index.

    Returns:
        What is missing there, one clause each.

    Raises:
        DataError: a recording cannot be read, or the files cannot be joined.
    """
    missing: list[str] = []
    beside = out.parent if path_text(out.parent) == str(out.parent) else None
    with tempfile.TemporaryDirectory(dir=beside, prefix=".rerun ") as folder:
        parts = [Path(folder) / f"{number}.rrd" for number in range(len(sources))]
        for source, part in zip(sources, parts, strict=True):
            with source() as recording:
                write(recording, part)
                missing += [f"{recording.path.name}: {what}" for what in Pictures.of(recording).missing()]
        joined = Path(folder) / "joined.rrd"
        done = subprocess.run(child_python.command("rerun", "rrd", "merge", *map(str, parts), "-o", str(joined)), check=False,
                              capture_output=True, text=True, env={**child_python.environment(), "RERUN_ANALYTICS": "0"})
        if done.returncode or not joined.exists():
            raise DataError(f"Rerun could not join the recordings: {' '.join(done.stderr.split())[-200:]}")
        shutil.move(joined, out)
    return missing


def _labels(stream: rr.RecordingStream, recording: Recording) -> None:
    """Logs each label in every turn in which it counts: at its time in the turn it was made for, else as the turn begins."""
    labels = TurnLabels.of(recording)
    for a in final(labels.given):
        for moment in turns_of(a, labels.spans):
            is_own = moment == Moment(a.branch, a.turn)
            seconds = a.at if is_own else labels.began(moment)
            stream.set_time("session", duration=seconds)
            stream.set_time("work", duration=recording.worked_at(seconds))
            stream.set_time("turn", sequence=moment.turn)
            until = f", until {a.until:.1f} s" if a.until is not None and is_own else ""
            words = f"{label_words(a)} ({turn_words(moment, labels.state(moment))}{until})"
            stream.log("labels", rr.TextLog(words, level=rr.TextLogLevel.INFO))


def _time_of(event: Event, turns: Mapping[Moment, TurnMark]) -> tuple[float, int]:
    """Returns seconds and turn of an event; for a picture those of the state it shows, not those of its arrival."""
    what = event.what
    if not (isinstance(what, Shown) and isinstance(what.facet, Frame)) or what.facet.phase == "about":
        return event.at, event.turn
    frame = what.facet
    mark = turns.get(frame.moment)
    if mark is None:
        return event.at, frame.turn
    return (mark.ended or mark.began) if frame.phase == "after" else mark.began, frame.turn


def _place(frame: Frame) -> str:
    return picture_topic(frame.camera)[1:]


def _shown(stream: rr.RecordingStream, event: Event, shown: Shown) -> None:
    match shown.facet:
        case Frame() as frame:
            boxes = np.array([box for _, box in frame.boxes], np.float32).reshape(-1, 4)
            stream.log(f"{_place(frame)}/boxes", rr.Boxes2D(array=boxes, array_format=rr.Box2DFormat.XYXY,
                                                            labels=[name for name, _ in frame.boxes]))
        case Belief() as belief:
            stream.log("belief", rr.Tensor(belief.probability, dim_names=("object", "place")))
        case Ranking() as ranking:
            for place, action in enumerate(ranking.actions[:3]):
                if action.value is not None:
                    stream.log(f"ranking/{place}/value", rr.Scalars(action.value))
