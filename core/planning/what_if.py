"""What-if questions: what the planner would decide if a belief, a parameter or the bans were different.

Questions and answers are not events: they are not recorded, and the run does not depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.common.parameters import Value
from core.planning.facets import Facet
from core.world.vocabulary import Action

SIMULATIONS = 1000
"""Simulations for one answer."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A what-if question.

    Attributes:
        number: the number of the question; later ones have higher numbers.
        edit: a facet as the operator would edit it, such as a belief; None: unchanged.
        parameters: (name, value) of the changed parameters.
        banned: the banned actions; None: unchanged.
        simulations: the number of simulations of the final answer.
    """

    number: int
    edit: Facet | None = None
    parameters: tuple[tuple[str, Value], ...] = ()
    banned: frozenset[Action] | None = None
    simulations: int = SIMULATIONS


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a what-if question. A question may get several answers, each from more simulations.

    An answer with neither facets nor trouble reports that the question is still being computed.

    Attributes:
        number: the number of the question.
        facets: at most one of each class.
        trouble: why there is no answer, as text for the operator; empty if there is one.
    """

    number: int
    facets: tuple[Facet, ...] = ()
    trouble: str = ""
