"""Sweeps: a suite over many seeds and planners, in processes on this machine or in the workers of a Dask cluster.

Every finished episode is saved, so a killed sweep can be resumed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import socket
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn
from urllib.parse import urlsplit

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import BrokenProcessPool, get_reusable_executor
from tqdm import tqdm

from core.common import child_python
from core.common.errors import DataError, MissingPart, UsageError
from core.common.installation import needs
from core.common.parameters import changed, described
from core.common.terminal import Interrupted
from core.evaluation import folder as folders
from core.evaluation.coordinator import ENDED, Address, Coordinator
from core.evaluation.folder import Costs, Ledger
from core.evaluation.plan import EvaluationPlan
from core.evaluation.rows import ROWS, Key, RowsFile, key_of
from core.evaluation.suites import suite
from core.evaluation.worker import Failure, Job, OpenWorld, Played, close_all, play_episode, process_number, watch
from core.llm.budget import Limits, Price, Spent
from core.llm.embeddings import installed
from core.llm.human import Human
from core.llm.local import Local
from core.llm.model import open_for, provider_class
from core.suites.contestant import Contestant
from core.suites.suite import Row
from core.views.wording import count

LOOPBACK = "127.0.0.1"
SCHEDULER, WORKER = "dask scheduler --preload belvedere", "dask worker {} --nthreads 1 --preload belvedere"
"""Start a scheduler, and a worker of the scheduler at an address. Without the preload they do not find what is installed."""
PATIENCE = "20s"  # in which the scheduler must answer
POOL_THREADS = frozenset({"ExecutorManagerThread", "QueueFeederThread"})
"""The names of the threads of joblib's pool of processes."""
log = logging.getLogger(__name__)

Results = Generator[Played, None, None]

GROUP = 10
"""Number of seeds that a contestant plays in a cell before the next one's turn, so that the table fills evenly."""
GROUP_OF_MODEL = 1
"""The same number if a language model answers, because an episode takes long and costs money."""
GIVE_UP = 3
"""Number of consecutive episodes, over all workers, in which the model failed, after which the sweep ends."""
SLOTS = 4
"""Number of simultaneous calls a server takes, if its provider has no setting `slots`."""
NEUTRAL = frozenset({"timeout", "retries", "backoff", "longest_wait", "key_name", "slots", "stream", "threads", "load_timeout"})
"""Settings of providers that do not change replies."""
IN_THE_SOURCE: Mapping[str, frozenset[str]] = MappingProxyType({
    "openai": frozenset({"base_url", "model"}), "local": frozenset({"file"})})
