"""What an operator asks beside the run while a hand is on something: what would be planned if it stood like this.

Neither question nor answer is an event: nothing of them is recorded, and nothing of the run depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.common.parameters import Value
from core.planning.facets import Facet
from core.world.vocabulary import Action

SIMULATIONS = 1000
"""Simulations of one answer."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """One question.

    Attributes:
        number: later questions have higher ones.
        edit: a facet as the operator would edit it, such as a belief; None: as it stands.
        parameters: (name, value) of those that would be others.
        banned: what would not be allowed; None: as it stands.
        simulations: how many an answer takes in the end.
    """

    number: int
    edit: Facet | None = None
    parameters: tuple[tuple[str, Value], ...] = ()
    banned: frozenset[Action] | None = None
    simulations: int = SIMULATIONS


@dataclass(frozen=True, slots=True)
class Answer:
    """What would be shown. A question may be answered several times, each time from more simulations.

    With neither facets nor trouble it only says that the question is still being thought about.

    Attributes:
        number: of the question.
        facets: at most one of each kind.
        trouble: why there is no answer, in words for the operator; empty when there is one.
    """

    number: int
    facets: tuple[Facet, ...] = ()
    trouble: str = ""
