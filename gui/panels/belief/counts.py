"""The answers of the model that a belief was made of: how many name each place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.planning.belief_facets import Belief, PositionAnswers
from gui.widgets import numbers as say

MOST_NAMED = 3
"""The number of classes that the header names; the goal's come first."""


def cell_words(answers: PositionAnswers | None, belief: Belief, row: int, place: int) -> str:
    """Returns what the model said about an object and a place, for example `6 of 50 answers`; empty if it was not asked.

    Args:
        answers: the answers, if there are any.
        belief: the belief that the row and the place are of.
        row: the row of the object.
        place: the index of the place.
    """
    said = answers.about(belief.classes[row]) if answers is not None else None
    if answers is None or said is None or belief.places[place] not in answers.places:
        return ""
    count = float(said.counts[answers.places.index(belief.places[place])])
    if not said.samples:
        return f"{say.probability(count) or '0'} by the model"
    return f"{say.count_text(count) or '0'} of {say.count(said.samples, 'answer')}"


def counted(belief: Belief, answers: PositionAnswers) -> tuple[Belief, tuple[int, ...]]:
    """Returns a belief whose cells are the shares of the answers that name the place, and the number of answers of each row.

    Rows of classes that the model was not asked about are empty.
    """
    index = {place: k for k, place in enumerate(answers.places)}
    columns = np.array([index.get(place, -1) for place in belief.places], np.int64)
    shares, samples = np.zeros(belief.probability.shape), []
    for row, cls in enumerate(belief.classes):
        said = answers.about(cls)
        samples.append(said.samples if said is not None else 0)
        if said is not None and len(said.counts):
            shares[row] = np.where(columns >= 0, said.counts[columns], 0.0) / max(1, said.samples)
    none = np.zeros(shares.shape, bool)
    return replace(belief, located=(None,) * len(belief.objects), probability=shares, looked=np.zeros(len(belief.places), bool),
                   pinned=none, zeroed=none, barred=None), tuple(samples)


def summary(answers: PositionAnswers) -> str:
    """Returns how many answers there are about the first classes, and how many of them name no place."""
    parts, more = list[str](), len(answers.classes) - MOST_NAMED
    for said in answers.classes[:MOST_NAMED]:
        name = say.count(said.samples, "answer") if said.samples else "probabilities"
        lost = f", {say.whole(said.unread)} without a place" if said.unread else ""
        parts.append(f"{said.cls.replace('_', ' ')}: {name}{lost}")
    return " · ".join([*parts, *([f"{more} more"] if more > 0 else [])])
