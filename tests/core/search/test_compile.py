"""The search gets machine code beside a run, from a process of its own where that can be. Nobody waits; progress is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.search.compilation import code_cache, compile, preparation
from core.search.compilation.preparation import Preparation
from tests.core.search.common import ENTRIES, Kernel

pytest.importorskip("numba", reason="without numba nothing is compiled")
PATIENCE = 60.0
IN_CHILD = "import os\nif os.environ.get('IN_CHILD'):\n    {}\n"
SLEEP = "import time; time.sleep(600)"
FIRST_LINE = "from __future__ import annotations\n"


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
    for kept in (code_cache.digest, code_cache._read, code_cache._marked_as_used):
        kept.cache_clear()


def started() -> Preparation:
    """A preparation that has begun."""
    made = Preparation("standin.warm_up")
    made.start()
    return made


def note_of(made: Preparation) -> str:
    """The note of a preparation, once it is over."""
    made.wait()
    assert made.is_over
    assert made.words == ""
    return made.note


def until(holds: Callable[[], object]) -> None:
    """Waits for a state."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def entries() -> list[Any]:
    """The stand-in's entries in this process."""
    return [entry for entry, _ in sys.modules["standin.warm_up"].examples()]


def test_a_child_compiles_and_this_process_only_loads(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.search.compilation import machine_code

    whole, new = machine_code.machine_code, list[bool]()

    def watched(*args: Any) -> Any:
        made = whole(*args)
        new.append(made[1])
        return made

    monkeypatch.setattr(machine_code, "machine_code", watched)
    assert note_of(started()) == ""
    assert new == [False] * ENTRIES
    assert all(entry.is_compiled for entry in entries())
    assert set(code_cache.read_seconds()) == {"walk", "count"}
    monkeypatch.setattr(subprocess, "Popen", None)
    assert note_of(started()) == "", "nothing is left to compile"


def test_meanwhile_it_runs_interpreted_and_each_entry_changes_over_once_it_is_ready(kernel: Kernel) -> None:
    kernel.change("warm_up.py", FIRST_LINE, IN_CHILD.format("from core.search.compilation import machine_code"))
    kernel.change("warm_up.py", "    return (walk", f"    {SLEEP_BEFORE_SECOND}\n    return (walk")
    made = started()
    until(lambda: "standin.warm_up" in sys.modules and entries()[0].is_compiled)
    walk, count = entries()
    assert (walk.is_compiled, count.is_compiled, made.is_over) == (True, False, False)
    assert made.words == "compiling the search: 1 of 2 parts"
    made.close()
    assert made.is_over
    assert len(kernel.files()) == 1, "what was compiled is kept"


SLEEP_BEFORE_SECOND = ("if os.environ.get('IN_CHILD'): whole = machine_code.machine_code; machine_code.machine_code = "
                       "lambda entry, arguments: whole(entry, arguments) if entry.__name__ == 'walk' else "
                       "__import__('time').sleep(600)")


def test_a_compilation_that_was_killed_goes_on_where_it_stopped(kernel: Kernel) -> None:
    kernel.change("warm_up.py", FIRST_LINE, IN_CHILD.format("from core.search.compilation import machine_code"))
    kernel.change("warm_up.py", "    return (walk", f"    {SLEEP_BEFORE_SECOND}\n    return (walk")
    killed = kernel.compiling(IN_CHILD="1")
    until(lambda: len(kernel.files()) == 1)
    killed.kill()
    killed.communicate()
    assert compile.is_needed("standin.warm_up")
    written = {path: path.stat().st_mtime_ns for path in kernel.cache.rglob("*.nbc")}
    again = kernel.compiling(IN_CHILD="")
    assert again.communicate(timeout=PATIENCE)[1].startswith("Compiling the search, once")
    assert again.returncode == 0
    assert not compile.is_needed("standin.warm_up")
    assert len(kernel.files()) == ENTRIES
    assert {path: path.stat().st_mtime_ns for path in written} == written, "the first part was not compiled again"


@pytest.mark.parametrize(("seconds", "since", "words"), [
    ({}, 0.0, "compiling the search: 0 of 2 parts"),
    ({"walk": 6.2}, 0.0, "compiling the search: 0 of 2 parts"),
    ({"walk": 6.2, "count": 2.0}, 0.0, "compiling the search: 0 of 2 parts, about 8 s left"),
    ({"walk": 6.2, "count": 2.0}, 5.0, "compiling the search: 0 of 2 parts, about 3 s left"),
    ({"walk": 6.2, "count": 2.0}, 50.0, "compiling the search: 0 of 2 parts")])
def test_the_words_tell_how_far_it_is_and_what_was_measured(seconds: dict[str, float], since: float, words: str) -> None:
    progress = preparation._Progress(("walk", "count"), seconds, 0, 100.0)
    assert progress.words(100.0 + since) == words
    assert progress.after_one(107.0).words(107.0).startswith("compiling the search: 1 of 2 parts")


def _with_sleeping_child(kernel: Kernel, sign: Path) -> Preparation:
    code = f"import time, pathlib; pathlib.Path({str(sign)!r}).write_text(str(os.getpid())); time.sleep(600)"
    kernel.change("warm_up.py", FIRST_LINE, IN_CHILD.format(code))
    made = started()
    until(lambda: sign.is_file() and sign.read_text())
    return made


def test_closing_ends_the_child(kernel: Kernel, tmp_path: Path) -> None:
    made = _with_sleeping_child(kernel, tmp_path / "child")
    made.close()
    assert made.is_over
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "child").read_text()), 0)
    assert not any(entry.is_compiled for entry in entries()), "it was not compiled here either"


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signal")
def test_the_child_ends_with_a_program_that_is_killed(kernel: Kernel, tmp_path: Path) -> None:
    sign = tmp_path / "child"
    code = f"import time, pathlib; pathlib.Path({str(sign)!r}).write_text(str(os.getpid())); time.sleep(600)"
    kernel.change("warm_up.py", FIRST_LINE, IN_CHILD.format(code))
    program = "from core.search.compilation.preparation import Preparation; import os, time\n" \
              "made = Preparation('standin.warm_up'); start = made.start(); os.environ['IN_CHILD'] = '1'; time.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", program], env=kernel.surroundings(IN_CHILD=""), cwd=kernel.folder)
    until(lambda: sign.is_file() and sign.read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    child = int(sign.read_text())
    until(lambda: not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2])


