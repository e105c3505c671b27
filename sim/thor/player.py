"""One AI2-THOR player process and its controller: starting, calling, ending, and its errors in our words."""

from __future__ import annotations

import importlib.util
import logging
import shutil
from pathlib import Path
from typing import Any

from core.common.errors import MissingPart, SimulatorError, UsageError
from core.common.installation import needs
from sim.thor.observation import ARM
from sim.thor.settings import Setting

LOG = logging.getLogger(__name__)
PACKAGE = "ai2thor"
WIDTH, HEIGHT = 640, 480
STEP, TURN = 0.25, 30.0
NO_BUILD = "no build exists"
"""Part of the controller's error when there is no player to download, in any case."""


class Player:
    """Starts a player in a scene and sends it one action at a time.

    Raises:
        MissingPart: AI2-THOR is not installed, or its player is not here and cannot be downloaded.
        UsageError: the given executable does not exist, or there is no display to draw on.
        SimulatorError: the player does not start.
    """

    def __init__(self, scene: str, setting: Setting):
        if reason := unavailable():
            raise MissingPart(reason)
        executable, display = _found(setting.executable), setting.x_display()
        controller, self._gone = parts()
        LOG.info("starting AI2-THOR's player in %s", scene)
        if not executable:
            LOG.info("at the first start it is downloaded, about half a gigabyte")
        wanted: dict[str, Any] = {} if not setting.quality else {"quality": setting.quality}
        try:
            self._controller: Any = controller(
                local_executable_path=executable or None, scene=scene, width=WIDTH, height=HEIGHT, x_display=display,
                platform=None if setting.platform == "auto" else setting.platform, gpu_device=setting.gpu_device,
                server_timeout=setting.timeout, server_start_timeout=setting.start_timeout, gridSize=STEP, snapToGrid=False,
                rotateStepDegrees=TURN, visibilityDistance=ARM, renderInstanceSegmentation=True, **wanted,
            )
        except Exception as error:
            raise _why(error, self._gone, executable) from error
        self._controller.server.watched = True
        LOG.info("AI2-THOR's player is ready")

    @property
    def pid(self) -> int:
        """Returns the id of the player's process."""
        return int(self._controller.unity_pid)

    @property
    def event(self) -> Any:
        """Returns the player's last answer."""
        return self._controller.last_event

    def reset(self, scene: str) -> Any:
        """Resets the scene.

        Raises:
            SimulatorError: the player has ended.
        """
        try:
            return self._controller.reset(scene)
        except (self._gone, ValueError, RuntimeError, AssertionError) as error:
            raise self._broke(error) from error

    def ask(self, action: str, **arguments: Any) -> Any:
        """Executes one of AI2-THOR's own actions. The metadata of the event says whether it succeeded.

        Raises:
            SimulatorError: the player has ended, or does not know the action.
        """
        try:
            return self._controller.step(action=action, **arguments)
        except (self._gone, ValueError, RuntimeError, AssertionError) as error:
            raise self._broke(error) from error

    def _broke(self, error: Exception) -> SimulatorError:
        gone = _cause(error, self._gone)
        return SimulatorError(f"AI2-THOR: {_line(gone or error)}")

    def close(self) -> None:
        """Ends the player. May be called twice."""
        self._controller.stop()


def unavailable() -> str:
    """Returns why it cannot be used here and what to do; empty if it can. Only a start shows if the player itself is here."""
    return "" if importlib.util.find_spec(PACKAGE) is not None else missing(PACKAGE)


def missing(package: str) -> str:
    """Returns what to do about a package that is not installed."""
    return needs("simulator 'thor'", [f"the package '{package}'"], "thor")


def parts() -> tuple[Any, type[Exception]]:
    """Returns the controller's class and its server's exception. Imported late, because listing simulators must not need it.

    Raises:
        MissingPart: the package is not installed.
    """
    try:
        from sim.thor.controller import PlayerGone, SteadyController
    except ModuleNotFoundError as error:
        raise MissingPart(missing(str(error.name))) from error
    return SteadyController, PlayerGone


def _found(executable: str) -> str:
    """Returns the path of the player. AI2-THOR takes it for a command line, so blanks are escaped."""
    if not executable:
        return ""
    path = Path(executable).expanduser()
    if not path.is_file() or shutil.which(str(path.resolve())) is None:
        raise UsageError(f"executable={executable}: no such program; give the path of an AI2-THOR player")
    return str(path.resolve()).replace(" ", "\\ ")


def _why(error: Exception, gone: type[Exception], executable: str) -> MissingPart | SimulatorError:
    """Returns the error for a failed start: no player available, or one that does not run."""
    ended = _cause(error, gone)
    if ended is not None:
        return SimulatorError(f"AI2-THOR's player does not start: {_line(ended)}; see ~/.ai2thor/log/unity.log")
    if not executable and (isinstance(error, OSError) or NO_BUILD in str(error).lower()):
        return MissingPart("AI2-THOR's player is not here and could not be downloaded: connect to the network once, "
                           f"or give one of your own with --world executable=PATH ({_line(error)})")
    if isinstance(error, KeyError):  # from the controller's table of graphics cards
        return SimulatorError(f"AI2-THOR's player does not start: there is no graphics card {_line(error)}; see nvidia-smi -L")
    return SimulatorError(f"AI2-THOR's player does not start: {_line(error)}")


def _cause(error: BaseException, kind: type[Exception]) -> BaseException | None:
    """Returns the first error of a type among an error and its causes."""
    current: BaseException | None = error
    while current is not None and not isinstance(current, kind):
        current = current.__cause__ or current.__context__
    return current


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
