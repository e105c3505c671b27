"""A Rerun recording: pictures with their boxes, log lines, and what can be drawn as curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rerun as rr  # type: ignore[import-not-found,import-untyped,unused-ignore]

from core.events import Event, Shown, TurnBegan
from core.facets import Belief, Frame, Ranking
from core.recording.reader import Recording
from core.recording.tape import picture_topic
from core.recording.telling import line_of

LEVELS = {"info": rr.TextLogLevel.INFO, "warning": rr.TextLogLevel.WARN, "error": rr.TextLogLevel.ERROR}


def write(recording: Recording, out: Path) -> Path:
    """The file."""
    stream = rr.RecordingStream("belvedere", recording_id=recording.metadata.get("began") or recording.path.stem)
    stream.save(str(out))
    shots = {view: iter(recording.jpegs(view)) for view in ("first person", "dollhouse")}
    for event in recording.events():
        stream.set_time("session", duration=event.at)
        stream.set_time("work", duration=event.worked)
        stream.set_time("turn", sequence=event.turn)
        line = line_of(event.what)
        if line is not None:
            stream.log("log", rr.TextLog(line.text, level=LEVELS[line.level]))
        if isinstance(event.what, TurnBegan):
            for number, literal in enumerate(event.what.progress):
                stream.log(f"goal/{number}", rr.Scalars(literal.have))
        if isinstance(event.what, Shown):
            _shown(stream, event, event.what)
            if isinstance(event.what.facet, Frame) and not event.what.facet.notice.startswith("this picture"):
                _, jpeg = next(shots[event.what.facet.view])
                stream.log(_place(event.what.facet), rr.EncodedImage(contents=jpeg, media_type="image/jpeg"))
    stream.log("outcome", rr.TextDocument(recording.snapshot_at().outcome.words), static=True)
    stream.flush()
    stream.disconnect()
    return out


def _place(frame: Frame) -> str:
    return picture_topic(frame.view)[1:]


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
