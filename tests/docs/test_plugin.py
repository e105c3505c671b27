"""Somebody else's package: a planner, a facet with a view and an offline answer, without a line of ours changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from core.common.installation import ROOT
from tests.docs.packages import Machine, folder, install, page

EXAMPLE = folder(ROOT / "docs" / "examples" / "plugin")
BROKEN = {
    "pyproject.toml": '[project]\nname = "broken-parts"\nversion = "2.0"\n'
    + "".join(f'[project.entry-points."belvedere.{kind}"]\nbroken = "broken_parts:Part"\n'
              for kind in ("planners", "facets", "panels", "simulators", "providers", "suites", "exporters"))
    .replace('belvedere.planners"]\n', 'belvedere.planners"]\noracle = "broken_parts:Part"\n'),
    "broken_parts.py": "import a_package_that_is_not_there\n",
}
READ = """
import json, sys
from pathlib import Path
from core.recording.exports import export
from core.recording.reader import open_recording
with open_recording(Path("episode.mcap")) as recording:
    end = recording.snapshot_at()
    shown = {kind.__name__: facet for kind, (facet, _) in end.facets.items()}
    guess = shown.get("Guess")
    facts = end.calls[0].ask.facts
    print(json.dumps([recording.notice, len(end.line), guess and [guess.sought, guess.room, len(guess.rooms)],
                      facts and facts.sought, end.calls[0].reply.texts[0], sorted(shown)]))
export(Path("episode.mcap"), "jsonl", Path(sys.argv[1]))
"""
SHOW = """
import main
from gui.window.main_window import MainWindow
def closing(self, event, close=MainWindow.closeEvent):
    card = self.docks["guess"].card
    rows = card.panel.shown.rows
    print(self.docks["guess"].isVisible(), card.title, card.panel.headline(), [rows.row_words(k) for k in range(rows.count())])
    close(self, event)
MainWindow.closeEvent = closing
main.main(["screenshot", "--planner", "seeker", "--seed", "3", "--turns", "2", "--out", "shot.png"])
"""


LISTED = """
from PySide6.QtWidgets import QApplication
from core.recording.exports import about
from gui.control.context import Context
from gui.panels.registry import make_panel
from gui.theme import theme_named
app = QApplication.instance()
print(type(make_panel("broken", Context(theme_named("dark"), lambda command: None))).__name__)
print(about()["broken"][:12])
(choice,) = [choice for choice in main.choices().planners if choice.name == "broken"]
print(choice.available, choice.hint[:3])
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Has the example installed, and an episode of its planner, which is listed, recorded."""
    home = tmp_path_factory.mktemp("machine")
    found = Machine(home, install(EXAMPLE, home / "site"))
    run = ["run", "--planner", "seeker", "--seed", "3", "--no-pictures", "--record", "episode.mcap", "--json"]
    (_, listed), (code, said) = found.commands(["list", "planners"], run)
    assert "\nseeker  " in listed
    assert code == 0
    played = json.loads(said[said.index("{\n"):said.rindex("}") + 1])
    assert (played["planner"], played["success"], played["llm_calls"]) == ("seeker", True, 1)
    return found


@pytest.fixture(scope="module")
def read(machine: Machine) -> list[Any]:
    """What is read of that recording, which is exported, too."""
    found: list[Any] = json.loads(machine.python("-c", READ, "with.jsonl"))
    return found


def test_its_facet_and_facts_come_back_from_a_recording(machine: Machine, read: list[Any]) -> None:
    notice, turns, guess, facts, reply, _ = read
    assert (notice, turns, guess, facts, reply) == ("", 11, ["pie", "kitchen", 4], "pie", "kitchen")
    assert '"Guess"' in (machine.home / "with.jsonl").read_text(encoding="utf-8")


@pytest.mark.usefixtures("read")
def test_without_the_package_a_recording_opens_and_loses_nothing_else(machine: Machine) -> None:
    bare = Machine(machine.home)
    notice, turns, guess, facts, reply, shown = json.loads(bare.python("-c", READ, "without.jsonl"))
    assert "Guess" in notice
    assert "not installed" in notice
    assert (turns, guess, facts, reply) == (11, None, None, "kitchen")
    assert "GoalProgress" in shown
    counts = [len((machine.home / name).read_text(encoding="utf-8").splitlines()) for name in ("with.jsonl", "without.jsonl")]
    assert counts[1] > counts[0] / 2


def test_a_facet_that_only_its_planner_declares_is_recorded_too(tmp_path: Path) -> None:
    project = EXAMPLE["pyproject.toml"].replace('[project.entry-points."belvedere.facets"]\nGuess', '# Guess')
    assert "belvedere.facets" not in project
    machine = Machine(tmp_path, install({**EXAMPLE, "pyproject.toml": project}, tmp_path / "site"))
    run = "run", "--planner", "seeker", "--seed", "3", "--no-pictures", "--record", "episode.mcap"
    said = machine.python("-c", f"import main\nmain.main({list(run)})\nprint('\\f')\n{READ}", "with.jsonl")
    notice, _, guess, *_ = json.loads(said.rpartition("\f")[2].splitlines()[1])
    assert (notice, guess) == ("", ["pie", "kitchen", 4])


def test_its_panel_opens_in_the_window_and_shows_the_facet(machine: Machine) -> None:
    said = machine.python("-c", SHOW)
    assert "True Guess looks for pie" in said
    assert "kitchen · chosen" in said


def test_it_and_the_packages_of_the_pages_keep_the_contracts(tmp_path: Path) -> None:
    machine = Machine(tmp_path, install(EXAMPLE, tmp_path / "site"))
    for name in ("write-a-simulator.md", "write-a-provider.md", "write-a-panel.md"):
        install(page(name)[0], tmp_path / "site")
    kinds = ("planners", "facets", "panels", "simulators", "providers")
    tests = [str(ROOT / "tests" / "contracts" / f"test_{kind}.py") for kind in kinds]
    said = machine.python("-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "-c",
                          str(ROOT / "pyproject.toml"), *tests, "-k", "seeker or Guess or guess or two-rooms or nth or actions")
    assert int(re.search(r"(\d+) passed", said)[1]) > 50, said  # type: ignore[index]


def test_a_package_that_cannot_be_imported_costs_a_line_and_nothing_else(tmp_path: Path) -> None:
    machine = Machine(tmp_path, install(BROKEN, tmp_path / "site"))
    kinds = ("planners", "simulators", "providers")
    commands = [*(["list", kind] for kind in kinds), ["run", "--planner", "oracle", "--seed", "3"],
                ["run", "--planner", "broken"], ["screenshot", "--planner", "oracle", "--out", "shot.png"]]
    said, shown = machine.commands_then(LISTED, *commands)
    assert [code for code, _ in said] == [0, 0, 0, 0, 2, 0]
    for _, listed in said[:3]:
        lines = listed.splitlines()
        (line,) = [line for line in lines if line.startswith("broken")]
        assert "of broken-parts 2.0 cannot be loaded: ModuleNotFoundError: No module named" in line
        assert "pip uninstall broken-parts" in line
        assert len(lines) > 4
    (taken,) = [line for line in said[0][1].splitlines() if line.startswith("oracle (broken-parts")]
    assert "rename" in taken
    reached, refused, wrote = (text for _, text in said[3:])
    assert "reached" in reached
    assert refused.count("\n") == 1
    assert refused.startswith("error: the planner 'broken' of broken-parts 2.0 cannot be loaded")
    assert "wrote shot.png" in wrote
    assert shown.splitlines() == ["BrokenPanel", "missing: the", "False the"]
