"""The summary of a model call: the source of the reply, how well it was grounded, how long it took, what it cost."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median
from types import MappingProxyType

import numpy as np

from core.common.shared_list import SharedList
from core.llm.reply_checks import uselessness
from core.planning.facets import Grounding
from core.planning.model_requests import Ask, Message
from core.session.snapshot import Snapshot
from core.session.turns import Call
from gui.control.snapshot_texts import branch_name

NOT_AN_LLM = "not an LLM"
GROUNDED, DOUBTFUL = 0.80, 0.40
"""Grounding scores: at least `GROUNDED` is shown in green, below `DOUBTFUL` in red."""
METHODS: Mapping[str, str] = MappingProxyType({"part": "part of a name", "edit": "spelling", "refused": "declined",
                                                "none": "no match"})
"""Readable names of grounding methods. The other methods are shown under their own names."""
POORLY = 0.8
"""Replies with a lower grounding score are counted in the headline."""
MOST_DIGESTS = 500
REMEMBERED = 50
"""The number of newest calls from which the usual time is computed."""
STEP = 0.003
"""Seconds spent on reading at a time. A panel that was hidden has much to read, and old groundings are on disk."""


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

    def _digest(self, ask: Ask) -> str:
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

    It is the median over those of the last `REMEMBERED` calls that have this purpose and were not answered from the cache.

    Args:
        snapshot: holds the calls.
        purpose: the purpose of the request.
    """
    recent = (snapshot.calls[k] for k in range(len(snapshot.calls) - 1, -1, -1))
    times = [call.reply.seconds for call in islice(recent, REMEMBERED)
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


def row_words(call: Call, name: Callable[[str], str]) -> str:
    """Returns a call as text, for assistive tools.

    Args:
        call: the call.
        name: replaces the ids in the call's subject by display names.
    """
    state = "waiting" if call.reply is None else f"{call.reply.seconds:.1f} seconds, {call.reply.source}"
    tag = f", {tag_of(call)}" if tag_of(call) else ""
    own = ", with your prompt" if call.by == "operator" else ""
    where = f", {branch_words(call)}" if call.branch else ""
    return f"call {call.id}, {call.ask.purpose}, {name(call.ask.subject)}{where}, {state}{tag}{own}"


def searchable(call: Call) -> str:
    """Returns all text of a call that a search covers, in lower case."""
    prompt = (message.content for message in call.ask.messages)
    texts: Sequence[str] = call.reply.texts if call.reply is not None else ()
    return "\n".join((str(call.id), call.ask.purpose, call.ask.subject, call.source, *prompt, *texts)).lower()
