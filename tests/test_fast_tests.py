"""What a fast run chooses."""

from __future__ import annotations

import json

from core.common.installation import ROOT
from tests.fast_tests import DURATIONS, MOST, QUICK, chosen


def test_the_first_case_of_each_quick_function_is_chosen() -> None:
    nodeids = ["a.py::test_one[1]", "a.py::test_one[2]", "a.py::test_two", "a.py::test_slow", "b.py::test_three[x]"]
    assert chosen(nodeids, {"a.py::test_slow": 0.5}) == {"a.py::test_one[1]", "a.py::test_two", "b.py::test_three[x]"}


def test_a_file_without_a_quick_function_is_there_with_its_quickest() -> None:
    nodeids = ["a.py::test_slow[1]", "a.py::test_slower", "b.py::test_slowest"]
    assert chosen(nodeids, {"a.py::test_slow": 0.5, "a.py::test_slower": 1.5, "b.py::test_slowest": MOST + 1}) == {
        "a.py::test_slow[1]"}


def is_there(function: str) -> bool:
    path, _, name = function.partition("::")
    return (ROOT / path).exists() and f"def {name}(" in (ROOT / path).read_text("utf-8")


def test_the_recorded_durations_are_of_the_tests_that_exist() -> None:
    found = json.loads(DURATIONS.read_text("utf-8"))
    assert len(found) > 100
    assert min(found.values()) >= QUICK
    gone = [function for function in found if not is_there(function)]
    assert len(gone) < len(found) / 10, "record them anew: make durations"
