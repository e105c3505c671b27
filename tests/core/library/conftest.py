from __future__ import annotations

from pathlib import Path

import pytest

from core.library.index import Index
from tests.core.library.common import Variants, pictured


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a short run of toys with pictures."""
    return pictured(tmp_path_factory.mktemp("source") / "toys.mcap")


@pytest.fixture
def variants(source: Path) -> Variants:
    return Variants(source)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index" / "library.sqlite")
