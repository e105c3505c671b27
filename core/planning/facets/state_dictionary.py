"""LLM-State's mind: objects with attributes that a model keeps, and what it makes of the past."""

from __future__ import annotations

from dataclasses import dataclass

from core.planning.facets.base import Facet
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class StateEntry(Value):
    """One object of the dictionary.

    Attributes:
        name: as prompts write it: `kitchentable1`.
        thing: id of the entity; empty for what is no entity of this world.
        attributes: what is held to be true of it, in order.
        added: attributes the last estimate brought.
        removed: attributes it dropped.
        given: attributes an operator wrote: no estimate drops them.
        refused: attributes an operator took away: no estimate brings them back.
        turn: of the last change.
        locked: an operator holds the whole entry as it is.
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
        entries: in the order in which they came into attention; only ever added to, save by an operator.
        summary: the retrospective summary; empty where none is kept.
        turn: of the last estimate.
        because: what made it estimate anew: the first look, a failed action, the plan used up, an operator.
        summary_given: the summary is the operator's, and stays.
        deleted: names an operator took out: attention does not bring them back.
    """

    entries: tuple[StateEntry, ...] = ()
    summary: str = ""
    turn: int = 0
    because: str = ""
    summary_given: bool = False
    deleted: tuple[str, ...] = ()

    def entry(self, name: str) -> StateEntry | None:
        """An entry by name."""
        return next((e for e in self.entries if e.name == name), None)
