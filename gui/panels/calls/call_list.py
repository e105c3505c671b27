"""The list of calls with its search, how replies were grounded, and what the panel says of a call. No Qt."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from statistics import median
from types import MappingProxyType

import numpy as np

from core.common.shared_list import SharedList
from core.llm.reply_checks import uselessness
from core.planning.facets import Grounding
from core.planning.model_requests import Message, ModelRequest
from core.session.snapshot import Snapshot
from core.session.turns import Call
from core.views.values import Column, Item, Mark
from gui.control.snapshot_texts import branch_name

GROUNDED, DOUBTFUL = 0.80, 0.40
"""Grounding scores: at least `GROUNDED` is shown in green, below `DOUBTFUL` in red."""
METHODS: Mapping[str, str] = MappingProxyType({"part": "part of a name", "edit": "spelling", "refused": "declined",
                                                "none": "no match", "nearest": "most words shared"})
"""Readable names of grounding methods. The other methods are shown under their own names."""
POORLY = 0.8
"""Replies with a lower grounding score are counted in the headline."""
MOST_DIGESTS = 500
RECENT_CALLS = 50
"""The number of newest calls from which the usual time is computed."""
STEP = 0.003
"""Seconds spent at a time on searching calls or on reading groundings, so that typing never blocks. Old ones are on disk."""
NEAR = 64
"""How far around its expected index a call is searched. Requests sent together are answered in any order."""
NEWEST = 256
"""The number of newest calls, which are cheap to read."""


class CallList:
    """A view of a snapshot's calls that takes constant time to open and is searched in steps.

    It refers to answered calls by their indices in the snapshot's log, because an old call is decoded when it is read.
    """

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._waiting: tuple[Call, ...] = ()
        self._words: tuple[str, ...] = ()
        self._new, self._old = array("q"), array("q")
        """Log indices of the hits: among calls answered since the search began (oldest first), and before it (newest first)."""
        self._looked = 0
        """The log index of the first call that has not been searched as a new one. Starts where the log ended at the search."""
        self._left = 0
        """How many of the calls answered before the search began are still to be searched, newest first."""
        self._own: dict[int, int] = {}
        """Log indices of the operator's calls by number. They can be anywhere, because they are answered at any time."""
        self._newest: list[tuple[int, int]] = []
        """Numbers and log indices of the newest answered calls, by number: requests sent together are answered in any order."""

    def take(self, snapshot: Snapshot) -> bool:
        """Takes the calls of another snapshot. Returns whether the list has changed."""
        before, self._snapshot = self._snapshot, snapshot
        first, count = len(before.calls), len(snapshot.calls)
        same = snapshot.calls.akin(before.calls)
        if not same:
            self._own, first = {}, 0
        if not same or count < first:
            self.search(" ".join(self._words))
            self._newest, first = [], 0
        start = max(first, count - NEWEST)
        if start > first or len(self._newest) > 2 * NEWEST:
            self._newest = [(number, place) for number, place in self._newest if start == first and place >= count - NEWEST]
        for place in range(start, count):
            call = snapshot.calls[place]
            insort(self._newest, (call.id, place))
            if call.by == "operator":
                self._own[call.id] = place
        self._look_at_new(time.perf_counter() + STEP)
        waited = before.waiting is not snapshot.waiting or before.aside is not snapshot.aside
        if waited:
            self._waiting = tuple(sorted((*snapshot.waiting, *snapshot.aside), key=lambda call: call.id))
        return not same or first != count or waited

    # --- searching ---------------------------------------------------------
    def search(self, text: str) -> None:
        """Begins a search for the calls that contain every word of a text. Call `look_on` until it returns False."""
        self._words = tuple(text.lower().split())
        self._new, self._old = array("q"), array("q")
        self._looked = self._left = len(self._snapshot.calls)

    @property
    def behind(self) -> bool:
        """Returns True if there are calls left to search."""
        return bool(self._words) and (self._left > 0 or self._looked < len(self._snapshot.calls))

    def look_on(self) -> bool:
        """Searches further calls for about `STEP` seconds. Returns False if there is nothing left to search."""
        until = time.perf_counter() + STEP
        self._look_at_new(until)
        while self._words and self._left > 0 and self._looked == len(self._snapshot.calls):
            self._left -= 1
            if self._matches(self._left):
                self._old.append(self._left)
            if time.perf_counter() > until:
                break
        return self.behind

    def _look_at_new(self, until: float) -> None:
        """Searches the calls answered since the search began, until a time of the performance counter."""
        if not self._words:
            self._looked = len(self._snapshot.calls)
        while self._looked < len(self._snapshot.calls):
            if self._matches(self._looked):
                self._new.append(self._looked)
            self._looked += 1
            if time.perf_counter() > until:
                break

    def _matches(self, place: int) -> bool:
        text = searchable(self._snapshot.calls[place])
        return all(word in text for word in self._words)

    # --- rows --------------------------------------------------------------
    def __len__(self) -> int:
        answered = len(self._new) + len(self._old) if self._words else len(self._snapshot.calls)
        return len(self._waiting) + answered

    def __getitem__(self, index: int) -> Call:
        waiting, calls = self._waiting, self._snapshot.calls
        if index < len(waiting):
            return waiting[len(waiting) - 1 - index]
        index -= len(waiting)
        if not self._words:
            return calls[self._newest[-1 - index][1] if index < len(self._newest) else len(calls) - 1 - index]
        return calls[self._new[-1 - index] if index < len(self._new) else self._old[index - len(self._new)]]

    def index_of(self, number: int) -> int:
        """Returns the row of a call by its number, or -1. Reads only a few calls, however many there are."""
        if number < 0:
            return -1
        for k in range(len(self._waiting)):
            if self[k].id == number:
                return k
        place = self._place_of(number)
        if place < 0:
            return -1
        row = self._hit(place) if self._words else self._row_of(number, place)
        return len(self._waiting) + row if row >= 0 else -1

    def _row_of(self, number: int, place: int) -> int:
        """Returns the row of an answered call among all, below the waiting ones."""
        row, newest = len(self._snapshot.calls) - 1 - place, self._newest
        return row if row >= len(newest) else len(newest) - 1 - bisect_left(newest, (number, place))

    def _hit(self, place: int) -> int:
        """Returns the row among the hits of the answered call at a log index, or -1."""
        new, old = bisect_left(self._new, place), bisect_left(self._old, -place, key=lambda hit: -hit)
        if new < len(self._new) and self._new[new] == place:
            return len(self._new) - 1 - new
        return len(self._new) + old if old < len(self._old) and self._old[old] == place else -1

    def _place_of(self, number: int) -> int:
        """Returns the log index of a call by its number, or -1.

        Numbers are in the order of requests, the log is in the order of replies. An interpolating search narrows the range,
        then the neighbourhood is searched.
        """
        calls = self._snapshot.calls
        own = self._own.get(number, -1)
        if 0 <= own < len(calls):
            return own
        low, high, at = 0, len(calls), min(max(0, number), len(calls) - 1)
        while low < high:
            looked, found = at, number + 1
            while looked < high:
                call = calls[looked]
                if call.by != "operator":  # their numbers say nothing about their neighbours
                    found = call.id
                    break
                looked += 1
            if found == number:
                return looked
            low, high = (looked + 1, high) if found < number else (low, at)
            at = looked + number - found  # exact if every call in between was answered
            if not low <= at < high:
                at = (low + high) // 2
        return next((place for place in _outwards(low, len(calls)) if calls[place].id == number), -1)


