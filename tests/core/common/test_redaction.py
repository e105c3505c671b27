"""A key is found however it is written, also in parts; everything else stays as it is."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.common.redaction import SHORTEST, SHORTEST_WORD, STANDS_FOR, Redactor
from tests.long_tests import either

PRINTABLE = "".join(c for c in string.printable if " " < c <= "~")
KEYS = st.text(PRINTABLE, min_size=SHORTEST_WORD, max_size=80)
AROUND = st.text(max_size=20)

WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": str, "in JSON": json.dumps, "in JSON in JSON": lambda s: json.dumps(json.dumps(s)), "in Python": repr,
    "escaped": lambda s: "".join(f"\\u{ord(c):04x}" for c in s),
    "escaped twice": lambda s: "".join(f"\\\\u{ord(c):04X}" for c in s),
    "in hexadecimal escapes": lambda s: "".join(f"\\x{ord(c):02x}" for c in s), "in a URL": lambda s: quote(s, ""),
    "in a form": quote_plus, "in percent signs": lambda s: "".join(f"%{ord(c):02X}" for c in s),
    "in a URL in a URL": lambda s: quote(quote(s, ""), ""), "in HTML": lambda s: escape(s),
    "as entities": lambda s: "".join(f"&#{ord(c)};" for c in s),
    "as hexadecimal entities": lambda s: "".join(f"&#x{ord(c):x};" for c in s),
    "as an exception says it": lambda s: str(bytearray(s.encode())),
}


@pytest.mark.parametrize("how", WRITTEN)
@settings(max_examples=either(20, 500))
@given(key=KEYS, before=AROUND, after=AROUND)
def test_a_key_is_removed_however_it_is_written(how: str, key: str, before: str, after: str) -> None:
    written = WRITTEN[how](key)
    clean = Redactor([key]).text(f"{before}{written}{after}")
    assert written not in clean
    assert key not in clean
    assert STANDS_FOR in clean


@given(key=st.text(PRINTABLE, min_size=SHORTEST, max_size=80), before=st.binary(max_size=9), after=st.binary(max_size=9),
       parts=st.data())
def test_eight_characters_of_a_key_are_found_in_base64(key: str, before: bytes, after: bytes, parts: st.DataObject) -> None:
    start = parts.draw(st.integers(0, len(key) - SHORTEST))
    end = parts.draw(st.integers(start + SHORTEST, len(key)))
    data = before + key[start:end].encode() + after
    for encode in (base64.urlsafe_b64encode, base64.b64encode):
        assert STANDS_FOR in Redactor([key]).text(encode(data).decode())


@given(key=KEYS, before=AROUND, after=AROUND, cut=st.data())
def test_a_part_of_a_key_is_removed(key: str, before: str, after: str, cut: st.DataObject) -> None:
    start = cut.draw(st.integers(0, len(key) - SHORTEST_WORD))
    part = key[start:cut.draw(st.integers(start + SHORTEST_WORD, len(key)))]
    assert part not in Redactor([key]).text(before + part + after)
    if not key[start:start + SHORTEST].isalpha():
        assert key[start:start + SHORTEST] not in Redactor([key]).text(before + key[start:start + SHORTEST] + after)


@given(key=KEYS, text=st.text(max_size=200))
def test_what_holds_no_part_of_a_key_stays_as_it_is(key: str, text: str) -> None:
    grams = {key[at:at + 4] for at in range(len(key) - 3)}
    assume(not any(gram in text for gram in grams) and not any(sign in text for sign in "%&\\="))
    assert Redactor([key]).text(text) == text


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda v: st.lists(v) | st.dictionaries(st.text(), v))


@given(key=KEYS, value=JSON)
def test_json_stays_json(key: str, value: object) -> None:
    redactor = Redactor([key])
    planted = {"a": value, key: [key, f"x{json.dumps(key)}", {"y": quote(key)}]}
    for ascii_only in (True, False):
        data = redactor.json(json.dumps(planted, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))
        assert key not in str(json.loads(data))
        plain = json.dumps({"a": 1}).encode()
        assert redactor.json(plain) is plain


def test_words_of_a_key_stay_where_they_are_words() -> None:
    redactor = Redactor(["my-simulator-position-key"])
    assert redactor.text("the simulator and its position") == "the simulator and its position"
    assert redactor.text("my-simulator-position-key") == STANDS_FOR
    assert redactor.text("-simulator-pos") == STANDS_FOR


def test_short_and_missing_keys_remove_nothing() -> None:
    assert Redactor(["", "none"]).text("none of them") == "none of them"
    assert Redactor().json(b"[1, 2]") == b"[1, 2]"
