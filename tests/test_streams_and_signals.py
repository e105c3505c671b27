"""The command line when its output is full, closed or narrow, and when a signal ends it: one line, and never a traceback."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import main
from core.recording.reader import open_recording
from tests.forked_commands import Command, carried_out
from tests.long_tests import either
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[1]
MAIN = (sys.executable, "main.py")
EPISODE = ("run", "--planner", "oracle", "--task", "put one apple inside the fridge", "--seed", "3", "--json")
LONG = ("run", "--planner", "llm-mcts", "--max-steps", "500", "--set", "simulations=60", "--seed", "3", "--task",
        "Put one apple inside the fridge and one plate inside the dishwasher and one book on the sofa")
TURN = re.compile(r"\s*\d+[ .]")
"""How a line about a turn begins."""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
linux = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def played(*words: str, redirected: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A command through a shell, which can close streams."""
    command = f'exec "$0" "$@" {redirected}'
    return subprocess.run(["/bin/sh", "-c", command, *MAIN, *words], cwd=ROOT, env={**os.environ, **env}, capture_output=True,
                          text=True, timeout=120, check=False)


COMMANDS = (EPISODE, ("list", "scenes"), ("list", "tasks"), ("examples", "list"), ("--version",), ("--help",),
            ("run", "--help"))
FOR_A_RUN = ("core.app.headless", "core.app.launch", "core.planners.baselines.planner", "sim.household.simulator")
"""Modules that `EPISODE` and a list of scenes need."""


@linux
def test_a_full_output_is_one_line_and_exit_two(tmp_path: Path) -> None:
    full = [Command(words, out="/dev/full") for words in COMMANDS]
    for words, done in zip(COMMANDS, carried_out(full, tmp_path, loaded=FOR_A_RUN), strict=True):
        assert done.code == 2, words
        assert done.error.splitlines()[-1] == "error: cannot write the output: No space left on device"
        assert "Traceback" not in done.error
        assert "Exception ignored" not in done.error


@linux
@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_without_standard_error_the_result_is_printed_all_the_same(redirected: str) -> None:
    done = played(*EPISODE, redirected=redirected)
    assert done.returncode == 0
    assert json.loads(done.stdout)["success"] is True


@linux
@pytest.mark.parametrize("redirected", [">&-", ">&- 2>&-", ">/dev/full 2>/dev/full"])
def test_with_nothing_to_write_to_it_ends_quietly(redirected: str) -> None:
    done = played("list", "scenes", redirected=redirected)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stdout + done.stderr


@posix
@pytest.mark.parametrize("words", [EPISODE, ("list", "scenes")], ids=" ".join)
def test_a_reader_that_goes_away(words: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as out:
        done = subprocess.run([*MAIN, *words], cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True, timeout=120,
                              check=False)
    assert done.returncode == (0 if words[0] == "list" else 2)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@posix
@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
                         ids=["encoding", "locale"])
def test_a_narrow_output_is_written_in_escapes(env: dict[str, str], tmp_path: Path) -> None:
    tasks = "put one apple inside the fridge", "put the “apple” in the fridgé"
    commands = [Command(("run", "--planner", "oracle", "--seed", "3", "--json", "--task", task)) for task in tasks]
    plain, strange = carried_out(commands, tmp_path, env={**os.environ, **env}, loaded=FOR_A_RUN)
    assert json.loads(plain.out)["success"] is True
    for done in (plain, strange):
        assert "Traceback" not in done.error
        assert (done.out + done.error).isascii()
    assert strange.code == 0 or strange.error.count("\n") == 1


@posix
@pytest.mark.parametrize("number", either([number for number in SIGNALS if number != signal.SIGTERM], SIGNALS))
def test_a_signal_makes_the_recording_whole(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    pictures = () if number == signal.SIGINT else ("--no-pictures",)
    words = (*LONG, "--no-cache", "--record", str(path), "--json", *pictures)
    with subprocess.Popen([*MAIN, *words], cwd=ROOT, env={**os.environ, "BELVEDERE_RENDERER": "2d"}, stderr=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        lines: list[str] = []
        while sum(bool(TURN.match(line)) for line in lines) < 2:
            lines.append(run.stderr.readline())
            assert lines[-1], "it ended by itself"
        run.send_signal(number)
        out, said = run.communicate(timeout=120)
        lines += said.splitlines()
    assert run.returncode == (130 if number == signal.SIGINT else 1), "Ctrl C is told apart, as shells do"
    value = json.loads(out)
    assert (value["stopped_by"], value["success"]) == (number.name, False)
    assert value["ended"] == ("stopped by the operator" if number == signal.SIGINT else f"stopped by {number.name}")
    with open_recording(path) as recording:
        assert recording.notice == "", "it has its index"
        end = recording.snapshot_at()
        turns = len(end.turns)
        assert end.ended is not None
        assert (end.outcome.reason, turns) == (value["ended"], value["steps"])
    assert turns >= 2
    assert lines[-1] == f"interrupted: {turns} turns are on disk in {path}"


def workers(session: int) -> list[str]:
    """States of the processes of a session that still run."""
    found = subprocess.run(["ps", "-s", str(session), "-o", "stat="], capture_output=True, text=True, check=False).stdout
    return [state for state in found.split() if not state.startswith("Z")]


@posix
@pytest.mark.parametrize("number", either([signal.SIGINT, signal.SIGTERM], SIGNALS))
def test_a_signal_ends_a_sweep_in_a_line(number: signal.Signals, tmp_path: Path) -> None:
    words = ("evaluate", "--planner", "llm-mcts", "--trials", "50", "--jobs", "2", "--out", str(tmp_path / "out"))
    with subprocess.Popen([*MAIN, *words], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True) as sweep:
        assert sweep.stderr is not None
        assert sweep.stderr.read(1)  # the bar is there
        sweep.send_signal(number)
        said = sweep.stderr.read().decode()
    assert sweep.returncode == 128 + number
    last = said.splitlines()[-1]
    assert last.rpartition("]")[2].startswith("interrupted: ")  # the bar may not be closed yet
    assert said.endswith("go on with the same command\n")
    assert "Traceback" not in said
    until(lambda: not workers(sweep.pid), "workers are left")


@posix
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_too_many_open_files_are_not_taken_for_a_full_output(number: int, monkeypatch: pytest.MonkeyPatch,
                                                             capsys: pytest.CaptureFixture[str]) -> None:
    def obey(argv: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(main, "_obey", obey)
    assert main.main([]) == 2
    assert capsys.readouterr().err.startswith("error: too many files are open at once: close other programs")


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    done = subprocess.run(["/bin/sh", "-c", 'trap "" HUP; "$0" "$@" & sleep 0.7; kill -HUP $!; wait $!', *MAIN, *EPISODE],
                          cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@posix
def test_a_recording_deleted_during_a_run(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    words = (*LONG[:3], "--max-steps", "6", *LONG[5:], "--no-cache", "--record", str(path), "--no-pictures", "--json")
    with subprocess.Popen([*MAIN, *words], cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        for _ in range(2):
            run.stderr.readline()
        path.unlink()
        out, said = run.communicate(timeout=120)
    assert run.returncode == 2
    assert said.splitlines()[-1] == (f"error: {path} was deleted or damaged during the run: the recording is "
                                     f"{path.with_name('a 2.mcap')}")
    assert json.loads(out)["steps"] == 6
    with open_recording(path.with_name("a 2.mcap")) as recording:
        assert recording.notice == ""
        assert len(recording.snapshot_at().turns) == 6
