"""What a worker process does: plays episodes, asks the sweep's process before each call to the model, and ends with it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

from core.common.errors import ModelError, UsageError
from core.evaluation.contestant import contestant
from core.evaluation.coordinator import ENDED
from core.evaluation.registry import suite
from core.evaluation.suite import Row
from core.evaluation.worker_connection import Address, Line, Message, connected
from core.evaluation.world_pool import OpenWorld, OpenWorlds
from core.llm.budget import Meter, expected_tokens
from core.llm.cache import ReplyCache, cache_folder
from core.llm.embeddings import Embedder
from core.llm.keys import Secret
from core.llm.local import Local
from core.llm.model import LanguageModel
from core.llm.registry import open_for, provider_class
from core.llm.reply_similarity import installed
from core.llm.stack import Answerer, answerer
from core.planning.model_requests import Ask, Reply
from core.simulator.base import Simulator

END_PATIENCE = 3.0  # seconds for worlds to be closed when the sweep's process is gone
SCENES = 40  # offline answerers kept open; each knows the statistics of all rooms but one


@dataclass(frozen=True, slots=True)
class Job:
    """What all work of a sweep has in common.

    Attributes:
        options: the provider's settings.
        cache: use the shared cache of replies.
        address: where the sweep's process listens; None: nothing is shared, and the worker outlives it.
        open_world: opens a scene; must be importable by worker processes (a function or class method).
    """

    suite: str
    max_steps: int
    provider: str
    options: tuple[tuple[str, str], ...]
    cache: bool
    address: Address | None
    open_world: OpenWorld


@dataclass(frozen=True, slots=True)
class Failure:
    """An episode without a result, as the model failed.

    Attributes:
        kind: as a ModelError's.
    """

    contestant: str
    cell: str
    seed: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """What came of some episodes.

    Attributes:
        cached: replies that came from the cache.
        news: what went wrong with the cache.
    """

    rows: tuple[Row, ...]
    failures: tuple[Failure, ...] = ()
    cached: int = 0
    news: tuple[str, ...] = ()


def play_chunk(job: Job, text: str, cell: str, seeds: Sequence[int]) -> Chunk:
    """Play some episodes of one cell. A process plays one episode at a time: its worlds are shared."""
    return _here().play(job, text, cell, seeds)


def process_number() -> int:
    """The number of this process: asked of workers elsewhere to see whether they have this program."""
    return os.getpid()


def watch(address: Address) -> None:
    """End this process as soon as the sweep's process is gone, however that ended."""
    try:
        line = connected(address)
        line.send({"do": "watch"})
    except OSError:  # it is gone already
        os._exit(1)
    threading.Thread(target=_wait_for_the_end, args=(line,), name="watch", daemon=True).start()


def _wait_for_the_end(line: Line) -> None:
    while line.receive() is not None:
        pass
    late = threading.Timer(END_PATIENCE, os._exit, (1,))
    late.daemon = True
    late.start()
    with contextlib.suppress(Exception):  # the other thread may be using them; a world may run a program, which should end
        let_go()
    os._exit(1)


def let_go() -> None:
    """Close what this process has opened for its episodes; a later one opens it again."""
    _here().close()


@lru_cache(maxsize=1)
def _here() -> _Here:
    return _Here()


class _Here:
    """What this process keeps open from one piece of work to the next."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._worlds = OpenWorlds()
        self._playing: _Playing | None = None

    def play(self, job: Job, text: str, cell: str, seeds: Sequence[int]) -> Chunk:
        """Play some episodes, with what is open for the same sweep."""
        with self._one_at_a_time:
            if self._playing is None or self._playing.job != job:
                self._end()
                self._playing = _Playing(job, self._worlds)
            return self._playing.play(text, cell, seeds)

    def close(self) -> None:
        """Close everything."""
        self._worlds.close()
        self._end()

    def _end(self) -> None:
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.close()


@lru_cache(maxsize=1)
def _embedder() -> Embedder | None:
    return installed()


class _Playing:
    """One sweep in this process: its answerers, and its line to the sweep's process."""

    def __init__(self, job: Job, worlds: OpenWorlds):
        self.job, self._worlds, self._made = job, worlds, suite(job.suite)
        self._is_model = provider_class(job.provider).is_model
        self._line = Lines(job.address) if job.address is not None and self._is_model else None
        self._offline = lru_cache(maxsize=SCENES)(self._opened)
        self._counting: Counting | None = None

    def play(self, text: str, cell: str, seeds: Sequence[int]) -> Chunk:
        """Play some episodes of one cell, as long as the sweep is not ending."""
        one, job = contestant(text), self.job

        def worlds(scene: str, options: Mapping[str, str]) -> Simulator:
            return self._worlds.get(job.open_world, scene, options)

        rows, failures = [], []
        for seed in seeds:
            try:
                if self._line is not None and not self._line.ask({"do": "begin"}).get("go"):
                    break
                found = self._made.play(one, cell, seed, worlds, self._model, job.max_steps)
            except ModelError as error:
                failures.append(Failure(text, cell, seed, error.kind, str(error)))
                continue
            rows.append(Row(text, cell, seed, {key: round(float(value), 4) for key, value in found.items()}))
        counting = self._counting
        cached, news = (0, ()) if counting is None else (counting.taken(), counting.model.news())
        return Chunk(tuple(rows), tuple(failures), cached, news)

    def close(self) -> None:
        """Close the model and the lines to the sweep's process."""
        if self._counting is not None:
            self._counting.close()
        if self._line is not None:
            self._line.close()

    def _model(self, scene: str) -> LanguageModel:
        if not self._is_model:
            return self._offline(scene)
        if self._counting is None:
            self._counting = Counting(self._opened(scene))
        return self._counting

    def _opened(self, scene: str) -> Answerer:
        job, options = self.job, dict(self.job.options)
        if not self._is_model:
            return answerer(open_for(job.provider, options, scene), embedder=_embedder())
        assert self._line is not None, "a sweep with a language model has an address"
        lines = self._line
        inner = open_for(job.provider, options, scene) if job.provider != Local.name else Local(
            Local.checked_settings(options), lambda settings: SharedProcess(lines))
        cache = ReplyCache(cache_folder()) if job.cache else None
        return answerer(inner, cache, SharedBudget(lines), _embedder())


