"""JSON from files: read within limits, and every fault said in one line with its place."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.common.json_fields import Field, read_json, shown

CURE = "mend it"
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12)


def refusal(read: Callable[[], object]) -> str:
    """What a reader says against a value; empty if it takes it."""
    try:
        read()
    except DataError as error:
        return str(error)
    return ""


def refused(path: Path, words: str, **limits: int) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_json(path, CURE, **limits)
    assert str(caught.value).endswith(f"{CURE}.")
    assert str(caught.value).isprintable()
    assert path.name in str(caught.value)


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.json", b"[" * 200_000, "nested too deeply"), ("a.json", b'{"a":' * 200_000, "nested too deeply"),
    ("a.json", b"\xff\xfe\x00", "damaged"), ("a.json", b"", "damaged"), ("a.json", b"9" * 5000, "damaged"),
    ("a.json.gz", b"no gzip", "cannot be read"), ("a.json.gz", gzip.compress(b"[1]", mtime=0)[:-4], "damaged"),
    ("a.json", b"[" + b"[]," * 2000 + b"[]]", "more than 1,000 values"),
])
def test_damaged_files_are_refused_in_a_line(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, words, most_values=1_000 if "1,000" in words else 10**6)


def test_decompression_stops_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * 150 * 2**20 + b"]", 1))
    tracemalloc.start()
    refused(path, "holds more than 32 MB")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * 2**20


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    refused(tmp_path / "pipe.json", "is no file")
    refused(tmp_path, "is no file")
    refused(Path("/dev/zero"), "is no file")
    with pytest.raises(DataError, match="damaged"):
        read_json(Path("a\0.json"), CURE)


def test_names_tell_the_place() -> None:
    top = Field({"nodes": [{"size": [1, "2"]}]}, "flat.json", CURE)
    node = next(top.field("nodes").items(1))
    assert [x.where for x in node.field("size").items(2)][1] == "flat.json, nodes[0].size[1]"
    with pytest.raises(DataError, match=r"^flat\.json, nodes\[0\]\.size\[1\] is “2”, not a number from 0 to 9: mend it\.$"):
        [x.number(0, 9) for x in node.field("size").items(2)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON)
def test_every_reader_takes_its_own_kind_or_refuses_in_a_line(value: Any) -> None:
    field = Field(value, "a.json, x", CURE)
    for read, kinds in ((field.text, (str,)), (lambda: field.number(-9, 9), (int, float)), (lambda: field.whole(-9, 9), (int,)),
                        (field.truth, (bool,)), (lambda: field.texts(9), (list,)), (lambda: list(field.items(3)), (list,))):
        said = refusal(read)
        assert said.startswith("a.json, x") or type(value) in kinds
        assert len(said) < 200


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON)
def test_values_are_shown_in_a_few_words(value: Any) -> None:
    assert len(shown(value)) < 60


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300, 10**400, True, "1", None, [1], {}])
def test_odd_numbers_are_none(value: object) -> None:
    with pytest.raises(DataError, match="not a number from"):
        Field(value, "a.json, x", CURE).number(-50, 50)


def test_files_are_read_as_they_are(tmp_path: Path) -> None:
    value = {"a": [1, 2.5, None, "ä"]}
    for name, data in (("a.json", json.dumps(value).encode()), ("b.json", json.dumps(value).encode("utf-16")),
                       ("c.json.gz", gzip.compress(json.dumps(value).encode()))):
        (tmp_path / name).write_bytes(data)
        assert read_json(tmp_path / name, CURE) == value
