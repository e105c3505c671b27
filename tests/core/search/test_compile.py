"""The search is made ready beside a run: by a process of its own where it can be, and it is said what goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.search.compilation import code_cache, compile
from core.search.compilation import compile as preparation
from tests.core.search.common import ENTRIES, Kernel

pytest.importorskip("numba", reason="without numba nothing is compiled")
PATIENCE = 60.0
CHILD_ONLY = "import os\nif os.environ.get('IN_CHILD'):\n    {}\n"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """One that this process can import, and its children, in which IN_CHILD is set."""
    made = Kernel.made(tmp_path / "one", tmp_path / "cache")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(made.cache))
    monkeypatch.setenv("PYTHONPATH", str(made.folder))
    monkeypatch.syspath_prepend(str(made.folder))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    start: Any = subprocess.Popen

    def marked(*args: object, env: dict[str, str], **more: object) -> object:
        return start(*args, env={**env, "IN_CHILD": "1"}, **more)

    monkeypatch.setattr(subprocess, "Popen", marked)
    _forget()
    yield made
    _forget()


def _forget() -> None:
    """What this process knows of the stand-in."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "standin"]:
        del sys.modules[name]
    for kept in (compile.load, code_cache.digest, code_cache._read, code_cache._marked_as_used):
        kept.cache_clear()


class Prepared:
    """A preparation, and the word that it is over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.preparation = preparation.Preparation(self.over.set, "standin.warm_up")
        self.preparation.start()

    def wait(self) -> str:
        """Until it is over; its note."""
        assert self.over.wait(PATIENCE)
        assert self.preparation.is_over
        assert self.preparation.words == ""
        return self.preparation.note


def test_a_child_compiles_and_this_process_only_loads(kernel: Kernel) -> None:
    prepared = Prepared()
    assert prepared.preparation.words == "compiling the search, once: about 15 s"
    assert prepared.wait() == ""
    stats = sys.modules["standin.outer"].walk.stats
    assert (sum(stats.cache_hits.values()), sum(stats.cache_misses.values())) == (1, 0)
    again = Prepared()
    assert again.preparation.words == "", "nothing is left to compile"
    assert again.wait() == ""


def test_the_words_tell_how_far_it_is(kernel: Kernel) -> None:
    kernel.change("warm_up.py", "from __future__ import annotations\n", CHILD_ONLY.format("import time; time.sleep(60)"))
    prepared = Prepared()
    for gone, words in ((0.2, "about 15 s"), (6, "6 of about 15 s"), (23, "23 s so far")):
        prepared.preparation._since = time.monotonic() - gone
        assert prepared.preparation.words == f"compiling the search, once: {words}"
    prepared.preparation.close()
    assert prepared.over.wait(PATIENCE)


def test_closing_ends_the_child(kernel: Kernel, tmp_path: Path) -> None:
    sign = tmp_path / "child"
    code = f"import time, pathlib; pathlib.Path({str(sign)!r}).write_text(str(os.getpid())); time.sleep(60)"
    kernel.change("warm_up.py", "from __future__ import annotations\n", CHILD_ONLY.format(code))
    prepared = Prepared()
    until = time.monotonic() + PATIENCE
    while not (sign.is_file() and sign.read_text()):
        assert time.monotonic() < until
        time.sleep(0.01)
    prepared.preparation.close()
    assert prepared.over.wait(PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.kill(int(sign.read_text()), 0)
    assert "standin.outer" not in sys.modules, "nobody waits: it was not compiled here either"


def test_where_the_child_fails_this_process_compiles_and_says_so(kernel: Kernel) -> None:
    kernel.change("warm_up.py", "from __future__ import annotations\n", CHILD_ONLY.format("raise ValueError('no luck')"))
    note = Prepared().wait()
    assert note == ("the search was compiled by the program itself: the process that was to do it failed: "
                    "ValueError: no luck")
    assert len(kernel.files()) == ENTRIES
    assert Prepared().wait() == "", "it was kept all the same"


def test_where_nothing_can_be_kept_it_says_so(kernel: Kernel) -> None:
    kernel.cache.write_text("a file where the folder would be")
    assert "cannot be written to" in Prepared().wait()


def test_a_kernel_that_is_broken_is_told(kernel: Kernel) -> None:
    kernel.change("warm_up.py", "from .outer import walk", "from .outer import wolk")
    assert Prepared().wait().startswith("the search could not be made ready: ImportError: ")


def test_before_many_processes_one_says_what_it_does(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation.Preparation.__init__, "__defaults__", ("standin.warm_up",))
    said: list[str] = []
    preparation.prepare(said.append)
    preparation.prepare(said.append)
    assert said == ["compiling the search, once: about 15 s"]
    assert len(kernel.files()) == ENTRIES
