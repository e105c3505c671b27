"""The text that says who answered, and its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.llm.sources import Source, read_source

NAMES = st.text("abcXYZ019-_.:/ ()", min_size=1, max_size=20).map(str.strip).filter(bool)
SERVERS = st.sampled_from(["", "http://127.0.0.1:8080/v1", "https://models.example/v1", "http://[::1]:9/v1"])


@given(NAMES, SERVERS)
def test_a_source_is_read_as_it_was_written(model: str, server: str) -> None:
    source = Source("openai", model, server)
    assert read_source(source.text) == source
    assert read_source(f"replay of {source.text} (temperature 0.2, max_tokens 64)") == source


@given(st.text(max_size=60))
def test_any_text_has_parts(text: str) -> None:
    source = read_source(text)
    assert isinstance(source.host, tuple)


@pytest.mark.parametrize(("text", "source", "host"), [
    ("commonsense", Source("commonsense"), ("", None)), ("openai gpt-5", Source("openai", "gpt-5"), ("", None)),
    ("openai stub at http://127.0.0.1:8080/v1", Source("openai", "stub", "http://127.0.0.1:8080/v1"), ("127.0.0.1", 8080)),
    ("openai a at b", Source("openai", "a at b"), ("", None)),
    ("openai stub at http://[broken", Source("openai", "stub", "http://[broken"), ("", None))])
def test_sources(text: str, source: Source, host: tuple[str, int | None]) -> None:
    assert read_source(text) == source
    assert read_source(text).host == host
