"""Recordings as other programs take them. A new form is one file and one line here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from core import registry
from core.errors import DataError, MissingPart
from core.recording.codec import Codec
from core.recording.reader import Recording, open_recording

Write = Callable[[Recording, Path], Path]
EXPORTS = {
    "jsonl": "core.recording.exports.jsonl:write",
    "csv": "core.recording.exports.decisions_csv:write",
    "html": "core.recording.exports.html:write",
    "mp4": "core.recording.exports.mp4:write",
    "lerobot": "core.recording.exports.lerobot:write",
    "rrd": "core.recording.exports.rrd:write",
    "replies": "core.recording.replies:write_replies",
}
ABOUT = {
    "jsonl": "every event as a line of JSON (resources/help/recording-jsonl.md)",
    "csv": "one row a decision",
    "html": "one page with pictures, decisions, calls and labels; opens anywhere",
    "mp4": "a video of the pictures with what was done (extra export)",
    "lerobot": "a LeRobot v3 dataset of one episode, in a folder (extra export)",
    "rrd": "a Rerun recording (extra export)",
    "replies": "the model's answers, for --provider replay --ask file=…",
}
EXTRA = {"mp4", "lerobot", "rrd"}
FOLDERS = {"lerobot"}
PACKAGES = {"av": "av", "pyarrow": "pyarrow", "rerun": "rerun-sdk"}


def export(path: Path, to: str, out: Path, codec: Codec | None = None) -> Path:
    """Write a recording in another form; the recording itself is only read (and mended, if it was cut off).

    Args:
        path: the recording.
        to: one of `EXPORTS`.
        out: the file (for lerobot: the folder) to write.
        codec: knows further types, such as a plug-in's.

    Raises:
        UsageError: no such form.
        DataError: the recording cannot be read, or the file not be written.
        MissingPart: a package is not installed; the message holds the command that installs it.
    """
    try:
        write = cast(Write, registry.load("export", to, EXPORTS))
        with open_recording(path, codec) as recording:
            return _whole(write, recording, out, folder=to in FOLDERS)
    except MissingPart as error:
        raise MissingPart(missing(to, error.__cause__)) from error
    except ModuleNotFoundError as error:
        raise MissingPart(missing(to, error)) from error
    except OSError as error:
        raise DataError(f"cannot write {out}: {error.strerror or error}; choose another place with --out") from error


def _whole(write: Write, recording: Recording, out: Path, *, folder: bool) -> Path:
    """Write all or nothing: what is broken off leaves no half of a file, and an older file as it was."""
    if folder or (out.exists() and not out.is_file()):  # a pipe takes what comes
        new = folder and not out.exists()
        try:
            return write(recording, out)
        except BaseException:
            if new:
                shutil.rmtree(out, ignore_errors=True)
            raise
    part = out.with_name(f".{out.name}.part")
    try:
        write(recording, part)
        return part.replace(out)
    finally:
        part.unlink(missing_ok=True)


def missing(to: str, error: BaseException | None) -> str:
    """Which package an export wants, and how to get it."""
    name = (error.name or "").split(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    package = PACKAGES.get(name, name or "a package")
    return f"the export '{to}' needs {package}, which is not installed here: pip install {package}"