"""Settings that are part of a provider's `source`."""
REFRESH = 0.5  # seconds between two updates of the costs on the bar


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is played: a suite, the contestants, and `trials` seeds, beginning with `first`.

    Attributes:
        options: the provider's settings, as text.
        cache: use replies from earlier runs, and keep new ones.
        world: the simulator's settings, in addition to the suite's own.
        beside: a second planner that only thinks about the same turns; empty: none.
    """

    suite: str
    contestants: tuple[Contestant, ...]
    trials: int
    max_steps: int
    provider: str
    cells: tuple[str, ...]
    first: int = 0
    options: tuple[tuple[str, str], ...] = ()
    cache: bool = True
    world: tuple[tuple[str, str], ...] = ()
    beside: str = ""

    def plan(self, resources: Resources) -> EvaluationPlan:
        """Returns the plan that the folder keeps."""
        names = tuple(contestant.text for contestant in self.contestants)
        cells = () if self.cells == suite(self.suite).cells else self.cells
        return EvaluationPlan(self.suite, names, self.trials, self.max_steps, self.first, self.provider, dict(self.options),
                              dict(self.world), self.beside, self.cache, resources.jobs, resources.limits, resources.prices,
                              cells)

    @property
    def seeds(self) -> range:
        """The seeds of every cell."""
        return range(self.first, self.first + self.trials)


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of a sweep.

    Attributes:
        jobs: number of processes, -1 for one per core; a cluster uses all its workers.
        scheduler: address of a Dask cluster that does the work; empty: this machine does.
        limits: the limits of all runs of the sweep together.
        prices: by model name, `*` for any other.
    """

    jobs: int = 1
    scheduler: str = ""
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a sweep.

    Attributes:
        rows: all its episodes that the folder holds, sorted.
        model: the source of the replies, as the provider names it.
        is_model: whether that is a language model.
        dates: when the folder's episodes were played.
        failures: episodes without a result because the model failed; the next run plays them.
        left: number of episodes without a result, for any reason.
        costs: what was used; None if no language model answered.
        ended: why it ended before everything was played; empty if it did not.
    """

    rows: tuple[Row, ...]
    model: str
    is_model: bool
    dates: folders.Dates
    failures: tuple[Failure, ...]
    left: int
    costs: Costs | None
    ended: str


def play(sweep: Sweep, open_world: OpenWorld, folder: Path, resources: Resources = Resources(),
         say: Callable[[str], None] = lambda line: None,
         on_start: Callable[[Callable[[str], None]], object] = lambda end: None) -> Result:
    """Plays the episodes that are not in the folder yet, and returns all episodes of the sweep.

    Episodes in which the model failed are not results of the planner: they are left out, and the next run plays them. A spent
    budget, a key that is not accepted, or GIVE_UP such episodes in a row end the sweep.

    Args:
        sweep: what is played.
        open_world: opens a scene; must be importable by worker processes (a function or class method).
        folder: the folder in which `runs.jsonl` grows by one line per episode.
        resources: processes and budget.
        say: receives messages on lines that do not count, and on what went wrong with the cache.
        on_start: receives a function that ends the sweep after the episodes under way, for a reason. Safe from any thread.

    Raises:
        DataError: the folder cannot be written, or holds another sweep; workers were lost.
        UsageError: the provider's settings are not valid, or it cannot answer in workers.
        MissingPart: the provider needs something that is not installed.
    """
    with folders.locked(folder), ExitStack() as stack:
        run = _Run(sweep, open_world, folder, resources, say, stack)
        on_start(run.end)
        return run.play()


class _Run:
    """One run of a sweep on its folder. The constructor starts what the workers share; `stack` ends it."""

    def __init__(self, sweep: Sweep, open_world: OpenWorld, folder: Path, resources: Resources, say: Callable[[str], None],
                 stack: ExitStack):
        self._sweep, self._open_world, self._folder, self._resources, self._say = sweep, open_world, folder, resources, say
        self._is_model = provider_class(sweep.provider).is_model
        self._model, local = _open_model(sweep, remote=bool(resources.scheduler))
        settings = {**_settings(sweep), **_world(sweep), **({"beside": sweep.beside} if sweep.beside else {})}
        stamp = folders.Stamp(sweep.suite, sweep.max_steps, sweep.provider, self._model, settings, suite(sweep.suite).edition,
                              "words" if installed() is None else "embeddings")
        about = {"plan": sweep.plan(resources).plain(), "contestants": {c.text: _described(c) for c in sweep.contestants}}
        read, self._dates = folders.opened(folder, stamp, about)
        self._kept = list(read.rows)
        if notice := read.notice(folder / ROWS):
            say(notice)
        self._missing = tuple(_missing(sweep, {key_of(row) for row in self._kept}, is_model=self._is_model))
        self._left = len(self._missing)
        self._ledger = Ledger(folder, resources.limits, resources.prices) if self._is_model else None
        self._before = folders.Used(Spent()) if self._ledger is None else self._ledger.used
        self._failures: list[Failure] = []
        self._in_a_row, self._ended = 0, ""
        self._bar: tqdm[NoReturn] | None = None
        self._refreshed = 0.0
        self._coordinator = None
        if self._is_model or not resources.scheduler:  # otherwise the workers share nothing, and the cluster ends them
            host = host_towards(resources.scheduler) if resources.scheduler else LOOPBACK
            self._coordinator = stack.enter_context(Coordinator(self._ledger, _slots(sweep), local, host, self._show_costs))

    def play(self) -> Result:
        """Plays what is left."""
        if self._left:
            scheduler, address = self._resources.scheduler, None if self._coordinator is None else self._coordinator.address
            workers = cluster(scheduler) if scheduler else processes(self._resources.jobs, address)
            with workers as parallel:
                self._collect(guarded(parallel(self._work(address)), scheduler))
        names = {c.text for c in self._sweep.contestants}
        rows = sorted((row for row in self._kept if row.contestant in names and row.seed in self._sweep.seeds), key=key_of)
        return Result(tuple(rows), self._model, self._is_model, self._dates, tuple(self._failures), self._left, self._costs,
                      self._reason)

    @property
    def _costs(self) -> Costs | None:
        """What was used until now; None if no language model answers."""
        if self._ledger is None:
            return None
        return Costs(self._ledger.used, self._ledger.priced(self._model), len(self._kept), self._left, self._before)

    @property
    def _reason(self) -> str:
        """Why no further episode may begin; empty while they may."""
        return self._ended or ("" if self._coordinator is None else self._coordinator.ended)

    def _work(self, address: Address | None) -> Iterator[object]:
        sweep = self._sweep
        job = Job(sweep.suite, sweep.max_steps, sweep.provider, sweep.options, sweep.cache, address, self._open_world,
                  sweep.world, sweep.beside)
        for text, cell, seed in self._missing:
            if self._reason:
                return
            yield delayed(play_episode)(job, text, cell, seed)

    def _collect(self, results: Results) -> None:
        """Saves the results that arrive, until everything is played or the sweep is ended."""
        try:
            with (RowsFile(self._folder) as file,
                  tqdm(total=self._left, unit="episode", dynamic_ncols=True) as self._bar):
                self._show_costs()
                for played in results:
                    if isinstance(played.result, Row):
                        file.add(played.result)
                    self._take(played)
        except Interrupted as signalled:
            with warnings.catch_warnings(action="ignore"):  # joblib warns of abandoned work, which is intended here
                results.close()
            signalled.saved = self._go_on
            raise
        except DataError as error:
            raise DataError(f"{error}; {self._go_on}") from error
        finally:
            self._bar = None
            close_all()  # closes what is open in this process; workers close their own

    @property
    def _go_on(self) -> str:
        kept = count(len(self._kept), "episode is", "episodes are")
        return f"{kept} kept in {self._folder}: go on with the same command"

    def _take(self, played: Played) -> None:
        """Counts an episode, or judges its failure."""
        match played.result:
            case Row() as row:
                self._kept.append(row)
                self._left -= 1
                self._in_a_row = 0
                if self._bar is not None:
                    self._bar.update()
            case Failure() as failure:
                self._judge(failure)
        for line in played.news:
            self._say(line)
        if self._ledger is not None:
            self._ledger.add_cached(played.cached)
        self._show_costs()

    def _judge(self, failure: Failure) -> None:
        """Records a failure, and ends the sweep if it is pointless to continue."""
        if failure.kind not in (ENDED, "budget"):  # these episodes were cancelled and did not fail
            self._failures.append(failure)
            self._in_a_row += 1
            if failure.kind != "key" and self._in_a_row < GIVE_UP:
                return
        self.end(failure.reason)

    def end(self, reason: str) -> None:
        """Ends the sweep after the episodes under way. Called from any thread."""
        self._ended = self._reason or reason
        if self._coordinator is not None:
            self._coordinator.end(self._ended)

    def _show_costs(self) -> None:
        """Updates the costs on the bar, at most every REFRESH seconds. Called from any thread."""
        bar, costs, now = self._bar, self._costs, time.monotonic()
        if bar is not None and costs is not None and (now - self._refreshed > REFRESH or not self._left):
            self._refreshed = now
            bar.set_postfix_str(costs.short)


def _open_model(sweep: Sweep, *, remote: bool) -> tuple[str, Local | None]:
    """Returns the source of the replies, as the provider names it, and the local model that all workers share, if any.

    Raises:
        UsageError: the provider's settings are not valid, or it cannot answer in workers.
        MissingPart: it needs something that is not installed.
    """
    cls, options = provider_class(sweep.provider), dict(sweep.options)
    if cls is Human:
        raise UsageError("the questions of a sweep cannot be answered by hand: choose another --provider")
    if not cls.is_model:
        return sweep.provider, None
    model = open_for(sweep.provider, options, "")
    if not isinstance(model, Local):
        with contextlib.closing(model):
            return model.source, None
    if remote:
        raise UsageError("provider 'local' serves this machine only: start a server that the cluster reaches, and give "
                         "--provider openai --base-url URL")
    return model.source, model


def _settings(sweep: Sweep) -> dict[str, Any]:
    """Returns the provider's settings that may change a reply and differ from its defaults."""
    defaults = provider_class(sweep.provider).settings
    named = IN_THE_SOURCE.get(sweep.provider, frozenset()) | NEUTRAL
    given = vars(changed(defaults, dict(sweep.options)))
    return {p.name: given[p.name] for p in described(defaults) if p.name not in named and given[p.name] != p.value}


