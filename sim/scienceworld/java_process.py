"""The Java process of ScienceWorld: started with little memory, called once at a time, and reliably ended.

The package's own wrapper lists all valid actions after every step, which takes five to fifteen times as long as the step. It
also starts a callback server that is not needed, and waits without limit for a machine that may hang. Here the Java interface
is called directly.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from core.common.errors import MissingPart, SimulatorError
from core.common.installation import needs

T = TypeVar("T")

MEMORY = ("-Xmx300m", "-XX:+UseSerialGC")
"""Keeps Java at about 200 MB. Without limits it takes a quarter of the machine."""
PATIENCE = 2.0
"""Seconds that a call waits for another to end."""
PACKAGE = "scienceworld"


def unavailable() -> str:
    """Returns why it cannot be started here and what to do; empty if it can."""
    if importlib.util.find_spec(PACKAGE) is None:
        return needs("simulator 'scienceworld'", ["the package 'scienceworld'"], "scienceworld")
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=str(Path(home) / "bin") if home else None) is None:
        where = f"in JAVA_HOME ({home})" if home else "on this machine"
        return f"simulator 'scienceworld' needs Java, and there is none {where}: install a JRE, such as apt install default-jre"
    return ""


class Machine:
    """One Java process with one ScienceWorld. It ends with `close`, and with the process that started it.

    Raises:
        MissingPart: there is no Java, or the package is not installed.
        SimulatorError: Java does not start.
    """

    def __init__(self) -> None:
        reason = unavailable()
        if reason:
            raise MissingPart(reason)
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
        from py4j.protocol import Py4JError
        from scienceworld.constants import BASEPATH, JAR_PATH

        self._error: type[Exception] = Py4JError
        self._lock = threading.Lock()
        said: deque[str] = deque(maxlen=20)  # Java writes a lot; the last lines explain a failed start
        try:
            port, self._process = launch_gateway(
                classpath=JAR_PATH, cwd=BASEPATH, javaopts=list(MEMORY), die_on_exit=True, return_proc=True,
                redirect_stdout=said, redirect_stderr=said, daemonize_redirect=True,
            )
        except (OSError, ValueError, Py4JError) as error:
            raise SimulatorError(f"ScienceWorld's Java does not start: {error}; {' '.join(said).strip()}") from error
        # No memory management: the few objects it returns live as long as Java, and none calls a dead Java when it is freed.
        parameters = GatewayParameters(port=port, enable_memory_management=False)
        self._gateway: Any = JavaGateway(gateway_parameters=parameters)
        self._world: Any = self._gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()

    @property
    def pid(self) -> int:
        """Returns the id of the Java process."""
        return int(self._process.pid)

    def ask(self, question: Callable[[Any], T], patience: float = -1) -> T:
        """Calls its Java interface; one call at a time.

        Raises:
            SimulatorError: Java has ended, reports an error, or is still busy with another call after `patience` seconds.
        """
        if not self._lock.acquire(timeout=patience):
            raise SimulatorError("ScienceWorld is still busy with the last action")
        try:
            self._check()
            return question(self._world)
        except (self._error, OSError) as error:
            self._check()
            raise SimulatorError(f"ScienceWorld's Java: {str(error).splitlines()[0]}") from error
        finally:
            self._lock.release()

    def _check(self) -> None:
        ended = self._process.poll()
        if ended is not None:
            how = f"signal {-ended}" if ended < 0 else f"code {ended}"
            raise SimulatorError(f"ScienceWorld's Java ended with {how}")

    def close(self) -> None:
        """Ends Java at once. It has nothing worth saving. May be called twice."""
        self._process.kill()
        self._process.wait()
        self._gateway.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


def load(world: Any, task: str, variation: int, simplification: str, *, gold: bool = False) -> None:
    """Begins an episode. With `gold` it also computes a solution, which takes seconds."""
    world.load(task, variation, simplification, gold)
    world.reset()
    world.step("look around")  # costs no move; without it the score is still that of the episode before


def valid(world: Any) -> list[tuple[str, int, tuple[str, ...]]]:
    """Returns every valid sentence with the number of its template and the numbers of its objects."""
    found = json.loads(world.getValidActionObjectCombinationsJSON())["validActions"]
    return [(v["action"], v["template_id"], tuple(map(str, v["obj_ids"]))) for v in found]


def referents(world: Any) -> dict[str, str]:
    """Returns the objects in sight: number -> the phrase that means only this object."""
    return dict(json.loads(world.getPossibleObjectReferentLUTJSON()))


def everywhere(world: Any) -> dict[str, list[str]]:
    """Returns all objects: number -> the phrases that may mean it."""
    found = json.loads(world.getAllObjectIdsTypesReferentsLUTJSON())
    return {number: entry["referents"] for number, entry in found.items()}


def templates(world: Any) -> list[tuple[int, str]]:
    """Returns number and wording of every kind of action, such as `pour OBJ in OBJ`."""
    return [(t["template_id"], t["action_example"]) for t in json.loads(world.getPossibleActionsWithIDs())]
