"""Killed at any moment, a recording holds every turn that had ended, byte for byte."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcap.reader import make_reader

from core.recording.pictures import pixels_of, without_pixels
from core.recording.reader import open_recording
from core.recording.recovery import recover
from tests.core.recording.common import CODEC
from tests.long_tests import either

TURN_OVER = b'"what":{"$":"Acted"'
KILLS = either(3, 50)
ROOT = Path(__file__).parents[3]


def killed(kind: str, folder: Path, after: float) -> tuple[list[str], bool]:
    """Plays, and kills the run some seconds after the first turn ended.

    Returns:
        The lines of the plain log up to the last turn's end, and whether the episode was over before the kill.
    """
    log = folder / "plain.log"
    command = [sys.executable, "-m", "tests.core.recording.killed_run", kind, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not (log.exists() and TURN_OVER in log.read_bytes()) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        _, errors = process.communicate()
    assert process.returncode in (-signal.SIGKILL, 0), errors.decode()
    found = log.read_text().splitlines()
    ends = [k for k, line in enumerate(found) if TURN_OVER.decode() in line[:200] and line.endswith("}")]
    assert ends, "a run nobody could kill in time"
    return found[:ends[-1] + 1], any('"$":"Ended"' in line for line in found)


@pytest.mark.parametrize("number", range(KILLS))
def test_every_turn_that_ended_is_read_back(number: int, tmp_path: Path) -> None:
    kind = "household" if number % 3 == 2 else "toys"
    wanted, over = killed(kind, tmp_path, random.Random(number).uniform(0.0, 0.4))
    path = tmp_path / "episode.mcap"
    with open_recording(path, CODEC) as recording:
        found = [CODEC.dumps(without_pixels(event)) for event in recording.events()]
        cut_off = "cut off" in recording.notice
        assert cut_off or over
        assert found[:len(wanted)] == wanted
        assert len(recording.snapshot_at().turns) >= sum(TURN_OVER.decode() in line[:200] for line in wanted)
        for _, jpeg in recording.jpegs("first person"):
            assert pixels_of(jpeg).shape == (48, 64, 3)
    saved = recover(path, codec=CODEC).saved or path
    with saved.open("rb") as file:
        count = sum(1 for _ in make_reader(file, validate_crcs=True).iter_messages())
    assert count >= len(wanted)
    assert (saved != path) == cut_off
