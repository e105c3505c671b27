"""An environment is made again only if what it is made from has changed, and a failure names its cause."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bootstrap.report import SetupError

from tests.versions.environments import Kind, VersionEnvironment

KIND = Kind((3, 11), "oldest", Path(sys.executable))


class Commands:
    """Stands for the commands of an environment: they are noted, and not run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.noted: list[list[str]] = []

        def run(environment: VersionEnvironment, command: list[str]) -> str:
            environment.folder.mkdir(parents=True, exist_ok=True)
            self.noted.append(command)
            return ""

        monkeypatch.setattr(VersionEnvironment, "run", run)

    def taken(self) -> list[str]:
        """Returns what was done since the last call: the third argument of each command."""
        found, self.noted = [command[2] if command[2] == "venv" else command[3] + str("--no-deps" in command)
                             for command in self.noted], []
        return found


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    return Commands(monkeypatch)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "belvedere-1-py3-none-any.whl"
    path.write_bytes(b"first")
    return path


def test_an_environment_is_made_once(tmp_path: Path, wheel: Path, commands: Commands) -> None:
    assert VersionEnvironment(tmp_path, KIND, "numpy>=2", ("numpy==2",)).make(wheel)
    assert commands.taken() == ["venv", "installFalse"]
    assert (tmp_path / "3.11-oldest" / "constraints.txt").read_text() == "numpy==2"
    assert not VersionEnvironment(tmp_path, KIND, "numpy>=2", ("numpy==2",)).make(wheel)
    assert commands.taken() == []


def test_a_new_wheel_is_installed_alone(tmp_path: Path, wheel: Path, commands: Commands) -> None:
    environment = VersionEnvironment(tmp_path, KIND, "numpy>=2", ("numpy==2",))
    environment.make(wheel)
    commands.taken()
    wheel.write_bytes(b"second")
    assert not environment.make(wheel)
    assert commands.taken() == ["installTrue"]
    environment.make(wheel)
    assert commands.taken() == []


@pytest.mark.parametrize(("inputs", "constraints"), [("numpy>=2.1", ("numpy==2",)), ("numpy>=2", ("numpy==2.1",))])
def test_other_ranges_make_another_environment(
    tmp_path: Path, wheel: Path, commands: Commands, inputs: str, constraints: tuple[str, ...]
) -> None:
    VersionEnvironment(tmp_path, KIND, "numpy>=2", ("numpy==2",)).make(wheel)
    commands.taken()
    assert VersionEnvironment(tmp_path, KIND, inputs, constraints).make(wheel)
    assert commands.taken() == ["venv", "installFalse"]


def test_an_environment_whose_making_failed_is_made_again(
    tmp_path: Path, wheel: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = VersionEnvironment(tmp_path, KIND, "numpy>=2", ())

    def fail(self: VersionEnvironment, *arguments: str) -> None:
        raise SetupError("no network")

    with monkeypatch.context() as now:
        now.setattr(VersionEnvironment, "_pip", fail)
        with pytest.raises(SetupError):
            environment.make(wheel)
    commands.taken()
    assert environment.make(wheel)
    assert commands.taken() == ["venv", "installFalse"]


def test_only_the_oldest_packages_are_constrained(tmp_path: Path, wheel: Path, commands: Commands) -> None:
    newest = Kind(KIND.minor, "newest", KIND.python)
    VersionEnvironment(tmp_path, newest, "numpy>=2", ("numpy==2",)).make(wheel)
    assert (tmp_path / "3.11-newest" / "constraints.txt").read_text() == ""


def test_a_failed_command_is_one_line_with_the_place_of_the_log(tmp_path: Path) -> None:
    environment = VersionEnvironment(tmp_path, KIND, "", ())
    with pytest.raises(SetupError, match=r"^3\.11-oldest: all is lost; all that was printed is in .*3\.11-oldest\.log$"):
        environment.run([sys.executable, "-c", "print('much'); print('ERROR: all is lost'); raise SystemExit(1)"])
    assert "much" in environment.log.read_text()
