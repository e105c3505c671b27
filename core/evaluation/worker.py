"""A worker process: plays episodes, asks the sweep's process before each model call, and ends with that process."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.common.user_folders import cache_folder
from core.evaluation.contestants import contestant
from core.evaluation.coordinator import ENDED, Address, Connection, Message, connected
from core.evaluation.episode_log import EpisodeLog
from core.evaluation.onlooker import Onlooker
from core.evaluation.suites import suite
from core.llm.budget import Budget, Limits, Meter
from core.llm.cache import Cached, ReplyCache
from core.llm.embeddings import Embedder, installed
from core.llm.keys import Secret
from core.llm.local import Local
from core.llm.model import LanguageModel, open_for, prompt_tokens, provider_class
from core.llm.stack import assembled
from core.planners.registry import planner_class
from core.planning.model_requests import ModelReply, ModelRequest
from core.search.compilation.preparation import load_kept
from core.simulator.base import Simulator
from core.suites.suite import Row

MOST = 4
OpenWorld = Callable[[str, Mapping[str, str]], Simulator]
Key = tuple[OpenWorld, str, tuple[tuple[str, str], ...]]


END_PATIENCE = 3.0  # seconds for simulators to be closed when the sweep's process is gone
SCENES = 40  # number of offline answerers kept open; each has the statistics of all rooms but one


@dataclass(frozen=True, slots=True)
class Job:
    """What all work of a sweep has in common.

    Attributes:
        options: the provider's settings.
        cache: use the shared cache of replies.
        address: where the sweep's process listens; None: nothing is shared, the worker may outlive it, and a language model is
            not called: only replies from the cache are used.
        open_world: opens a scene; must be importable by worker processes (a function or class method).
        world: the simulator's settings, in addition to the suite's own, which hold where both give one.
        beside: a second planner that only thinks; empty: none. A contestant of that name plays alone.
    """

    suite: str
    max_steps: int
    provider: str
    options: tuple[tuple[str, str], ...]
    cache: bool
    address: Address | None
    open_world: OpenWorld
    world: tuple[tuple[str, str], ...] = ()
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """An episode without a result, because the model failed.

    Attributes:
        kind: the kind of the ModelError.
    """

    contestant: str
    cell: str
    seed: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one episode.

    Attributes:
        result: its row, or why there is none; None: the sweep had ended before it began.
        cached: number of replies that came from the cache.
        news: messages on what went wrong with the cache.
    """

    result: Row | Failure | None
    cached: int = 0
    news: tuple[str, ...] = ()


def play_episode(job: Job, text: str, cell: str, seed: int) -> Played:
    """Plays an episode. A process plays one at a time, because its simulators are shared."""
    return _process_state().play(job, text, cell, seed)


def process_number() -> int:
    """Returns the number of this process. Remote workers are asked for it to check that this program is installed there."""
    return os.getpid()


def watch(address: Address) -> None:
    """Ends this process as soon as the sweep's process is gone, however that ended."""
    try:
        connection = connected(address)
        connection.send({"do": "watch"})
    except OSError:  # the sweep's process is gone already
        os._exit(1)
    threading.Thread(target=_end_with_sweep, args=(connection,), name="watch", daemon=True).start()


def _end_with_sweep(connection: Connection) -> None:
    while connection.receive() is not None:
        pass
    late = threading.Timer(END_PATIENCE, os._exit, (1,))
    late.daemon = True
    late.start()
    with contextlib.suppress(Exception):  # another thread may be using them; a simulator may run a program, which should end
        close_all()
    os._exit(1)


def close_all() -> None:
    """Closes what this process has opened for its episodes. A later episode opens it again."""
    _process_state().close()


@lru_cache(maxsize=1)
def _process_state() -> _ProcessState:
    return _ProcessState()


