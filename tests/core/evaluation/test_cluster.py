"""A sweep on a Dask cluster of two workers: the same rows, and one budget held where the sweep was started."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import MissingPart, UsageError
from core.evaluation.sweep import Resources, cluster, host_towards
from core.llm.budget import Limits
from tests.core.evaluation.test_model_sweeps import Busy, a_sweep, answer, played, questions, timeless
from tests.loopback.chat_server import serving

ROOT = Path(__file__).parents[3]
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        sys.stdout.write(cluster.scheduler_address + chr(10)); sys.stdout.flush()
        sys.stdin.read()
"""
needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="the extra `cluster` is not installed")


@pytest.fixture
def scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """Returns the address of a cluster that was started from another folder, with workers in processes of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = getattr(request, "param", os.pathsep.join([str(ROOT), str(ROOT / "resources")]))
    monkeypatch.setenv("PYTHONPATH", path)
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    with subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=60)


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPart, match=r"distributed.*cluster"), cluster("tcp://127.0.0.1:1"):
        pass


def test_the_address_of_this_machine_is_found_by_the_way_to_the_scheduler() -> None:
    assert host_towards("tcp://127.0.0.1:8786") == host_towards("127.0.0.1:8786") == "127.0.0.1"
    for wrong in ("tcp://", "tcp://127.0.0.1:x", "tcp://no such host:1"):
        with pytest.raises(UsageError, match="write its address"):
            host_towards(wrong)


@needs_dask
def test_two_workers_give_the_same_rows_within_one_budget(scheduler: str, tmp_path: Path) -> None:
    with serving(Busy()) as server:
        small = played(a_sweep(server, 2), tmp_path / "far", Resources(scheduler=scheduler, limits=Limits(calls=4)))
        assert "4 of 4 calls" in small.ended
        assert questions(server) == 4
        assert small.left > 0
        far = played(a_sweep(server, 2), tmp_path / "far", Resources(scheduler=scheduler))
        assert (far.left, far.ended) == (0, "")
    with serving(answer) as server:
        near = played(a_sweep(server, 2), tmp_path / "near")
    assert timeless(far.rows) == timeless(near.rows)


@needs_dask
@pytest.mark.parametrize("scheduler", [""], indirect=True)
def test_a_cluster_without_this_program_is_told_of(scheduler: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"it cannot read what is to be played .*--preload belvedere"):
        played(a_sweep("http://127.0.0.1:9/v1"), tmp_path / "far", Resources(scheduler=scheduler))


@needs_dask
def test_the_offline_answerer_needs_no_line_to_the_sweep(scheduler: str, tmp_path: Path) -> None:
    offline = replace(a_sweep("http://127.0.0.1:9/v1"), provider="commonsense", options=())
    far = played(offline, tmp_path / "far", Resources(scheduler=scheduler))
    assert timeless(far.rows) == timeless(played(offline, tmp_path / "near").rows)


@needs_dask
def test_no_scheduler_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evaluation.sweep.PATIENCE", "1s")
    with pytest.raises(UsageError, match="no Dask scheduler answers there") as caught, cluster("tcp://127.0.0.1:1"):
        pass
    assert "\n" not in str(caught.value)
