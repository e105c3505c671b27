"""A provider that replays the replies of a recording."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from core.common.cancellation import Cancellation
from core.common.errors import DataError, MissingPart, ModelError, UsageError
from core.common.files import replace_file
from core.common.parameters import Parameters, changed, parameter
from core.common.user_folders import expanded
from core.common.user_texts import read_text
from core.llm.model import LanguageModel
from core.llm.reply_checks import reply_of, reply_text
from core.llm.sources import REPLAYED
from core.planning.model_requests import ModelReply, ModelRequest

Recorded = Mapping[str, ModelReply | Sequence[ModelReply]]
"""Key of a request -> its reply, or its replies in order if it was sent several times."""


@dataclass(frozen=True)
class Settings(Parameters):
    """The file of recorded replies."""

    file: str = parameter("", "a JSON-lines file of recorded replies")


class Replay(LanguageModel):
    """Answers with recorded replies in the order of the requests; the last reply of a request is reused.

    The recorded keys include the source of the original call, so each request is looked up under every source in the recording.

    Args:
        recorded: the replies, or the path of a JSON-lines file with `{"key": …, "reply": {…}}` on each line.

    Raises:
        DataError: the file has other content.
    """

    name: ClassVar[str] = "replay"
    notes: ClassVar[str] = "the answers of a recording"
    settings: ClassVar[Parameters] = Settings()
    is_model: ClassVar[bool] = False
    repeats: ClassVar[bool] = True

    def __init__(self, recorded: Recorded | Path):
        pairs = list(_read(recorded) if isinstance(recorded, Path) else _pairs(recorded))
        self._lock = threading.Lock()
        self._replies: dict[str, list[ModelReply]] = {}
        for key, reply in pairs:
            self._replies.setdefault(key, []).append(reply)
        self._sources = sorted({reply.source for _, reply in pairs})

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; the setting is `file`."""
        settings = changed(Settings(), options)
        if not settings.file:
            raise UsageError("which recording? Give file=…, a JSON-lines file of replies")
        path = expanded(settings.file)
        if not path.is_file():
            raise MissingPart(f"there is no recording of replies at {path}")
        try:
            return cls(path)
        except (DataError, OSError) as error:
            raise UsageError(str(error)) from error

    @property
    def source(self) -> str:
        """`replay of` the original source; `replay` if there are several."""
        return f"{REPLAYED}{self._sources[0]}" if len(self._sources) == 1 else self.name

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Returns the next recorded reply with its original source. Raises ModelError if there is none."""
        del cancelled  # there is no waiting
        with self._lock:
            for source in (*self._sources, self.source):
                replies = self._replies.get(ask.key(source))
                if replies:
                    return replies.pop(0) if len(replies) > 1 else replies[0]
        raise ModelError(f"the recording holds no such question ({ask.purpose}{f': {ask.subject}' if ask.subject else ''})",
                         "refused", retry=False)


def save_replies(path: Path, pairs: Iterable[tuple[str, ModelReply]]) -> None:
    """Writes (key, reply) pairs to a JSON-lines file that `Replay` reads.

    Raises:
        DataError: it cannot be written.
    """
    lines = (f'{{"key": {json.dumps(key)}, "reply": {reply_text(reply)}}}\n' for key, reply in pairs)
    replace_file(path, "".join(lines).encode())


def _pairs(recorded: Recorded) -> Iterable[tuple[str, ModelReply]]:
    for key, replies in recorded.items():
        for reply in (replies,) if isinstance(replies, ModelReply) else replies:
            yield key, reply


def _read(path: Path) -> Iterable[tuple[str, ModelReply]]:
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield _pair(line, f"{path.name}, line {number}")


def _pair(line: str, place: str) -> tuple[str, ModelReply]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place}: no JSON; a recording that was cut off can be repaired by removing its last line") from error
    if not (isinstance(value, dict) and isinstance(value.get("key"), str)):
        raise DataError(f"{place}: a recorded reply needs a key")
    try:
        return value["key"], reply_of(value.get("reply"))
    except DataError as error:
        raise DataError(f"{place}: {error}") from error
