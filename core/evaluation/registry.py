"""The suites: ours, and those of other packages (entry points of the group belvedere.suites)."""

from __future__ import annotations

from typing import cast

from core.common import registry
from core.evaluation.suite import Suite

SUITES = registry.Registry("suite", "belvedere.suites", {
    "blocking": "core.evaluation.blocking:Blocking",
    "rearrangement": "core.evaluation.rearrangement:Rearrangement",
    "llm-state": "core.evaluation.llm_state:LlmStateSuite",
    "scienceworld": "core.evaluation.scienceworld:ScienceWorld",
}, base=Suite)


def suite(name: str) -> Suite:
    """Returns a suite by name.

    Raises:
        UsageError: there is no such suite.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Suite], SUITES.load(name))()
