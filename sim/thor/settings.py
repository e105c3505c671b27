"""Settings of AI2-THOR's player, checked before anything starts: `--world NAME=VALUE`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from core.common.errors import UsageError

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
