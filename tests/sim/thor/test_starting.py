"""What the player is started with, seen from the player's side."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ai2thor", reason="AI2-THOR is not installed (extra thor)")

from core.common.errors import SimulatorError, UsageError
from sim.thor.simulator import ThorSimulator


def started(executable: str, **options: str) -> dict[str, Any]:
    """How the player was started, as it tells itself."""
    with ThorSimulator.open("FloorPlan1", {"executable": executable, **options}) as world:
        told: dict[str, Any] = world.player.ask("Pass", standin="started").metadata["actionReturn"]
    flags = told["flags"]
    return {**told, **dict(zip(flags[::2], flags[1::2], strict=False))}


def test_the_player_draws_on_the_display_named(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":3")
    assert started(standin, display=":7")["display"] == ":7"
    assert started(standin, quality="low") | {"display": ":3", "-screen-quality": "2"} == started(standin, quality="low")


def test_without_a_display_nothing_is_started(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    threads = threading.active_count()
    with pytest.raises(UsageError, match="CloudRendering"):
        ThorSimulator.open("FloorPlan1", {"executable": standin})
    assert threading.active_count() == threads


def test_a_player_of_ones_own_may_need_no_display(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    assert started(standin, platform="CloudRendering")["display"] is None


def test_the_cards_of_other_programs_do_not_matter_on_a_display(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package asks Vulkan about $CUDA_VISIBLE_DEVICES although only CloudRendering uses it."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert "-force-device-index" not in started(standin, display=":7")["flags"]


def test_a_card_that_is_not_there_is_said_in_one_line(standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    threads = threading.active_count()
    with pytest.raises(SimulatorError, match="does not start") as caught:
        started(standin, platform="CloudRendering", gpu_device="99")
    assert "\n" not in str(caught.value)
    assert threading.active_count() == threads


def test_a_start_ends_at_its_limit(standin: str, tmp_path: Path) -> None:
    del standin  # for its home
    program = tmp_path / "player"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    with pytest.raises(SimulatorError, match="has not answered for 1 s"):
        started(str(program), display=":7", start_timeout="1")
