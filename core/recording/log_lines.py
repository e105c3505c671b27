"""Formats events as log lines, for viewers that know nothing of Belvedere. Facets are left to Belvedere's own panels."""

from __future__ import annotations

from typing import Literal, NamedTuple

from core.session import events as e

Level = Literal["info", "warning", "error"]


class Line(NamedTuple):
    """A line: its level, its source, its text."""

    level: Level
    who: str
    text: str


def line_of(what: e.Payload) -> Line | None:
    """Returns an event as one line; None for events without words, and for requests, whose replies are logged."""
    match what:
        case e.Shown() | e.Asked() | e.TurnBegan():
            return None
        case e.Began():
            return Line("info", "session", f"{what.planner} in {what.scene}, seed {what.seed}: {what.goal.text}")
        case e.Ended(success=success, reason=reason):
            return Line("info" if success else "warning", "session", f"ended: {reason}")
        case e.Decided() | e.Acted():
            return _action_line(what)
        case e.Replied(reply=reply):
            return Line("info", "model", f"{reply.source} replied: {reply.texts[0] if reply.texts else 'nothing'}")
        case e.Failed(part=part, message=message, waits=waits):
            return Line("error" if waits else "warning", part, message)
        case e.Recovered(part=part, message=message):
            return Line("info", part, message)
        case _:
            return _session_line(what)


def _action_line(what: e.Decided | e.Acted) -> Line:
    if isinstance(what, e.Decided):
        chosen = str(what.action) if what.action else "nothing"
        return Line("info", what.by, f"chose {chosen}{f': {what.because}' if what.because else ''}")
    outcome = what.outcome
    if outcome.ok:
        return Line("info", "simulator", f"did {outcome.action}")
    return Line("warning", "simulator", f"{outcome.action} refused: {outcome.reason}")


def _session_line(what: e.Payload) -> Line | None:
    match what:
        case e.CommandTaken(command=command, ok=ok, reason=reason):
            word = type(command).__name__
            return Line("info", "operator", word) if ok else Line("warning", "operator", f"{word} refused: {reason}")
        case e.Paused(reason=reason):
            return Line("info", "session", f"paused: {reason}")
        case e.Resumed():
            return Line("info", "session", "goes on")
        case e.Rewound(turn=turn, branch=branch):
            return Line("info", "operator", f"back to turn {turn}, as branch {branch}")
        case e.Annotated(label=label, note=note, phase=phase):
            return Line("info", "operator", f"{label} ({phase}){f': {note}' if note else ''}")
        case e.Relabelled(change=change):
            return Line("info", "operator", f"label changed to {change.after.label}" if change.after else "label taken away")
        case _:
            return None
