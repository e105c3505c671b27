"""The backends of a sweep: processes on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import socket
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from joblib import Parallel, parallel_config
from joblib.externals.loky import BrokenProcessPool, get_reusable_executor

from core.common.errors import DataError, MissingPart, UsageError
from core.common.installation import needs
from core.evaluation.coordinator import Address
from core.evaluation.worker import Chunk, process_number, watch

LOOPBACK = "127.0.0.1"
PATIENCE = "20s"  # in which the scheduler must answer

Chunks = Generator[Chunk, None, None]


@contextmanager
def processes(jobs: int, address: Address | None, batches: int | str) -> Iterator[Parallel]:
    """Context with workers on this machine.

    Args:
        jobs: number of processes, -1 for one per core; with 1 the work is done in this process.
        address: where the sweep listens; workers end as soon as it is gone.
        batches: pieces of work in a message to a worker; "auto": more of them if they are quickly done.
    """
    kwargs = {} if address is None else {"initializer": watch, "initargs": (address,)}
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=batches, **kwargs)
    try:
        yield parallel
    finally:
        if jobs != 1:
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


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
                         "start one with `dask scheduler`, and workers with `dask worker ADDRESS --nthreads 1`") from error
    with client:
        if not client.ncores():
            raise UsageError(f"--scheduler {scheduler}: it has no workers; start them with "
                             f"`dask worker {scheduler} --nthreads 1`")
        try:
            client.run(process_number)
        except Exception as error:
            raise UsageError(f"--scheduler {scheduler}: its workers cannot play ({_short(error)}); install this version of "
                             "Belvedere where they run") from error
        with parallel_config(backend="dask", client=client):
            yield Parallel(return_as="generator_unordered", batch_size=1)


def guarded(chunks: Iterable[Chunk], scheduler: str) -> Chunks:
    """Yields the same chunks, and turns the loss of workers into a one-line error.

    Raises:
        DataError: a worker was killed, or the cluster is gone.
    """
    try:
        yield from chunks
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