class _ProcessState:
    """What this process keeps open between pieces of work."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._worlds = OpenWorlds()
        self._work: SweepWork | None = None

    def play(self, job: Job, text: str, cell: str, seed: int) -> Played:
        """Plays an episode, with what is open for the same sweep."""
        with self._one_at_a_time:
            if self._work is None or self._work.job != job:
                self._end()
                self._work = SweepWork(job, self._worlds)
            return self._work.play(text, cell, seed)

    def close(self) -> None:
        """Closes everything."""
        self._worlds.close()
        self._end()

    def _end(self) -> None:
        work, self._work = self._work, None
        if work is not None:
            work.close()


@lru_cache(maxsize=1)
def _embedder() -> Embedder | None:
    return installed()


class SweepWork:
    """One sweep in this process, with its answerers."""

    def __init__(self, job: Job, worlds: OpenWorlds):
        self.job, self._worlds, self._made = job, worlds, suite(job.suite)
        self._models = _Models(job, cache_folder())
        self._models_beside = _Models(job, cache_folder() / "beside")

    def play(self, text: str, cell: str, seed: int) -> Played:
        """Plays an episode, unless the sweep has ended."""
        result: Row | Failure | None = None
        try:
            if self.job.address is None or ask_sweep(self.job.address, {"do": "begin"}).get("go"):
                result = self.episode(text, cell, seed)
        except ModelError as error:
            result = Failure(text, cell, seed, error.kind, str(error))
        answerers = [a for a in (self._models.answerer, self._models_beside.answerer) if a is not None]
        return Played(result, sum(a.taken_from_cache() for a in answerers), tuple(line for a in answerers for line in a.news()))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys that its models send. Nothing that is written may contain them."""
        return self._models.secrets

    def log_of(self, text: str) -> EpisodeLog:
        """Returns a log for an episode of a contestant."""
        return EpisodeLog(contestant(text).planner, self._made.simulator, self.job.provider)

    def episode(self, text: str, cell: str, seed: int, log: EpisodeLog | None = None) -> Row:
        """Plays one episode. Equal arguments give equal rows, except for seconds.

        Raises:
            ModelError: the model gave no reply.
        """
        log, job = log or self.log_of(text), self.job
        if any(planner_class(contestant(name).planner).searches for name in (text, job.beside) if name):
            load_kept()  # seconds are compared
        beside = Onlooker(contestant(job.beside).make, job.beside) if job.beside and text != job.beside else None
        one = replace(contestant(text), beside=beside, log=log)

        def worlds(scene: str, options: Mapping[str, str]) -> Simulator:
            options = {**dict(job.world), **options}
            log.opened(scene, options)
            return self._worlds.get(job.open_world, scene, options)

        def models(scene: str) -> LanguageModel:
            if beside is not None:
                beside.model = self._models_beside.of(scene)
            return self._models.of(scene)

        found = self._made.play(one, cell, seed, worlds, models, job.max_steps)
        found = {**found, **(beside.figures if beside is not None else {})}
        return Row(text, cell, seed, {key: round(float(value), 4) for key, value in found.items()}, log.origin)

    def close(self) -> None:
        """Closes the models."""
        self._models.close()
        self._models_beside.close()


class _Models:
    """The answerers of one planner.

    Args:
        cache: the folder of the cache of replies.

    Attributes:
        answerer: the language model; None until it is needed, and for the offline provider.
    """

    def __init__(self, job: Job, cache: Path):
        self._job, self._cache = job, cache
        self._is_model = provider_class(job.provider).is_model
        self._offline = lru_cache(maxsize=SCENES)(self._opened)
        self.answerer: Cached | None = None

    def close(self) -> None:
        """Closes the model."""
        if self.answerer is not None:
            self.answerer.close()

    @property
    def secrets(self) -> tuple[str, ...]:
        """The keys that a language model sends."""
        if not self._is_model:
            return ()
        self.answerer = self.answerer or self._opened("")
        return tuple(filter(None, (self.answerer.secret.reveal(),)))

    def of(self, scene: str) -> LanguageModel:
        """Returns the model for a scene."""
        if not self._is_model:
            return self._offline(scene)
        if self.answerer is None:
            self.answerer = self._opened(scene)
        return self.answerer

    def _opened(self, scene: str) -> Cached:
        job, options = self._job, dict(self._job.options)
        if not self._is_model:
            return assembled(open_for(job.provider, options, scene), embedder=_embedder())
        cache, sweep, budget = ReplyCache(self._cache) if job.cache else None, job.address, Budget(Limits(calls=0), {})
        if sweep is None:  # an episode is played again: its replies are in the cache
            return assembled(open_for(job.provider, options, scene), cache, budget, _embedder(), every=True)
        inner = open_for(job.provider, options, scene) if job.provider != Local.name else Local(
            Local.checked_settings(options), lambda settings: SharedProcess(sweep))
        # An empty or cut-off reply is a result of the model: asked again, a repeated sweep would play something else.
        return assembled(inner, cache, SharedBudget(sweep), _embedder(), every=True)


