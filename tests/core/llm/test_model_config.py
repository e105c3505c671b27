"""Models in TOML files: what is written is read again, and what makes no sense is said in one line."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.command_line import parser, request_of
from core.common.errors import BelvedereError, DataError, UsageError
from core.llm.budget import Limits, Price
from core.llm.model_config import PRESETS, ModelConfig, ModelConfigs, checked, models_of, read_models, write_models

NAMES = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
AMOUNTS = st.floats(0, 1000)
PRICES = st.none() | st.builds(Price, AMOUNTS, AMOUNTS)
LIMITS = st.builds(Limits, st.none() | st.integers(0, 10**6), st.none() | st.integers(0, 10**9), st.none() | AMOUNTS)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20).filter(lambda text: text[:1] not in "{[")
OPENAI = st.fixed_dictionaries({}, optional={"base_url": TEXTS, "model": TEXTS, "key_name": TEXTS,
                                             "timeout": st.floats(0.01, 3600).map(str),
                                             "stream": st.sampled_from(["true", "no"]),
                                             "extra_body": st.sampled_from(['{"a":1}', '{ "b": {"c": [1, 2.5]} }']),
                                             "retries": st.integers(0, 10).map(str)})
ENTRIES = st.builds(ModelConfig, NAMES, st.just("openai"), OPENAI, PRICES, LIMITS)


def flags(*words: str) -> argparse.Namespace:
    return parser().parse_args(["run", *words])


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@given(st.lists(ENTRIES, unique_by=lambda entry: entry.name, max_size=4), st.data())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, entries: list[ModelConfig],
                                       data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(["", *(entry.name for entry in entries)]))
    path = tmp_path_factory.mktemp("models") / "deeper" / "models.toml"
    models = ModelConfigs(tuple(map(checked, entries)), chosen)
    write_models(path, ModelConfigs(tuple(entries), chosen))
    assert read_models(path) == models
    assert [file.name for file in path.parent.iterdir()] == ["models.toml"]


def test_without_a_file_there_are_no_models(tmp_path: Path) -> None:
    assert read_models(tmp_path / "none.toml") == ModelConfigs()


@pytest.mark.parametrize(("text", "words"), [
    ("provider = ", "repair or remove it"),
    ("provider = 'opanai'", "did you mean"),
    ("provider = 'openai'\nbase_ur = 'x'", "base_url"),
    ("provider = 'openai'\ntimeout = 'long'", "write a number"),
    ("provider = 'openai'\napi_key = 'abc'", "BELVEDERE_API_KEY"),
    ("provider = 'openai'\nprice_in = 1", "price_in and price_out"),
    ("provider = 'openai'\nprice_in = nan\nprice_out = 1", "price_in and price_out"),
    ("provider = 'openai'\nlimits = 3", "limits = { calls = 500 }"),
    ("provider = 'openai'\nlimits = { call = 3 }", "give calls, tokens or cost"),
    ("provider = 'openai'\ntimeout = 1979-05-27", "date or time"),
    ("models = 3", "[models.NAME]"),
    ("[models]\na = 3", "[models.a]"),
    ("chosen = 'b'\n[models.a]\nprovider = 'openai'", "there is no model 'b'"),
    ("chosen = 3\n[models.a]\nprovider = 'openai'", "name of a model"),
    ("[models.a]\nmodel = 'x'", 'provider = "openai"'),
    ("[model.a]\nprovider = 'openai'", "[models.NAME]"),
    ("x = " + "[" * 100_000, "repair or remove it"),
])
def test_what_makes_no_sense_is_said_in_one_line_with_the_file(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path / "models.toml", text)
    with pytest.raises(BelvedereError) as raised:
        read_models(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert path.read_text() == text


def test_a_file_that_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "models.toml"
    folder.mkdir()
    with pytest.raises(DataError, match="cannot be read"):
        read_models(folder)
    with pytest.raises(DataError, match="cannot be read"):
        write_models(folder, ModelConfigs())
    (tmp_path / "bytes.toml").write_bytes(b"a = 1 # caf\xe9")
    with pytest.raises(DataError, match=r"no text in UTF-8 \(byte 0xE9 in line 1\): save it as UTF-8"):
        read_models(tmp_path / "bytes.toml")


def test_entries_are_added_changed_and_removed() -> None:
    a, b = ModelConfig("a", "openai"), ModelConfig("b", "human")
    both = ModelConfigs().put(a).put(b)
    assert both.entries == (a, b)
    renamed = ModelConfigs((a, b), "a").put(ModelConfig("c", "openai"), instead_of="a")
    assert [entry.name for entry in renamed.entries] == ["c", "b"]
    assert renamed.chosen == "c"
    assert renamed.without("c") == ModelConfigs((b,))
    with pytest.raises(UsageError, match="already"):
        both.put(ModelConfig("b", "openai"), instead_of="a")
    with pytest.raises(UsageError, match="give it one"):
        both.put(ModelConfig(" ", "openai"))


def test_equal_settings_are_equal_texts() -> None:
    ways = [{"timeout": "300", "stream": "yes", "extra_body": '{"a":1}'},
            {"timeout": "3e2", "stream": "TRUE", "extra_body": '{ "a": 1}'}]
    one, other = (ModelConfigs().put(ModelConfig("a", "openai", way)).entries[0] for way in ways)
    assert one == other
    with pytest.raises(UsageError, match="write a number"):
        ModelConfigs().put(ModelConfig("a", "openai", {"timeout": "long"}))


def test_tables_become_json() -> None:
    (entry,) = models_of({"provider": "openai", "model": "m"}, "mine").entries
    assert (entry.name, entry.options) == ("mine", {"model": "m"})


# --- flags -----------------------------------------------------------------------
MODELS = """
chosen = "b"
[models.a]
provider = "local"
file = "model.gguf"
[models.b]
provider = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "m"
retries = 5
price_in = 1
price_out = 2.5
limits = { calls = 7 }
"""


def test_a_run_takes_the_chosen_model_and_flags_go_before_it(tmp_path: Path) -> None:
    path = write(tmp_path / "models.toml", MODELS)
    request = request_of(flags("--model-config", str(path)))
    assert request.provider == "openai"
    assert request.model == {"base_url": "http://127.0.0.1:9/v1", "model": "m", "retries": "5"}
    assert (request.limits, dict(request.prices)) == (Limits(calls=7), {"*": Price(1, 2.5)})
    other = request_of(flags("--model-config", f"{path}#a"))
    assert (other.provider, other.model, other.limits) == ("local", {"file": "model.gguf"}, Limits())
    mixed = request_of(flags("--model-config", str(path), "--model", "n", "--ask", "retries=0", "--limit", "cost=1",
                             "--prices", "n=3/4"))
    assert mixed.model == {"base_url": "http://127.0.0.1:9/v1", "model": "n", "retries": "0"}
    assert (mixed.limits, mixed.prices["n"]) == (Limits(cost=1), Price(3, 4))
    assert request_of(flags("--model-config", str(path), "--provider", "human")).model == {}
    assert request_of(flags()).provider == "commonsense"


@pytest.mark.parametrize(("content", "name", "words"), [
    (None, "", "there is no file"),
    (MODELS, "#c", "there is no model 'c'"),
    (MODELS.replace('chosen = "b"', ""), "", "write models.toml#name"),
    ("", "", "it holds none"),
])
def test_a_model_that_cannot_be_found_is_said_with_those_there_are(tmp_path: Path, content: str | None, name: str,
                                                                   words: str) -> None:
    path = tmp_path / "models.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UsageError) as raised:
        request_of(flags("--model-config", f"{path}{name}"))
    assert words in str(raised.value).lower()


def test_the_models_of_the_documentation_can_be_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    found = read_models(write(tmp_path / "models.toml", block))
    assert len(found.entries) == 7
    assert {entry.options.get("base_url") for entry in found.entries} >= {
        preset.options["base_url"] for preset in PRESETS if preset.title not in ("OpenAI", "Another server", "A GGUF file")}
