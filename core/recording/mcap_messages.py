"""Writes events as MCAP messages: one topic per kind; pictures, boxes and log lines as other viewers expect them.

The JSON schemas of events are simple enough for the readers of other viewers: no references, no unions, no lists of lists. They
describe what is always present. What may be missing or be of several types is allowed without being listed.
"""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.ImageAnnotations_pb2 import ImageAnnotations
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.PointsAnnotation_pb2 import PointsAnnotation
from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp
from mcap_protobuf.schema import build_file_descriptor_set

from core.common.docstrings import first_line
from core.common.errors import DataError
from core.common.recorded import field_name
from core.common.redaction import Redactor
from core.llm.sources import sources_text
from core.planning.facets import Frame, Moment, Phase, View
from core.recording.codec import Codec
from core.recording.container import PROFILE, Container
from core.recording.files import DurableFile
from core.recording.keyframes import KEYFRAMES
from core.recording.pictures import jpeg_of
from core.recording.types import hints_of
from core.session import event_lines
from core.session.command import Settings
from core.session.commands import UseModel
from core.session.events import Acted, Began, CommandTaken, Event, Payload, Shown, TurnBegan
from core.session.outcome import CUT_OFF, Outcome

FORMAT = "3"
READ_FORMATS = ("1", "2", FORMAT)
"""In format 1 every object had its class under "$". Up to format 2 pictures did not say which turn they show, and events did
not separate work from waiting for a person."""
MOST_EVENT = 32 * 2**20
"""Maximum size of an event in bytes. Readers refuse chunks over twice this size, which could be forged to fill the memory."""
VIEWS: tuple[View, ...] = ("first person", "dollhouse")
LOG = "/log"
Level = Literal["info", "warning", "error"]
LEVELS = {"info": Log.INFO, "warning": Log.WARNING, "error": Log.ERROR}
LEVEL_OF: Final[Mapping[str, Level]] = {"warn": "warning", "bad": "error"}
"""The level of a line, by its colour; others are information."""
BOX = (0.36, 0.83, 0.90, 1.0)
"""The colour of boxes: red, green, blue, opacity."""
FIRST_TOPICS = ("/frames/first_person", "/frames/first_person/boxes", "/frames/dollhouse", "/frames/dollhouse/boxes", LOG)
"""The topics of channels 1, 2, … of every recording, so that pictures can be assigned even if the channel records are lost."""
LOST = "/lost/"
"""Topics of repaired recordings begin so if their channel records were lost."""
OURS = ("/events/", "/facets/", LOST)
"""The topics of events begin so. Other messages in a file may be of other programs."""
KEYFRAME_SCHEMA = b'{"type":"object","properties":{"after":{"type":"integer"},"since":{"type":"integer"}}}'
"""What other viewers may show of a keyframe: the event it was made after, and that of the keyframe before it."""

def picture_topic(view: View) -> str:
    """Returns the topic of a camera's pictures."""
    return f"/frames/{view.replace(' ', '_')}"


