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
from core.library.query import complete, parse, words_of
from core.library.summary import Summary, Words

A = Entry(Path("/runs/a.mcap"), FileState(1, 1), planner="llm-mcts", preset="paper", scene="four-rooms-1", seed=3, turns=21,
          goal="Put one apple inside the fridge", result="failed", outcome="steps used up", labels=("stuck", "not sensible"),
          ratings=(2, 4), annotators=("ann",), seconds=95.0, began=1_780_000_000.0, tokens=4200)
B = replace(A, path=Path("/runs/b.mcap"), planner="uct", preset="", turns=4, result="reached", outcome="goal reached",
            labels=(), ratings=(), annotators=(), cost=0.5, seconds=2.0, seed=12, named=False)


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
    assert "".join(name for name, entry in (("A", A), ("B", B)) if query.holds(entry)) == finds


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
    complete(text, [A, B])
    with suppress(UsageError):
        assert len(index.find(text)) in (0, 1)


@given(st.text())
def test_words_are_found_as_they_are_split(text: str) -> None:
    assert words_of(" ".join(words_of(text))) == words_of(text)


def test_completion() -> None:
    assert complete("pla", [A, B]) == ["planner:"]
    assert complete("failed tur", [A, B]) == ["failed turns>"]
    assert complete("x planner:", [A, B]) == ["x planner:llm-mcts", "x planner:uct"]
    assert complete("-label:sen", [A, B]) == ['-label:"not sensible"']
    assert complete("planner:llm-mcts,u", [A, B]) == ["planner:llm-mcts,uct"]
    assert complete("rea", [A, B]) == ["reached"]
    assert complete("turns>", [A, B]) == complete("", [A, B]) == complete('goal:"one ', [A, B]) == []
