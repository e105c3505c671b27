"""The renderer process: reads requests from standard input and writes pictures to standard output.

It ends when its input closes, so it never outlives the program that started it.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import BinaryIO

from core.common.errors import DataError, RendererError
from core.common.priority import lower_priority
from sim.geometry.model import House
from sim.rendering import wire
from sim.rendering.cameras import Picture
from sim.rendering.gl.renderer import Renderer


def main() -> int:
    """Serves requests until the input closes.

    The first message says "ready" with the name of the device, or "failed" with the reason in one line.
    """
    lower_priority()
    answers = _claim_output()
    requests = sys.stdin.buffer
    try:
        renderer = Renderer()
    except RendererError as error:
        wire.write_message(answers, {"failed": str(error)})
        return 1
    wire.write_message(answers, {"ready": renderer.device})
    try:
        _serve(renderer, requests, answers)
    except (BrokenPipeError, DataError):
        return 0  # the asking program is gone
    return 0


def _claim_output() -> BinaryIO:
    """Keeps the real standard output for answers and sends everything a driver prints to the error stream."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _serve(renderer: Renderer, requests: BinaryIO, answers: BinaryIO) -> None:
    house = House((), (), ())
    while (message := wire.read_message(requests)) is not None:
        header = message[0]
        if "house" in header:
            house = wire.house_from_json(header["house"])
        elif "things" in header:
            house = replace(house, things=wire.things_from_json(header["things"], house.things))
        width, height = header["size"]
        picture = renderer.frame(house, wire.camera_from_json(header["camera"]), (width, height),
                                 wire.robot_from_json(header["robot"]), header["samples"])
        _answer(answers, picture)


def _answer(answers: BinaryIO, picture: Picture) -> None:
    wire.write_message(answers, {"names": picture.names}, picture.pixels.tobytes() + picture.ids.tobytes())


if __name__ == "__main__":
    sys.exit(main())
