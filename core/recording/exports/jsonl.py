"""Every event as a line of JSON, as described in `resources/help/recording-jsonl.md`: no pictures, arrays as lists."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.recording.encoder import array_of
from core.recording.exports.timeline import Pictures
from core.recording.label_turns import TurnLabels
from core.recording.pictures import without_pixels
from core.recording.reader import Recording
from core.session.outcome import Outcome

FORMAT = 1
LARGEST_ARRAY = 100_000


def write(recording: Recording, out: Path) -> Path:
    """Writes a line about the recording, a line per event, and a line per annotation."""
    with out.open("w", encoding="utf-8", errors="backslashreplace") as file:  # lone surrogates become escapes, as in JSON
        file.writelines(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines(recording))
    return out


def lines(recording: Recording) -> Iterator[dict[str, Any]]:
    """Yields what a line holds: of the recording, of each event, and of each annotation."""
    end = recording.snapshot_at()
    yield {"line": "recording", "format": FORMAT, "file": recording.path.name, "notice": recording.notice,
           "about": dict(recording.metadata), "outcome": _outcome(end.outcome),
           "branches": [_outcome(outcome) for outcome in end.outcomes],
           "seconds": {"work": recording.worked, "wall": recording.seconds},
           "turns_without_picture": {view: [[moment.branch, moment.turn] for moment in gaps]
                                     for view, gaps in Pictures.of(recording).gaps().items()}}
    for event in recording.events():
        plain = recording.codec.plain(without_pixels(event))
        what = plain.pop("what")
        plain.pop("$")
        yield {"line": "event", **plain, "event": what.pop("$"), **_readable(what)}
    labels = TurnLabels.of(recording)
    for a in labels.given:
        yield {"line": "annotation", **labels.row(a)}


def _outcome(outcome: Outcome) -> dict[str, Any]:
    """Returns the outcome of the episode or of a branch, with its goal progress."""
    return {"branch": outcome.branch, "success": outcome.success, "reason": outcome.reason,
            "goal": [{"literal": str(p.literal), "have": p.have, "count": p.literal.count, "reached": p.reached}
                     for p in outcome.progress]}


def _readable(value: Any) -> Any:
    """Returns plain data with tags as `type`, arrays as nested lists (large ones as their shape), special numbers as text."""
    if isinstance(value, list):
        return [_readable(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.get("$") == "float":
        return value["value"]
    if value.get("$") == "array":
        return _array(value)
    return {"type" if key == "$" else key: _readable(v) for key, v in value.items()}


def _array(value: dict[str, Any]) -> Any:
    size = math.prod(value["shape"])
    if size == 0 or size > LARGEST_ARRAY:
        return {"type": "array", "shape": value["shape"]}
    return _finite(array_of(value, value["dtype"]).tolist())


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)
