"""A LeRobot v3 dataset of one episode, a step a decision: pictures, the robot's pose, and the action as text and number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-not-found,import-untyped,unused-ignore]
from PIL import Image

from core.errors import DataError
from core.facets import View
from core.moment import Moment
from core.recording.exports.decisions import Decision, decisions
from core.recording.exports.timeline import Pictures
from core.recording.exports.video import Pixels, write_video
from core.recording.pictures import pixels_of
from core.recording.reader import Recording

VERSION = "v3.0"
RATE = 1
FILE = "chunk-000/file-000"
STATE = ("x", "y", "yaw", "pitch", "holding")
ACTION = ("verb", "ok", "operator")
Stats = dict[str, Any]


def write(recording: Recording, out: Path) -> Path:
    """The dataset's folder.

    Raises:
        DataError: there is something already, or nothing was done in the recording.
    """
    made = decisions(recording)
    if not made:
        raise DataError(f"{recording.path.name} holds no decision: there is nothing to learn from")
    if out.exists() and any(out.iterdir()):
        raise DataError(f"{out} is not empty: give a new folder")
    pictures = Pictures.of(recording)
    _refuse_gaps(pictures, made)
    sizes = {_key(view): _video(pictures, view, made, out) for view in pictures.views}
    verbs = sorted({_verb(d) for d in made})
    columns = _columns(made, verbs)
    task = recording.metadata.get("goal", "") or recording.path.stem
    _parquet(columns, out / "data" / FILE)
    stats = {name: _stats(column) for name, column in columns.items() if not isinstance(column, list)}
    _parquet(_episode(len(made), task, list(sizes), stats), out / "meta" / "episodes" / FILE)
    _tasks(task, out)
    _json(_info(len(made), sizes, verbs, recording, _certainty(pictures, made)), out / "meta" / "info.json")
    _json(stats, out / "meta" / "stats.json")
    return out


def _key(view: View) -> str:
    return f"observation.images.{view.replace(' ', '_')}"


def _verb(decision: Decision) -> str:
    outcome = decision.turn.outcome
    return outcome.action.verb if outcome is not None else ""


# --- steps -----------------------------------------------------------------
def _columns(made: tuple[Decision, ...], verbs: list[str]) -> dict[str, Any]:
    count = len(made)
    index = np.arange(count, dtype=np.int64)
    return {
        "observation.state": np.array([_state(d) for d in made], np.float32),
        "action": np.array([[verbs.index(_verb(d)), _ok(d), d.turn.by == "operator"] for d in made], np.float32),
        "action.text": [str(d.turn.outcome.action) if d.turn.outcome else "" for d in made],
        "next.done": index == count - 1,
        "timestamp": (index / RATE).astype(np.float32), "frame_index": index, "episode_index": index * 0, "index": index,
        "task_index": index * 0,
    }


def _ok(decision: Decision) -> bool:
    return decision.turn.outcome is not None and decision.turn.outcome.ok


def _state(decision: Decision) -> list[float]:
    agent = decision.turn.agent
    pose = (0.0, 0.0, 0.0, 0.0) if agent.pose is None else tuple(agent.pose)
    return [*pose, float(len(agent.holding))]


def _refuse_gaps(pictures: Pictures, made: tuple[Decision, ...]) -> None:
    """A step without its own picture would have to show another step's.

    Raises:
        DataError: there is such a step.
    """
    for view in pictures.views:
        gaps = [d.turn.number for d in made if pictures.recording.album.of(view, _moment(d)) is None]
        if gaps:
            turns = f"turn{'s' if len(gaps) > 1 else ''} {', '.join(map(str, gaps[:8]))}{', …' if len(gaps) > 8 else ''}"
            raise DataError(f"{pictures.recording.path.name} has no {view} picture of {turns}: a dataset needs one of every "
                            "turn, so record the run again with pictures")


def _moment(decision: Decision) -> Moment:
    return Moment(decision.turn.branch, decision.turn.number)


def _certainty(pictures: Pictures, made: tuple[Decision, ...]) -> str:
    """Whether each picture says itself that it shows its step's state; before format 3 only when it arrived is known."""
    found = [pictures.recording.album.of(view, _moment(d)) for view in pictures.views for d in made]
    if not found:
        return "none"
    return "about the turn" if any(shot is not None and shot[1] == "about" for shot in found) else "of the turn"


