"""The facet of LLM-State: objects with attributes that a model maintains, and its summary of the past."""

from __future__ import annotations

from dataclasses import dataclass

from core.planning.facets.base import Facet
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class StateEntry(Value):
    """One object of the dictionary.

    Attributes:
        name: the name used in prompts: `kitchentable1`.
        thing: id of the entity; empty if it is no entity of this world.
        attributes: what is believed to hold for it, in order.
        added: attributes added by the last estimate.
        removed: attributes removed by the last estimate.
        given: attributes an operator added; estimates do not remove them.
        refused: attributes an operator removed; estimates do not add them again.
        turn: the turn of the last change.
        locked: True if an operator locked the whole entry against changes.
    """

    name: str
    thing: str = ""
    attributes: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    turn: int = 0
    locked: bool = False


@dataclass(frozen=True, slots=True)
class StateDictionary(Facet):
    """The whole dictionary.

    Attributes:
        entries: in the order in which they were first attended to; only an operator removes entries.
        summary: the retrospective summary; empty if none is kept.
        turn: the turn of the last estimate.
        because: the reason of the last estimate: the first look, a failed action, the plan used up, an operator.
        summary_given: True if an operator wrote the summary; estimates then keep it.
        deleted: names an operator deleted; they are not added again.
    """

    entries: tuple[StateEntry, ...] = ()
    summary: str = ""
    turn: int = 0
    because: str = ""
    summary_given: bool = False
    deleted: tuple[str, ...] = ()

    def entry(self, name: str) -> StateEntry | None:
        """Returns the entry of a name, or None."""
        return next((e for e in self.entries if e.name == name), None)
