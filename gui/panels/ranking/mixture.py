"""How the prior of each action is made: the columns that the ranking paints in place of visits and values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.planning.search_facets import PolicyMixture, RankedAction, Ranking
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.widgets import CENTRE, LEFT, RIGHT, draw_text
from gui.widgets import numbers as say
from gui.widgets.painting import ink_on

PRIOR, UNIFORM, MODEL, SAMPLE, BAR, GAP, LEAST_ACTION = 26, 30, 34, 20, 40, 4, 92
"""Pixels at text size 100 %: the widths of the columns, the space before a column, and the least width of the action."""
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Shares:
    """The parts of each action's prior.

    Attributes:
        mixture: the parts of all root actions.
        index: the steps of an action -> its index among them.
    """

    mixture: PolicyMixture
    index: Mapping[tuple[Action, ...], int]

    def of(self, ranked: RankedAction | None) -> int | None:
        """Returns the index of an action; None if its prior is not the sum of these parts, as before the model was asked."""
        if ranked is None or (k := self.index.get(ranked.steps)) is None:
            return None
        return k if abs(sum(self.mixture.parts(k)) - ranked.prior) < ROUNDING else None


def shares_of(mixture: PolicyMixture | None, ranking: Ranking | None) -> Shares | None:
    """Returns the parts of the priors of a ranking; None if there are none."""
    if mixture is None or ranking is None:
        return None
    return Shares(mixture, {steps: k for k, steps in enumerate(mixture.actions)})


def summary(mixture: PolicyMixture) -> str:
    """Returns in a few words how the priors are made, for the panel's header."""
    samples = say.count(len(mixture.samples), "sample")
    how = {"softmax": f"softmax of {samples}", "mean-softmax": f"mean softmax of {samples}", "votes": f"votes of {samples}",
           "probabilities": "the model's probabilities",
           "noise": "a random action in place of the answer", "none": "no usable answer: all alike"}[mixture.how]
    words = ", by words" if mixture.words_only else ""
    return f"λ {say.probability(mixture.mixing) or '0'} over {say.count(len(mixture.actions), 'action')} · {how}{words}"


def part_words(shares: Shares, k: int) -> str:
    """Returns the sum that makes an action's prior, as text."""
    uniform, model = shares.mixture.parts(k)
    total, even, own = (say.probability(p) or "0" for p in (uniform + model, uniform, model))
    return f"prior {total} = {even} uniform + {own} model"


def sample_words(shares: Shares, k: int) -> tuple[str, ...]:
    """Returns one line for each sample: its similarity to an action, and what it said. Then their sum, compared to eta.

    If each sample has a softmax of its own, there is no sum.
    """
    mixture = shares.mixture
    if not len(mixture.cosines):
        return tuple(f"said: {text}" for text in mixture.samples)
    lines = [f"{say.value(float(row[k]))}  {text}" for row, text in zip(mixture.cosines, mixture.samples, strict=True)]
    if mixture.how == "mean-softmax":
        return tuple(lines)
    scores = mixture.cosines.sum(axis=0)
    return (*lines, f"Σ cos − η = {say.value(float(scores[k]))} − {say.value(float(scores.mean()))}")


@dataclass(frozen=True, slots=True)
class MixtureColumns:
    """The left edges and widths of the columns, in pixels. A width of 0 means there is no room for the column.

    Attributes:
        samples: those of the samples that are shown.
        more: how many samples have no column.
    """

    action: tuple[float, float]
    bar: tuple[float, float]
    prior: tuple[float, float]
    uniform: tuple[float, float]
    model: tuple[float, float]
    samples: tuple[tuple[float, float], ...]
    more: int


