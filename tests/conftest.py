"""Nothing a test does reaches the user's own folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def folders_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Caches, data and documents go into a folder of this test run, also those of processes it starts."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DOCUMENTS_DIR"):
            patch.setenv(name, str(home / name.lower()))
        yield home
