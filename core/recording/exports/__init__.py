"""Exports of recordings for other programs: ours, and those of other packages (entry points of belvedere.exporters)."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeVar, cast

from core.common import registry
from core.common.docstrings import first_line
from core.common.errors import BelvedereError, DataError, MissingPart, UsageError
from core.common.files import check_folder, replacing
from core.planning.facets import Moment
from core.planning.simulation_facets import Margins
from core.recording.annotations import read_annotations
from core.recording.codec import Codec
from core.recording.exports.episodes import Source
from core.recording.exports.timeline import Pictures
from core.recording.files import sidecar
from core.recording.reader import Recording, open_recording
from core.session.checked_expressions import check, watch
from core.views.wording import count

T = TypeVar("T")
Write = Callable[[Recording, Path], Path]
"""Writes a recording in another format. Returns the path it wrote."""
WriteMany = Callable[[Sequence[Source], Path], Sequence[str]]
"""Writes many recordings to one folder. Returns what is missing there, one clause each."""
WriteWatched = Callable[..., Path]
"""The same, with expressions as `watches`."""
EXPORTS = registry.Registry("export", "belvedere.exporters", {
    "jsonl": "core.recording.exports.jsonl:write",
    "parquet": "core.recording.exports.parquet:write",
    "csv": "core.recording.exports.decisions:write",
    "values": "core.recording.exports.view_values:write",
    "labels": "core.recording.exports.labels:write",
    "html": "core.recording.exports.html:write",
    "mp4": "core.recording.exports.mp4:write",
    "lerobot": "core.recording.exports.lerobot:write",
    "rrd": "core.recording.exports.rrd:write",
    "otlp": "core.recording.exports.spans:write",
    "replies": "core.recording.calls:write_replies",
    "link": "core.recording.permalink:write",
})
_ABOUT = {
    "jsonl": "every event as a line of JSON",
    "parquet": "the same as a table, with a row a line (extra export)",
    "csv": "one row a decision",
    "values": "a table of all values that the panels held, one row a value",
    "labels": "a table of the labels alone, one row a label, of one or many recordings",
    "html": "one page with pictures, decisions, calls and labels; opens anywhere",
    "link": "a small file that opens the window at the last decision",
    "mp4": "a video of the pictures with what was done (extra export)",
    "lerobot": "a LeRobot v3 dataset of one or many recordings, in a folder (extra export)",
    "rrd": "a Rerun file of one or many recordings (extra rerun)",
    "otlp": "OpenTelemetry traces of one or many recordings, for Phoenix, Langfuse … (extra traces)",
    "replies": "the model's answers, for the provider replay",
}
"""What our forms are, before they are loaded. The window lists them: no options of the command line."""
EXTRA = {"mp4", "parquet", "lerobot", "rrd", "otlp"}
MANY = {"lerobot"}
"""Formats that take several recordings and write a folder."""
OF_A_DECISION = {"html", "link"}
"""Formats that can be about one decision: they take it as a third argument, `decision`."""
JOINED = {
    "labels": "core.recording.exports.labels:write_together",
    "rrd": "core.recording.exports.rrd:write_together",
    "otlp": "core.recording.exports.spans:write_together",
}
"""Formats that write one recording, or several together to one file, and the function that does this."""
SENT = "otlp"
"""The format that can also be sent to a server."""
PICTURED = {"jsonl", "parquet", "html", "mp4", "rrd"}
"""Formats that show one picture per step, or list the steps without one."""
WITHOUT_LABELS = {"link", "replies", "values"}
"""The formats that hold no labels."""
WATCHED = {"csv", "html"}
"""The formats that show watched expressions: as columns, or as plots and values."""
TRACES = "opentelemetry-sdk opentelemetry-exporter-otlp-proto-http openinference-semantic-conventions"
PACKAGES = {"av": "av", "pyarrow": "pyarrow", "rerun": "rerun-sdk", "opentelemetry": TRACES, "openinference": TRACES,
            "google": TRACES}


def about() -> dict[str, str]:
    """Returns each form with a line on what it is: for other packages, the first line of the function's docstring."""
    return {name: _ABOUT[name] if name in _ABOUT else _noted(name) for name in EXPORTS}


