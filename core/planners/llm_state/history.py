"""The action history as in the prompts: `['open', 'fridge1'](Success)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.grounding.choices import call_name
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class Deed(Value):
    """One call and its result.

    Attributes:
        call: the function's name, such as `placein`.
        args: ids.
        ok: success or failure, the only feedback the paper's robot gets.
        why: the short name of the failed precondition, if the world reports it; `denied` by the operator.
        note: the world's explanation.
        source: id of the holder a picked-up object was taken from, if it was seen there.
    """

    call: str
    args: tuple[str, ...]
    ok: bool
    why: str = ""
    note: str = ""
    source: str = ""

    @property
    def named(self) -> str:
        """The call as text: `placein(cup1, fridge1)`."""
        return f"{self.call}({', '.join(map(call_name, self.args))})"


def told(deeds: Sequence[Deed]) -> str:
    """Returns the history as the paper's list of actions."""
    return "[" + ", ".join(f'"{_told(deed)}"' for deed in deeds) + "]"


def _told(deed: Deed) -> str:
    words = ", ".join(f"'{word}'" for word in (deed.call, *map(call_name, deed.args)))
    note = f": {deed.note}" if deed.note and not deed.ok else ""
    source = f", was at {call_name(deed.source)}" if deed.source and deed.ok else ""
    return f"[{words}]({'Success' if deed.ok else 'Fail'}{note}{source})"


def failed_last(deeds: Sequence[Deed]) -> tuple[Deed, ...]:
    """Returns the failed calls since the last success."""
    found: list[Deed] = []
    for deed in reversed(deeds):
        if deed.ok:
            break
        found.append(deed)
    return tuple(found)