def calls_of_latest_turn(calls: Sequence[Call]) -> int:
    """Returns how many of the newest calls belong to the same turn as the last one; at most `NEWEST` are looked at."""
    if not len(calls):
        return 0
    last = calls[-1]
    newest = (calls[k] for k in range(len(calls) - 1, max(-1, len(calls) - 1 - NEWEST), -1))
    return sum(1 for _ in takewhile(lambda call: (call.turn, call.branch) == (last.turn, last.branch), newest))


class Groundings:
    """An index of the groundings of replies by prompt.

    It follows the snapshot's log and stores one hash per grounding.
    """

    def __init__(self) -> None:
        self._log: SharedList[Grounding] = SharedList()
        self._hashes = array("q")
        """The hashes of the prompts, in the order of the log."""
        self._poor = array("q")
        """The log indices of the groundings with a score below `POORLY`."""
        self._found: dict[str, tuple[int, int]] = {}
        """By prompt: how many groundings were searched, and the index of its last grounding, or -1."""
        self._digests: dict[tuple[str, tuple[Message, ...]], str] = {}

    def read(self, snapshot: Snapshot) -> bool:
        """Reads new groundings of a snapshot for at most `STEP` seconds.

        Returns:
            Whether anything was read. `behind` says whether there is more.
        """
        log = snapshot.groundings
        if not log.akin(self._log):
            self._hashes, self._poor, self._found = array("q"), array("q"), {}
        self._log = log
        return self.read_on()

    @property
    def behind(self) -> bool:
        """Returns True if there are groundings left to read."""
        return len(self._hashes) < len(self._log)

    def read_on(self) -> bool:
        """Reads further groundings for at most `STEP` seconds. Returns whether anything was read."""
        before, until = len(self._hashes), time.perf_counter() + STEP
        while self.behind:
            grounding = self._log[len(self._hashes)]
            if grounding.score < POORLY:
                self._poor.append(len(self._hashes))
            self._hashes.append(hash(grounding.prompt))
            if time.perf_counter() > until:
                break
        return len(self._hashes) > before

    @property
    def poor(self) -> int:
        """Returns how many replies were grounded poorly."""
        return bisect_left(self._poor, len(self._log))

    def of(self, call: Call) -> Grounding | None:
        """Returns how the planner interpreted a call's reply.

        None if there is no reply, the planner reported no grounding, or the call is not the planner's.
        """
        if call.reply is None or call.by != "planner":
            return None
        place = self._place(self._digest(call.ask))
        return self._log[place] if place >= 0 else None

    def _place(self, prompt: str) -> int:
        """Returns the log index of the last grounding of a prompt, or -1. Searches only groundings added since then."""
        count = min(len(self._hashes), len(self._log))
        looked, place = self._found.get(prompt, (0, -1))
        if looked > count:
            looked, place = 0, -1
        if looked < count:
            alike = np.flatnonzero(np.frombuffer(self._hashes, np.int64)[looked:count] == hash(prompt))
            place = next((looked + k for k in alike[::-1].tolist() if self._log[looked + k].prompt == prompt), place)
            if len(self._found) >= MOST_DIGESTS:
                self._found.clear()
            self._found[prompt] = count, place
        return place

    def _digest(self, ask: ModelRequest) -> str:
        """Returns the digest of a request. Digests are cached, because every repaint of a row needs one."""
        prompt = ask.purpose, ask.messages
        digest = self._digests.get(prompt)
        if digest is None:
            if len(self._digests) >= MOST_DIGESTS:
                self._digests.clear()
            digest = self._digests[prompt] = ask.digest
        return digest


