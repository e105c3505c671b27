"""The set-up's own judgement: no network, no apt, no pip."""

from __future__ import annotations

import ast
import os
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bootstrap import __main__ as bootstrap_main
from bootstrap import environment, system_libraries
from bootstrap.environment import Environment, Stamp
from bootstrap.report import SetupError
from bootstrap.system_libraries import installable_names, missing_packages, sudo_line

SOURCES = sorted(Path(bootstrap_main.__file__).parent.glob("*.py"))
STATUS = "\n".join(
    [
        "dpkg\tamd64\tinstalled\t",
        "libgl1\tamd64\tinstalled\tlibgl-one (= 1), other",
        "libegl1\tamd64\tconfig-files\t",
        "libdbus-1-3\ti386\tinstalled\t",
        "libglib2.0-0t64\tamd64\tinstalled\tlibglib2.0-0 (= 2.80)",
        "fonts\tall\tinstalled\t",
        "a line of something else",
    ]
)
POLICY = """libgl1:
  Installed: (none)
  Candidate: 1.7.0-1
  Version table:
     1.7.0-1 500
libglib2.0-0:
  Installed: (none)
  Candidate: (none)
  Version table:
libglib2.0-0t64:
  Installed: (none)
  Candidate: 2.84.4-3
  Version table:
     2.84.4-3 500
libold1:
  Installed: (none)
  Candidate: (none)
  Version table:
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    return tmp_path


@pytest.fixture
def finished(checkout: Path) -> Environment:
    made = Environment(checkout)
    made.python.parent.mkdir(parents=True)
    made.python.symlink_to(sys.executable)
    Stamp.wanted(checkout, "test").write(made.stamp)
    return made


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_an_old_python_can_read_the_sources(source: Path) -> None:
    ast.parse(source.read_text(), feature_version=(3, 8))


def test_installed_provided_and_renamed_packages_are_present() -> None:
    assert missing_packages(STATUS, ["libgl1", "libgl-one", "other", "libglib2.0-0", "fonts"]) == []


def test_removed_foreign_and_unknown_packages_are_missing() -> None:
    assert missing_packages(STATUS, ["libnew", "libgl1", "libegl1", "libdbus-1-3"]) == ["libnew", "libegl1", "libdbus-1-3"]


def test_a_rename_counts_without_a_provides_field() -> None:
    status = STATUS.replace("libglib2.0-0 (= 2.80)", "")
    assert missing_packages(status, ["libglib2.0-0"]) == []


def test_apt_names_follow_the_rename() -> None:
    assert installable_names(["libgl1", "libglib2.0-0", "libold1"], POLICY) == (["libgl1", "libglib2.0-0t64"], ["libold1"])


def test_empty_lists_know_nothing() -> None:
    assert installable_names(["libgl1"], "") == ([], ["libgl1"])


def test_the_sudo_line_is_one_command_to_paste() -> None:
    assert sudo_line(["a", "b"]) == "sudo apt-get install -y --no-install-recommends a b"
    assert sudo_line(["a"], update=True).startswith("sudo apt-get update && sudo apt-get install -y ")


def pretend_debian(monkeypatch: pytest.MonkeyPatch, status: str, policy: str, lists: str) -> None:
    answers = {"dpkg-query": status, "policy": policy, "madison": lists}

    def read(*command: str) -> str:
        return answers[command[0] if command[0] in answers else command[1]]

    def apt(*arguments: str) -> str:
        pytest.fail(f"apt-get {arguments} for a user who is not root")

    monkeypatch.delenv(system_libraries.SKIP_VARIABLE, raising=False)
    monkeypatch.setattr(system_libraries, "is_debian", lambda: True)
    monkeypatch.setattr(system_libraries, "LIBRARIES", {"libgl1": "", "libglib2.0-0": ""})
    monkeypatch.setattr(system_libraries, "_read", read)
    monkeypatch.setattr(system_libraries, "_apt", apt)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def test_a_user_is_told_only_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_debian(monkeypatch, STATUS.replace("libglib2.0-0", "elsewhere"), POLICY, "dpkg | 1.22 |")
    with pytest.raises(SetupError, match=r"\n  sudo apt-get install -y --no-install-recommends libglib2.0-0t64$"):
        system_libraries.ensure([])


def test_a_user_of_a_fresh_machine_is_told_to_update_first(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_debian(monkeypatch, "", "", "")
    with pytest.raises(SetupError, match=r"update && sudo .* libgl1 libglib2.0-0 python3.11-venv$"):
        system_libraries.ensure(["python3.11-venv"])


def test_a_package_that_apt_does_not_know_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend_debian(monkeypatch, STATUS, POLICY, "dpkg | 1.22 |")
    system_libraries.ensure(["libold1"])
    assert "libold1; going on without" in capsys.readouterr().err


def test_nothing_is_said_when_nothing_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pretend_debian(monkeypatch, STATUS, POLICY, "dpkg | 1.22 |")
    system_libraries.ensure([])
    assert capsys.readouterr().err == ""


def test_the_check_of_libraries_can_be_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_debian(monkeypatch, "", "", "")
    monkeypatch.setenv(system_libraries.SKIP_VARIABLE, "1")
    system_libraries.ensure([])


def test_the_loader_names_what_it_does_not_find() -> None:
    assert system_libraries.unloadable(["", "libbelvedere-none.so.9"]) == ["libbelvedere-none.so.9"]


def test_a_stamp_comes_back_as_written(checkout: Path) -> None:
    stamp = Stamp.wanted(checkout, "run", also="libgl1")
    stamp.write(checkout / "ready.json")
    assert Stamp.read(checkout / "ready.json") == stamp


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"inputs": "a", "more": 1}'])
def test_a_stamp_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "ready.json").write_text(text)
    assert Stamp.read(tmp_path / "ready.json") is None
    assert Stamp.read(tmp_path / "absent.json") is None


def test_a_test_set_up_serves_a_run_and_not_the_reverse(checkout: Path) -> None:
    run, test = Stamp.wanted(checkout, "run"), Stamp.wanted(checkout, "test")
    assert test.covers(run)
    assert run.covers(run)
    assert not run.covers(test)


def test_a_set_up_with_embeddings_serves_one_without_and_not_the_reverse(checkout: Path) -> None:
    plain, more = Stamp.wanted(checkout, "run"), Stamp.wanted(checkout, "run", embeddings=True)
    assert more.covers(plain)
    assert not plain.covers(more)
    assert not more.covers(Stamp.wanted(checkout, "test", embeddings=True))


@pytest.mark.parametrize(("old", "wanted", "requirement", "says"), [
    (False, False, ".[test]", False), (False, True, ".[test,embeddings]", True), (True, False, ".[test,embeddings]", True),
])
def test_embeddings_are_installed_where_they_are_wanted_and_kept(
    finished: Environment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], old: bool, wanted: bool,
    requirement: str, says: bool
) -> None:
    replace(Stamp.wanted(finished.root, "test", embeddings=old), inputs="older").write(finished.stamp)
    asked: list[str] = []
    monkeypatch.setattr(Environment, "_is_sound", lambda *_: True)
    monkeypatch.setattr(Environment, "_install", lambda self, requirement, lock: asked.append(requirement))
    with (finished.root / "pyproject.toml").open("rb") as lock:
        finished.make(Stamp.wanted(finished.root, "run", embeddings=wanted), lock)
    assert asked == [requirement]
    assert finished.is_ready(Stamp.wanted(finished.root, "run", embeddings=wanted or old))
    assert ("PIP_EXTRA_INDEX_URL" in capsys.readouterr().err) == says


def test_the_command_line_takes_embeddings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool]] = []
    monkeypatch.setattr(bootstrap_main, "set_up", lambda root, level, embeddings=False: asked.append((level, embeddings)))
    assert [bootstrap_main.main(given) for given in (["run"], ["run", "embeddings"], ["run", "x"], [])] == [0, 0, 2, 2]
    assert asked == [("run", False), ("run", True)]


@pytest.mark.parametrize("change", [{"inputs": "0"}, {"python": "cpython-399"}, {"root": "/elsewhere"}, {"level": "unheard"}])
def test_a_stamp_of_something_else_does_not_serve(checkout: Path, change: dict[str, str]) -> None:
    wanted = Stamp.wanted(checkout, "run")
    other = Stamp(**{**asdict(wanted), **change})
    assert not other.covers(wanted)


def test_a_finished_set_up_is_ready_until_pyproject_changes(finished: Environment) -> None:
    assert finished.is_ready(Stamp.wanted(finished.root, "run"))
    (finished.root / "pyproject.toml").write_text("[project]\nname = 'y'\n")
    assert not finished.is_ready(Stamp.wanted(finished.root, "run"))


def test_an_unfinished_set_up_is_not_ready(finished: Environment) -> None:
    finished.unfinished.touch()
    assert not finished.is_ready(Stamp.wanted(finished.root, "run"))


def test_a_set_up_whose_python_is_gone_is_not_ready(finished: Environment) -> None:
    finished.python.unlink()
    finished.python.symlink_to(finished.root / "nowhere")
    assert not finished.is_ready(Stamp.wanted(finished.root, "run"))


def test_an_empty_checkout_is_not_ready(checkout: Path) -> None:
    assert not Environment(checkout).is_ready(Stamp.wanted(checkout, "run"))


def test_a_ready_checkout_is_left_alone(
    finished: Environment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Stamp.wanted(finished.root, "test", also=" ".join(system_libraries.LIBRARIES)).write(finished.stamp)
    monkeypatch.setattr(system_libraries, "ensure", lambda also: pytest.fail("looked for system libraries"))
    monkeypatch.setattr(Environment, "make", lambda *_: pytest.fail("called pip"))
    bootstrap_main.set_up(finished.root, "run")
    assert capsys.readouterr().err == ""


def test_missing_system_packages_leave_no_trace(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_debian(monkeypatch, "", "", "")
    with pytest.raises(SetupError, match="sudo apt-get"):
        bootstrap_main.set_up(checkout, "run")
    assert [path.name for path in checkout.iterdir()] == ["pyproject.toml"]


@pytest.mark.parametrize(
    ("output", "cause"),
    [
        (
            "WARNING: Retrying ... Temporary failure in name resolution\nERROR: No matching distribution",
            "names cannot be resolved",
        ),
        ("NewConnectionError: [Errno 101] Network is unreachable", "no network"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "certificate"),
        (
            "  error: subprocess-exited-with-error\nERROR: No matching distribution found for x==9\n",
            "^No matching distribution",
        ),
        ("one\nlast words\n\n", "^last words$"),
        ("", "no reason"),
    ],
)
def test_a_failure_of_pip_has_one_cause(output: str, cause: str) -> None:
    found = environment.failure_cause(output)
    assert "\n" not in found
    assert re.search(cause, found)


def test_an_old_python_is_told_in_one_line() -> None:
    message = bootstrap_main.version_message((3, 8, 18))
    assert "3.11 or newer" in message
    assert "3.8.18" in message
    assert "\n" not in message


@pytest.mark.parametrize("arguments", [[], ["fly"], ["run", "test"]])
def test_wrong_use_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap_main.main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (SetupError("do this"), 2, "do this\n"),
        (PermissionError(13, "Permission denied", ".venv"), 2, "Permission denied: .venv"),
        (KeyboardInterrupt(), 130, "starts afresh"),
    ],
)
def test_a_failure_is_a_line_and_an_exit_code(
    error: BaseException, code: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(bootstrap_main, "set_up", fail)
    assert bootstrap_main.main(["run"]) == code
    said = capsys.readouterr().err
    assert text in said
    assert "Traceback" not in said
