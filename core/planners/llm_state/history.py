"""What the robot did, as the prompts tell it: `['open', 'fridge1'](Success)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.call_names import call_name
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class Deed(Value):
    """One call and what came of it.

    Attributes:
        call: the function's name, such as `placein`.
        args: ids.
        ok: success or failure, the only thing the paper's robot is told.
        why: the short name of the precondition that failed, where the world says so; `denied` by the operator.
        note: the world's sentence about it.
        source: id of what a picked-up thing was taken from, where it was seen there.
    """

    call: str
    args: tuple[str, ...]
    ok: bool
    why: str = ""
    note: str = ""
    source: str = ""

    @property
    def named(self) -> str:
        """`placein(cup1, fridge1)`."""
        return f"{self.call}({', '.join(map(call_name, self.args))})"


def told(deeds: Sequence[Deed]) -> str:
    """All of them as the paper's list of actions."""
    return "[" + ", ".join(f'"{_told(deed)}"' for deed in deeds) + "]"


def _told(deed: Deed) -> str:
    words = ", ".join(f"'{word}'" for word in (deed.call, *map(call_name, deed.args)))
    note = f": {deed.note}" if deed.note and not deed.ok else ""
    source = f", was at {call_name(deed.source)}" if deed.source and deed.ok else ""
    return f"[{words}]({'Success' if deed.ok else 'Fail'}{note}{source})"


def failed_last(deeds: Sequence[Deed]) -> tuple[Deed, ...]:
    """What failed since something last went well."""
    found: list[Deed] = []
    for deed in reversed(deeds):
        if deed.ok:
            break
        found.append(deed)
    return tuple(found)