def _video(pictures: Pictures, view: View, made: tuple[Decision, ...], out: Path) -> tuple[int, int]:
    """Each step's own picture, of the state that its decision was made from; height and width."""
    path = out / "videos" / _key(view) / f"{FILE}.mp4"
    path.parent.mkdir(parents=True, exist_ok=True)
    size: list[tuple[int, int]] = []

    def shots() -> Any:
        for decision in made:
            shot = pictures.before(view, decision.turn)
            assert shot is not None, "checked before"
            pixels: Pixels = pixels_of(shot.jpeg)
            size.append((pixels.shape[0] // 2 * 2, pixels.shape[1] // 2 * 2))
            yield pixels if size[-1] == size[0] else np.asarray(Image.fromarray(pixels).resize((size[0][1], size[0][0])))

    write_video(shots(), path, RATE)
    return size[0]


# --- tables ----------------------------------------------------------------
def _parquet(columns: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: _array(column) for name, column in columns.items()}), path.with_suffix(".parquet"))


def _array(column: Any) -> Any:
    if isinstance(column, np.ndarray) and column.ndim == 2:
        values = pa.array(column.reshape(-1))
        return pa.FixedSizeListArray.from_arrays(values, column.shape[1])
    return pa.array(column)


def _episode(count: int, task: str, videos: list[str], stats: dict[str, Stats]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "episode_index": 0, "tasks": [task], "length": count, "data/chunk_index": 0, "data/file_index": 0,
        "dataset_from_index": 0, "dataset_to_index": count, "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
    }
    for key in videos:
        row |= {f"videos/{key}/chunk_index": 0, f"videos/{key}/file_index": 0, f"videos/{key}/from_timestamp": 0.0,
                f"videos/{key}/to_timestamp": count / RATE}
    row |= {f"stats/{name}/{word}": value for name, found in stats.items() for word, value in found.items()}
    return {name: [value] for name, value in row.items()}


def _tasks(task: str, out: Path) -> None:
    """Tasks by their text, as pandas keeps an index."""
    table = pa.table({"task_index": pa.array([0], pa.int64()), "task": [task]})
    columns = [{"name": n, "field_name": n, "pandas_type": t, "numpy_type": u, "metadata": None}
               for n, t, u in (("task_index", "int64", "int64"), ("task", "unicode", "object"))]
    about = {"index_columns": ["task"], "column_indexes": [], "columns": columns, "pandas_version": "2.0.0"}
    pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(about)}), out / "meta" / "tasks.parquet")


def _stats(column: npt.NDArray[Any]) -> Stats:
    values = column.reshape(len(column), -1).astype(np.float64)
    return {"min": values.min(0).tolist(), "max": values.max(0).tolist(), "mean": values.mean(0).tolist(),
            "std": values.std(0).tolist(), "count": [len(column)]}


# --- what it is --------------------------------------------------------------
def _info(count: int, sizes: dict[str, tuple[int, int]], verbs: list[str], recording: Recording,
          certainty: str) -> dict[str, Any]:
    return {
        "codebase_version": VERSION, "robot_type": f"belvedere {recording.metadata.get('simulator', '')}".strip(),
        "total_episodes": 1, "total_frames": count, "total_tasks": 1, "chunks_size": 1000, "fps": RATE,
        "data_files_size_in_mb": 100, "video_files_size_in_mb": 500, "splits": {"train": "0:1"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4" if sizes else None,
        "features": _features(sizes),
        "belvedere": {"verbs": verbs, "pictures": certainty, "about": dict(recording.metadata),
                      "outcome": recording.snapshot_at().outcome.words},
    }


def _features(sizes: dict[str, tuple[int, int]]) -> dict[str, Any]:
    def plain(dtype: str, names: tuple[str, ...] | None = None) -> dict[str, Any]:
        return {"dtype": dtype, "shape": [len(names or "1")], "names": None if names is None else list(names)}

    features: dict[str, Any] = {"observation.state": plain("float32", STATE), "action": plain("float32", ACTION),
                                "action.text": plain("string"), "next.done": plain("bool"), "timestamp": plain("float32")}
    features |= {name: plain("int64") for name in ("frame_index", "episode_index", "index", "task_index")}
    for key, (height, width) in sizes.items():
        features[key] = {"dtype": "video", "shape": [height, width, 3], "names": ["height", "width", "channels"], "info": {
            "video.height": height, "video.width": width, "video.codec": "h264", "video.pix_fmt": "yuv420p",
            "video.is_depth_map": False, "video.fps": RATE, "video.channels": 3, "has_audio": False}}
    return features


def _json(value: dict[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="backslashreplace")
