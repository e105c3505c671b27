"""A LeRobot v3 dataset of many recordings: one episode per recording, one step per decision with a picture of every camera.

`meta/belvedere.json` in the dataset documents the columns, the numbers in `action`, and each episode.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-not-found,import-untyped,unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-not-found,import-untyped,unused-ignore]
from PIL import Image

from core.common.errors import DataError
from core.planning.facets import View
from core.recording.exports.episodes import FIRST, ActionNumbers, Episode, Source, read_episode
from core.recording.exports.lerobot_columns import COLUMNS, PictureStats, Stats, columns_of, stats_of
from core.recording.exports.mp4 import Pixels, write_video
from core.recording.exports.timeline import Pictures
from core.recording.pictures import pixels_of
from core.views.wording import count

VERSION = "v3.0"


def write_parquet(columns: Mapping[str, Any], path: Path) -> None:
    """Writes a table of arrays of shape (rows,) or (rows, numbers) and of lists. Lone surrogates become question marks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:  # by its name, pyarrow opens only what is UTF-8
        pq.write_table(pa.table({name: _array(column) for name, column in columns.items()}), file)


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
    with path.open("wb") as file:
        pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(about)}), file)


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


RATE = 1
"""Steps per second of `timestamp` and of the videos. LeRobot needs a fixed rate; `seconds.began` has the true times."""
KEYFRAMES = 2
"""Distance in pictures between video keyframes; small because loaders read in random order."""
MOST_STEPS = 5000
"""Maximum number of steps in one data file and one video. An episode is never divided."""
MOST_NAMED = 8
Size = tuple[int, int]


def write(sources: Sequence[Source], out: Path) -> tuple[str, ...]:
    """Writes the dataset's folder.

    Args:
        sources: each opens one recording. It is called once for the steps and once for each camera.
        out: a new or empty folder.

    Returns:
        What of the recordings is not in the dataset, one clause each.

    Raises:
        DataError: the folder is not empty; no recording holds a decision; one is of another simulator than the first, or lacks
            a picture of a step.
    """
    if out.exists() and any(out.iterdir()):
        raise DataError(f"{out} is not empty: give a new folder")
    read = [(source, read_episode(source)) for source in sources]
    empty = [f"{episode.name} holds no decision and is left out" for _, episode in read if not episode.steps]
    sources = [source for source, episode in read if episode.steps]
    episodes = [episode for _, episode in read if episode.steps]
    if not episodes:
        raise DataError(f"{read[0][1].name} holds no decision: there is nothing to learn from")
    world = _world(episodes)
    views = _views(episodes)
    numbers, tasks = ActionNumbers.load(), list(dict.fromkeys(task for e in episodes for task in e.tasks))
    files = _files(episodes)
    videos = [_CameraVideos(view, sources, episodes, files, out) for view in views]
    for camera in videos:
        camera.write()
    found = [columns_of(episode, k, sum(len(e.steps) for e in episodes[:k]), RATE, numbers, tasks)
             for k, episode in enumerate(episodes)]
    for number, group in enumerate(files):
        write_parquet({name: _joined([found[k][name] for k in group]) for name in found[0]}, out / _data_file(number))
    per_episode = [stats_of(columns) | {camera.key: camera.stats[k].as_lists() for camera in videos}
                   for k, columns in enumerate(found)]
    write_parquet(_episode_rows(episodes, files, videos, per_episode), out / "meta/episodes/chunk-000/file-000.parquet")
    write_tasks(tasks, out / "meta" / "tasks.parquet")
    everything = {name: _joined([columns[name] for columns in found]) for name in found[0]}
    write_json(stats_of(everything) | {camera.key: PictureStats.total(camera.stats).as_lists() for camera in videos},
               out / "meta" / "stats.json")
    sizes = {camera.key: camera.size for camera in videos}
    write_json(info(world, len(episodes), sum(len(e.steps) for e in episodes), len(tasks), RATE, sizes),
               out / "meta" / "info.json")
    write_json(_about(world, episodes, numbers), out / "meta" / "belvedere.json")
    return (*empty, *_left_out(episodes, views, videos, numbers))


# --- checks ----------------------------------------------------
def _world(episodes: Sequence[Episode]) -> str:
    """Returns the simulator of all episodes.

    Raises:
        DataError: there are several.
    """
    for episode in episodes:
        if episode.world != episodes[0].world:
            raise DataError(f"{episodes[0].name} is of {episodes[0].world}, {episode.name} of {episode.world}: "
                            "a dataset holds one world, so export them apart")
    return episodes[0].world


def _views(episodes: Sequence[Episode]) -> tuple[View, ...]:
    """Returns the cameras that have a picture of every step of every episode.

    Raises:
        DataError: a camera that all recordings used lacks a picture of a step, or no camera was used in all of them.
    """
    views = tuple(view for view in episodes[0].gaps if all(view in e.gaps for e in episodes))
    again = "record the run again with both cameras, which keeps their pictures of every turn, or leave the recording out"
    for episode in episodes:
        if not episode.gaps:
            raise DataError(f"{episode.name} holds no pictures, and a dataset needs one of every step: {again}")
        for view in views:
            if gaps := episode.gaps[view]:
                turns = f"turn{'s' if len(gaps) > 1 else ''} {', '.join(map(str, gaps[:MOST_NAMED]))}"
                raise DataError(f"{episode.name} has no {view} picture of {turns}{', …' if len(gaps) > MOST_NAMED else ''}, "
                                f"and a dataset needs one of every step: {again}")
    if not views:
        raise DataError(f"no camera took pictures in all of the recordings: {again}")
    return views


