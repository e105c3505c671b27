"""A video of an episode: the cameras' pictures, and below them what was done, why, and the labels. Half a second per turn.

Like those of the page, its times are of the clock that stands still while the session waits for a person.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import av  # type: ignore[import-not-found,import-untyped,unused-ignore]
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.planning.facets import Moment, View
from core.recording.exports.decisions import Decision, decisions
from core.recording.exports.html_parts import action_words, name_of
from core.recording.exports.timeline import Pictures, Shot
from core.recording.label_turns import TurnLabels, label_words
from core.recording.losses import turn_words
from core.recording.pictures import pixels_of
from core.recording.reader import Recording
from core.session.turns import Turn
from core.world.vocabulary import named

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
HEIGHT, LEFT = 480, 14
LINE, TITLE = 24, 32
"""Heights of the lines under the pictures, in pixels."""
MOST_LETTERS = 400
MOST_LABELS = 8
"""Maximum number of lines about labels under a picture. The metadata of the video has all labels."""
GONE = "#1B212B"
"""The background where a picture is missing or smaller than its tile."""
INK, TEXT, MUTED, PLANNER, OPERATOR = "#0E1116", "#E7ECF3", "#9DA9B8", "#8CA2FF", "#F19AD6"
GOOD, BAD, WARN = "#7FD1A0", "#FF8A80", "#F2C14E"
FONT = RESOURCES / "fonts" / "inter"


def write(recording: Recording, out: Path) -> Path:
    """Writes the video. An unfinished one is removed.

    Raises:
        DataError: the recording holds no pictures, or no finished turn.
    """
    pictures = Pictures.of(recording)
    if not pictures.views:
        raise DataError(f"{recording.path.name} holds no pictures: record with a camera on to export a video")
    texts = captions(recording)
    if not texts:
        raise DataError(f"{recording.path.name} holds no finished turn: there is nothing to show")
    try:
        write_video(_scenes(texts, pictures), out, RATE, _about(recording))
    except BaseException:
        out.unlink(missing_ok=True)
        raise
    return out


def _about(recording: Recording) -> dict[str, str]:
    """Returns the metadata that players show, with all labels."""
    labels = TurnLabels.of(recording)
    lines = (f"{recording.worked_at(a.at):.1f} s, {turn_words(moment := Moment(a.branch, a.turn), labels.state(moment))}: "
             f"{label_words(a)}" for a in labels.given)
    planner = recording.metadata.get("planner", "")
    return {"title": recording.metadata.get("goal", "") or recording.path.stem, "description": "\n".join(lines),
            "comment": "; ".join(filter(None, (recording.snapshot_at().outcome.words, planner, recording.notice)))}


@dataclass(frozen=True, slots=True)
class Caption:
    """The text under the pictures of a turn.

    Attributes:
        by: who decided.
        labels: of the turn, and of turns without pictures of their own beside it.
        end: the outcome of the episode and what cannot be read of it, under the last picture; else empty.
        good: whether the goal was reached.
    """

    when: str
    action: str
    by: str
    because: str
    labels: tuple[str, ...]
    end: tuple[str, ...] = ()
    good: bool = False


def captions(recording: Recording) -> tuple[tuple[Decision, Caption], ...]:
    """Returns the text for each decision. Every label is in at least one: those of other turns are with the next decision."""
    labels = TurnLabels.of(recording)
    made = decisions(recording, labels)
    goal = recording.metadata.get("goal", "")
    own = [[label_words(a) for a in decision.labels] for decision in made]
    for moment in reversed(labels.elsewhere()) if made else ():
        began = labels.began(moment)
        place = next((k for k, decision in enumerate(made) if decision.turn.began >= began), len(made) - 1)
        own[place][:0] = [f"{turn_words(moment, labels.state(moment))}: {label_words(a)}" for a in labels.by_turn[moment]]
    found = [(decision, _caption(decision.turn, goal, said)) for decision, said in zip(made, own, strict=True)]
    if found:
        outcome = recording.snapshot_at().outcome
        end = tuple(filter(None, (f"Outcome: {outcome.words}", recording.notice)))
        found[-1] = found[-1][0], replace(found[-1][1], end=end, good=outcome.success)
    return tuple(found)


def _caption(turn: Turn, goal: str, labels: Sequence[str]) -> Caption:
    when = f"{turn.work_began:.1f} s · {turn_words(turn.moment)} · {goal}"
    return Caption(when, _action(turn), turn.by, named(turn.because, name_of), tuple(labels))


def _action(turn: Turn) -> str:
    """Returns what was done in a turn, with names instead of ids."""
    if turn.done is None:
        return "Nothing"
    words = action_words(turn.done)
    refused = "" if turn.outcome is None or turn.outcome.ok else f": refused, {named(turn.outcome.reason, name_of)}"
    return f"{words[:1].upper()}{words[1:]}{refused}"


def _scenes(texts: Sequence[tuple[Decision, Caption]], pictures: Pictures) -> Iterator[Pixels]:
    """Yields each turn's own pictures, then those after its action if there are any. The last one is shown longer."""
    widths = {view: _width(pictures, view) for view in pictures.views}
    rows = min(MOST_LABELS, max(len(caption.labels) for _, caption in texts)) + len(texts[-1][1].end)
    canvas: Pixels | None = None
    for decision, caption in texts:
        turn = decision.turn
        after = {view: pictures.after(view, turn) for view in widths}
        now = caption if not any(after.values()) else replace(caption, end=())
        canvas = _canvas([_tile(pictures.before(v, turn), v, turn, w) for v, w in widths.items()], now, rows)
        yield canvas
        if any(after.values()):
            canvas = _canvas([_tile(after[v], v, turn, w) for v, w in widths.items()], caption, rows)
            yield canvas
    if canvas is not None:
        yield from (canvas,) * (2 * RATE)


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
        draw.text((LEFT, HEIGHT // 2 - 10), f"no {view} picture of turn {turn.number}", MUTED, _font(16))
        return tile
    image = Image.fromarray(pixels_of(shot.jpeg))
    scale = min(width / image.width, HEIGHT / image.height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    tile.paste(image.resize(size, Image.Resampling.LANCZOS), ((width - size[0]) // 2, (HEIGHT - size[1]) // 2))
    draw.text((LEFT, 10), shot.caption(turn.number), TEXT, _font(14), stroke_width=2, stroke_fill=INK)
    return tile


def _canvas(tiles: list[Image.Image], caption: Caption, rows: int) -> Pixels:
    """Returns the pictures side by side over a strip of text; always of the same size.

    Args:
        tiles: the pictures.
        caption: the text.
        rows: number of lines that there is room for besides time, action and reason.
    """
    wide = sum(tile.width for tile in tiles)
    canvas = Image.new("RGB", (wide, HEIGHT + 12 + TITLE + LINE * (2 + rows)), INK)
    left = 0
    for tile in tiles:
        canvas.paste(tile, (left, 0))
        left += tile.width
    draw, top = ImageDraw.Draw(canvas), HEIGHT + 8
    shown = caption.labels[:MOST_LABELS - (len(caption.labels) > MOST_LABELS)]
    more = len(caption.labels) - len(shown)
    colours = (GOOD if caption.good else BAD, WARN)
    lines = [(caption.when, MUTED, 14), (caption.action, OPERATOR if caption.by == "operator" else PLANNER, 20),
             (caption.because, TEXT, 14), *((f"● {words}", OPERATOR, 14) for words in shown),
             *((f"● and {more} more labels", OPERATOR, 14),) * (more > 0),
             *((words, colour, 14) for words, colour in zip(caption.end, colours, strict=False))]
    for text, colour, size in lines:
        draw.text((LEFT, top), _fitted(draw, text, wide - 2 * LEFT, size), colour, _font(size))
        top += TITLE if size > 14 else LINE
    return np.asarray(canvas)


def _fitted(draw: ImageDraw.ImageDraw, text: str, wide: int, size: int) -> str:
    """Returns a text as one line of at most `wide` pixels; the end of a longer one is left out."""
    line, font = " ".join(text.split())[:MOST_LETTERS], _font(size)
    if draw.textlength(line, font) <= wide:
        return line
    length = bisect_right(range(len(line)), float(wide), key=lambda k: draw.textlength(f"{line[:k].rstrip()} …", font)) - 1
    return f"{line[:max(0, length)].rstrip()} …"


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    path = next(iter(sorted(FONT.glob("*.ttf"))), None)
    return ImageFont.load_default(size) if path is None else ImageFont.truetype(str(path), size)
