"""The suites by name: ours, declared by planners' folders, and those of other packages (entry points of belvedere.suites)."""

from __future__ import annotations

from typing import cast

from core.common import registry
from core.planners.folders import targets
from core.suites.suite import Suite

SUITES = registry.Registry("suite", "belvedere.suites", targets(lambda folder: folder.suites), base=Suite)


def suite(name: str) -> Suite:
    """Returns a suite by name.

    Raises:
        UsageError: there is no such suite.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Suite], SUITES.load(name))()
