"""What every test stands on: nobody's own files."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def nobodys_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where examples are kept: an empty one."""
    folder = tmp_path_factory.getbasetemp() / "nobody"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder
