"""The parts that the pages of an episode and of a decision share. Every text is escaped; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape

from PIL import Image

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.goals.literals import LiteralProgress
from core.planning.facets import View
from core.recording.exports.timeline import Shot
from core.recording.pictures import pixels_of
from core.recording.reader import Recording
from core.session.turns import Call, Turn
from core.world.vocabulary import Action, in_words, named

PAGES = RESOURCES / "export"
MOST_TEXT = 8000
LEAST_IDLE = 0.05
"""Minimum seconds of waiting for a person that a decision mentions."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def resource(name: str) -> str:
    """Returns the text of a file beside the pages' style sheet.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return (PAGES / name).read_text("utf-8")
    except OSError as error:
        raise DataError(f"{PAGES / name} cannot be read: {error.strerror or error}") from error


def page_head(title: str, policy: str = POLICY) -> str:
    """Returns the page up to the beginning of its content, for readers in light and dark."""
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{resource("page.css")}</style></head>'
            "<body><main>")


def name_of(entity_id: str) -> str:
    """Returns an id as a name: `kitchen_table_2` is "kitchen table 2"."""
    return entity_id.replace("_", " ")


def action_words(action: Action) -> str:
    """Returns an action in words."""
    return named(in_words(action), name_of)


def percent(share: float) -> str:
    """Returns a share as per cent, with a digit after the point below ten."""
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"


def chip(text: str, kind: str = "") -> str:
    """Returns a short text on a coloured ground; `kind` is a class of the style sheet."""
    return f'<span class="chip {kind}">{escape(text)}</span>'


def goal_chips(progress: Iterable[LiteralProgress]) -> str:
    """Returns a chip for each literal of a goal: whether it is reached, and its count."""
    return "".join(chip(f"✓ {p.literal} · {p.have}/{p.literal.count}", "good") if p.reached else
                   chip(f"○ {p.literal} · {p.have}/{p.literal.count}", "warn") for p in progress)


def notice_line(recording: Recording) -> str:
    """Returns what of a recording cannot be read; nothing if it is whole."""
    return f'<p class="notice">{escape(recording.notice)}</p>' if recording.notice else ""


def fact_list(facts: dict[str, str]) -> str:
    """Returns names with their values; an empty value is a dash."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value) or '–'}</dd></div>" for name, value in facts.items())
    return f'<dl class="facts">{rows}</dl>'


def table(head: Iterable[str], rows: Iterable[str]) -> str:
    """Returns a table. The texts of its head are escaped here, its rows are HTML."""
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f'<table class="card labels"><thead><tr>{cells}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def branch_words(number: int) -> str:
    """Returns the name of a branch."""
    return f"branch {number}" if number else "main line"


def cost_words(turn: Turn) -> str:
    """Returns the seconds that a turn took, by kind of work."""
    cost = f"thinking {turn.thinking:.2f} s, waiting for the model {turn.waiting:.2f} s, acting {turn.acting:.2f} s"
    cost += f"; waited for a person {turn.idle:.1f} s" if turn.idle >= LEAST_IDLE else ""
    return cost + (f"; searched before it was compiled {turn.compiling:.1f} s" if turn.compiling >= LEAST_IDLE else "")


def call_head(call: Call) -> str:
    """Returns what a call was about, who answered, and at what cost; not escaped."""
    reply = call.reply
    about = f"{call.ask.purpose}{f': {call.ask.subject}' if call.ask.subject else ''}"
    if reply is None:
        return f"{about} · no answer"
    who = reply.source + ("" if reply.is_model else ", not a language model")
    spent = "from the cache" if reply.cached else f"{reply.tokens_in} + {reply.tokens_out} tokens, {reply.seconds:.2f} s"
    return f"{about} · {who} · {spent}"


def call_texts(call: Call, most: int = MOST_TEXT) -> str:
    """Returns the prompt and the reply of a call, each cut to `most` characters."""
    prompt = "\n\n".join(f"{m.role}: {m.content}" for m in call.ask.messages)
    reply = "\n---\n".join(call.reply.texts) if call.reply is not None else ""
    return f"<pre>{cut(prompt, most)}</pre><pre>{cut(reply, most)}</pre>"


def cut(text: str, most: int) -> str:
    """Returns a text, escaped; if it is longer than `most` characters, its beginning and how many are left out."""
    more = len(text) - most
    return escape(text[:most]) + (f"\n… {more:,} characters more" if more > 0 else "")


def figure(shot: Shot | None, view: View, turn: int, width: int) -> str:
    """Returns a picture of at most `width` pixels a side with its caption, or that there is none."""
    if shot is None:
        return f'<figure class="missing"><figcaption class="muted">no {view} picture of turn {turn}</figcaption></figure>'
    caption = f"{view}, {shot.caption(turn)}"
    return f'<figure>{_image(shot.jpeg, view, width)}<figcaption class="muted">{caption}</figcaption></figure>'


def _image(jpeg: bytes, view: View, width: int) -> str:
    """Returns a picture as HTML, scaled down so that the page stays small; a text if it is damaged."""
    try:
        image = Image.fromarray(pixels_of(jpeg))
    except DataError as error:
        return f'<p class="muted">{escape(str(error))}</p>'
    image.thumbnail((width, width))
    out = io.BytesIO()
    image.save(out, "JPEG", quality=80)
    data = base64.b64encode(out.getvalue()).decode("ascii")
    size = f'width="{image.width}" height="{image.height}"'
    return f'<img alt="{view}" loading="lazy" {size} src="data:image/jpeg;base64,{data}">'


def clock(seconds: float) -> str:
    """Returns a time: `4.2 s`, `1:24`, `2:03:01`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
