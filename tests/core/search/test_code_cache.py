"""The search's machine code is found again wherever its sources are equal, and never where any of them is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.common.installation import ROOT
from core.search.compilation import code_cache
from tests.core.search.common import ENTRIES, Forks, Kernel, Report
from tests.long_tests import some_pairs

caching = pytest.importorskip("numba.core.caching", reason="without numba nothing is compiled")
MONTH = 31 * 86_400.0


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """A process that has loaded numba, for all tests of this module."""
    made = Forks(tmp_path_factory.mktemp("forks"))
    yield made
    made.end()


@pytest.fixture
def kernel(tmp_path: Path, forks: Forks) -> Kernel:
    """A copy of the stand-in, with an empty cache."""
    return Kernel.made(tmp_path / "one", tmp_path / "cache", forks)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, Report]:
    """A compiled kernel, which no test changes, and what the process got that compiled it: one that was started for that."""
    folder = tmp_path_factory.mktemp("compiled")
    kernel = Kernel.made(folder / "one", folder / "cache")
    return kernel, kernel.report()


@pytest.fixture
def whole(first: tuple[Kernel, Report]) -> Report:
    """What the process got that compiled it."""
    return first[1]


@pytest.fixture
def compiled(kernel: Kernel, first: tuple[Kernel, Report]) -> Kernel:
    """A copy of the stand-in, compiled before."""
    shutil.copytree(first[0].cache, kernel.cache)
    return kernel


def test_a_second_process_finds_it(first: tuple[Kernel, Report]) -> None:
    kernel, whole = first
    assert (whole["hits"], whole["misses"]) == (0, ENTRIES)
    assert kernel.report() == {**whole, "hits": ENTRIES, "misses": 0}
    assert len(kernel.files()) == ENTRIES


CHANGES = (("inner.py", "0x94D049BB133111EB", "0x94D049BB133111ED"),
           ("constants.py", "0x9E3779B97F4A7C15", "0x9E3779B97F4A7C17"))


def test_a_change_in_what_it_calls_or_reads_compiles_it_again(compiled: Kernel, whole: Report) -> None:
    totals = {whole["total"]}
    for name, old, new in CHANGES:
        compiled.change(name, old, new)
        after = compiled.report()
        assert after["misses"] == ENTRIES, "the old machine code of the caller would have run on"
        assert after["total"] not in totals
        totals.add(after["total"])
    assert after["total"] == compiled.report(NUMBA_DISABLE_JIT="1")["total"]
    for name, old, new in CHANGES:
        compiled.change(name, new, old)
    assert compiled.report() == {**whole, "hits": ENTRIES, "misses": 0}, "what the sources were before is still there"


def test_a_change_elsewhere_keeps_it(compiled: Kernel) -> None:
    compiled.change("warm_up.py", "uint64), 2, visits", "uint64), 3, visits")
    assert compiled.report()["hits"] == ENTRIES


def test_equal_sources_share_it_wherever_they_lie(compiled: Kernel, tmp_path: Path) -> None:
    assert Kernel.made(tmp_path / "another checkout", compiled.cache).report()["hits"] == ENTRIES


def test_settings_that_change_the_code_have_their_own(compiled: Kernel) -> None:
    assert compiled.report(NUMBA_BOUNDSCHECK="1")["misses"] == ENTRIES
    assert len(compiled.files()) == 2 * ENTRIES


def test_a_checkout_that_cannot_be_written_to_is_served(kernel: Kernel, whole: Report) -> None:
    def entries() -> list[tuple[Path, int]]:
        return sorted((path, path.stat().st_mtime_ns) for path in kernel.folder.rglob("*"))

    before = entries()
    for path in (*kernel.folder.rglob("*"), kernel.folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    assert kernel.report() == whole
    assert len(kernel.files()) == ENTRIES
    assert entries() == before, "root may write anywhere: nothing was"
    for path in (kernel.folder, *kernel.folder.rglob("*")):
        path.chmod(0o755)


def test_it_lies_in_the_users_cache_folder(kernel: Kernel, tmp_path: Path) -> None:
    report = kernel.report(NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert report["misses"] == ENTRIES
    if sys.platform.startswith("linux"):
        assert len(list((tmp_path / "xdg" / "belvedere" / "compiled").rglob("*.nbc"))) == ENTRIES


def test_without_a_cache_folder_it_is_compiled_for_each_process(kernel: Kernel, whole: Report) -> None:
    kernel.cache.write_text("a file where the folder would be")
    assert kernel.report() == whole
    assert kernel.cache.is_file()


def test_two_processes_at_once_compile_it_once(kernel: Kernel) -> None:
    both = [kernel.compiling(NUMBA_DEBUG_CACHE="1") for _ in range(2)]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum(out.count("data saved") for out, _ in said) == ENTRIES, said
    third = kernel.compiling(NUMBA_DEBUG_CACHE="1")
    assert third.communicate(timeout=120) == ("", ""), "nothing is left to do"


def test_two_processes_that_use_it_at_once_do_not_harm_each_other(kernel: Kernel, whole: Report) -> None:
    code = "import numpy as np; from standin.outer import walk; from core.search.compilation.compile import load\n" \
           "load('standin.warm_up'); print(walk(np.array([5], np.uint64), 500, np.zeros(7, np.int64)).hex())"
    both = [subprocess.Popen([sys.executable, "-c", code], env=kernel.surroundings(), stdout=subprocess.PIPE, text=True)
            for _ in range(2)]
    totals = {process.communicate(timeout=120)[0] for process in both}
    assert len(totals) == 1
    assert kernel.report() == {**whole, "hits": ENTRIES, "misses": 0}


def test_one_writes_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    inside, most = [0], [0]

    def save(self: object, sig: object, data: object) -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.05)
        inside[0] -= 1

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(caching.FunctionCache, "save_overload", save)
    from core.search.compilation.tolerant_cache import TolerantCache

    threads = [threading.Thread(target=TolerantCache.__new__(TolerantCache).save_overload, args=((), None)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1], "else two functions could get the same file"


def test_what_nobody_used_for_a_month_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    now = time.time()
    old, used = tmp_path / "compiled" / "a", tmp_path / "compiled" / "b"
    for folder in (old, used):
        folder.mkdir(parents=True)
        (folder / "f.nbi").touch()
    os.utime(old, (now - MONTH, now - MONTH))
    assert code_cache.remove_old(now) == [old]
    assert list((tmp_path / "compiled").iterdir()) == [used]


def test_the_oldest_of_too_many_are_removed_but_none_just_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(code_cache, "MOST", 2)
    now = time.time()
    for days in range(5):
        (tmp_path / "compiled" / str(days)).mkdir(parents=True)
        os.utime(tmp_path / "compiled" / str(days), (now, now - days * 86_400.0 - 60))
    assert [path.name for path in code_cache.remove_old(now)] == ["2", "3", "4"]


def test_a_process_keeps_its_folder_from_being_removed(compiled: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(compiled.cache))
    folders = [path for path in (compiled.cache / "compiled").iterdir() if path.is_dir()]
    long_ago = time.time() - MONTH
    for folder in folders:
        os.utime(folder, (long_ago, long_ago))
    assert compiled.report()["hits"] == ENTRIES
    assert code_cache.remove_old(time.time()) == []


def test_a_process_goes_on_when_its_folder_is_removed(compiled: Kernel, whole: Report) -> None:
    gone = compiled.report(before="import os, shutil; shutil.rmtree(os.environ['NUMBA_CACHE_DIR'])")
    assert gone == whole
    assert len(compiled.files()) == ENTRIES, "and stored it again"


@pytest.mark.parametrize(("ending", "left"), some_pairs([".nbi", ".nbc"], [0, 40], 1))
def test_a_damaged_file_is_replaced(compiled: Kernel, whole: Report, ending: str, left: int) -> None:
    damaged = [path for path in compiled.cache.rglob("*") if path.suffix == ending]
    assert len(damaged) == ENTRIES
    for path in damaged:
        path.write_bytes(path.read_bytes()[:left])
    assert compiled.report() == whole, "as at first: compiled"
    assert compiled.report()["hits"] == ENTRIES


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_full_disk_costs_no_search(kernel: Kernel, whole: Report) -> None:
    full = kernel.report(before="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))", started=True)
    assert kernel.files() == []
    assert full == whole


def test_all_that_the_code_is_made_of_is_watched(tmp_path: Path) -> None:
    package = Kernel.made(tmp_path, tmp_path / "cache").folder / "standin"
    found = code_cache.sources("standin.outer", package / "outer.py")
    assert set(found) == {"standin", "standin.constants", "standin.inner", "standin.outer"}
    own = code_cache.sources("core.search.simulate", ROOT / "core" / "search" / "simulate.py")
    assert {"core.search.simulate", "core.search.model", "core.search.rollouts", "core.search.compilation.kernel"} <= set(own)
    assert all(path.is_relative_to(ROOT) for path in own.values())


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"walk": "long"}', '{"walk": '])
def test_a_damaged_file_of_times_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert code_cache.read_seconds() == {}
    (tmp_path / "compiled").mkdir()
    code_cache.write_seconds({"walk": 1.5})
    assert code_cache.read_seconds() == {"walk": 1.5}
    (tmp_path / "compiled" / "seconds.json").write_text(text)
    assert code_cache.read_seconds() == {}