def tone_of(grounding: Grounding) -> str:
    """Returns the colour token of a grounding's score."""
    return "good" if grounding.score >= GROUNDED else "warn" if grounding.score >= DOUBTFUL else "bad"


def method_words(how: str) -> str:
    """Returns the readable name of a grounding method."""
    return METHODS.get(how, how)


def source_icon(call: Call) -> str:
    """Returns the icon for the source of a reply: a model server, the cache, a person, or rules."""
    reply = call.reply
    if reply is not None and reply.source == "human":
        return "user"
    if reply is not None and reply.cached:
        return "cache"
    return "rules" if is_tagged(call) else "model"


def is_tagged(call: Call) -> bool:
    """Returns True if the reply is neither from an LLM nor from a person."""
    return call.reply is not None and not call.reply.is_model and call.reply.source != "human"


def tag_of(call: Call) -> str:
    """Returns a warning about the reply for the call's row: that it is useless to a planner, or cut off. Empty if neither.

    Rows do not say that rules answered instead of an LLM. The headline and the open call do.
    """
    if is_tagged(call):
        return ""
    kind = "" if call.reply is None else uselessness(call.reply)
    cut = "cut off" if call.reply is not None and call.reply.misfit == "cut" else ""
    return {"empty": "empty reply", "a web page": "web page"}.get(kind, cut)


