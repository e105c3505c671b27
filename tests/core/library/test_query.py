"""The language of the search box: what each form means, errors in one line, and no text breaks it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import UsageError
from core.library.entry import FIELDS, WORDS, Entry, FileState
from core.library.index import Index
from core.library.listing import Listing
from core.library.query import complete, parse, words_of
from core.library.summary import Summary, Words

A = Entry(Path("/runs/a.mcap"), FileState(1, 1), planner="llm-mcts", preset="paper", scene="four-rooms-1", seed=3, turns=21,
          goal="Put one apple inside the fridge", result="failed", outcome="steps used up", labels=("stuck", "not sensible"),
          ratings=(2, 4), annotators=("ann",), seconds=95.0, began=1_780_000_000.0, tokens=4200)
B = replace(A, path=Path("/runs/b.mcap"), planner="uct", preset="", turns=4, result="reached", outcome="goal reached",
            labels=(), ratings=(), annotators=(), cost=0.5, seconds=2.0, seed=12, named=False)
LISTING = Listing([(7, A), (3, B)])


@pytest.mark.parametrize(("text", "finds"), [
    ("planner:mcts", "A"), ("planner:mcts,uct", "AB"), ("planner=mcts", ""), ("planner=UCT", "B"), ("-planner:uct", "A"),
    ("turns>20", "A"), ("turns>=21", "A"), ("turns<21", "B"), ("turns:4", "B"), ("turns=4,21", "AB"), ("-turns>20", "B"),
    ("length>1m", "A"), ("length<=2s", "B"), ("tokens>=4k", "AB"), ("seed=3", "A"),
    ("failed", "A"), ("-failed", "B"), ("reached", "B"), ("labelled", "A"), ("rated", "A"), ("unrecorded", "B"), ("gone", ""),
    ("label:stuck", "A"), ('label:"not sens"', "A"), ('label="not sensible"', "A"), ("label=not", ""), ("annotator:ann", "A"),
    ("rating>2.5", "A"), ("rating<9", "A"), ("cost>0", "B"), ("-cost>0", "A"),
    ('goal:"one apple"', "AB"), ("goal:pear", ""), ("planner:", "AB"), ("", "AB"), ("date>2020", "AB"), ("date<2020-05", ""),
    ("date<=2026-05-28", "AB"), ("failed turns>20 planner:llm", "A"), ("file:b.mcap", "B"), ("planner:a,\"uct\"", "B"),
])
def test_fields_and_words(text: str, finds: str) -> None:
    query = parse(text)
    assert query.texts == ()
    assert "".join(entry.path.stem.upper() for entry in LISTING.select(query.conditions)) == finds


@pytest.mark.parametrize(("text", "finds"), [
    ("apple", "a"), ("APP", "a"), ("apple fridge", "a"), ("apple sofa", ""), ("-apple", "b"), ('"failed"', "b"),
    ("prompt:kitchen", "a"), ("reply:kitchen", "b"), ("note:door", "b"), ("note:kitchen", ""), ("-note:door", "a"),
    ("apple_1", "a"), ("kuche", "b"), ("KÜCHE", "b"), ('"apple fridge"', "a"), ("kitchen", "ab"), ("turns>20 kitchen", "a"),
])
def test_texts(text: str, finds: str, index: Index) -> None:
    index.put([Summary(A, Words("llm mcts", "apple fridge 1", "kitchen", "sink", "")),
               Summary(B, Words("uct", "book sofa", "", "kitchen küche failed", "door"))])
    assert "".join(sorted(entry.path.stem for entry in index.find(text))) == finds


@pytest.mark.parametrize(("text", "says"), [
    ("turn>3", "there is no field 'turn'; did you mean 'turns'?"),
    ("turns>many", "turns is a number: write it such as turns>20"),
    ("colour:red", "there is no field 'colour'"), ("turns>1e9", "turns is a number"),
])
def test_errors_are_one_line(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=r"\A[^\n]*\Z") as raised:
        parse(text)
    assert says in str(raised.value)


PIECES = (*FIELDS, *WORDS, "note", ":", ">", "<=", "=", '"', "-", ",", " ", "12", "3m", "é", "*", "(", "^", "AND", "NEAR", "\0",
          "{", "apple", "\ud800")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_query_or_an_error(index: Index, text: str) -> None:
    index.put([Summary(A, Words("llm", "apple"))])
    complete(text, LISTING.counts)
    with suppress(UsageError):
        assert len(index.find(text)) in (0, 1)


FORMS = ("planner:u", "planner=uct", "-planner:mcts", "turns>{}", "-turns<={}", "turns={}", "cost>0", "label:stuck,ok",
         "reached", "-labelled", "date>2026-0{}", "rating<{}", "goal<p")
ENTRIES = st.builds(replace, st.sampled_from([A, B]), turns=st.integers(0, 9), cost=st.sampled_from([None, 0.0, 1.5]),
                    labels=st.sampled_from([(), ("stuck",), ("ok", "stuck"), ("note",)]), began=st.floats(1.7e9, 1.8e9),
                    ratings=st.lists(st.integers(1, 5), max_size=2).map(tuple), goal=st.sampled_from(["", "apple", "pear"]))


@given(st.lists(ENTRIES, max_size=8), st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), st.integers(1, 9))
def test_columns_select_what_holds_of_each_entry(entries: list[Entry], forms: list[str], number: int) -> None:
    query = parse(" ".join(forms).format(*[number] * len(forms)))
    listing = Listing(list(enumerate(entries)))
    each = [[any(map(c.one, c.values(entry))) != c.negated for c in query.conditions] for entry in entries]
    for _ in range(2):  # the second time from the columns of the first
        found = listing.select(query.conditions)
        assert [id(entry) for entry in found] == [id(entry) for entry, holds in zip(entries, each, strict=True) if all(holds)]


@given(st.text())
def test_words_are_found_as_they_are_split(text: str) -> None:
    assert words_of(" ".join(words_of(text))) == words_of(text)


def test_words_with_a_meaning_are_no_fields() -> None:
    assert not WORDS.keys() & FIELDS.keys()


def test_completion() -> None:
    assert complete("pla", LISTING.counts) == ["planner:"]
    assert complete("failed tur", LISTING.counts) == ["failed turns>"]
    assert complete("x planner:", LISTING.counts) == ["x planner:llm-mcts", "x planner:uct"]
    assert complete("-label:sen", LISTING.counts) == ['-label:"not sensible"']
    assert complete("planner:llm-mcts,u", LISTING.counts) == ["planner:llm-mcts,uct"]
    assert complete("rea", LISTING.counts) == ["reached"]
    assert complete("turns>", LISTING.counts) == complete("", LISTING.counts) == complete('goal:"one ', LISTING.counts) == []


def test_what_shows_nothing_in_a_pasted_query_changes_nothing() -> None:
    found = parse("\u200bfai\u00adled\u00a0turns>2\u20600 apple\ufeff")
    assert [one.name for one in found.conditions] == ["failed", "turns"]
    assert [one.words for one in found.texts] == [("apple",)]
