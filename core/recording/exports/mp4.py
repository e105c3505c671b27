"""A video of an episode: the cameras' pictures, and below them what was done and why. Half a second per turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import wrap

import av  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.planning.facets import View
from core.recording.exports.decisions import Decision, decisions
from core.recording.exports.timeline import Pictures, Shot
from core.recording.pictures import pixels_of
from core.recording.reader import Recording
from core.session.turns import Turn

Pixels = npt.NDArray[np.uint8]


def write_video(pictures: Iterable[Pixels], out: Path, rate: int, about: Mapping[str, str] | None = None, *,
                keyframes: int = 250) -> int:
    """Writes pictures of one size. Returns how many there were. An odd last row or column is left out.

    Args:
        pictures: arrays of shape (H, W, 3).
        out: the file.
        rate: pictures per second.
        about: metadata that players show.
        keyframes: distance in pictures between two pictures that can be decoded by themselves.

    Raises:
        DataError: there are no pictures.
    """
    count = 0
    with av.open(str(out), "w", format="mp4") as container:
        container.metadata.update(about or {})
        stream = container.add_stream("libx264", rate=rate, options={"crf": "20", "preset": "veryfast", "g": str(keyframes)})
        stream.pix_fmt = "yuv420p"
        for pixels in pictures:
            even = np.ascontiguousarray(pixels[:pixels.shape[0] // 2 * 2, :pixels.shape[1] // 2 * 2])
            if not count:
                stream.height, stream.width = even.shape[:2]
            container.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="rgb24")))
            count += 1
        if not count:
            raise DataError("there are no pictures in this recording: record with a camera on (Look) to export a video")
        container.mux(stream.encode(None))
    return count


RATE = 2
HEIGHT, STRIP = 480, 96
GONE = "#1B212B"
"""The background where a picture is missing or smaller than its tile."""
INK, TEXT, MUTED, PLANNER, OPERATOR = "#0E1116", "#E7ECF3", "#9DA9B8", "#8CA2FF", "#F19AD6"
FONT = RESOURCES / "fonts" / "inter"


def write(recording: Recording, out: Path) -> Path:
    """Writes the video. An unfinished one is removed.

    Raises:
        DataError: the recording holds no pictures.
    """
    pictures = Pictures.of(recording)
    if not pictures.views:
        raise DataError(f"{recording.path.name} holds no pictures: record with a camera on to export a video")
    try:
        write_video(_scenes(recording, pictures), out, RATE, _about(recording))
    except BaseException:
        out.unlink(missing_ok=True)
        raise
    return out


def _about(recording: Recording) -> dict[str, str]:
    """Returns the metadata that players show."""
    return {"title": recording.metadata.get("goal", "") or recording.path.stem,
            "comment": f"{recording.snapshot_at().outcome.words}; {recording.metadata.get('planner', '')}".rstrip("; ")}


def _scenes(recording: Recording, pictures: Pictures) -> Iterator[Pixels]:
    """Yields each turn's own pictures, then those after its action if there are any. The last one is shown longer."""
    goal, widths = recording.metadata.get("goal", ""), {view: _width(pictures, view) for view in pictures.views}
    canvas: Pixels | None = None
    for decision in decisions(recording):
        turn = decision.turn
        canvas = _canvas([_tile(pictures.before(v, turn), v, turn, w) for v, w in widths.items()], goal, decision)
        yield canvas
        after = {view: pictures.after(view, turn) for view in widths}
        if any(after.values()):
            canvas = _canvas([_tile(after[v], v, turn, w) for v, w in widths.items()], goal, decision)
            yield canvas
    if canvas is not None:
        yield from (canvas, canvas)


def _width(pictures: Pictures, view: View) -> int:
    """Returns the width in pixels of a camera's pictures in the video, from the shape of its first one."""
    _, jpeg = next(pictures.recording.jpegs(view))
    image = Image.fromarray(pixels_of(jpeg))
    return max(2, round(image.width * HEIGHT / image.height))


def _tile(shot: Shot | None, view: View, turn: Turn, width: int) -> Image.Image:
    """Returns a picture with its caption; a text in its place if the turn has none."""
    tile = Image.new("RGB", (width, HEIGHT), GONE)
    draw = ImageDraw.Draw(tile)
    if shot is None:
        draw.text((14, HEIGHT // 2 - 10), f"no {view} picture of turn {turn.number}", MUTED, _font(16))
        return tile
    image = Image.fromarray(pixels_of(shot.jpeg))
    scale = min(width / image.width, HEIGHT / image.height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    tile.paste(image.resize(size, Image.Resampling.LANCZOS), ((width - size[0]) // 2, (HEIGHT - size[1]) // 2))
    draw.text((14, 10), shot.caption(turn.number), TEXT, _font(14), stroke_width=2, stroke_fill=INK)
    return tile


def _canvas(tiles: list[Image.Image], goal: str, decision: Decision) -> Pixels:
    """Returns the pictures side by side over a strip of text; always of the same size."""
    canvas = Image.new("RGB", (sum(tile.width for tile in tiles), HEIGHT + STRIP), INK)
    left = 0
    for tile in tiles:
        canvas.paste(tile, (left, 0))
        left += tile.width
    draw, columns, turn = ImageDraw.Draw(canvas), max(20, canvas.width // 9), decision.turn
    draw.text((14, HEIGHT + 10), _line(f"{turn.began:.1f} s   {goal}", columns), MUTED, _font(14))
    colour = OPERATOR if turn.by == "operator" else PLANNER
    done = turn.outcome.action if turn.outcome is not None else turn.action
    draw.text((14, HEIGHT + 34), _line(f"{turn.number}  {done or 'nothing'}", columns * 2 // 3), colour, _font(20))
    draw.text((14, HEIGHT + 66), _line(turn.because, columns), TEXT, _font(14))
    return np.asarray(canvas)


def _line(text: str, columns: int) -> str:
    lines = wrap(" ".join(text.split()), columns) or [""]
    return lines[0] + (" …" if len(lines) > 1 else "")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    path = next(iter(sorted(FONT.glob("*.ttf"))), None)
    return ImageFont.load_default(size) if path is None else ImageFont.truetype(str(path), size)
