"""Registries: our parts stay lazy, those of other packages come in, and what is wrong with one costs one line."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Sequence
from importlib.metadata import EntryPoint

import pytest

from core.common.errors import MissingPart, UsageError
from core.common.installation import ROOT
from core.common.registry import Registry
from core.evaluation.suites import SUITES
from core.llm.model import NEED_SETTINGS, PROVIDERS, provider_class
from core.planners.registry import PLANNERS, planner_class
from core.recording.exports import EXPORTS
from core.recording.types import FACET_KINDS
from gui.panels.registry import PANELS
from sim.registry import SIMULATORS

REGISTRIES: Sequence[Registry] = (PLANNERS, PROVIDERS, SIMULATORS, SUITES, PANELS, EXPORTS, FACET_KINDS)


class Base:
    name = ""


class Fine(Base):
    name, title = "fine", "Fine part"


class Misnamed(Base):
    name = "otherwise"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Has one part of ours, and of another package one that is fine and five that are not."""
    module = types.ModuleType("parts_of_others")
    vars(module).update(Fine=Fine, Misnamed=Misnamed, nothing=None)
    monkeypatch.setitem(sys.modules, "parts_of_others", module)
    targets = {"fine": "parts_of_others:Fine", "ours": "parts_of_others:Fine", "misnamed": "parts_of_others:Misnamed",
               "nothing": "parts_of_others:nothing", "gone": "parts_of_others:Gone", "absent": "no_such_package.parts:Part"}
    entries = tuple(EntryPoint(name, target, "belvedere.parts") for name, target in targets.items())
    return Registry("part", "belvedere.parts", {"ours": "core.common.errors:UsageError"}, titles={"ours": "Ours"}, base=Base,
                    find=lambda group: entries)


def test_ours_come_first_and_others_after_them(registry: Registry) -> None:
    assert next(iter(registry)) == "ours"
    assert set(registry) == {"ours", "ours (another package)", "fine", "misnamed", "nothing", "gone", "absent"}
    assert len(registry) == 7
    assert registry["fine"] == "parts_of_others:Fine"
    assert registry.load("ours") is UsageError
    assert registry.load("fine") is Fine
    assert [registry.title(name) for name in ("ours", "fine", "gone")] == ["Ours", "Fine part", "gone"]
    assert tuple(registry.usable()) == ("ours", "fine")


@pytest.mark.parametrize(("name", "reason"), [
    ("ours (another package)", "Belvedere has a part of this name; rename its entry point in the group belvedere.parts"),
    ("misnamed", "its class calls itself 'otherwise'"), ("nothing", "does not extend"), ("gone", "has no Gone"),
    ("absent", "No module named 'no_such_package'")])
def test_what_is_wrong_with_another_package_is_said_in_a_line(registry: Registry, name: str, reason: str) -> None:
    for _ in range(2):
        with pytest.raises(MissingPart) as caught:
            registry.load(name)
        assert reason in str(caught.value)
        assert "another package" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert registry.problem(name) == str(caught.value)
    assert not registry.problem("ours")
    assert not registry.problem("fine")


def test_a_name_that_is_none_is_named_with_those_like_it(registry: Registry) -> None:
    assert "fine" in registry
    assert "fin" not in registry
    with pytest.raises(UsageError, match="unknown part 'fin'; did you mean 'fine'"):
        registry.check("fin")


def test_a_lookup_of_ours_looks_for_no_packages() -> None:
    def find(group: str) -> tuple[EntryPoint, ...]:
        raise AssertionError("not needed")

    registry = Registry("part", "belvedere.parts", {"ours": "core.common.errors:UsageError"}, find=find)
    assert "ours" in registry
    registry.check("ours")
    assert registry.load("ours") is UsageError
    assert registry.title("ours") == "ours"
    assert not registry.problem("ours")


def test_a_start_looks_for_no_packages() -> None:
    code = ("import main, core.common.registry as r; main.parser(); main.few_choices(main.first_request()); "
            "print(r.entry_points.cache_info())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
    assert "misses=0" in done.stdout


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.what)
def test_each_registry_has_a_group_of_its_own(registry: Registry) -> None:
    assert registry.group.startswith("belvedere.")
    assert len({other.group for other in REGISTRIES}) == len(REGISTRIES)
    assert not [name for name in registry.ours if registry.problem(name)]


def test_what_is_known_before_loading_is_what_classes_say() -> None:
    assert {name: PLANNERS.title(name) for name in PLANNERS.ours} == {name: planner_class(name).title for name in PLANNERS.ours}
    assert {name for name in PROVIDERS.ours if provider_class(name).needs_settings} == NEED_SETTINGS
    assert all(provider_class(name).notes for name in PROVIDERS)