def usual_seconds(snapshot: Snapshot, purpose: str) -> float | None:
    """Returns how long the model usually takes for a purpose, in seconds, or None if unknown.

    It is the median over those of the last `RECENT_CALLS` calls that have this purpose and were not answered from the cache.

    Args:
        snapshot: holds the calls.
        purpose: the purpose of the request.
    """
    recent = (snapshot.calls[k] for k in range(len(snapshot.calls) - 1, -1, -1))
    times = [call.reply.seconds for call in islice(recent, RECENT_CALLS)
             if call.reply is not None and call.ask.purpose == purpose and not call.reply.cached]
    return median(times) if times else None


@dataclass(frozen=True, slots=True)
class Coming:
    """What is known of a pending reply.

    Attributes:
        text: the text received so far.
        words: the waiting time, the number of tokens received, and the expected cost.
    """

    text: str = ""
    words: str = ""


def branch_words(call: Call) -> str:
    """Returns the name of a call's branch. Empty for the main branch."""
    return branch_name(call.branch) if call.branch else ""


COLUMNS = (Column("took", "time", "from the question to the reply; of a waiting call, so far"),
           Column("by", "text", "who answered: a language model, the cache, a person, or rules"),
           Column("match", "probability", "how well the planner could match the reply with a choice"))
SOURCES: Mapping[str, str] = MappingProxyType({"model": "server", "cache": "cache", "user": "operator", "rules": "rules"})
"""Who answered, by the icon of a source."""
WAITING = Mark("waiting", "warn")
WIDEST = Item("0", "", (99.9, "cache", 0.88))
"""The columns have room for its values."""


def call_item(call: Call, elapsed: float, grounding: Grounding | None) -> Item:
    """Returns the row of a call in the list with the columns `COLUMNS`.

    Args:
        call: the call.
        elapsed: for how long a waiting call has been waiting, in seconds.
        grounding: how its reply was interpreted; None: that is not known.
    """
    tag, is_waiting = tag_of(call), call.reply is None
    marks = (*((WAITING,) if is_waiting else ()), *((Mark(tag, "warn"),) if tag else ()),
             *((Mark("your prompt", "operator"),) if call.by == "operator" else ()))
    if grounding is not None and grounding.score < GROUNDED:
        marks = *marks, Mark("poor match", "warn" if grounding.score >= DOUBTFUL else "bad")
    values = (elapsed if call.reply is None else call.reply.seconds, None if is_waiting else SOURCES[source_icon(call)],
              None if grounding is None else grounding.score)
    note = " · ".join(filter(None, (call.ask.subject, branch_words(call))))
    return Item(str(call.id), f"{call.id} · {call.ask.purpose}", values, marks, note=note)


def searchable(call: Call) -> str:
    """Returns all text of a call that a search covers, in lower case."""
    prompt = (message.content for message in call.ask.messages)
    texts: Sequence[str] = call.reply.texts if call.reply is not None else ()
    return "\n".join((str(call.id), call.ask.purpose, call.ask.subject, call.source, *prompt, *texts)).lower()


def _outwards(middle: int, count: int) -> Iterable[int]:
    """Yields the indices at most `NEAR` away from `middle`, nearest first, within a list of `count` items."""
    for step in range(1, NEAR + 1):
        if middle - step >= 0:
            yield middle - step
        if middle + step - 1 < count:
            yield middle + step - 1