class Counting(LanguageModel):
    """Counts replies from the cache."""

    name: ClassVar[str] = "counting"

    def __init__(self, model: Answerer):
        self.model = model
        self._lock = threading.Lock()
        self._cached = 0

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Not opened by name: it stands around another."""
        raise UsageError("what counts replies stands around a provider; it is none itself")

    @property
    def source(self) -> str:
        """That of the answerer inside."""
        return self.model.source

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """See the base class."""
        reply = self.model.answer(ask, cancelled)
        if reply.cached:
            with self._lock:
                self._cached += 1
        return reply

    def close(self) -> None:
        """Close the answerer inside."""
        self.model.close()

    def taken(self) -> int:
        """How many since this was asked last."""
        with self._lock:
            cached, self._cached = self._cached, 0
        return cached


class Lines:
    """Lines to the sweep's process, one for each call that is under way."""

    def __init__(self, address: Address):
        self._address = address
        self._lock = threading.Lock()
        self._idle: list[Line] = []

    @contextmanager
    def line(self) -> Iterator[Line]:
        """A line for as long as the block runs.

        Raises:
            ModelError: the sweep's process cannot be reached.
        """
        with self._lock:
            line = self._idle.pop() if self._idle else None
        try:
            line = line or connected(self._address)
        except OSError as error:
            where = f"{self._address.host}:{self._address.port}"
            raise ModelError(f"a worker cannot reach the sweep at {where} ({error}): is there a firewall between them?", ENDED,
                             retry=False) from error
        try:
            yield line
        except BaseException:
            line.close()  # what it holds is taken back
            raise
        with self._lock:
            self._idle.append(line)

    def close(self) -> None:
        """Close those that are not used now."""
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()

    def ask(self, message: Message) -> Message:
        """The answer to one message.

        Raises:
            ModelError: the sweep refuses, or cannot be reached.
        """
        with self.line() as line:
            return asked(line, message)


def asked(line: Line, message: Message) -> Message:
    """The answer to one message.

    Raises:
        ModelError: the sweep refuses, or is gone.
    """
    try:
        line.send(message)
        answer = line.receive()
    except OSError:
        answer = None
    if answer is None:
        raise ModelError("the sweep has ended", ENDED, retry=False)
    if "error" in answer:
        raise ModelError(str(answer["error"]), str(answer["kind"]), retry=bool(answer["retry"]))
    return answer


class SharedBudget(Meter):
    """The budget and the slots of all workers, as one of them sees them."""

    def __init__(self, lines: Lines):
        self._lines = lines

    @contextmanager
    def call(self, ask: Ask, source: str, *, is_model: bool) -> Iterator[list[Reply]]:
        """See the base class. Waits until the server has slots for all samples of the question, or all its slots."""
        wanted = {"do": "reserve", "tokens": expected_tokens(ask, is_model=is_model), "source": source,
                  "samples": 1 if ask.scores else ask.samples}
        with self._lines.line() as line:
            asked(line, wanted)
            replies: list[Reply] = []
            try:
                yield replies
            finally:
                used: list[Any] | None = None
                for reply in replies:
                    used = [reply.tokens_in, reply.tokens_out, float(reply.seconds)]
                asked(line, {"do": "settle", "used": used})


class SharedProcess:
    """The local model's process, which the sweep's process started for all workers."""

    def __init__(self, lines: Lines):
        self._lines = lines
        found = lines.ask({"do": "local"})
        self.address, self.secret = str(found["where"]), Secret(str(found["key"]))
        self.ready = threading.Event()
        self.ready.set()

    @property
    def ended(self) -> bool:
        """Whether it is gone, or another has taken its place."""
        return not self._lines.ask({"do": "local lives", "where": self.address}).get("lives")

    def last_words(self) -> str:
        """Why it ended; its last words are with the sweep's process."""
        return "it was shared by all workers"

    def close(self) -> None:
        """Leave it running: others use it."""
