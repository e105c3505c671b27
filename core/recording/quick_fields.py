"""The few numbers that a seek needs of most events, found in their text. Decoding an event costs about fifty times as much.

Recorders write in one fixed way, so the patterns fit everything they write. In JSON a quote within a text is always escaped, so
a pattern that begins with a quote matches keys only. An event that does not fit (a file from another program) is decoded
instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from core.common.errors import DataError
from core.planning.facets import Grounded
from core.recording.types import COMMANDS
from core.session.events import Asked, AskedAside, CommandTaken, Decided, Payload, Replied, Shown

Numbers = tuple[int, ...]
Reader = Callable[[bytes, int, int], Numbers | None]
"""Returns the numbers in `data[start:end]`, which begins after the payload's name; None if the event must be decoded."""
ID = re.compile(rb',"id":(\d{1,15}),')
SPENT = re.compile(rb',"cached":(true|false),"seconds":[^,]{1,30},"tokens_in":(\d{1,15}),"tokens_out":(\d{1,15}),"note":"')
BY = re.compile(rb',"by":"(planner|operator)"')
COMMAND = re.compile(rb',"command":\{"\$":"(\w{1,60})"')
OF = re.compile(rb',"of":(?:null|\{[^{}]{0,80}\})\}\}$')
OF_BYTES = 120
PLANNER, OPERATOR = (0,), (1,)
PASSING, LASTING = (0,), (1,)
_PASSING = frozenset(kind.__name__.encode() for kind in COMMANDS if not kind.lasts())
"""Commands without an effect on later turns beyond what other events record. An operator who steps gives thousands."""


def _asked(data: bytes, start: int, end: int) -> Numbers | None:
    found = ID.match(data, start, end)
    return (int(found[1]),) if found is not None else None


def _replied(data: bytes, start: int, end: int) -> Numbers | None:
    found = ID.match(data, start, end)
    spent = SPENT.search(data, found.end(), end) if found is not None else None
    if found is None or spent is None:
        return None
    return (int(found[1]), 0, 0, 0) if spent[1] == b"true" else (int(found[1]), 1, int(spent[2]), int(spent[3]))


def _decided(data: bytes, start: int, end: int) -> Numbers | None:
    found = BY.search(data, start, end)
    return None if found is None else PLANNER if found[1] == b"planner" else OPERATOR


def _commanded(data: bytes, start: int, end: int) -> Numbers | None:
    found = COMMAND.match(data, start, end)
    return None if found is None else PASSING if found[1] in _PASSING else LASTING


class _Replies(msgspec.Struct):
    replies: list[msgspec.Raw]


_REPLIES = msgspec.json.Decoder(_Replies)


def _grounded(data: bytes, start: int, end: int) -> Numbers | None:
    """Returns how many replies a facet interprets. Before format 3 it ends where its payload and event end."""
    try:
        tail = OF.search(data, max(start, end - OF_BYTES), end)
        return (len(_REPLIES.decode(b"{" + data[start + 1:end - 2 if tail is None else tail.start()]).replies),)
    except (msgspec.MsgspecError, RecursionError):
        return None


READERS: Mapping[str, Reader] = MappingProxyType({
    Asked.__name__: _asked, AskedAside.__name__: _asked, Replied.__name__: _replied, Decided.__name__: _decided,
    CommandTaken.__name__: _commanded, Grounded.__name__: _grounded,
})
"""By the name of the payload, or for `Shown` by the name of the facet."""


def numbers_of(what: Payload) -> Numbers:
    """Returns the same numbers of a decoded event.

    For a request its id; for a reply its id, model calls, tokens in and out; for a decision whether the operator made it; for a
    command whether it leaves a trace; for groundings how many replies they interpret.

    Raises:
        DataError: events of this kind have no quick fields.
    """
    match what:
        case Asked(id=number) | AskedAside(id=number):
            return (number,)
        case Replied(id=number, reply=reply):
            return (number, 0, 0, 0) if reply.cached else (number, 1, reply.tokens_in, reply.tokens_out)
        case Decided(by=by):
            return OPERATOR if by == "operator" else PLANNER
        case CommandTaken(command=command):
            return LASTING if command.lasts() else PASSING
        case Shown(facet=Grounded(replies=replies)):
            return (len(replies),)
        case _:
            raise DataError(f"an event that is no {type(what).__name__}")
