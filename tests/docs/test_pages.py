"""The pages of docs/ about packages of somebody else: their code is installed and their commands print what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from core.common.installation import ROOT
from tests.docs.packages import Machine, excerpts, follow, install, page

MOST_LINES = 40
PAGES = ("write-a-planner.md", "write-a-simulator.md", "write-a-provider.md", "write-an-exporter.md", "write-a-panel.md")


@pytest.mark.parametrize("name", PAGES)
def test_its_package_does_what_it_says(name: str, tmp_path: Path) -> None:
    files, blocks, _ = page(name)
    machine = Machine(tmp_path, install(files, tmp_path / "site"))
    assert blocks
    follow(blocks, machine)
    for picture in tmp_path.glob("*.png"):
        with Image.open(picture) as shot:
            assert shot.size == (1440, 900)


def test_the_smallest_planner_is_small() -> None:
    files, _, _ = page("write-a-planner.md")
    assert len(files["seeker.py"].splitlines()) <= MOST_LINES


def test_what_the_tutorial_copies_from_the_example_stands_there() -> None:
    found = excerpts(page("write-a-planner.md")[2])
    assert len(found) >= 6
    for path, code in found:
        assert code.strip() in (ROOT / "docs" / "examples" / "plugin" / path).read_text(encoding="utf-8"), code


def test_the_panel_of_the_page_lists_the_actions(tmp_path: Path) -> None:
    files, _, _ = page("write-a-panel.md")
    machine = Machine(tmp_path, install(files, tmp_path / "site"))
    said = machine.python("-c", """
import main
from pathlib import Path
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from core.recording.reader import open_recording
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.theme import theme_named
assert main.main(["run", "--planner", "oracle", "--seed", "3", "--record", "a.mcap", "--no-pictures"]) == 0
app = QApplication([])
panel = make_panel("actions", Context(theme_named("dark"), lambda command: None))
panel.show_snapshot(open_recording(Path("a.mcap")).snapshot_at())
print(panel.headline(), "|", panel.findChild(QPlainTextEdit).toPlainText().splitlines()[-1])
""")
    assert "6 actions |   6  slice pie_1\n" in said
