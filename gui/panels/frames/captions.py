"""What a picture shows, in words: read from the picture's own tags, never from the turn at which it arrived."""

from __future__ import annotations

from core.planning.facets import Frame, View
from core.session.lineage import first_from
from core.session.snapshot import Snapshot
from gui.control.turn_lookup import branch_name

PHASES = {"before": "turn {}", "after": "after turn {}", "about": "about turn {}"}
NAMES: dict[View, str] = {"first person": "First person", "dollhouse": "Dollhouse"}


def is_own(frame: Frame, snapshot: Snapshot) -> bool:
    """Whether a picture shows the turn of a snapshot."""
    return frame.branch == snapshot.branch and frame.turn == max(1, snapshot.turn)


def moment_words(frame: Frame, snapshot: Snapshot) -> str:
    """`turn 4`, `after turn 14`, `about turn 3`; of another branch than the snapshot's with its name."""
    words = PHASES[frame.phase].format(frame.turn)
    return words if frame.branch == snapshot.branch else f"{words}, {branch_name(frame.branch)}"


def title_of(frame: Frame | None, view: View) -> str:
    """What kind of picture it is."""
    return frame.title if frame is not None and frame.title else NAMES[view]


def room_of(frame: Frame, snapshot: Snapshot) -> str:
    """The id of the room that the robot was in when the picture was taken; empty where that is not known."""
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
