"""The replies of a recording, for the provider that answers every request as it was answered then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.common.errors import DataError
from core.llm.replay import Replay, save_replies
from core.planning.model_requests import Reply
from core.recording.index import calls
from core.recording.reader import Recording

Pairs = list[tuple[str, Reply]]


def replies(recording: Recording) -> Pairs:
    """Returns (key, reply) in order of the replies.

    Replies that the session took from its own memory are left out, because it will do so again. Keys are made with the source
    of the first reply, because `Replay` looks them up there, whichever provider was asked first.
    """
    answered = [(call.ask, call.reply) for call in calls(recording) if call.reply is not None]
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
    found: dict[str, list[Reply]] = {}
    for key, reply in replies(recording):
        found.setdefault(key, []).append(reply)
    return Replay(found)


def write_replies(recording: Recording, out: Path) -> Path:
    """Writes a JSON-lines file for `--provider replay --ask file=…`.

    Raises:
        DataError: it cannot be written.
    """
    try:
        out.unlink(missing_ok=True)
        out.touch()
        save_replies(out, replies(recording))
    except OSError as error:
        raise DataError(f"cannot write {out}: {error.strerror or error}") from error
    return out