def _world(sweep: Sweep) -> dict[str, Any]:
    """Returns the simulator's settings, as they are noted in the folder; empty if none are given."""
    return {"world": dict(sweep.world)} if sweep.world else {}


def _slots(sweep: Sweep) -> int:
    """Returns how many calls the provider's server takes at once."""
    settings = vars(changed(provider_class(sweep.provider).settings, dict(sweep.options)))
    return int(settings.get("slots", 1 if sweep.provider == Local.name else SLOTS))


def _described(one: Contestant) -> dict[str, Any]:
    """Returns what a contestant's name stands for in this version, for the folder."""
    parameters = {p.name: p.value for p in described(one.make().parameters)}
    return {"planner": one.planner, "preset": one.preset, "parameters": parameters}


def _missing(sweep: Sweep, done: set[Key], *, is_model: bool) -> Iterator[Key]:
    """Yields the episodes to be played, in groups of seeds, each with all cells and contestants."""
    size = GROUP_OF_MODEL if is_model else GROUP
    for first in range(0, sweep.trials, size):
        for cell in sweep.cells:
            for one in sweep.contestants:
                for seed in sweep.seeds[first:first + size]:
                    if (one.text, cell, seed) not in done:
                        yield one.text, cell, seed


@contextmanager
def processes(jobs: int, address: Address | None) -> Iterator[Parallel]:
    """Context with workers on this machine.

    Args:
        jobs: number of processes, -1 for one per core; with 1 the work is done in this process.
        address: where the sweep listens; workers end as soon as it is gone.
    """
    kwargs = {} if address is None else {"initializer": watch, "initargs": (address,)}
    # Joblib would batch quick episodes. Their results would arrive together, and a killed sweep would lose them.
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1, **kwargs)
    with _without_tracebacks_of_the_pool(), child_python.everywhere():
        try:
            yield parallel
        finally:
            if jobs != 1:
                # The present pool: asked for one with other settings, loky ends this one while it holds a lock that the pool's
                # thread needs to submit what is next, and both wait for ever.
                get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


