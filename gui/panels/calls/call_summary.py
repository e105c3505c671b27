"""What a call tells at a glance: who answered, how sure, how long, what it cost."""

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
from gui.control.turn_lookup import branch_name

NOT_AN_LLM = "not an LLM"
GROUNDED, DOUBTFUL = 0.80, 0.40
"""Grounding from which a reply is green, and under which it is red."""
METHODS: Mapping[str, str] = MappingProxyType({"part": "part of a name", "edit": "spelling", "refused": "declined",
                                                "none": "no match"})
"""Methods of grounding whose own names are no words for people."""
POORLY = 0.8
"""Grounding under which a reply is counted in the headline."""
MOST_DIGESTS = 500
REMEMBERED = 50
"""Answers the usual time is taken from."""
STEP = 0.003
"""Seconds spent on reading at a time: a panel that was hidden has much to catch up on, and old groundings are on the disk."""


class Groundings:
    """What planners took replies for, by prompt; grows with the snapshot's log, of which it keeps a number each."""

    def __init__(self) -> None:
        self._log: SharedList[Grounding] = SharedList()
        self._hashes = array("q")
        """Of the prompts, in the order of the log."""
        self._poor = array("q")
        """Places of those grounded poorly."""
        self._found: dict[str, tuple[int, int]] = {}
        """Prompt -> how far it was looked for, and the last place where it stands, or -1."""
        self._digests: dict[tuple[str, tuple[Message, ...]], str] = {}

    def read(self, snapshot: Snapshot) -> bool:
        """Take what is new; whether anything was. There may be more: see `behind`."""
        log = snapshot.groundings
        if not log.akin(self._log):
            self._hashes, self._poor, self._found = array("q"), array("q"), {}
        self._log = log
        return self.read_on()

    @property
    def behind(self) -> bool:
        """Whether there is more to read."""
        return len(self._hashes) < len(self._log)

    def read_on(self) -> bool:
        """Read some more; whether there was anything to."""
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
        """How many replies were grounded worse than well."""
        return bisect_left(self._poor, len(self._log))

    def of(self, call: Call) -> Grounding | None:
        """What this call's reply was taken for; None where the planner did not say, or never heard it."""
        if call.reply is None or call.by != "planner":
            return None
        place = self._place(self._digest(call.ask))
        return self._log[place] if place >= 0 else None

    def _place(self, prompt: str) -> int:
        """The last one about a prompt, or -1. What was looked through for it before is not again."""
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
        """Of a prompt; kept for those in sight, because every painting of a row asks."""
        prompt = ask.purpose, ask.messages
        digest = self._digests.get(prompt)
        if digest is None:
            if len(self._digests) >= MOST_DIGESTS:
                self._digests.clear()
            digest = self._digests[prompt] = ask.digest
        return digest


def tone_of(grounding: Grounding) -> str:
    """The token of the score."""
    return "good" if grounding.score >= GROUNDED else "warn" if grounding.score >= DOUBTFUL else "bad"


def method_words(how: str) -> str:
    """By which method a reply was matched, as people read it."""
    return METHODS.get(how, how)


def source_icon(call: Call) -> str:
    """Bubble: a server. Drum: the cache. Person: a human. Scroll: rules."""
    reply = call.reply
    if reply is not None and reply.source == "human":
        return "user"
    if reply is not None and reply.cached:
        return "cache"
    return "rules" if is_tagged(call) else "model"


def is_tagged(call: Call) -> bool:
    """Whether the answer is not from an LLM."""
    return call.reply is not None and not call.reply.is_model and call.reply.source != "human"


def tag_of(call: Call) -> str:
    """What the row says beside the purpose: that the reply holds nothing a planner could use, or is cut off.

    That rules answered instead of an LLM is said once, in the headline, and in the open call.
    """
    if is_tagged(call):
        return ""
    kind = "" if call.reply is None else uselessness(call.reply)
    cut = "cut off" if call.reply is not None and call.reply.misfit == "cut" else ""
    return {"empty": "empty reply", "a web page": "web page"}.get(kind, cut)


def usual_seconds(snapshot: Snapshot, purpose: str) -> float | None:
    """How long the model usually takes for such a question: the median of the last answers it gave itself."""
    recent = (snapshot.calls[k] for k in range(len(snapshot.calls) - 1, -1, -1))
    times = [call.reply.seconds for call in islice(recent, REMEMBERED)
             if call.reply is not None and call.ask.purpose == purpose and not call.reply.cached]
    return median(times) if times else None


@dataclass(frozen=True, slots=True)
class Coming:
    """What is known of a reply that is waited for.

    Attributes:
        text: what was written so far.
        words: for how long it has been waited for, how many tokens came, what it will cost.
    """

    text: str = ""
    words: str = ""


def branch_words(call: Call) -> str:
    """Which branch a call is of; empty for the main line."""
    return branch_name(call.branch) if call.branch else ""


def row_words(call: Call, name: Callable[[str], str]) -> str:
    """A call in words; `name` replaces the ids in what it is about."""
    state = "waiting" if call.reply is None else f"{call.reply.seconds:.1f} seconds, {call.reply.source}"
    tag = f", {tag_of(call)}" if tag_of(call) else ""
    own = ", with your prompt" if call.by == "operator" else ""
    where = f", {branch_words(call)}" if call.branch else ""
    return f"call {call.id}, {call.ask.purpose}, {name(call.ask.subject)}{where}, {state}{tag}{own}"


def searchable(call: Call) -> str:
    """Everything a search looks through, in lower case."""
    prompt = (message.content for message in call.ask.messages)
    texts: Sequence[str] = call.reply.texts if call.reply is not None else ()
    return "\n".join((str(call.id), call.ask.purpose, call.ask.subject, call.source, *prompt, *texts)).lower()
