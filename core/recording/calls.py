"""The model calls of a recording, and their replies, which a later run can be answered with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.llm.goal_translation import GOAL_READING
from core.llm.replay import Replay, save_replies
from core.planning.model_requests import ModelReply
from core.recording.reader import Recording
from core.session import events as e
from core.session.turns import Call


def calls(recording: Recording, beside: str = "", *, given: bool = True) -> Iterator[Call]:
    """Yields answered calls, in order of their replies.

    Args:
        recording: the recording.
        beside: the purpose of calls beside the run that are included; empty: none.
        given: also those that the operator gave a reply to in a fork.
    """
    waiting: dict[int, Call] = {}
    for event in recording.of_kind("Asked", "AskedAside", "Replied"):
        what = event.what
        if isinstance(what, e.Asked) or (isinstance(what, e.AskedAside) and what.ask.purpose == beside):
            waiting[what.id] = Call(what.id, event.turn, event.branch, what.ask, what.source, event.at)
        elif isinstance(what, e.Replied) and what.id in waiting:
            asked = waiting.pop(what.id)
            if what.given and not given:
                continue
            yield Call(asked.id, asked.turn, asked.branch, asked.ask, asked.source, asked.asked_at, what.reply)


Pairs = list[tuple[str, ModelReply]]


def replies(recording: Recording) -> Pairs:
    """Returns (key, reply) in order of the replies, also those that read the goal.

    Replies that the session took from its own memory are left out, because it will do so again, and those that belong to one
    branch only, because a command gives them. Keys are made with the source
    of the first reply, because `Replay` looks them up there, whichever provider was asked first.
    """
    answered = [(call.ask, call.reply) for call in calls(recording, GOAL_READING, given=False) if call.reply is not None]
    if not answered:
        return []
    source, known = answered[0][1].source, set()
    found: Pairs = []
    for ask, reply in answered:
        key = ask.key(source)
        if not (reply.cached and key in known):
            known.add(key)
            found.append((key, replace(reply, cached=False)))
    return found


def replay_of(recording: Recording) -> Replay:
    """Returns a provider that answers as in this recording."""
    found: dict[str, list[ModelReply]] = {}
    for key, reply in replies(recording):
        found.setdefault(key, []).append(reply)
    return Replay(found)


def write_replies(recording: Recording, out: Path) -> Path:
    """Writes a JSON-lines file for `--provider replay --ask file=…`.

    Raises:
        DataError: it cannot be written.
    """
    save_replies(out, replies(recording))
    return out