@contextmanager
def _without_tracebacks_of_the_pool() -> Iterator[None]:
    """Logs what the threads of joblib's pool raise, instead of printing a traceback.

    They fail now and then when an interrupted sweep kills workers that are just starting. While a sweep goes on, a pool that
    has failed raises `BrokenProcessPool` where its results are read.
    """
    usual = threading.excepthook

    def hook(args: threading.ExceptHookArgs) -> None:
        if args.thread is None or args.thread.name not in POOL_THREADS:
            usual(args)
        elif args.exc_value is not None:
            log.debug("a thread of the pool failed", exc_info=args.exc_value)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = usual


@contextmanager
def cluster(scheduler: str) -> Iterator[Parallel]:
    """Context with the workers of a Dask cluster.

    Args:
        scheduler: its address, such as `tcp://10.0.0.5:8786`.

    Raises:
        MissingPart: Dask is not installed.
        UsageError: no scheduler answers there, it has no workers, or they lack this program.
    """
    if importlib.util.find_spec("distributed") is None:
        raise MissingPart(needs("--backend dask", ["the package 'distributed'"], "cluster"))
    import distributed  # not part of a plain install, and slow to load

    try:
        client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: no Dask scheduler answers there ({_short(error)}); "
                         f"start one with `{SCHEDULER}`, and workers with `{WORKER.format('ADDRESS')}`") from error
    with client:
        if not client.ncores():
            raise UsageError(f"--scheduler {scheduler}: it has no workers; start them with `{WORKER.format(scheduler)}`")
        try:
            client.run_on_scheduler(process_number)  # it reads the tasks: if it cannot, no worker ever gets one
        except Exception as error:
            raise UsageError(f"--scheduler {scheduler}: it cannot read what is to be played ({_short(error)}); install this "
                             f"version of Belvedere where it runs, and start it with `{SCHEDULER}`") from error
        try:
            client.run(process_number)
        except Exception as error:
            raise UsageError(f"--scheduler {scheduler}: its workers cannot play ({_short(error)}); install this version of "
                             f"Belvedere where they run, and start them with `{WORKER.format(scheduler)}`") from error
        with parallel_config(backend="dask", client=client):
            yield Parallel(return_as="generator_unordered", batch_size=1)


def guarded(results: Iterable[Played], scheduler: str) -> Results:
    """Yields the same results, and turns the loss of workers into a one-line error.

    Raises:
        DataError: a worker was killed, or the cluster is gone.
    """
    try:
        yield from results
    except BrokenProcessPool as error:
        raise DataError("a worker process was killed, perhaps for want of memory: try fewer --jobs") from error
    except Exception as error:
        if scheduler and type(error).__module__.partition(".")[0] == "distributed":
            raise DataError(f"the Dask cluster at {scheduler} lost the work ({_short(error)})") from error
        raise


def host_towards(scheduler: str) -> str:
    """Returns this machine's address as seen from the scheduler. The cluster's workers must reach it, too.

    Raises:
        UsageError: it is not an address.
    """
    try:
        parts = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        if not parts.hostname or not parts.port:
            raise ValueError("it lacks the host or the port")
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
            probe.connect((parts.hostname, parts.port))  # sends nothing: it only selects the route
            return str(probe.getsockname()[0])
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: write its address, such as tcp://127.0.0.1:8786 "
                         f"({_short(error)})") from error


def _short(error: Any) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
