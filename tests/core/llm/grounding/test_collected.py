"""Answers in free wording, written and collected (some from a real small model), are grounded rightly.

The development half was looked at while the readers were made, the held-out half was written before and not looked at since.
"""

from __future__ import annotations

from collections import Counter

import pytest

from core.common.errors import MissingPart
from core.llm.embeddings import MiniLM
from tests.core.llm.grounding.scoring import Half, Kind, answers, graded, shares

HALVES: tuple[Half, ...] = ("development", "held_out")
KINDS: tuple[Kind, ...] = ("positions", "actions")
MOST_WRONG = 0.06
"""A wrong match is worse than none."""


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    model = MiniLM()
    try:
        model.encode(["apple"])
    except MissingPart as missing:
        pytest.skip(str(missing))
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_300_of_each_kind_no_text_twice_in_a_world(kind: Kind) -> None:
    rows = [row for half in HALVES for row in answers(half, kind)]
    assert len(rows) >= 300
    twice = [key for key, n in Counter((row["world"], row["text"], str(row.get("choices"))) for row in rows).items() if n > 1]
    assert not twice


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_without_embeddings_four_of_five_are_grounded_rightly(kind: Kind, half: Half) -> None:
    found = shares(graded(half, kind))
    assert found["right"] >= 0.8, found
    assert found["wrong"] <= MOST_WRONG, found


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", KINDS)
def test_with_embeddings_nine_of_ten_are(kind: Kind, half: Half, minilm: MiniLM) -> None:
    found = shares(graded(half, kind, minilm))
    assert found["right"] >= 0.9, found
    assert found["wrong"] <= MOST_WRONG, found


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_grounded_rightly_can_be_seen(kind: Kind) -> None:
    for half in HALVES:
        for one in graded(half, kind):
            assert one.how in ("none", "refused") if not one.found else one.how not in ("none", "refused")
            assert 0 <= one.score <= 1
