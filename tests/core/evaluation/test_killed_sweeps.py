"""A sweep that is killed leaves no process behind, and resumes to the same table."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

import main
from core.evaluation import sweep
from core.suites.suite import Row
from tests.core.evaluation import processes
from tests.core.evaluation.test_model_sweeps import PLANNER, Busy
from tests.long_tests import either
from tests.loopback.chat_server import ChatServer, serving

ROOT = Path(__file__).parents[3]
PATIENCE = 120.0
pytestmark = pytest.mark.skipif(not processes.told(), reason="this system does not tell of its processes")


def words(server: ChatServer, out: Path, jobs: int = 1) -> list[str]:
    return ["evaluate", "--provider", "openai", "--base-url", server.base_url, "--model", "m", "--planner", PLANNER,
            "--trials", "1", "--max-steps", "3", "--jobs", str(jobs), "--out", str(out), "--prices", "m=1/1"]


def started(server: ChatServer, out: Path, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "main.py", *words(server, out, jobs=2)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)


def rows(out: Path) -> list[Row]:
    path = out / "runs.jsonl"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [Row(**json.loads(line)) for line in lines if line.endswith("\n")]


def timeless(found: list[Row]) -> list[tuple[str, int, float, float]]:
    return sorted((row.cell, row.seed, row.figures["steps"], row.figures["success"]) for row in found)


def until(condition: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, "it ended too early"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_killed_sweep_leaves_no_process_and_goes_on_to_the_same_table(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    busy = Busy(0.0, most=12)  # of 30 calls
    with serving(busy) as server, (tmp_path / "errors").open("wb") as errors:
        with started(server, killed, errors) as process:
            until(lambda: len(rows(killed)) >= 2 and busy.now, process)
            workers = processes.descendants(process.pid)
            assert sum("loky" in processes.command(pid) for pid in workers) >= 2
            process.kill()
        busy.answers.set()
        assert processes.gone(workers), [processes.command(pid) for pid in processes.alive(workers)]
        kept, asked = rows(killed), len(server.requests)
        spent = json.loads((killed / "spent.json").read_text())
        assert 2 <= len(kept) < 10
        server.script = Busy(0.0)
        assert main.main(words(server, killed)) == 0
        assert rows(killed)[:len(kept)] == kept, "what was played is not played again"
        again = json.loads((killed / "spent.json").read_text())
        assert again["calls"] > spent["calls"]
        assert again["calls"] - spent["calls"] <= len(server.requests) - asked
        assert main.main(words(server, whole)) == 0
    assert timeless(rows(whole)) == timeless(rows(killed))
    assert json.loads((whole / "spent.json").read_text())["calls"] == 0, "the killed sweep's replies were all kept"


def test_a_killed_worker_ends_the_sweep_in_a_line_and_its_calls_are_counted(tmp_path: Path) -> None:
    busy = Busy(0.1)
    with serving(busy) as server, (tmp_path / "errors").open("wb") as errors:
        with started(server, tmp_path / "out", errors) as process:
            until(lambda: len(rows(tmp_path / "out")) >= 1, process)
            busy.answers.clear()
            until(lambda: busy.now >= 1, process)
            workers = processes.descendants(process.pid)
            processes.kill(next(pid for pid in workers if "popen_loky" in processes.command(pid)))
            assert process.wait(PATIENCE) == 2
        busy.answers.set()
        assert processes.gone(workers)
        said = (tmp_path / "errors").read_text()
        assert "Traceback" not in said
        assert "a worker process was killed" in said.splitlines()[-1]
        assert "go on with the same command" in said.splitlines()[-1]
        spent = json.loads((tmp_path / "out" / "spent.json").read_text())
        assert spent["calls"] >= spent["failed"] >= 1, "the call that was under way"
        server.script = Busy(0.0)
        assert main.main(words(server, tmp_path / "out")) == 0
    assert len(rows(tmp_path / "out")) == 10


def test_nothing_is_lost_or_doubled_by_kills_at_any_moment_and_on_a_full_disk(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.core.evaluation.killed_folders", str(tmp_path / "out"), str(either(12, 60))]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=10 * PATIENCE)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["missing"] == 0
    assert found["told"] >= found["kills"]


@pytest.mark.parametrize(("name", "printed"), [("ExecutorManagerThread", []), ("reply-1", ["reply-1"])])
def test_only_the_threads_of_the_pool_fail_without_a_traceback(name: str, printed: list[str],
                                                               monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.thread.name))
    with sweep.processes(1, None):
        thread = threading.Thread(target=lambda: 1 / 0, name=name)
        thread.start()
        thread.join()
    assert seen == printed
