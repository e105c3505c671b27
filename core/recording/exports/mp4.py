"""A video of an episode: what the cameras saw, and beside it what was done and why. Two pictures a second."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from core.errors import DataError
from core.facets import View
from core.recording.exports.decisions import Decision, decisions
from core.recording.exports.timeline import Pictures
from core.recording.exports.video import Pixels, write_video
from core.recording.pictures import pixels_of
from core.recording.reader import Recording

RATE = 2
HEIGHT, STRIP = 480, 96
INK, TEXT, MUTED, PLANNER, OPERATOR = "#0E1116", "#E7ECF3", "#9DA9B8", "#8CA2FF", "#F19AD6"
FONT = Path(__file__).parents[3] / "resources" / "fonts" / "inter"


def write(recording: Recording, out: Path) -> Path:
    """The video; an unfinished one is removed.

    Raises:
        DataError: the recording holds no pictures.
    """
    pictures = Pictures.of(recording)
    if not pictures.times:
        raise DataError(f"{recording.path.name} holds no pictures: record with a camera on to export a video")
    try:
        write_video(_scenes(recording, pictures), out, RATE, _about(recording))
    except BaseException:
        out.unlink(missing_ok=True)
        raise
    return out


def _about(recording: Recording) -> dict[str, str]:
    """What players show of the file."""
    return {"title": recording.metadata.get("goal", "") or recording.path.stem,
            "comment": f"{recording.snapshot_at().outcome.words}; {recording.metadata.get('planner', '')}".rstrip("; ")}


def _scenes(recording: Recording, pictures: Pictures) -> Iterator[Pixels]:
    """One picture for every moment at which a camera took one, and one more at the end to read the last line."""
    made, goal = decisions(recording), recording.metadata.get("goal", "")
    canvas: Pixels | None = None
    for seconds in sorted({t for times in pictures.times.values() for t in times}):
        present = next((d for d in reversed(made) if d.turn.began <= seconds), None)
        canvas = _canvas([_shot(pictures, view, seconds) for view in pictures.times], goal,
                         recording.worked_at(seconds), present)
        yield canvas
    if canvas is not None:
        yield from (canvas, canvas)


def _shot(pictures: Pictures, view: View, seconds: float) -> Image.Image:
    jpeg = pictures.at(view, seconds)
    assert jpeg is not None, "only cameras that took pictures are shown"
    image = Image.fromarray(pixels_of(jpeg))
    return image.resize((max(2, round(image.width * HEIGHT / image.height)), HEIGHT), Image.Resampling.LANCZOS)


def _canvas(shots: list[Image.Image], goal: str, seconds: float, decision: Decision | None) -> Pixels:
    """The pictures side by side over a strip of text; always of one size, for the first pictures decide it."""
    canvas = Image.new("RGB", (sum(s.width for s in shots), HEIGHT + STRIP), INK)
    left = 0
    for shot in shots:
        canvas.paste(shot, (left, 0))
        left += shot.width
    draw, columns = ImageDraw.Draw(canvas), max(20, canvas.width // 9)
    draw.text((14, HEIGHT + 10), _line(f"{seconds:.1f} s   {goal}", columns), MUTED, _font(14))
    if decision is not None:
        turn = decision.turn
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
