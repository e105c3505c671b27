"""Hostile scenes and damaged recordings are refused in a line or read, soon and in little memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.forked import CRASHED, Verdict
from tests.long_tests import either

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"scenes": either(20, 400), "recordings": either(12, 300)}
MOST_SECONDS, MOST_MEGABYTES = 10.0, 600.0

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="forks"), pytest.mark.timeout(either(300, 3600))]


def fault(one: Verdict) -> str:
    """What is wrong with how a file was taken; empty if nothing is."""
    lines = one.said.splitlines()
    if "Traceback" in one.said or one.code == CRASHED:
        return f"a traceback: {one.said[-600:]}"
    if one.code not in (0, 1, 2):
        return f"exit {one.code}"
    if one.code == 2 and (len(lines) != 1 or not lines[0].startswith("error: ")):
        return f"not one line: {one.said[:300]!r}"
    if one.seconds > MOST_SECONDS:
        return f"{one.seconds:.1f} s"
    return f"{one.megabytes:.0f} MB" if one.megabytes > MOST_MEGABYTES else ""


@pytest.mark.parametrize("what", COUNTS)
def test_hostile_files_are_taken_or_refused_in_a_line(what: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.hostile", what, "0", str(COUNTS[what]), str(tmp_path)]
    env = {**os.environ, "BELVEDERE_RENDERER": "2d"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    found = [Verdict(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) == COUNTS[what], done.stderr[-2000:]
    wrong = {one.name: why for one in found if (why := fault(one))}
    refused = [one for one in found if one.code == 2]
    slowest, largest = max(found, key=lambda v: v.seconds), max(found, key=lambda v: v.megabytes)
    sys.stderr.write(f"{what}: {len(found)} files, {len(refused)} refused; slowest {slowest.seconds:.1f} s ({slowest.name}), "
                     f"largest {largest.megabytes:.0f} MB ({largest.name})\n")
    assert not wrong, json.dumps(wrong, indent=1)
    assert refused, "harmless files only"
    assert len(refused) < len(found), "nothing is read any more"