def event_topic(what: Payload) -> str:
    """Returns the topic of an event: `/events/acted`; for facets such as `/facets/search_tree`."""
    if isinstance(what, Shown):
        return f"/facets/{_snake(type(what.facet).__name__)}"
    return f"/events/{_snake(type(what).__name__)}"


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class McapMessages:
    """Turns events into the bytes of an MCAP file. Knows no disk and no threads.

    Args:
        began: the time at which the session's clock stood at 0, in nanoseconds since 1970.
        run: the identity of the run.
    """

    def __init__(self, buffer: DurableFile, codec: Codec, redactor: Redactor, began: int, run: str):
        self._codec, self._redactor, self._began, self._run = codec, redactor, began, run
        self._file = Container(buffer)
        self._file.start(PROFILE, "belvedere")
        self._formatter = event_lines.EventFormatter()
        self._outcome: dict[str, str] = {}
        self._metadata, self._settings = dict[str, str](), Settings()
        self._topics: dict[str, int] = {}
        self._channels: dict[tuple[Any, Any], int] = {}
        self._times: dict[tuple[Moment, Phase], int] = {}
        """When the robot was in the states that pictures show, in nanoseconds since 1970."""
        for topic, kind in zip(FIRST_TOPICS, (CompressedImage, ImageAnnotations) * len(VIEWS) + (Log,), strict=True):
            schema = self._file.schema(kind.DESCRIPTOR.full_name, "protobuf", _descriptors(kind))
            self._topics[topic] = self._file.channel(topic, "protobuf", schema)

    def add(self, event: Event, encoded: bytes) -> None:
        """Adds one event, with everything that other viewers show of it.

        Args:
            event: the event.
            encoded: the event without pixels, as the codec encodes it.

        Raises:
            DataError: it is too large.
        """
        what = event.what
        if isinstance(what, Began | CommandTaken):
            self._write_metadata(what)
        elif isinstance(what, TurnBegan | Acted):
            phase: Phase = "before" if isinstance(what, TurnBegan) else "after"
            self._times[event.moment, phase] = self._time(event)
        data = self._redactor.json(encoded)
        if len(data) > MOST_EVENT:
            raise DataError(f"{type(what).__name__} of {len(data):,} bytes is too large to be recorded")
        self._message(self._json(what), event, data)
        line = self._formatter.format(event)
        if line is not None:
            self.log(logged(line), event)
        if isinstance(what, Shown) and isinstance(what.facet, Frame):
            self._picture(what.facet, event)

    def keyframe(self, event: Event, encoded: bytes) -> None:
        """Adds a keyframe after an event, as `core.recording.keyframes` encodes it.

        Raises:
            DataError: it is too large.
        """
        data = self._redactor.json(encoded)
        if len(data) > MOST_EVENT:
            raise DataError(f"a keyframe of {len(data):,} bytes is too large to be recorded")
        if KEYFRAMES not in self._topics:
            schema = self._file.schema("belvedere.Keyframe", "jsonschema", KEYFRAME_SCHEMA)
            self._topics[KEYFRAMES] = self._file.channel(KEYFRAMES, "json", schema)
        self._message(self._topics[KEYFRAMES], event, data)

    def outcome(self, outcome: Outcome) -> None:
        """Writes the outcome so far as metadata if it has changed.

        The last one counts. Nothing is written before there is an end.
        """
        values = {"success": str(outcome.success).lower(), "reason": self._redactor.text(outcome.reason),
                  "branch": str(outcome.branch)}
        if values != self._outcome and (self._outcome or outcome.reason != CUT_OFF):
            self._outcome = values
            self._file.metadata("belvedere.end", values)

    def log(self, line: Line, event: Event) -> None:
        """Adds a line to the log, at the time of an event."""
        clean = line._replace(text=self._redactor.text(line.text))
        self._message(self._topics[LOG], event, log_message(clean, self._time(event)))

    def flush(self) -> None:
        """Writes everything that was added to the buffer, as a finished chunk."""
        self._file.flush()

    def ending(self) -> bytes:
        """Returns the bytes that complete the file. More may be added instead of them."""
        return self._file.ending()

    def _picture(self, frame: Frame, event: Event) -> None:
        """Adds a picture at the time of the state it shows, however late it was drawn: other viewers sort by that time."""
        if frame.pixels.size:
            topic, time = picture_topic(frame.camera), self._times.get((frame.moment, frame.phase), self._time(event))
            self._message(self._topics[topic], event, image_message(frame, time), time)
            self._message(self._topics[f"{topic}/boxes"], event, boxes_message(frame, time), time)

    def _write_metadata(self, what: Began | CommandTaken) -> None:
        """Writes metadata that is useful before the recording is read, again when another model answers; the last counts."""
        if isinstance(what, Began):
            self._metadata = metadata_of(what, self._began, self._codec) | {"run": self._run}
            self._settings = Settings(sources=() if what.source is None else (what.source,))
        elif what.ok and isinstance(what.command, UseModel):
            self._settings = what.command.settings_after(self._settings)
        else:
            return
        values = self._metadata | ({"answers": answers} if (answers := sources_text(self._settings.sources)) else {})
        self._file.metadata("belvedere", {k: self._redactor.text(v) for k, v in values.items()})

    def _time(self, event: Event) -> int:
        return self._began + round(event.at * 1e9)

    def _message(self, channel: int, event: Event, data: bytes, time: int | None = None) -> None:
        """Adds one message, logged at its own time or at its event's."""
        event_time = self._time(event)
        self._file.message(channel, event.number % 2**32, event_time if time is None else time, event_time, data)

    def _json(self, what: Payload) -> int:
        kind: tuple[Any, Any] = type(what), type(what.facet) if isinstance(what, Shown) else None
        if kind not in self._channels:
            name = f"belvedere.{(kind[1] or kind[0]).__name__}"
            schema = self._file.schema(name, "jsonschema", event_schema(*kind))
            self._channels[kind] = self._file.channel(event_topic(what), "json", schema)
        return self._channels[kind]


def metadata_of(what: Began, began: int, codec: Codec) -> dict[str, str]:
    """Returns what is known of a run before it is read.

    Args:
        what: its beginning.
        began: the time at which the session's clock stood at 0, in nanoseconds since 1970.
        codec: knows the planner's parameters.
    """
    return {
        "format": FORMAT, "began": datetime.fromtimestamp(began / 1e9, UTC).isoformat(timespec="milliseconds"),
        "planner": what.planner, "simulator": what.simulator, "scene": what.scene, "provider": what.provider,
        "seed": str(what.seed), "goal": what.goal.text, "most_steps": str(what.most_steps),
        "parameters": codec.dumps(what.parameters), **{f"version of {name}": number for name, number in what.versions},
    }


