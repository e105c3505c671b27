"""Captions of pictures, built from the tags of the frame itself, not from the turn at which it arrived."""

from __future__ import annotations

from core.planning.facets import Frame, View
from core.session.snapshot import Snapshot
from core.session.turns import first_from
from gui.control.snapshot_texts import branch_name

PHASES = {"before": "turn {}", "after": "after turn {}", "about": "about turn {}"}
NAMES: dict[View, str] = {"first person": "First person", "dollhouse": "Dollhouse"}


def is_own(frame: Frame, snapshot: Snapshot) -> bool:
    """Returns True if the picture shows the snapshot's turn in the snapshot's branch."""
    return frame.branch == snapshot.branch and frame.turn == max(1, snapshot.turn)


def moment_words(frame: Frame, snapshot: Snapshot) -> str:
    """Returns the moment of a picture, such as `turn 4`, `after turn 14` or `about turn 3`.

    The branch is named if it is not the branch of the snapshot.
    """
    words = PHASES[frame.phase].format(frame.turn)
    return words if frame.branch == snapshot.branch else f"{words}, {branch_name(frame.branch)}"


def title_of(frame: Frame | None, view: View) -> str:
    """Returns the title of a picture: the frame's own, or that of its view."""
    return frame.title if frame is not None and frame.title else NAMES[view]


def room_of(frame: Frame, snapshot: Snapshot) -> str:
    """Returns the id of the room that the robot was in when the picture was taken, or "" if it is not known."""
    if frame.phase == "about":
        return ""
    number = frame.turn + (frame.phase == "after")
    line = snapshot.line
    place = first_from(line, number)
    if place < len(line) and (line[place].number, line[place].branch) == (number, frame.branch):
        return line[place].agent.room or ""
    acted = bool(len(line)) and line[-1].number == snapshot.turn
    if snapshot.seen is None or not is_own(frame, snapshot) or (frame.phase == "after") != acted:
        return ""
    return snapshot.seen.agent.room or ""
