"""What Unity is sent and what it answers: scripts, complaints in plain words, and pictures of the character's own camera."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from core.common.errors import RendererError, SimulatorError
from core.planning.facets import Frame
from core.world.vocabulary import definite, spaced
from sim.rendering.cameras import boxes_of, ids_of
from sim.virtualhome.common.apartment_state import Node
from sim.virtualhome.common.verbs import script_line
from sim.virtualhome.unity.player import Link

FRONT = 1
"""Which of the character's cameras looks ahead. They come after those of the rooms."""
NO_NUMBERS = "This VirtualHome does not say what is under a pixel: nothing can be clicked."
Pixels = npt.NDArray[np.uint8]
Colours = Mapping[str, Any]
"""Node id as text -> red, green, blue in 0..1."""


def front_camera(static: int) -> int:
    """Returns the number of the camera that looks where the character looks."""
    return static + FRONT


def take(link: Link, camera: int, size: tuple[int, int], names: Mapping[int, str]) -> Frame:
    """Returns what the character sees now. `names` maps nodes to entity ids.

    Raises:
        RendererError: there was no picture, or it cannot be read.
    """
    try:
        pixels = _picture(link, camera, size, "normal")
        numbers = _numbers(link, camera, size, names)
    except SimulatorError as error:
        raise RendererError(f"VirtualHome sent no picture: {error}") from error
    if numbers is None:
        return Frame("first person", pixels, None, ("",), (), NO_NUMBERS)
    ids, found = numbers
    shown = boxes_of(ids, found)
    return Frame("first person", pixels, ids, found, tuple(shown.items()))


def _picture(link: Link, camera: int, size: tuple[int, int], mode: str) -> Pixels:
    settings = json.dumps({"mode": mode, "image_width": size[0], "image_height": size[1]})
    answer = link.demand("camera_image", [camera], [settings])
    if not answer.images:
        raise RendererError(f"VirtualHome sent no picture of camera {camera}: reset the episode")
    try:
        with Image.open(io.BytesIO(answer.images[0])) as image:
            pixels = np.array(_sized(image.convert("RGB"), size, mode))
    except OSError as error:
        raise RendererError(f"VirtualHome's picture cannot be read ({error}): reset the episode") from error
    pixels.setflags(write=False)
    return pixels


def _sized(image: Image.Image, size: tuple[int, int], mode: str) -> Image.Image:
    """Returns the picture in the requested size. Colours that stand for objects are never interpolated."""
    if image.size == size:
        return image
    return image.resize(size, Image.Resampling.NEAREST if mode.startswith("seg") else Image.Resampling.BICUBIC)


def _numbers(link: Link, camera: int, size: tuple[int, int],
             names: Mapping[int, str]) -> tuple[npt.NDArray[np.uint16], tuple[str, ...]] | None:
    """Returns (H, W) indices into names, and the names; None from a VirtualHome without `instance_colors`."""
    answer = link.ask("instance_colors")
    colours = _colours(answer.message) if answer.success else {}
    if not colours:
        return None
    found = tuple(dict.fromkeys(("", *names.values())))
    index = {name: k for k, name in enumerate(found)}
    known = {colour: index[names[node]] for node, colour in colours.items() if node in names}
    ids = ids_of(_picture(link, camera, size, "seg_inst"), known)
    ids.setflags(write=False)
    return ids, found


def _colours(message: str) -> dict[int, int]:
    """Returns node -> its colour as one number; empty if the message makes no sense."""
    try:
        table: Colours = json.loads(message)
        return {int(node): _packed(colour) for node, colour in table.items()}
    except (ValueError, TypeError, AttributeError, IndexError):
        return {}


def _packed(colour: Any) -> int:
    red, green, blue = (round(255 * float(part)) for part in colour[:3])
    return int(red) << 16 | int(green) << 8 | int(blue)


PARAMETERS = {
    "find_solution": False, "skip_animation": True, "image_synthesis": [], "recording": False, "camera_mode": ["AUTO"],
    "time_scale": 10.0, "processing_time_limit": 20, "randomize_execution": False, "random_seed": -1, "skip_execution": False,
    "save_pose_data": False, "save_scene_states": False, "frame_rate": 5, "image_width": 64, "image_height": 64,
    "output_folder": "Output/", "file_name_prefix": "belvedere",
}
"""All parameters that VirtualHome's own client sends (`render_script` of its `comm_unity.py`), by the same names.

`find_solution` is off, so that Unity uses the named object and not another of its class. Nothing is recorded: the camera and
the folder are the client's defaults.
"""
SILENT = "VirtualHome does not do this here, and does not say why"
CAUSES = (
    (r"path|reach|distance|far|close to", "within reach"), (r"hand|hold|grabb", "a free hand"), (r"closed|not open", "open"),
    (r"plac(e|ing)|space|room for", "room"), (r"find|exist|unknown", "in sight"),
)
"""Pattern in a message -> the short name of what failed."""


def unity_line(script: str, nodes: Sequence[Node]) -> str:
    """Returns `<char0> [walk] <fridge> (225)`."""
    action, *objects = script_line(script, nodes).split(" ", 1)
    return " ".join(("<char0>", action.lower(), *objects))


def complaint(message: str) -> tuple[str, str]:
    """Returns (short name, sentence) of a message of `render_script`: a table by character, or plain text in older versions."""
    words = _words(message)
    reason = words.split("REASON:")[-1] if "REASON:" in words else words
    reason = re.sub(r"<([^>]+)> \((\d+)\)", lambda m: definite(spaced(f"{m[1]}_{m[2]}")), reason)
    reason = " ".join(reason.split()).strip(" .,;[]") or SILENT
    short = next((name for pattern, name in CAUSES if re.search(pattern, reason, re.IGNORECASE)), "possible for VirtualHome")
    return short, reason[:300]


def _words(message: str) -> str:
    try:
        value: Any = json.loads(message)
    except ValueError:
        return message
    if isinstance(value, dict):
        parts = [str(v.get("message", "")) if isinstance(v, dict) else str(v) for v in value.values()]
        return "; ".join(p for p in parts if p and p.lower() != "success")
    return str(value)
