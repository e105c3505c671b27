"""Scripts for Unity, and its error messages in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sim.virtualhome.common.apartment_state import Node
from sim.virtualhome.common.verbs import script_line

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
    reason = re.sub(r"<([^>]+)> \((\d+)\)", lambda m: f"the {m[1].replace('_', ' ')} {m[2]}", reason)
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
