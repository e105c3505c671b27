"""`make versions` derives what it tries from pyproject.toml, and finds the Pythons of a machine by their names."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.versions.__main__ import kinds_here
from tests.versions.interpreters import declared, find, later
from tests.versions.requirements import EXTRAS, PINNED_BY_OTHERS, constraints, oldest, tried

ROOT = Path(__file__).parents[2]
HERE = (sys.version_info[0], sys.version_info[1])


@pytest.fixture
def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return found


@pytest.mark.parametrize(("requirement", "constraint"), [
    ("numpy>=2.1", "numpy==2.1"),
    ("PySide6_Essentials>=6.8.1,<6.13", "PySide6_Essentials==6.8.1"),
    ("dask[distributed]>=2024.8", "dask==2024.8"),
    ("numba>=0.68; python_version < '3.16'", "numba==0.68; python_version < '3.16'"),
    ("x <2, >= 1.5", "x==1.5"),
])
def test_the_oldest_version_of_a_range_keeps_the_marker(requirement: str, constraint: str) -> None:
    assert oldest(requirement).replace(" ==", "==") == constraint


@pytest.mark.parametrize("requirement", ["numpy", "numpy<3", "numpy==2.1", "; python_version > '3'"])
def test_a_range_without_an_oldest_version_is_refused(requirement: str) -> None:
    with pytest.raises(ValueError, match="state the oldest version"):
        oldest(requirement)


def test_every_requirement_states_its_oldest_version(project: dict[str, Any]) -> None:
    lines = constraints(project)
    assert len(lines) == len(tried(project)) - len(PINNED_BY_OTHERS)
    assert {line.partition("==")[0] for line in lines} >= {"numpy", "PySide6_Essentials", "av", "rerun-sdk", "matplotlib"}


def test_the_extras_that_are_tried_exist(project: dict[str, Any]) -> None:
    assert set(EXTRAS) <= set(project["optional-dependencies"])


def test_the_declared_pythons_begin_with_the_oldest_that_is_required(project: dict[str, Any]) -> None:
    minors = declared(project)
    assert project["requires-python"] == ">={}.{}".format(*minors[0])
    assert minors == tuple((minors[0][0], minors[0][1] + k) for k in range(len(minors)))
    assert later(minors)[0] == (minors[-1][0], minors[-1][1] + 1)


def fake_python(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return path


def test_a_python_that_fails_on_the_path_is_looked_for_where_pyenv_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_python(tmp_path / "shims" / "python3.12", "echo python3.12: command not found; exit 127")
    fake_python(tmp_path / "versions" / "3.12.0" / "bin" / "python3.12", "echo 3 12")
    newest = fake_python(tmp_path / "versions" / "3.12.1" / "bin" / "python3.12", "echo 3 12")
    fake_python(tmp_path / "versions" / "3.11.0" / "bin" / "python3.11", "echo 3 12")
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert find((3, 12)) == newest
    assert find((3, 11)) is None, "it says that it is another version"
    assert find((3, 13)) is None


def test_this_python_is_found_and_pythons_that_are_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "python{}.{}".format(*HERE)).symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    kinds, missing = kinds_here([HERE, (3, 98)], [(3, 99)])
    assert [(kind.minor, kind.age) for kind in kinds] == [(HERE, "newest"), (HERE, "oldest")]
    assert missing == ["3.98", "3.99"]


def test_a_python_that_is_not_declared_is_tried_with_the_newest_packages_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python{}.{}".format(*HERE)).symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert [kind.age for kind in kinds_here([], [HERE])[0]] == ["newest"]
