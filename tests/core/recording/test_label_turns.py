"""In which turns a label counts: its own, and of an interval all with which it shares time."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from core.planning.facets import Moment
from core.recording.annotations import Annotation
from core.recording.label_turns import TurnSpan, label_words, turns_of
from core.recording.losses import turn_words

LENGTHS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=9)
"""Of each turn: the seconds before it in which nothing happened, and how long it took."""


def spans(lengths: list[tuple[int, int]]) -> list[TurnSpan]:
    """Returns turns one after the other; each third begins a new branch."""
    found, now = [], 0
    for number, (gap, length) in enumerate(lengths):
        found.append(TurnSpan(number // 3, number + 1, now + gap, now + gap + length))
        now += gap + length
    return found


@example([(0, 0)] * 4, -1, None, True, 0)
@given(LENGTHS, st.integers(-1, 40), st.one_of(st.none(), st.integers(0, 20)), st.booleans(), st.integers(0, 12))
def test_a_label_counts_in_its_own_turn_and_an_interval_in_all_it_shares_time_with(
        lengths: list[tuple[int, int]], at: int, lasts: int | None, state: bool, turn: int) -> None:
    turns = spans(lengths)
    a = Annotation("a", "odd", at, None if lasts is None or not state else at + lasts, state, turn, 1)
    shared = {t.moment for t in turns if state and t.ended > at
              and (t.branch == a.branch if a.until is None else t.began < a.until)}
    found = turns_of(a, turns)
    assert set(found) == {Moment(1, turn), *shared}
    assert len(set(found)) == len(found)


def test_words_name_all_that_a_label_says_and_what_its_turn_is() -> None:
    a = Annotation("a", "odd", 1.0, note="why?", annotator="ann", rating=2, better="go left", role="settled")
    assert label_words(a) == "odd · why? · better: go left · rated 2 of 5 · settled by ann"
    assert label_words(Annotation("a", "odd", 1.0)) == "odd"
    assert turn_words(Moment(0, 0), "before the first turn") == "before the first turn"
    assert turn_words(Moment(2, 4), "not finished") == "turn 4 of branch 2 (not finished)"
