"""What a call tells at a glance: who answered, how sure, how long, what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from statistics import median

from core.effects import Ask, Message
from core.facets import Grounding
from core.snapshot import Call, Snapshot

GROUNDED, DOUBTFUL = 0.80, 0.40
"""Grounding from which a reply is green, and under which it is red."""
MOST_DIGESTS = 500
REMEMBERED = 50
"""Answers the usual time is taken from."""


class Groundings:
    """What planners took replies for, by prompt; grows with the snapshot's log."""

    def __init__(self) -> None:
        self._by_prompt: dict[str, Grounding] = {}
        self._digests: dict[tuple[str, tuple[Message, ...]], str] = {}
        self._read = 0

    def read(self, snapshot: Snapshot) -> bool:
        """Take what is new; whether anything was. A shorter log is another run's."""
        log = snapshot.groundings
        if len(log) < self._read:
            self._by_prompt, self._read = {}, 0
        new = log[self._read:]
        self._by_prompt.update((g.prompt, g) for g in new)
        self._read = len(log)
        return bool(new)

    def of(self, call: Call) -> Grounding | None:
        """What this call's reply was taken for; None where the planner did not say, or never heard it."""
        return self._by_prompt.get(self._digest(call.ask)) if call.reply is not None and call.by == "planner" else None

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


def source_icon(call: Call) -> str:
    """Bubble: a server. Drum: the cache. Person: a human. Scroll: rules."""
    reply = call.reply
    if reply is not None and reply.source == "human":
        return "user"
    if reply is not None and reply.cached:
        return "cache"
    return "rules" if is_tagged(call) else "model"


def is_tagged(call: Call) -> bool:
    """Whether the row says `not an LLM`."""
    return call.reply is not None and not call.reply.is_model and call.reply.source != "human"


def usual_seconds(snapshot: Snapshot, purpose: str) -> float | None:
    """How long the model usually takes for such a question: the median of the last answers it gave itself."""
    recent = (snapshot.calls[k] for k in range(len(snapshot.calls) - 1, -1, -1))
    times = [call.reply.seconds for call in islice(recent, REMEMBERED)
             if call.reply is not None and call.ask.purpose == purpose and not call.reply.cached]
    return median(times) if times else None


def row_words(call: Call) -> str:
    """A call in words."""
    state = "waiting" if call.reply is None else f"{call.reply.seconds:.1f} seconds, {call.reply.source}"
    tag = ", not an LLM" if is_tagged(call) else ""
    own = ", with your prompt" if call.by == "operator" else ""
    return f"call {call.id}, {call.ask.purpose}, {call.ask.subject}, {state}{tag}{own}"


def searchable(call: Call) -> str:
    """Everything a search looks through, in lower case."""
    prompt = (message.content for message in call.ask.messages)
    texts: Sequence[str] = call.reply.texts if call.reply is not None else ()
    return "\n".join((str(call.id), call.ask.purpose, call.ask.subject, call.source, *prompt, *texts)).lower()