def _noted(name: str) -> str:
    if problem := EXPORTS.problem(name):
        return f"missing: {problem}"
    return first_line(cast(Callable[..., object], EXPORTS.load(name)))


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    Attributes:
        path: the file or folder.
        missing: what of the recordings is not in it, or is not as it was, one clause each.
    """

    path: Path
    missing: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The result in one line."""
        return "; ".join((f"wrote {self.path}", *self.missing))


def export(path: Path, to: str, out: Path, codec: Codec | None = None) -> Path:
    """Writes one recording in another format, see `export_all`. Returns the file or folder."""
    return export_all((path,), to, out, codec).path


def export_all(paths: Sequence[Path], to: str, out: Path, codec: Codec | None = None, *, decision: Moment | None = None,
               watches: Sequence[str] = (), margins: Margins | None = None) -> Exported:
    """Writes recordings in another format. They are only read.

    Args:
        paths: the recordings; more than one only for the formats in `MANY` and `JOINED`.
        to: one of `EXPORTS`.
        out: the file (for the formats in `MANY`: the folder) to write.
        codec: knows further types, such as a plug-in's.
        decision: only this decision, in one of the formats of `OF_A_DECISION`.
        watches: expressions that become further columns of csv, plots of html, and values on the page of a decision.
        margins: what would change the decision, for its page; None: that is not known.

    Raises:
        UsageError: there is no such format, or it takes one recording only or whole recordings only, or a recording is given
            twice, or an expression is wrong, or `out` is a recording that is read, or its labels.
        DataError: a recording cannot be read, or the file cannot be written.
        MissingPart: a package is not installed; the message holds the command that installs it.
    """
    if watches and to not in WATCHED:
        raise UsageError(f"--watch is for --to {' or '.join(sorted(WATCHED))}, and {to} shows no expressions: leave it out")
    columns = [check(text, watch, "--watch") for text in watches]
    _spare(paths, out)
    with _in_a_line(to, out):
        if decision is not None and to in EXPORTS and to not in OF_A_DECISION:
            raise UsageError(f"{to} takes whole recordings: leave --decision out, or give --to "
                             f"{' or '.join(sorted(OF_A_DECISION))}")
        write = EXPORTS.load(to)
        if decision is not None:
            known = {"margins": margins} if margins is not None else {}
            write = partial(cast(Callable[..., Path], write), decision=decision, **known)
        if to in MANY:
            return _together(cast(WriteMany, write), _Sources(paths, to, codec), out)
        if len(paths) > 1:
            return _joined(to, paths, out, codec)
        with open_recording(paths[0], codec, checked=True) as recording:
            one = partial(cast(WriteWatched, write), watches=columns) if columns else cast(Write, write)
            one = _reported(to, one) if to in EXPORTS.foreign else one
            _whole(lambda part: one(recording, part), out)
            pictures = Pictures.of(recording).missing() if to in PICTURED and decision is None else ()
            return Exported(out, (*_missing(recording, to), *pictures))


@contextmanager
def _in_a_line(to: str, out: Path) -> Iterator[None]:
    """Context in which faults of an export become errors of one line that name the cure."""
    try:
        yield
    except MissingPart as error:
        if to in EXPORTS.foreign:
            raise
        raise MissingPart(missing(to, error.__cause__)) from error
    except ModuleNotFoundError as error:
        raise MissingPart(missing(to, error)) from error
    except OverflowError as error:
        raise DataError(f"{to} cannot hold a number of this recording or its labels: {error}") from error
    except OSError as error:
        raise DataError(f"cannot write {out}: {error.strerror or error}; choose another place with --out") from error


def _spare(paths: Sequence[Path], out: Path) -> None:
    """Refuses to write over what is read.

    Raises:
        UsageError: `out` is a recording that is read, or its labels.
    """
    if out.exists() and any(out.samefile(one) for path in paths for one in (path, sidecar(path)) if one.exists()):
        raise UsageError(f"{out} is what would be read: give another --out")


def _missing(recording: Recording, to: str) -> tuple[str, ...]:
    """Returns what a format lacks of a recording: what cannot be read of it, of its labels, and all labels if it holds none."""
    try:
        labels, notice = read_annotations(recording)
        is_labelled = bool(labels.in_order())
    except DataError as error:
        is_labelled, notice = False, str(error)
    left_out = f"labels left out: {to} holds none" if is_labelled and to in WITHOUT_LABELS else ""
    return tuple(filter(None, (recording.notice, notice, left_out)))


