"""Files with the names of modules, in the current folder or on PYTHONPATH, change nothing, or one line names them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from joblib import delayed

from core.common import child_python, docstrings, module_path
from core.common.registry import Registry
from core.evaluation.sweep import processes

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("random", "types", "queue", "json", "contextlib", "tempfile")


@pytest.fixture
def in_the_way(tmp_path: Path) -> Path:
    """A folder with modules and packages of other programs."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('the wrong {name}')\n")
    for name in ("core", "gui", "sim"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    return tmp_path


def run(*command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)


def test_the_program_finds_its_own_modules_from_any_folder_and_with_any_path(in_the_way: Path) -> None:
    done = run(sys.executable, str(ROOT / "main.py"), "run", "--planner", "oracle", "--scene", "four-rooms-1", "--max-steps",
               "1", cwd=in_the_way, PYTHONPATH=str(in_the_way))
    assert (done.returncode, "wrong" in done.stdout + done.stderr) == (1, False), done.stderr


def test_workers_of_a_sweep_find_them_too(in_the_way: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(in_the_way)
    monkeypatch.setenv("PYTHONPATH", str(in_the_way))
    with processes(2, None) as parallel:
        assert sorted(parallel(delayed(abs)(number) for number in (-1, -2))) == [1, 2]


@pytest.mark.parametrize("started", [("-c", "from belvedere import console_script; console_script()"), ("-m", "belvedere")])
def test_the_installed_command_finds_its_package_before_others_of_that_name(started: tuple[str, str], in_the_way: Path,
                                                                                   tmp_path: Path) -> None:
    package = ROOT / "resources" / "package"
    shutil.copytree(package, tmp_path / "copied")  # as an editable install does
    for name in NAMES:
        (in_the_way / f"{name}.py").unlink()
    for place in (package, tmp_path / "copied"):
        path = os.pathsep.join((str(in_the_way), str(place), str(ROOT)))
        done = run(sys.executable, *started, "list", "providers", cwd=in_the_way, PYTHONPATH=path)
        assert (done.returncode, done.stdout.split()[:1]) == (0, ["commonsense"]), done.stderr


def test_a_file_that_hides_a_package_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "platformdirs.py").write_text("")
    done = run(sys.executable, str(ROOT / "main.py"), "list", "planners", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.stderr.startswith(f"error: {tmp_path / 'platformdirs.py'} is in the way of the module 'platformdirs' (")
    assert done.stderr.endswith(f"): rename it, or take {tmp_path} off PYTHONPATH\n")
    assert done.stderr.count("\n") == 1


def test_an_error_of_the_program_itself_is_not_explained_by_a_file() -> None:
    assert module_path.in_the_way(ValueError("x")) == ""
    assert module_path.in_the_way(ModuleNotFoundError("No module named 'x'", name="x")) == ""
    assert module_path.in_the_way(AttributeError("x", obj=sys)) == ""


def test_our_folder_comes_first_then_pythons_own() -> None:
    assert module_path.in_order(["", "/a", *module_path.STANDARD, "/b"])[:1] == [str(ROOT)]
    order = module_path.in_order(["/a", *module_path.STANDARD, str(ROOT), "/b"])
    assert order == [str(ROOT), *module_path.STANDARD, "/a", "/b"]


def test_the_environment_of_this_process_is_as_before_after_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    before = dict(os.environ)
    with child_python.everywhere():
        assert os.environ["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)
        assert os.environ["PYTHONPATH"].endswith("/somewhere")
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert dict(os.environ) == before


def test_a_plug_in_whose_package_has_the_name_of_ours_is_told_so() -> None:
    parts = Registry("planner", "group", {}, find=lambda group: (EntryPoint("mine", "core.mine:Mine", group),))
    assert "'core' is Belvedere's own package: give that one another name" in parts.problem("mine")


def test_docstrings_are_read_where_python_has_dropped_them() -> None:
    code = ("from core.common.docstrings import docstring, first_line; from core.planning.search_facets import Ranking; "
            "from core.recording.exports.jsonl import write; print(first_line(Ranking)); print(first_line(write)); "
            "print(repr(docstring(type('New', (), {}))))")
    said = [run(sys.executable, *level, "-c", code, cwd=ROOT).stdout.splitlines() for level in ((), ("-OO",))]
    assert said[0] == said[1]
    assert said[0][0]
    assert said[0][2] == "''"
    assert docstrings.first_line(Registry).startswith("The parts of one kind")
