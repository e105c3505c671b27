"""Texts that people write: every encoding of Unicode is read, any other is refused with its place; tables of three kinds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.common.errors import DataError
from core.common.json_fields import read_json
from core.common.user_texts import Table, decoded, read_text
from core.llm.model_config import read_models
from core.recording.labels import read_labels
from sim.decision_lab.routes import read_routes

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
TEXT = "provider = \"openai\"\r\nmodel = \"käthe 模型\"\r\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_of_unicode_is_read(encoding: str, tmp_path: Path) -> None:
    assert decoded(TEXT.encode(encoding), "here") == TEXT
    models, routes, labels, data = (tmp_path / name for name in ("models.toml", "routes.csv", "labels.json", "any.json"))
    models.write_bytes(TEXT.encode(encoding))
    routes.write_bytes("from;to;from_population;to_population\r\nZürich;Łódź;434000,5;670000\r\n".encode(encoding))
    labels.write_bytes('{"title": "Kürze", "labels": [{"name": "é"}]}'.encode(encoding))
    data.write_bytes(json.dumps({"é": 1}, ensure_ascii=False).encode(encoding))
    assert dict(read_models(models).entries[0].options) == {"model": "käthe 模型"}
    assert dict(read_routes(routes).populations) == {"Zürich": 434000.5, "Łódź": 670000.0}
    assert read_labels(labels).labels[0].name == "é"
    assert read_json(data, "write it again") == {"é": 1}
    assert "\r" not in read_text(models)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_another_encoding_is_named_with_its_place_and_the_cure(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    path.write_bytes('provider = "openai"\nmodel = "käthe"\n'.encode(encoding))
    with pytest.raises(DataError, match=r"is no text in UTF-8 \(byte 0xE4 in line 2\): save it as UTF-8$"):
        read_models(path)
    path.write_bytes('{"title": "käthe"}'.encode(encoding))
    with pytest.raises(DataError, match=r"byte 0xE4 in line 1\): save it as UTF-8, or write it again\.$"):
        read_json(path, "write it again")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("named", [False, True])
def test_a_table_says_what_separates_its_values(delimiter: str, named: bool) -> None:
    head = f"sep={delimiter}\r\n" if named else ""
    rows = Table(f'{head}a{delimiter}b\r\n1{delimiter}"x{delimiter}y"\r\n')
    assert (rows.delimiter, rows.names, list(rows)) == (delimiter, ("a", "b"), [{"a": "1", "b": f"x{delimiter}y"}])
    assert rows.number("1.5") == 1.5
    if delimiter != ",":
        assert rows.number("1,5") == 1.5
