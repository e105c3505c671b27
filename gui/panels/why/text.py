"""The text of the why panel: a decision and the sentences about it as rich text with links to their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.planning.explanation import ALONE, DecisionEvidence, Sentence
from core.planning.simulation_facets import Margins
from core.session.flip_words import CHANGES, margin_lines
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.widgets import Names

NOTHING = "This planner showed nothing about that action in this turn."
NO_OTHER = "There is no other action to compare with."


def page(decision: DecisionEvidence, other: Action | None, sentences: Sequence[Sentence], margins: Margins | None, names: Names,
         theme: Theme) -> str:
    """Returns the page as HTML; the links are `evidence:SENTENCE/NUMBER`."""
    text, muted, link = (theme.colour(tone).name() for tone in ("text", "muted", "accent"))
    small = theme.font("small", 400).pixelSize()
    body = theme.font("body", 400).pixelSize()
    heading = f"Why “{names.phrase(decision.chosen)}”" if decision.chosen is not None else "Why no action"
    heading += f" and not “{names.phrase(other)}”?" if other is not None else "?"
    parts = [f"<p style='color:{text};font-size:{body}px;font-weight:600;margin:4px 0 6px 0'>{escape(heading)}</p>"]
    if decision.because and decision.chosen is not None and not any(said.claim == "reason" for said in sentences):
        parts.append(_paragraph(f"The planner's own reason: {names.with_names(decision.because)}.", (), muted, link, small))
    for number, said in enumerate(sentences):
        links = [f"<a style='color:{link};text-decoration:none' href='evidence:{number}/{k}'>"
                 f"{escape(names.with_names(seen.label))}</a>" for k, seen in enumerate(said.evidence)]
        parts.append(_paragraph(names.with_names(said.text), links, text, muted, small))
    if other is None or all(said.claim in ALONE for said in sentences):
        parts.append(_paragraph(NOTHING if other is not None else NO_OTHER, (), muted, muted, small))
    if margins is not None:
        parts.append(f"<p style='color:{text};font-size:{body}px;font-weight:600;margin:8px 0 6px 0'>{CHANGES}</p>")
        parts += [_paragraph(line, (), text, muted, small) for line in margin_lines(margins, names)]
    return "".join(parts)


def _paragraph(words: str, links: Sequence[str], tone: str, between: str, size: int) -> str:
    joined = f"<span style='color:{between}'> · </span>".join(links)
    below = f"<br>{joined}" if links else ""
    return f"<p style='color:{tone};font-size:{size}px;margin:0 0 7px 0'>{escape(words)}{below}</p>"
