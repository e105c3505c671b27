"""The states of the run as a whole, as cards over the frames: opening, cannot start, failed, ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtGui import QGuiApplication

from core.common.errors import BelvedereError, GoalError, MissingPart, UsageError
from core.session import commands as c
from core.session.events import Failed
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.widgets import CardState, StateAction
from gui.widgets.numbers import clock, compact, count
from gui.widgets.state_card import Kind

SHOWN_BY_FRAMES = frozenset({"simulator", "camera"})
"""Failures that the frames themselves show, instead of the picture."""
_COMMAND = re.compile(r"(?::|,? or run:?) `?((?:\S*pip|make|python|keyring) [^`]+?)`?(?= \(|$)")
"""Matches a command at the end of a message."""
_HEADINGS = {
    "model": "The model did not answer",
    "simulator": "The simulator stopped",
    "planner": "The planner failed",
    "camera": "No picture could be drawn",
    "recorder": "The recording stopped",
}


@dataclass(frozen=True, slots=True)
class CardCallbacks:
    """Functions for the cards' buttons beyond the console's.

    Attributes:
        override: opens the override dialog.
        unrecorded: goes on without recording.
        close: closes the card.
        goal: starts editing the goal.
        models: opens the list of models.
    """

    override: Callable[[], object]
    unrecorded: Callable[[], object]
    close: Callable[[], object]
    goal: Callable[[], object]
    models: Callable[[], object]


def run_state(console: Console, callbacks: CardCallbacks) -> CardState | None:
    """Returns the card for the present state, or None if the run needs none."""
    snapshot = console.snapshot
    if console.replay.loading is not None:
        return CardState("waiting", "Opening the recording", f"{console.replay.loading.name} · the file is being read.")
    if console.replaying:
        return None
    if console.trouble is not None:
        return trouble_state(console.trouble, console, callbacks)
    if console.runner.phase == "preparing" and snapshot.event < 0:
        return CardState("waiting", "Opening the scene", f"{console.request.scene} · the planner can start in a moment.")
    if snapshot.failure is not None and snapshot.failure.waits and snapshot.failure.part not in SHOWN_BY_FRAMES:
        return failure_state(snapshot.failure, console, callbacks)
    if snapshot.ended is not None and console.begun:
        return ended_state(snapshot, console, callbacks.close)
    return None


def goal_state(error: GoalError, console: Console, callbacks: CardCallbacks) -> CardState:
    """Returns the card for a goal that is not possible in this scene: goals that are, and a button to type another."""
    text = f"{error.cause[:1].upper()}{error.cause[1:]}. Possible goals here:" if error.suggestions else error.cause
    choices = tuple(StateAction(task, "goal", partial(console.choose, replace(console.request, task=task)))
                    for task in error.suggestions)
    return CardState("missing", "This goal is not possible here", text, "goal", choices=choices,
                     actions=(StateAction("Type another goal", "edit", callbacks.goal, primary=not choices),))


def trouble_state(error: Exception, console: Console, callbacks: CardCallbacks) -> CardState:
    """Returns the card for a run that did not start, or a session that failed."""
    if isinstance(error, GoalError):
        return goal_state(error, console, callbacks)
    text = " ".join(str(error).split())
    again = StateAction("Try again", "retry", console.prepare, primary=True)
    asks = bool(console.request.model)  # then the cause may be that the model is not available
    models = (StateAction("Models …", "provider", callbacks.models),) if asks else ()
    if isinstance(error, MissingPart):
        command = install_command(text)
        copy = (StateAction("Copy command", "copy", partial(_copy, command)),) if command else ()
        cause = _COMMAND.sub("", text)
        return CardState("missing", "A part is not installed", cause, mono=command, choices=models, actions=(*copy, again))
    if isinstance(error, UsageError):
        return CardState("missing", "This run cannot start", text, "goal", choices=models, actions=(again,))
    heading = "This run did not start" if isinstance(error, BelvedereError) else "The session failed"
    return CardState("failed", heading, text or type(error).__name__, choices=models, actions=(again,))


def install_command(text: str) -> str:
    """Returns the command at the end of a message, or empty."""
    found = _COMMAND.search(text)
    return found.group(1) if found else ""


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def failure_state(failure: Failed, console: Console, callbacks: CardCallbacks) -> CardState:
    """Returns the card for a failure during a run, with the options the session offers."""
    actions = [a for option in failure.options if (a := _option_action(option, console, callbacks)) is not None]
    return CardState("failed", _HEADINGS[failure.part], failure.message, actions=tuple(actions))


def _option_action(option: str, console: Console, callbacks: CardCallbacks) -> StateAction | None:
    from core.recording.writer import WITHOUT  # loaded by now, with the session's autosave; the window does not wait for it

    post = console.runner.post
    if option == "Try again":
        return StateAction(option, "retry", partial(post, c.Retry()), primary=True)
    if option.startswith("Go back"):
        turn = max(1, console.snapshot.turn)
        return StateAction(f"Go back to turn {turn}", "prev", partial(post, c.Rewind(turn)))
    if option.startswith("Use "):
        name = option.removeprefix("Use ")
        return StateAction(option, "provider", partial(post, c.UseModel(name)))
    if option.startswith("Override"):
        return StateAction("Override", "override", callbacks.override)
    if option == WITHOUT:
        return StateAction(option, "close", callbacks.unrecorded)
    return None


def ended_state(snapshot: Snapshot, console: Console, close: Callable[[], object]) -> CardState:
    """Returns the card for the end of a run, with one line of numbers."""
    ended = snapshot.ended
    assert ended is not None, "asked for an ended run only"
    turns = count(len(snapshot.line), "turn")
    done = sum(p.reached for p in ended.progress)
    tokens = snapshot.tokens_in + snapshot.tokens_out
    calls = count(snapshot.model_calls, "call")
    facts = [f"{done} of {len(ended.progress)}", calls, f"{compact(tokens)} tokens", clock(snapshot.worked)]
    heading = f"Goal reached in {turns}" if ended.success else _reason(ended.reason)
    actions = (StateAction("Run again", "retry", console.again, primary=True), StateAction("Close", "close", close))
    kind: Kind = "done" if ended.success else "large"
    icon = "" if ended.success else "goal"
    return CardState(kind, heading, " · ".join(facts), icon, actions=actions)


def _reason(reason: str) -> str:
    words = reason[:1].upper() + reason[1:]
    return words if len(words) <= 60 else words[:59] + "…"
