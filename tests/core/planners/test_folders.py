"""A planner's folder declares what it holds: nothing else must be changed for it to be listed, loaded and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core import planners
from core.common import registry
from core.planners import folders
from core.planners.folders import Folder, Part
from core.planners.registry import PLANNERS, planner_class

FILES = {
    "__init__.py": "from core.planners.folders import Folder, Part\n\n"
                   "FOLDER = Folder((Part('one-more', 'One more', 'planner:OneMore', 15),), "
                   "(Part('one-suite', '', 'suite:OneSuite', 5),))\n",
    "planner.py": "class OneMore:\n    name = 'one-more'\n",
}


@pytest.fixture
def one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, text in FILES.items():
        (tmp_path / "one_more").mkdir(exist_ok=True)
        (tmp_path / "one_more" / name).write_text(text)
    (tmp_path / "notes").mkdir()
    monkeypatch.setattr(planners, "__path__", [*planners.__path__, str(tmp_path)])
    folders.folders.cache_clear()
    yield
    folders.folders.cache_clear()


def test_a_new_folder_is_all_that_a_new_planner_needs(one_more: None) -> None:
    names = list(folders.targets(lambda folder: folder.planners))
    assert names[:3] == ["oracle", "llm-mcts", "one-more"], "in the order of ranks"
    assert folders.titles(lambda folder: folder.planners)["one-more"] == "One more"
    assert next(iter(folders.targets(lambda folder: folder.suites))) == "one-suite"
    found = registry.Registry("planner", "belvedere.planners", folders.targets(lambda folder: folder.planners))
    assert vars(found.load("one-more"))["name"] == "one-more"


def test_each_folder_is_listed_and_its_titles_are_those_of_the_classes() -> None:
    here = Path(folders.__file__).parent
    named = {package.rpartition(".")[2] for package in folders.folders()}
    assert named == {path.parent.name for path in here.glob("*/__init__.py")} - {"shared"}
    for folder in folders.folders().values():
        for part in folder.planners:
            assert planner_class(part.name).title == part.title
            assert PLANNERS.title(part.name) == part.title


def test_what_declares_nothing_is_no_folder() -> None:
    assert f"{folders.PACKAGE}.shared" not in folders.folders()
    assert Folder((Part("a", "", "b:C", 0),)).suites == ()
