"""The real LeRobotDataset reads what we write. It pins other packages than ours, so it runs in a Python of its own.

To make one and name it (8 GB on Linux, because its torch brings CUDA): `python -m venv DIR; DIR/bin/pip install
lerobot==0.4.4`, then `BELVEDERE_LEROBOT_PYTHON=DIR/bin/python`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.recording.exports import export_all
from core.recording.exports.episodes import ActionNumbers
from core.recording.reader import open_recording
from tests.core.recording.common import CODEC
from tests.core.recording.test_lerobot import recorded
from tests.core.recording.test_picture_turns import befores
from tests.core.session.pictured import BRIGHTER

PYTHON = os.environ.get("BELVEDERE_LEROBOT_PYTHON", "")
LOADER = Path(__file__).with_name("load_lerobot.py")
pytestmark = pytest.mark.skipif(not PYTHON, reason="BELVEDERE_LEROBOT_PYTHON names no Python with lerobot")


def loaded(folder: Path) -> dict[str, Any]:
    """Returns what the real loader makes of a dataset, without access to any other source."""
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder.parent / "hf")}
    env.pop("PYTHONPATH", None)
    done = subprocess.run([PYTHON, str(LOADER), str(folder)], env=env, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_real_loader_reads_every_step_and_its_own_picture(tmp_path: Path) -> None:
    pytest.importorskip("av")
    pytest.importorskip("pyarrow")
    paths = [recorded(tmp_path / f"{name}.mcap", goal=goal) for name, goal in (("a", 5), ("b", 4), ("c", 5))]
    export_all(paths, "lerobot", tmp_path / "set", CODEC)
    found = loaded(tmp_path / "set")
    assert (found["episodes"], found["tasks"]) == (3, ["Walk to 5", "Walk to 4"])
    assert sorted(found["cameras"]) == ["observation.images.dollhouse", "observation.images.first_person"]
    at = []
    for path in paths:
        with open_recording(path, CODEC) as recording:
            at.append(list(befores(recording).values()))
    steps = found["steps"]
    assert [len(places) for places in at] == [sum(s["episode_index"] == k for s in steps) for k in range(3)]
    for step, place in zip(steps, [place for places in at for place in places], strict=True):
        for camera in found["cameras"]:
            assert round(step[camera] * 255 / BRIGHTER) == place, "each step has its own picture"
        assert step["task"] == ("Walk to 4" if step["episode_index"] == 1 else "Walk to 5")
        assert step["action"][0] == ActionNumbers.load().verb("go")
    assert found["last_episode"] == len(at[2])
    assert found["batch"]["action"] == [2, 3]
    assert found["batch"]["observation.state"] == [2, 6]
    assert found["two"]["action"] == [2, 3]
    assert found["two"][found["cameras"][0]] == [2, *found["picture"]]
    assert found["policy"] == {"observation.state": "STATE", "action": "ACTION", **dict.fromkeys(found["cameras"], "VISUAL")}
    for camera in found["cameras"]:
        assert set(map(tuple, found["stats"][camera].values())) == {(3, 1, 1), (1,)}