class _Sources:
    """Opens recordings, each perhaps several times, and collects what of them cannot be read.

    Attributes:
        opened: opens one recording each.
    """

    def __init__(self, paths: Sequence[Path], to: str, codec: Codec | None):
        self._to, self._codec, self._missing = to, codec, dict[Path, tuple[str, ...]]()
        self.opened: Sequence[Source] = [partial(self._open, path) for path in _once_each(paths)]

    def _open(self, path: Path) -> Recording:
        recording = open_recording(path, self._codec, checked=True)
        if path not in self._missing:
            self._missing[path] = _missing(recording, self._to)
        return recording

    def told(self, missing: Sequence[str]) -> tuple[str, ...]:
        """Returns what is missing of all recordings, and then `missing`."""
        return (*(clause for clauses in self._missing.values() for clause in clauses), *missing)


def _once_each(paths: Sequence[Path]) -> Sequence[Path]:
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise UsageError(f"{path} is given twice: its steps would count twice")
        seen.add(path.resolve())
    return paths


def _joined(to: str, paths: Sequence[Path], out: Path, codec: Codec | None) -> Exported:
    """Writes several recordings to one file."""
    if to not in JOINED:
        raise UsageError(f"{to} takes one recording at a time: export them one by one, or give --to "
                         f"{' or '.join(sorted(MANY | JOINED.keys()))}")
    write_together = cast(WriteMany, resolve_name(JOINED[to]))  # loaded here: its package may be missing
    sources = _Sources(paths, to, codec)
    return Exported(out, sources.told(_whole(lambda part: write_together(sources.opened, part), out)))


def send(paths: Sequence[Path], to: str, endpoint: str, codec: Codec | None = None) -> str:
    """Sends recordings to a server. Returns a line on what was sent.

    Args:
        paths: the recordings.
        to: the format: `SENT` is the only one that servers take.
        endpoint: the address for traces, such as `http://127.0.0.1:6006/v1/traces`.
        codec: knows further types, such as a plug-in's.

    Raises:
        UsageError: it is another format, the endpoint is no address, or a recording is given twice.
        DataError: a recording cannot be read, or the server does not take it.
        MissingPart: a package is not installed.
    """
    if to != SENT:
        raise UsageError(f"--endpoint sends --to {SENT}: leave it out, or give that format")
    try:
        from core.recording.exports import span_sender  # imported here: its packages may be missing
    except ModuleNotFoundError as error:
        raise MissingPart(missing(to, error)) from error
    sources = _Sources(paths, to, codec)
    warnings = span_sender.send(sources.opened, endpoint)
    what = f"sent {count(len(paths), 'recording')} to {endpoint}"
    return "; ".join((what, *sources.told(warnings)))


def _together(write: WriteMany, sources: _Sources, out: Path) -> Exported:
    """Writes a folder. If this fails, a folder that did not exist before is removed."""
    is_new = not out.exists()
    try:
        return Exported(out, sources.told(write(sources.opened, out)))
    except BaseException:
        if is_new:
            shutil.rmtree(out, ignore_errors=True)
        raise


def _whole(write: Callable[[Path], T], out: Path) -> T:
    """Writes all or nothing: a failed export leaves no partial file, and an older file as it was. Returns what `write` does."""
    check_folder(out)
    with replacing(out) as draft:
        return write(draft)


def _reported(to: str, write: Write) -> Write:
    """Returns an exporter of another package whose faults are reported in one line, with the place in its code."""
    def reported(recording: Recording, out: Path) -> Path:
        try:
            return write(recording, out)
        except (BelvedereError, OSError, ModuleNotFoundError):
            raise
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            place, why = f"{Path(at.filename).name}:{at.lineno}", f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise DataError(f"the export '{to}' of {EXPORTS.foreign[to].package} failed at {place}: {why}; "
                            "repair that package") from error

    return reported


def missing(to: str, error: BaseException | None) -> str:
    """Returns which package an export needs, and how to install it."""
    name = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    package = PACKAGES.get(name, name or "a package")
    return f"the export '{to}' needs {package}, which is not installed here: pip install {package}"
