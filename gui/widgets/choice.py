"""One part that an operator can choose, such as a planner or a provider, as pickers list it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.planning.facets import Facet


@dataclass(frozen=True, slots=True)
class Choice:
    """One part that can be chosen.

    Attributes:
        name: its name in run requests.
        title: its name on screen.
        available: if False, it is greyed, with `hint`.
        hint: the command that installs it, or a short description.
        is_model: False for providers that are not a language model. The window says so wherever it names them.
        shows: the kinds of facet a planner shows; None if they are unknown.
        layout: a planner's panels by side (`Planner.layout`). If it is empty, the layout follows from `shows`.
        note: a few words shown beside the title in lists.
        group: the heading under which it is listed, or empty.
        by_models: True for a provider that needs its own settings to answer. It is chosen as one of the user's models.
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
    """Returns the choice of a name. An unknown name gives a choice with that name as title."""
    return next((c for c in choices if c.name == name), Choice(name, name))