def test_where_the_child_fails_this_process_compiles_and_says_so(kernel: Kernel) -> None:
    kernel.change("warm_up.py", FIRST_LINE, IN_CHILD.format("raise ValueError('no luck')"))
    assert note_of(started()) == ("the search was compiled by the program itself: the process that was to do it failed: "
                                  "ValueError: no luck")
    assert len(kernel.files()) == ENTRIES
    assert note_of(started()) == "", "it was kept all the same"


def test_where_nothing_can_be_kept_it_says_so(kernel: Kernel) -> None:
    kernel.cache.write_text("a file where the folder would be")
    assert "cannot be written to" in note_of(started())
    assert all(entry.is_compiled for entry in entries())


def test_a_kernel_that_cannot_be_compiled_runs_interpreted_and_that_is_told(kernel: Kernel) -> None:
    kernel.change("outer.py", "    total = 0\n", "    total = open\n")
    note = note_of(started())
    assert note.startswith("the search runs interpreted, about 100 times slower: TypingError: ")
    assert "\n" not in note


def test_before_many_processes_one_says_what_it_does(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "preparation", started)
    monkeypatch.setattr(preparation, "is_needed", lambda module="standin.warm_up": compile.is_needed(module))
    said: list[str] = []
    preparation.prepare(said.append)
    assert all(entry.is_compiled for entry in entries())
    preparation.prepare(said.append)
    assert said == ["compiling the search, once"]
    assert len(kernel.files()) == ENTRIES
    assert compile.announcement().startswith("compiling the search, once: about "), "it was measured"