def _left_out(episodes: Sequence[Episode], views: Sequence[View], videos: Sequence[_CameraVideos], numbers: ActionNumbers
              ) -> Iterator[str]:
    turns = sum(episode.left_out for episode in episodes)
    if turns:
        yield f"{count(turns, 'turn')} on other branches than the outcome's left out"
    for view in dict.fromkeys(view for episode in episodes for view in episode.gaps if view not in views):
        yield f"{view} left out, which not all recordings have"
    beside = [turn for episode in episodes for turn in episode.beside]
    if beside:
        more = ", …" if len(beside) > MOST_NAMED else ""
        yield f"labels of {', '.join(beside[:MOST_NAMED])}{more}, no step of the dataset, are in meta/belvedere.json only"
    resized = sum(camera.resized for camera in videos)
    if resized:
        yield f"{count(resized, 'picture')} brought to the size of the first"
    verbs = sorted({s.action.verb for e in episodes for s in e.steps if s.action is not None} - set(numbers.verbs))
    if verbs:
        yield f"no number for {', '.join(verbs[:MOST_NAMED])}: see text.action"


# --- files -----------------------------------------------------------------
def _files(episodes: Sequence[Episode]) -> list[list[int]]:
    """Returns which episodes each data file and video holds."""
    files: list[list[int]] = []
    steps = MOST_STEPS
    for number, episode in enumerate(episodes):
        steps += len(episode.steps)
        if steps > MOST_STEPS:
            files.append([])
            steps = len(episode.steps)
        files[-1].append(number)
    return files


def _data_file(number: int) -> str:
    return f"data/chunk-000/file-{number:03}.parquet"


class _CameraVideos:
    """The videos of one camera.

    Attributes:
        key: the name of its feature.
        size: height and width in pixels of its first picture.
        stats: statistics of the pictures of each episode.
        resized: number of pictures that had another size.
    """

    def __init__(self, view: View, sources: Sequence[Source], episodes: Sequence[Episode], files: list[list[int]], out: Path):
        self.view, self._sources, self._episodes, self._files, self._out = view, sources, episodes, files, out
        self.key = f"observation.images.{view.replace(' ', '_')}"
        self.size: Size = 0, 0
        self.stats = [PictureStats() for _ in episodes]
        self.resized = 0

    def write(self) -> None:
        """Writes all videos."""
        for number, group in enumerate(self._files):
            path = self._out / "videos" / self.key / "chunk-000" / f"file-{number:03}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_video(self._pictures(group), path, RATE, keyframes=KEYFRAMES)

    def _pictures(self, group: Sequence[int]) -> Iterator[Pixels]:
        """Yields each step's own picture, of the state in which its decision was made."""
        for number in group:
            with self._sources[number]() as recording:
                pictures = Pictures.of(recording)
                for step in self._episodes[number].steps:
                    shot = pictures.before(self.view, step.turn)
                    if shot is None:
                        raise DataError(f"{recording.path.name} has changed while it was read: export it again")
                    pixels = self._sized(pixels_of(shot.jpeg))
                    self.stats[number].add(pixels)
                    yield pixels

    def _sized(self, pixels: Pixels) -> Pixels:
        even: Pixels = pixels[:pixels.shape[0] // 2 * 2, :pixels.shape[1] // 2 * 2]
        if self.size == (0, 0):
            self.size = even.shape[0], even.shape[1]
        if even.shape[:2] == self.size:
            return even
        self.resized += 1
        return np.asarray(Image.fromarray(pixels).resize((self.size[1], self.size[0])))


def _joined(columns: Sequence[Any]) -> Any:
    """Returns one column of several episodes as one."""
    return np.concatenate(columns) if isinstance(columns[0], np.ndarray) else [value for column in columns for value in column]


def _episode_rows(episodes: Sequence[Episode], files: Sequence[Sequence[int]], videos: Sequence[_CameraVideos],
                  stats: Sequence[dict[str, Stats]]) -> dict[str, list[Any]]:
    """Returns one row per episode: where its steps and pictures are, and their statistics."""
    rows: list[dict[str, Any]] = []
    first = 0
    for file, group in enumerate(files):
        start = 0
        for number in group:
            episode, end = episodes[number], start + len(episodes[number].steps)
            row = {"episode_index": number, "tasks": list(episode.tasks), "length": end - start, "data/chunk_index": 0,
                   "data/file_index": file, "dataset_from_index": first, "dataset_to_index": first + end - start,
                   "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
            for camera in videos:
                row |= {f"videos/{camera.key}/chunk_index": 0, f"videos/{camera.key}/file_index": file,
                        f"videos/{camera.key}/from_timestamp": start / RATE, f"videos/{camera.key}/to_timestamp": end / RATE}
            row |= {f"stats/{name}/{word}": value for name, found in stats[number].items() for word, value in found.items()}
            rows.append(row)
            first, start = first + end - start, end
    return {name: [row[name] for row in rows] for name in rows[0]}


def _about(world: str, episodes: Sequence[Episode], numbers: ActionNumbers) -> dict[str, Any]:
    """Returns what LeRobot's own files do not document."""
    return {
        "format": 1, "world": world,
        "columns": {name: column.about for name, column in COLUMNS.items()},
        "verbs": {verb: FIRST + k for k, verb in enumerate(numbers.verbs)},
        "classes": {cls: FIRST + k for k, cls in enumerate(numbers.classes)},
        "episodes": [{"file": e.name, "tasks": list(e.tasks), "success": e.outcome.success, "outcome": e.outcome.words,
                      "branch": e.outcome.branch, "pictures": e.certainty, "about": dict(e.about), "notice": e.notice,
                      "labels": [dict(row) for row in e.labels]} for e in episodes],
    }
