"""One player for many tests: starting one takes a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sim.thor.launcher import launcher


def pytest_configure(config: pytest.Config) -> None:
    """AI2-THOR's package leaves the player's log file to the garbage collector, which may come in any test."""
    config.addinivalue_line("filterwarnings", "ignore:unclosed file .*unity.log:ResourceWarning")


@pytest.fixture(scope="session")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The stand-in's program, and a home of its own: AI2-THOR writes to ~/.ai2thor."""
    home = tmp_path_factory.mktemp("thor home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        yield launcher(home)
