"""Reads one recording into an entry, the words of its texts and a small picture.

Its figures are those of the run's last snapshot, which in a whole file is the last keyframe. The words of prompts and replies
are taken from the JSON as it is recorded, because decoding whole events takes fifty times as long.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from PIL import Image, UnidentifiedImageError

from core.common.errors import BelvedereError, DataError
from core.common.parameters import Parameters
from core.library.checking import check
from core.library.entry import Entry, FileState, Result, State
from core.library.query import words_of
from core.planners.registry import contestant
from core.planning.facets import Moment
from core.recording.annotations import final, read_annotations
from core.recording.codec import Codec
from core.recording.files import HIDDEN, is_being_written, labels_of_user, sidecar
from core.recording.mcap_messages import answers_of, began_at
from core.recording.reader import Recording, open_recording
from core.session.annotation import Annotation
from core.session.events import CUT_SHORT
from core.session.outcome import CUT_OFF, LEFT, Outcome, reason_in_words
from core.session.run_summary import steps_of
from core.session.snapshot import Snapshot

THUMBNAIL: Final = (192, 144)
"""The largest size of small pictures in pixels: that of a cell at 150 % text size on a display of double density."""
QUALITY: Final = 72
MOST_WORDS: Final = 50_000
"""The maximum number of different words of one part of a recording's text that are indexed."""
PICTURE_ERRORS = (OSError, ValueError, UnidentifiedImageError, Image.DecompressionBombError)
SEED: Final = re.compile(r"-?\d{1,18}", re.ASCII)
READ: Final = ("Asked", "AskedAside", "Replied")
"""The kinds of event whose words are indexed."""


class _Message(msgspec.Struct):
    content: str = ""


class _Ask(msgspec.Struct):
    messages: list[_Message] = msgspec.field(default_factory=list)


class _Reply(msgspec.Struct):
    texts: list[str] = msgspec.field(default_factory=list)


class _What(msgspec.Struct):
    ask: _Ask | None = None
    reply: _Reply | None = None


class _Event(msgspec.Struct):
    what: _What


_EVENT = msgspec.json.Decoder(_Event)


@dataclass(frozen=True, slots=True)
class Words:
    """The different words of a recording's texts, each part as one text.

    Attributes:
        about: file name, planner, scene, outcome.
        goal, prompts, replies: of the whole run.
        notes: what annotators said: labels, notes, actions that would have been better, and their names.
    """

    about: str = ""
    goal: str = ""
    prompts: str = ""
    replies: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """What is indexed of one recording.

    Attributes:
        thumbnail: a JPEG of its last picture; empty if it has none.
    """

    entry: Entry
    words: Words = field(default_factory=Words)
    thumbnail: bytes = b""


def file_state(path: Path) -> FileState:
    """Returns size and time of a recording and the labels beside it.

    Raises:
        OSError: there is no such file, or it cannot be reached.
    """
    about = path.stat()
    try:
        labels = sidecar(path).stat()
    except OSError:
        return FileState(about.st_size, about.st_mtime_ns)
    return FileState(about.st_size, about.st_mtime_ns, labels.st_size, labels.st_mtime_ns)


def labels_kept(run: str) -> os.stat_result | None:
    """Returns size and time of the labels that the user's data folder holds of a run; None if there are none."""
    with suppress(OSError):  # reading the labels says what cannot be read
        return labels_of_user(run).stat()
    return None


def with_labels(file: FileState, more: os.stat_result | None) -> FileState:
    """Returns a state with those of the labels that the user's data folder holds of the run, if there are any."""
    if more is None:
        return file
    return replace(file, labels_size=file.labels_size + more.st_size,
                   labels_modified=max(file.labels_modified, more.st_mtime_ns))


def summarise(path: Path, file: FileState, codec: Codec) -> Summary:
    """Returns what is indexed of a recording. One that cannot be read is an entry that says why."""
    entry = Entry(path, file, named=not path.name.startswith(HIDDEN))
    about = " ".join(words_of(path.stem))
    try:
        with open_recording(path, codec) as recording:
            if recording.metadata:
                entry = replace(entry, file=with_labels(file, labels_kept(recording.identity)))
            summary = _summary(entry, recording, about)
            check(summary.entry)
            return summary
    except (BelvedereError, OSError) as error:
        state, problem = _state(path, " ".join(str(error).split()))
        return Summary(replace(entry, file=file, state=state, problem=problem), Words(about))


def _summary(entry: Entry, recording: Recording, about: str) -> Summary:
    texts = _texts(recording)
    problem = recording.damage or texts.problem
    labels, problem = _labels(recording, problem)
    state, problem = _state(recording.path, problem) if problem else ("ok", "")
    meta, end = recording.metadata, _end(recording)
    planner, preset = _contestant(meta.get("planner", ""), meta.get("parameters", ""))
    result, outcome = _outcome(end.outcome)
    if state == "recording" and not recording.is_over:
        result, outcome = "unfinished", "under way"
    entry = replace(
        entry, state=state, problem=problem, identity=recording.identity if meta else "",
        began=began_at(meta), result=result, outcome=outcome, planner=planner, preset=preset,
        model=", ".join(_sorted(end.usage)) or answers_of(meta), world=meta.get("simulator", ""),
        scene=meta.get("scene", ""), goal=meta.get("goal", "") if end.goal is None else end.goal.text,
        seed=_whole(meta.get("seed", "")), turns=steps_of(end, end.outcome.branch), branches=len(end.branches),
        calls=end.model_calls, tokens=end.tokens_in + end.tokens_out, cost=end.cost, interventions=end.interventions,
        labels=_sorted(a.label for a in labels), ratings=tuple(a.rating for a in labels if a.rating is not None),
        annotators=_sorted(a.annotator for a in labels), seconds=recording.seconds)
    named = entry.planner, entry.preset, entry.model, entry.world, entry.scene, outcome
    goals = (mark.text for mark in end.marks if mark.kind == "goal")
    said = (text for a in labels for text in (a.note, a.better, a.label, a.annotator))
    words = Words(_joined((about, *named)), _joined((meta.get("goal", ""), *goals)), _joined(texts.prompts),
                  _joined(texts.replies), _joined(said))
    return Summary(entry, words, _thumbnail(recording))


def _end(recording: Recording) -> Snapshot:
    """Returns the last snapshot, without what it shows; an empty one if too much of the run is damaged."""
    try:
        return recording.figures()
    except DataError:
        return Snapshot()


def _texts(recording: Recording) -> _Texts:
    """Reads what was asked and replied. If an event of that cannot be read, all of the recording is checked."""
    texts = _Texts()
    try:
        for event in recording.raw(*READ):
            texts.take(event)
    except DataError as error:
        texts.problem = f"{recording.path.name}: {' '.join(str(error).split())}"
    if texts.problem:
        recording.check()
    return texts


def _what(data: bytes) -> _What:
    """Returns what the library shows of an event. A text of a recording may hold half a character."""
    try:
        return _EVENT.decode(data).what
    except UnicodeDecodeError:
        return _EVENT.decode(data.decode(errors="replace")).what


@dataclass(slots=True)
class _Texts:
    """The texts of the calls so far.

    Attributes:
        problem: why the first event could not be read of those that could not; empty if all could.
    """

    prompts: set[str] = field(default_factory=set)
    """The different lines of all prompts: prompts of one planner repeat most of theirs."""
    replies: set[str] = field(default_factory=set)
    problem: str = ""

    def take(self, data: bytes) -> None:
        """Takes one event as it is recorded."""
        try:
            what = _what(data)
        except (msgspec.MsgspecError, RecursionError) as error:
            self.problem = self.problem or " ".join(str(error).split())
            return
        if what.ask is not None:
            for message in what.ask.messages:
                self.prompts.update(message.content.split("\n"))
        elif what.reply is not None:
            self.replies.update(what.reply.texts)


def _state(path: Path, problem: str) -> tuple[State, str]:
    """Returns the state of a file that is not whole: a run may be being recorded to it."""
    return ("recording", "a run is being recorded to it") if is_being_written(path) else ("damaged", problem)


def _outcome(found: Outcome) -> tuple[Result, str]:
    """Returns how the episode came out, as a word to filter by and as the run says it."""
    words = reason_in_words(found.reason)
    if found.success:
        return "reached", words
    return "unfinished" if found.reason in (CUT_OFF, LEFT) else "stopped" if found.reason in CUT_SHORT else "failed", words


def _labels(recording: Recording, problem: str) -> tuple[Sequence[Annotation], str]:
    try:
        history, notice = read_annotations(recording)
    except (DataError, KeyError, ValueError) as error:
        return (), problem or " ".join(str(error).split())
    return final(history.in_order()), problem or notice


@lru_cache(256)
def _contestant(planner: str, parameters: str) -> tuple[str, str]:
    """Returns planner and preset. Recordings of a folder share a few sets of parameters."""
    try:
        name = contestant(planner, Codec().loads(parameters, Parameters)) if parameters else planner
    except DataError:
        return planner, ""
    return planner, name.removeprefix(planner).removeprefix(":")


def _thumbnail(recording: Recording) -> bytes:
    """Returns the last picture, small, as JPEG: of the first camera that took any; empty if there is none to read."""
    turns, pictures = recording.turns(), recording.picture_rows
    for view in pictures.views:
        rows = (pictures.near(view, Moment(turn.branch, turn.number), acted=True) for turn in reversed(turns))
        row = next((row for row in rows if row is not None), None)
        if row is not None:
            try:
                return _small(recording.jpeg_of(row))
            except (DataError, *PICTURE_ERRORS):
                continue
    return b""


def _small(jpeg: bytes) -> bytes:
    with Image.open(io.BytesIO(jpeg), formats=("JPEG",)) as picture:
        picture.draft("RGB", THUMBNAIL)  # decodes at a fraction of the size
        picture.thumbnail(THUMBNAIL)
        out = io.BytesIO()
        picture.convert("RGB").save(out, "JPEG", quality=QUALITY)
        return out.getvalue()


def _joined(texts: Iterable[str]) -> str:
    """Returns the different words of texts."""
    return " ".join(islice(words_of("\n".join(texts)), MOST_WORDS))


def _sorted(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({text for text in texts if text}))


def _whole(text: str) -> int:
    """Returns a seed, which the file may hold as any text."""
    return int(text) if SEED.fullmatch(text) else 0