def answers_of(metadata: Mapping[str, str]) -> str:
    """Returns who answered the planner, one after the other; only the provider for recordings of earlier versions."""
    return metadata.get("answers") or metadata.get("provider", "")


LATEST: Final = 1e10
"""The latest beginning of a run that is believed, in seconds since 1970 (in the year 2286): nanoseconds can still count it."""


def began_at(metadata: Mapping[str, str]) -> float:
    """Returns when a run began, in seconds since 1970; 0 if its metadata does not say so, as in damaged and foreign files."""
    try:
        seconds = datetime.fromisoformat(metadata.get("began", "")).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
    return seconds if 0 <= seconds <= LATEST else 0.0


@cache
def _descriptors(kind: Any) -> bytes:
    """Returns the descriptor of a protobuf message; the same in every recording."""
    return bytes(build_file_descriptor_set(kind).SerializeToString())


SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@cache
def event_schema(payload: type, facet: type | None) -> bytes:
    """Returns the schema of events with one kind of payload; for `Shown`, with one kind of facet."""
    what = _object(payload)
    if facet is not None:
        what["properties"]["facet"] = _object(facet)
    properties = {"$": {"type": "string"}, "number": {"type": "integer"}, "at": {"type": "number"},
                  "turn": {"type": "integer"}, "branch": {"type": "integer"}, "worked": {"type": "number"}, "what": what}
    schema = {"type": "object", "title": (facet or payload).__name__, "description": first_line(facet or payload),
              "properties": properties, "required": list(properties)}
    return json.dumps(schema).encode()


def _object(cls: type) -> dict[str, Any]:
    hints = hints_of(cls)
    properties: dict[str, Any] = {"$": {"type": "string"}}
    for field in dataclasses.fields(cls):
        found = _property(hints[field.name])
        if found is not None:
            properties[field_name(field)] = found
    return {"type": "object", "properties": properties, "required": list(properties)}


def _property(hint: Any) -> dict[str, Any] | None:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in SCALARS:
        return {"type": SCALARS[hint]}
    if origin is typing.Literal:
        return {"type": "string"}
    if origin is None and dataclasses.is_dataclass(hint):
        return {"type": "object", "properties": {}}
    if origin in (tuple, frozenset) and len(args) in (1, 2) and args[-1] in (args[0], ...):
        inner = _property(args[0])
        return {"type": "array", "items": inner} if inner is not None and inner["type"] != "array" else None
    return None


# --- log lines -----------------------------------------------------------
class Line(NamedTuple):
    """A line of the log, for viewers that know nothing of Belvedere: its level, its source, its text."""

    level: Level
    who: str
    text: str


def logged(line: event_lines.Line) -> Line:
    """Returns a line for other viewers: what it is about stands for its source, its colour for its level."""
    return Line(LEVEL_OF.get(line.tone, "info"), line.kind, line.text)


# --- messages for other viewers --------------------------------------
def image_message(frame: Frame, nanoseconds: int) -> bytes:
    """Returns a foxglove.CompressedImage."""
    message = CompressedImage(timestamp=_stamp(nanoseconds), frame_id=frame.camera, data=jpeg_of(frame), format="jpeg")
    return bytes(message.SerializeToString())


def jpeg_in(message: bytes) -> bytes:
    """Returns the JPEG of a foxglove.CompressedImage.

    Raises:
        DataError: it is not one.
    """
    try:
        return bytes(CompressedImage.FromString(message).data)
    except DecodeError as error:
        raise DataError(f"a damaged picture: {error}") from error


def boxes_message(frame: Frame, nanoseconds: int) -> bytes:
    """Returns a foxglove.ImageAnnotations: a box and a name for everything in view."""
    message, stamp = ImageAnnotations(), _stamp(nanoseconds)
    for name, (x0, y0, x1, y1) in frame.boxes:
        loop = message.points.add(timestamp=stamp, type=PointsAnnotation.LINE_LOOP, thickness=1.0)
        loop.outline_color.r, loop.outline_color.g, loop.outline_color.b, loop.outline_color.a = BOX
        for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)):
            loop.points.add(x=float(x), y=float(y))
        text = message.texts.add(timestamp=stamp, text=name, font_size=11.0)
        text.position.x, text.position.y = float(x0), float(y0)
        text.text_color.CopyFrom(loop.outline_color)
    return bytes(message.SerializeToString())


def log_message(line: Line, nanoseconds: int) -> bytes:
    """Returns a foxglove.Log. Lone surrogates, which its text cannot hold, become question marks."""
    text = line.text.encode("utf-8", "replace").decode("utf-8")
    message = Log(timestamp=_stamp(nanoseconds), level=LEVELS[line.level], message=text, name=line.who)
    return bytes(message.SerializeToString())


def _stamp(nanoseconds: int) -> Timestamp:
    return Timestamp(seconds=nanoseconds // 10**9, nanos=nanoseconds % 10**9)