@contextmanager
def connection_to(sweep: Address) -> Iterator[Connection]:
    """Context with a new connection to the sweep's process. At its end the sweep takes back what the connection still holds.

    Raises:
        ModelError: the sweep's process cannot be reached.
    """
    try:
        connection = connected(sweep)
    except OSError as error:
        raise ModelError(f"a worker cannot reach the sweep at {sweep.host}:{sweep.port} ({error}): is there a firewall between "
                         "them?", ENDED, retry=False) from error
    with contextlib.closing(connection):
        yield connection


def ask_sweep(sweep: Address, message: Message) -> Message:
    """Returns the answer to one message.

    Raises:
        ModelError: the sweep refuses, or cannot be reached.
    """
    with connection_to(sweep) as connection:
        return request(connection, message)


def request(connection: Connection, message: Message) -> Message:
    """Returns the answer to one message on a connection.

    Raises:
        ModelError: the sweep refuses, or is gone.
    """
    try:
        connection.send(message)
        answer = connection.receive()
    except OSError:
        answer = None
    if answer is None:
        raise ModelError("the sweep has ended", ENDED, retry=False)
    if "error" in answer:
        raise ModelError(str(answer["error"]), str(answer["kind"]), retry=bool(answer["retry"]))
    return answer


class SharedBudget(Meter):
    """The budget and the slots of all workers, as seen by one of them."""

    def __init__(self, sweep: Address):
        self._sweep = sweep

    @contextmanager
    def call(self, ask: ModelRequest, source: str, *, is_model: bool) -> Iterator[list[ModelReply]]:
        """Reserves one call.

        Waits until the server has slots for all samples of the request, or until all its slots are free.
        """
        wanted = {"do": "reserve", "tokens": prompt_tokens(ask) if is_model else 0, "source": source,
                  "samples": 1 if ask.scores else ask.samples}
        with connection_to(self._sweep) as connection:
            request(connection, wanted)
            replies: list[ModelReply] = []
            try:
                yield replies
            finally:
                used: list[Any] | None = None
                for reply in replies:
                    used = [reply.tokens_in, reply.tokens_out, float(reply.seconds)]
                request(connection, {"do": "settle", "used": used})


class SharedProcess:
    """The local model's process, which the sweep's process started for all workers."""

    def __init__(self, sweep: Address):
        self._sweep = sweep
        found = ask_sweep(sweep, {"do": "local"})
        self.address, self.secret = str(found["where"]), Secret(str(found["key"]))
        self.ready = threading.Event()
        self.ready.set()

    @property
    def ended(self) -> bool:
        """True if it is gone, or was replaced by another."""
        return not ask_sweep(self._sweep, {"do": "local lives", "where": self.address}).get("lives")

    def wait_until_ready(self, cancelled: Cancellation, timeout: float) -> None:
        """Returns at once: it is ready."""

    def last_words(self) -> str:
        """Returns a text in place of its last output, which only the sweep's process has."""
        return "it was shared by all workers"

    def close(self) -> None:
        """Does nothing: other workers use the process."""


class OpenWorlds:
    """The most recently used simulators, at most `most`. One too many closes the least recently used."""

    def __init__(self, most: int = MOST):
        self._most = most
        self._worlds: OrderedDict[Key, Simulator] = OrderedDict()

    def get(self, open_world: OpenWorld, scene: str, options: Mapping[str, str]) -> Simulator:
        """Returns the simulator of a scene, opened now or before."""
        key = (open_world, scene, tuple(sorted(options.items())))
        if key not in self._worlds:
            while len(self._worlds) >= self._most:
                self._worlds.popitem(last=False)[1].close()
            self._worlds[key] = open_world(scene, options)
        self._worlds.move_to_end(key)
        return self._worlds[key]

    def close(self) -> None:
        """Closes all simulators. New ones may be opened afterwards."""
        while self._worlds:
            self._worlds.popitem()[1].close()
