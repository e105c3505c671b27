"""The code in the documentation runs, and its links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "ARCHITECTURE.md"])
MARKED = re.compile(r"<!-- run by tests/test_docs\.py -->\n```python\n(.*?)```", re.S)
LIBRARY = MARKED.findall((ROOT / "docs" / "library.md").read_text("utf-8"))
NOTEBOOK = ROOT / "docs" / "examples" / "headless.ipynb"


def played(code: str, folder: Path) -> str:
    """What a piece of code prints, run in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=200,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("code", "prints"), [
    (LIBRARY[0], r"True \['walk .*put_in apple"), (LIBRARY[1], r"\(Action.* \d+ [-\d.]+"), (LIBRARY[2], r"^walk \w+_\d$")])
def test_the_examples_of_library_use_run(code: str, prints: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {"__name__": "__main__"})
    assert re.search(prints, printed.getvalue().strip())


def test_the_notebook_runs_from_its_own_folder() -> None:
    cells = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    printed = played("\n\n".join("".join(cell["source"]) for cell in cells), NOTEBOOK.parent)
    assert printed.startswith("True ['walk ")
    assert len(printed.strip().splitlines()) >= 4
    assert all(not cell["outputs"] for cell in cells), "outputs are not committed"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [*(ROOT / "docs").glob("*.md"), ROOT / "ARCHITECTURE.md"],
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_are_named_exist(page: Path) -> None:
    """Names of modules in backticks: `core.planning.belief`, `core/session/camera.py`; a class or function may follow."""
    text = page.read_text("utf-8")
    for name in re.findall(r"`((?:core|gui|sim)(?:\.\w+)+)`", text):
        parts = name.split(".")
        while parts and not ((ROOT.joinpath(*parts)).is_dir() or ROOT.joinpath(*parts).with_suffix(".py").is_file()):
            parts.pop()
        assert len(parts) >= 2, name
        left = name.split(".")[len(parts):]
        assert len(left) <= 2, name
        source = ROOT.joinpath(*parts).with_suffix(".py")
        if left and source.is_file():
            assert re.search(rf"\b{left[0]}\b", source.read_text("utf-8")), name
    for path in re.findall(r"`((?:core|gui|sim|tests)/[\w/]+(?:\.py|/))`", text):
        assert (ROOT / path).exists(), path
