"""Run as tests, one case of each benchmark file: it tries the file's parts. `--benchmark-enable` and a long run take all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long_tests import LONG

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if LONG or config.getoption("--benchmark-enable"):
        return
    seen: set[Path] = set()
    left_out: list[pytest.Item] = []
    kept: list[pytest.Item] = []
    for item in items:
        (left_out if item.path in seen else kept).append(item)
        if item.path.parent == FOLDER:
            seen.add(item.path)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept
