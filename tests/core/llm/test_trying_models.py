"""Trying a model, listing those of a server, checking an entry while it is written, and where a key comes from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, MissingPart, ModelError, UsageError
from core.llm.keys import keep_key, key_source
from core.llm.model_check import (
    UNLIKELY,
    failure_words,
    models_at,
    names_in,
    settings_of,
    try_model,
    wrong_amount,
    wrong_settings,
)
from core.llm.model_config import PRESETS, ModelConfig, checked, entry_of
from tests.loopback.chat_server import Json, Sent, as_json, completion, serving

NEVER = Cancellation()


def entry(base_url: str) -> ModelConfig:
    return ModelConfig("m", "openai", {"base_url": base_url, "model": "m"})


def choosing(field: str) -> object:
    """A server that is kept to the choices by one way of saying them, and ignores the others."""
    def script(body: Json) -> Sent:
        if field == "structured_outputs" and field in body:
            return completion(body[field]["choice"][1])
        if field == "response_format" and field in body:
            return completion('{"answer": "zulu 1"}')
        if field == "grammar" and field in body:
            return completion("zulu 7")
        return completion("green")
    return script


@pytest.mark.parametrize(("field", "name"), [("structured_outputs", "structured_outputs"), ("grammar", "grammar"),
                                             ("response_format", "json_schema"), ("nothing", "")])
def test_it_finds_what_constrains_a_reply(field: str, name: str) -> None:
    with serving(choosing(field)) as server:  # type: ignore[arg-type]
        trial = try_model(entry(server.base_url), Cancellation())
    assert name in trial.constrained  # fields that servers ignore go out together, and are named together
    assert bool(trial.constrained) == bool(name)
    assert ("works by" if name else "not taken") in trial.words


def test_the_question_does_not_name_the_choices() -> None:
    with serving() as server:
        try_model(entry(server.base_url), Cancellation())
    assert not [c for body in server.requests for m in body["messages"] for c in UNLIKELY if c in m["content"]]


def test_a_server_that_hangs_is_given_up() -> None:
    with serving() as server:
        server.script = server.hang
        with pytest.raises(ModelError, match="did not answer within"):
            try_model(entry(server.base_url), Cancellation(), patience=0.5)


def test_an_empty_reply_is_said() -> None:
    with serving(lambda body: completion("")) as server:
        trial = try_model(entry(server.base_url), Cancellation())
    assert "empty reply" in trial.words
    assert not trial.is_usable


def test_replies_that_are_always_cut_off_are_no_success() -> None:
    with serving(lambda body: completion("Let me think about gr", finish="length")) as server:
        trial = try_model(entry(server.base_url), Cancellation())
    assert not trial.is_usable
    assert "max tokens" in trial.words


def test_a_missing_key_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setattr("keyring.get_password", lambda service, name: None)
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    wanted = ModelConfig("m", "openai", {"base_url": "https://example.invalid/v1", "model": "m"})
    with pytest.raises(MissingPart) as caught:
        try_model(wanted, Cancellation())
    assert failure_words(caught.value, wanted, NEVER).startswith("No key for example.invalid")


# --- the models of a server ------------------------------------------------------
def test_names_are_listed_once_in_order() -> None:
    with serving() as server:
        server.models = as_json({"data": [{"id": "b"}, {"id": "A"}, {"id": "b"}, {"id": 3}, {}]})
        assert models_at(server.base_url, "", NEVER) == ("A", "b")


def test_listing_is_left_when_nobody_waits() -> None:
    with serving() as server:
        cancelled = Cancellation()
        cancelled.set()
        with pytest.raises(ModelError):
            models_at(server.base_url, "", cancelled)


@given(st.one_of(st.text(max_size=60), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["data", "id", "x"]), inner, max_size=3),
    max_leaves=8).map(lambda value: as_json(value).body.decode())))
def test_any_answer_is_names_or_one_line(text: str) -> None:
    told = ""
    try:
        names = names_in(text, "here")
    except BelvedereError as error:
        names, told = (), str(error)
    assert bool(names) != bool(told)
    assert "\n" not in told
    assert all(name.isprintable() for name in names)


# --- entries -----------------------------------------------------------------------
def test_every_preset_is_an_entry_with_a_new_name() -> None:
    taken: list[str] = []
    for preset in (*PRESETS, *PRESETS):
        made = checked(entry_of(preset, taken))
        assert made.name not in taken
        taken.append(made.name)
        assert "base_url" not in wrong_settings(made.provider, made.options)


@pytest.mark.parametrize("provider", ["openai", "local"])
@given(st.data())
def test_what_is_not_complained_of_is_taken(provider: str, data: st.DataObject) -> None:
    names = st.sampled_from([parameter.name for parameter in settings_of(provider)])
    options = data.draw(st.dictionaries(names, st.text(max_size=8) | st.integers().map(str), max_size=4))
    wrong = wrong_settings(provider, options)
    assert all(words and "\n" not in words for words in wrong.values())
    if not wrong:
        checked(ModelConfig("m", provider, options))


@given(st.text(max_size=8) | st.floats().map(str))
def test_an_amount_without_complaint_is_a_number(text: str) -> None:
    for whole in (True, False):
        if not wrong_amount(text, whole=whole) and text.strip():
            assert (int if whole else float)(text) >= 0


# --- keys ---------------------------------------------------------------------------
def test_where_a_key_comes_from_is_told_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: kept.get(name))
    monkeypatch.setattr("keyring.set_password", lambda service, name, key: kept.__setitem__(name, key))
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    far = "https://example.org/v1"
    tunnel = key_source("http://127.0.0.1:8000/v1", "")
    assert (tunnel.needed, tunnel.can_keep, tunnel.name) == (False, True, "127.0.0.1:8000")
    keep_key(tunnel.name, "sk-far")
    assert not key_source("http://127.0.0.1:8000/v1", "").found, "it is sent only if the entry names it"
    assert key_source("http://127.0.0.1:8000/v1", tunnel.name).found
    before = key_source(far, "")
    assert (before.found, before.needed, before.can_keep, before.name) == (False, True, True, "example.org")
    keep_key(before.name, " sk-\u200bsecret\ufeff ")
    assert kept[before.name] == "sk-secret", "what shows nothing is not part of it"
    assert key_source(far, "").found
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    told = key_source(far, "")
    assert "OPENAI_API_KEY" in told.words
    assert "sk-" not in f"{told}{before}"


def test_without_a_keyring_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from keyring.errors import NoKeyringError

    def fails(*args: str) -> None:
        raise NoKeyringError

    monkeypatch.setattr("keyring.get_password", fails)
    monkeypatch.setattr("keyring.set_password", fails)
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert not key_source("https://example.org/v1", "").can_keep
    with pytest.raises(MissingPart, match="set BELVEDERE_API_KEY"):
        keep_key("example.org", "sk-secret")


@pytest.mark.parametrize("key", ["", "  ", "schlüssel", "a\nb"])
def test_what_cannot_be_sent_is_not_kept(key: str) -> None:
    with pytest.raises(UsageError):
        keep_key("example.org", key)
