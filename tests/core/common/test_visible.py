"""Texts in which every character can be seen, pasted texts, and file names that are not UTF-8."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError, GoalError, UsageError
from core.common.visible import pasted, path_of, path_text, readable, visible


@pytest.mark.parametrize(("text", "shown"), [
    ("an apple", "an apple"),
    ("ap\u200bple", "apU+200Bple"), ("ap\u00adple", "apU+00ADple"), ("\ufeffapple", "U+FEFFapple"), ("a\u202eb", "aU+202Eb"),
    ("a\u3164b", "aU+3164b"), ("a\ufe0fb", "aU+FE0Fb"),
    ("a\u00a0b", "a b"), ("a\x1b[2Jb\nc", "a [2Jb c"),
    ("caf\udce9", r"caf\xe9"), ("\ud800", "U+D800"),
    ("9" * 400, "9" * 20 + "… (400 digits)"), ("9" * 40, "9" * 40),
])
def test_what_shows_nothing_is_named(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(codec=None)))
def test_a_visible_text_is_printable_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert visible(shown) == shown


@pytest.mark.parametrize("error", [UsageError, DataError, GoalError])
def test_every_error_is_one_line_of_characters_that_can_be_seen(error: type[UsageError]) -> None:
    assert str(error("caf\udce9\n\u200b" + "9" * 999)) == r"caf\xe9 U+200B" + "9" * 20 + "… (999 digits)"


@given(st.text())
def test_pasting_keeps_every_letter_and_drops_what_shows_nothing(text: str) -> None:
    assert pasted("\u200b".join(text)) == pasted(text)
    assert pasted(text.encode("ascii", "ignore").decode()) == text.encode("ascii", "ignore").decode()


@given(st.binary(min_size=1).filter(lambda name: b"\0" not in name))
def test_a_path_is_kept_as_a_text_that_loses_nothing(name: bytes) -> None:
    path = Path(os.fsdecode(name))
    text = path_text(path)
    assert path_of(text) == path
    text.encode()
    readable(path).encode()


def test_a_plain_path_is_its_own_text_and_other_programs_addresses_are_understood() -> None:
    assert path_text(Path("/home/käthe/a b.mcap")) == "/home/käthe/a b.mcap"
    assert path_text(Path(os.fsdecode(b"/tmp/caf\xe9 1.mcap"))) == "file:/tmp/caf%E9%201.mcap"
    assert path_of("file:///tmp/a%20b.mcap") == Path("/tmp/a b.mcap")
