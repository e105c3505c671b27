"""One AI2-THOR player process: its settings (`--world NAME=VALUE`), starting, calling, ending, and its errors in our words."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from core.common.errors import MissingPart, SimulatorError, UsageError
from core.common.installation import needs
from core.common.user_folders import expanded
from sim.thor.observation import ARM

CLOUD, X11 = "CloudRendering", "Linux64"
PLATFORMS = ("auto", X11, CLOUD)
QUALITIES = ("Very Low", "Low", "Medium", "MediumCloseFitShadows", "High", "Very High", "Ultra")
"""The player's own names. The first one draws fastest."""
NAMES = ("executable", "platform", "display", "gpu_device", "quality", "timeout", "start_timeout", "map")
START = 300.0
"""Seconds that AI2-THOR's own controller waits for a start. The first one loads a lot."""
LONGEST = 3600.0
"""Longest timeout, seconds."""
DISPLAY = re.compile(r"[\w.-]*:?\d+(\.\d+)?")
"""An X display: `:0`, `:0.1`, `host:10.0`. AI2-THOR also accepts a bare number."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How a player is started.

    Attributes:
        executable: a custom player; empty: AI2-THOR's, downloaded at the first start.
        platform: AI2-THOR's build. `auto` is Linux64 on Linux and the Mac's on a Mac, as its controller chooses. CloudRendering
            draws
            without a display.
        display: the X display to draw on, such as `:0`; empty: that of $DISPLAY.
        gpu_device: number of the graphics card for CloudRendering; None: Vulkan's choice.
        quality: one of QUALITIES; empty: AI2-THOR's default.
        timeout: seconds a single answer may take.
        start_timeout: seconds a start may take; a first download is not counted.
        mapped: whether the robot knows where the furniture stands before it sees it.
    """

    executable: str = ""
    platform: str = "auto"
    display: str = ""
    gpu_device: int | None = None
    quality: str = ""
    timeout: float = 30.0
    start_timeout: float = START
    mapped: bool = True

    @classmethod
    def read(cls, options: Mapping[str, str]) -> Self:
        """Reads the settings from text.

        Raises:
            UsageError: an unknown setting, a value that makes no sense, or two that contradict each other.
        """
        for option in options:
            if option not in NAMES:
                raise UsageError(f"unknown world option '{option}': thor has {', '.join(NAMES)}")
        platform = _one_of("platform", options.get("platform", "auto"), PLATFORMS)
        cloud = platform == CLOUD
        if cloud and options.get("display"):
            raise UsageError("display is for an X server and CloudRendering draws without one: give only one of the two")
        if not cloud and "gpu_device" in options:
            raise UsageError("gpu_device is for platform=CloudRendering: on an X display the card is the X server's")
        if platform != "auto" and not sys.platform.startswith("linux"):
            raise UsageError(f"platform={platform} is for Linux: leave it out here")
        quality = options.get("quality", "")
        return cls(
            options.get("executable", ""), platform, _display(options.get("display", "")),
            _card(options["gpu_device"]) if "gpu_device" in options else None,
            _one_of("quality", quality, QUALITIES) if quality else "",
            _seconds("timeout", options.get("timeout", "30")),
            _seconds("start_timeout", options.get("start_timeout", f"{START:g}")),
            _one_of("map", options.get("map", "yes"), ("yes", "no")) == "yes",
        )

    @property
    def is_cloud(self) -> bool:
        """Returns True if the player draws without a display."""
        return self.platform == CLOUD

    def x_display(self) -> str | None:
        """Returns the display the player draws on; None if it needs none.

        Raises:
            UsageError: it needs one, and none is named here or in $DISPLAY.
        """
        if self.is_cloud or not sys.platform.startswith("linux"):
            return None
        found = self.display or os.environ.get("DISPLAY", "")
        if not found:
            raise UsageError("AI2-THOR's player draws on an X display and $DISPLAY names none: name one as 'display', or set "
                             "'platform' to CloudRendering to draw without one",
                             command="give --world display=:N or --world platform=CloudRendering")
        return found


def _one_of(name: str, text: str, values: tuple[str, ...]) -> str:
    """Returns the value meant, ignoring capitals and blanks."""
    plain = {_plain(value): value for value in values}
    if _plain(text) not in plain:
        raise UsageError(f"{name}={text}: it is {', '.join(values[:-1])} or {values[-1]}")
    return plain[_plain(text)]


def _plain(text: str) -> str:
    return re.sub(r"[\s_-]", "", text).lower()


def _display(text: str) -> str:
    if text and DISPLAY.fullmatch(text) is None:
        raise UsageError(f"display={text}: give an X display such as :0")
    return text


def _card(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise UsageError(f"gpu_device={text}: give the number of a graphics card, from 0")
    return int(text)


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST:
        raise UsageError(f"{name}={text}: give seconds, such as {name}=30")
    return seconds


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
    path = expanded(executable)
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
