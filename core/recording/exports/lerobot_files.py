"""The files of a LeRobot v3 dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-not-found,import-untyped,unused-ignore]

from core.recording.exports.lerobot_columns import COLUMNS

VERSION = "v3.0"


def write_parquet(columns: Mapping[str, Any], path: Path) -> None:
    """Writes a table of arrays of shape (rows,) or (rows, numbers) and of lists. Lone surrogates become question marks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: _array(column) for name, column in columns.items()}), path)


def _array(column: Any) -> Any:
    if isinstance(column, np.ndarray) and column.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(column.reshape(-1)), column.shape[1])
    return pa.array(column if isinstance(column, np.ndarray) else [_encodable(value) for value in column])


def _encodable(value: Any) -> Any:
    if isinstance(value, list):
        return [_encodable(v) for v in value]
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def write_tasks(tasks: Sequence[str], path: Path) -> None:
    """Writes the tasks by their text, in the form of an index of pandas."""
    table = pa.table({"task_index": pa.array(range(len(tasks)), pa.int64()), "task": [_encodable(task) for task in tasks]})
    columns = [{"name": n, "field_name": n, "pandas_type": t, "numpy_type": u, "metadata": None}
               for n, t, u in (("task_index", "int64", "int64"), ("task", "unicode", "object"))]
    about = {"index_columns": ["task"], "column_indexes": [], "columns": columns, "pandas_version": "2.0.0"}
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(about)}), path)


def write_json(value: Mapping[str, Any], path: Path) -> None:
    """Writes a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="backslashreplace")


def info(world: str, episodes: int, steps: int, tasks: int, rate: int, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """Returns `meta/info.json`.

    Args:
        world: the simulator's name.
        episodes: number of episodes.
        steps: number of steps of all episodes together.
        tasks: number of different tasks.
        rate: steps per second.
        sizes: height and width in pixels of each camera's pictures, by the name of its feature.
    """
    return {
        "codebase_version": VERSION, "robot_type": f"belvedere {world}", "total_episodes": episodes, "total_frames": steps,
        "total_tasks": tasks, "chunks_size": 1000, "fps": rate, "data_files_size_in_mb": 100, "video_files_size_in_mb": 500,
        "splits": {"train": f"0:{episodes}"}, "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        "features": _features(rate, sizes),
    }


def _features(rate: int, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    features: dict[str, Any] = {name: {"dtype": column.dtype, "shape": [len(column.names) or 1],
                                       "names": list(column.names) or None} for name, column in COLUMNS.items()}
    for key, (height, width) in sizes.items():
        features[key] = {"dtype": "video", "shape": [height, width, 3], "names": ["height", "width", "channels"], "info": {
            "video.height": height, "video.width": width, "video.codec": "h264", "video.pix_fmt": "yuv420p",
            "video.is_depth_map": False, "video.fps": rate, "video.channels": 3, "has_audio": False}}
    return features
