"""One part an operator can plug in, as pickers list it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.planning.facets import Facet


@dataclass(frozen=True, slots=True)
class Choice:
    """One part that can be plugged in.

    Attributes:
        name: what requests call it.
        title: what people call it.
        available: False: greyed, with `hint`.
        hint: the command that installs it, or what it is in a few words.
        is_model: False for providers that are not a language model: said wherever they are named.
        shows: kinds of facet a planner shows; None: not known.
        layout: the panels a planner wants by side (`Planner.layout`); empty: the layout follows from what it shows.
        note: a few words beside the title in lists.
        group: heading under which it is listed; empty: none.
        by_models: a provider that answers only with settings of its own: it is chosen as one of the user's models.
    """

    name: str
    title: str
    available: bool = True
    hint: str = ""
    is_model: bool = True
    shows: frozenset[type[Facet]] | None = None
    layout: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    note: str = ""
    group: str = ""
    by_models: bool = False



def chosen(choices: tuple[Choice, ...], name: str) -> Choice:
    """The choice of a name; an unknown one stands for itself."""
    return next((c for c in choices if c.name == name), Choice(name, name))
