"""What of a run is marked on its timeline, and in which words: one event at a time."""

from __future__ import annotations

from core.session import events as e
from core.session.commands import ChangeWorld
from core.session.turns import Mark, Marked
from core.world.vocabulary import in_words


def mark_of(event: e.Event) -> Mark | None:
    """Returns the mark of an event; None for events that leave none. The operator's labels are no marks."""
    match event.what:
        case e.CommandTaken(ok=True, command=command):
            found = command.mark()
            change = command.change if isinstance(command, ChangeWorld) else None
            return None if found is None else Mark(event.at, event.turn, found[0], found[1], event.branch, change)
        case e.Decided(by="operator", action=action, instead_of=instead):
            replaced = instead or action
            words = "nothing" if replaced is None else in_words(replaced)
            return _mark(event, "override", f"instead of: {words}" if instead else words)
        case e.Failed(message=message) | e.Recovered(message=message):
            return _mark(event, "fault", message)
        case e.Diverged(other=other, planner=planner):
            return _mark(event, "divergence", f"{planner} would {'give up' if other is None else in_words(other)}")
        case e.Rewound(turn=turn, branch=branch, forked=forked):
            return Mark(event.at, turn, "rewind", f"{'fork' if forked else 'rewind'} to turn {turn}", branch)
        case e.Switched(turn=turn, branch=branch):
            return Mark(event.at, turn, "rewind", f"back on branch {branch}, turn {turn}", branch)
        case _:
            return None


def _mark(event: e.Event, kind: Marked, text: str) -> Mark:
    return Mark(event.at, event.turn, kind, text, event.branch)