def mixture_columns(theme: Theme, width: float, samples: int) -> MixtureColumns:
    """Returns the columns. In a narrow panel the bar is dropped first, then the samples from the last, then the two parts.

    Args:
        theme: gives the sizes.
        width: pixels of a row.
        samples: the number of samples with similarities.
    """
    px = theme.px
    left, right = float(px(12)), width - px(8)
    room = right - left - px(LEAST_ACTION)
    widths = (MODEL, UNIFORM, PRIOR) if room >= px(MODEL + UNIFORM + PRIOR + 3 * GAP) else (0, 0, PRIOR)
    spare = room - sum(px(w + GAP) for w in widths if w)
    shown = min(samples, max(0, int((spare - px(GAP)) // px(SAMPLE)))) if widths[0] else 0
    with_bar = widths[0] and spare - shown * px(SAMPLE) - px(GAP) >= px(BAR + GAP)
    x = right - shown * px(SAMPLE)
    cells = tuple((x + k * px(SAMPLE), float(px(SAMPLE))) for k in range(shown))
    x -= px(GAP) if shown else 0
    found: list[tuple[float, float]] = []
    for wide in (*widths, BAR if with_bar else 0):
        x -= px(wide) if wide else 0
        found.append((x, float(px(wide)) if wide else 0.0))
        x -= px(GAP) if wide else 0
    model, uniform, prior, bar = found
    return MixtureColumns((left, x - left), bar, prior, uniform, model, cells, samples - shown)


def paint_heads(painter: QPainter, theme: Theme, columns: MixtureColumns, height: float) -> None:
    """Paints the column titles."""
    heads = (("Action", columns.action, LEFT), ("P", columns.prior, RIGHT),
             ("λ/|A|", columns.uniform, RIGHT), ("model", columns.model, RIGHT))
    for text, (x, wide), align in heads:
        if wide:
            draw_text(painter, theme, QRectF(x, 0, wide, height), text, "small", "faint", 500, align)
    for k, (x, wide) in enumerate(columns.samples):
        last = columns.more and k == len(columns.samples) - 1
        text = f"+{columns.more + 1}" if last else str(k + 1)
        draw_text(painter, theme, QRectF(x, 0, wide, height), text, "small", "faint", 500, CENTRE, elide=False)


def paint_parts(painter: QPainter, theme: Theme, shares: Shares, k: int, rect: QRectF, columns: MixtureColumns) -> None:
    """Paints the parts of one action's prior: as a bar, as numbers, and the similarity of each sample as a coloured cell."""
    mixture, (uniform, model) = shares.mixture, shares.mixture.parts(k)
    top = max(float(mixture.model.max(initial=0.0)) * (1 - mixture.mixing) + mixture.parts(0)[0], 1e-9)
    _paint_bar(painter, theme, (uniform / top, model / top), QRectF(columns.bar[0], rect.y(), columns.bar[1], rect.height()))
    for column, part, tone, weight in ((columns.prior, uniform + model, "text", 600), (columns.uniform, uniform, "muted", 400),
                                       (columns.model, model, "muted", 400)):
        if column[1]:
            room = QRectF(column[0], rect.y(), column[1], rect.height())
            draw_text(painter, theme, room, say.probability(part), "small", tone, weight, RIGHT)
    for n, (x, wide) in enumerate(columns.samples):
        room = QRectF(x + 1, rect.y() + 2, wide - 2, rect.height() - 4)
        if columns.more and n == len(columns.samples) - 1:
            draw_text(painter, theme, room, "…", "micro", "faint", 400, CENTRE)
            continue
        cosine = float(mixture.cosines[n, k])
        ground = theme.heat(min(1.0, max(0.0, cosine)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(room, 2, 2)
        text = say.signed(str(round(100 * cosine))) if cosine < 0 else say.hundredths(cosine)
        draw_text(painter, theme, room, text, "micro", ink_on(ground.name()), 400, CENTRE, elide=False)


def _paint_bar(painter: QPainter, theme: Theme, parts: tuple[float, float], rect: QRectF) -> None:
    """Paints two parts of the largest prior side by side."""
    if not rect.width():
        return
    high, x = theme.px(8), rect.x()
    painter.setPen(Qt.PenStyle.NoPen)
    for share, tone in zip(parts, ("idle", "accent"), strict=True):
        wide = rect.width() * share
        if wide > 0:
            painter.setBrush(theme.colour(tone))
            painter.drawRect(QRectF(x, rect.center().y() - high / 2, max(1.0, wide), high))
        x += wide
