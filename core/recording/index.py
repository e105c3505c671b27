"""What is found in a recording without reading its facets: the marks on the timeline, the calls, and the replies to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from core.llm.goal_translation import GOAL_READING
from core.llm.replay import Replay, save_replies
from core.planning.model_requests import ModelReply
from core.recording.reader import Recording
from core.session import events as e
from core.session.turns import Call
from core.world.vocabulary import in_words

Kind = Literal["fault", "edit", "world", "override", "label", "branch", "goal", "divergence"]
READ = ("Failed", "Recovered", "CommandTaken", "Decided", "Annotated", "Rewound", "Switched", "Diverged")


@dataclass(frozen=True, slots=True)
class Entry:
    """One mark: its event, its time, and a few words about it."""

    kind: Kind
    number: int
    at: float
    turn: int
    branch: int
    text: str
    worked: float = 0.0
    """Its time on the clock that stands still while the session waits for a person, in seconds."""
    annotator: str | None = None
    """Who gave the label; None for other marks."""


def entries(recording: Recording, *kinds: Kind) -> tuple[Entry, ...]:
    """Returns all marks in order, or those of some kinds."""
    found = (_entry(event) for event in recording.of_kind(*READ))
    return tuple(x for x in found if x is not None and (not kinds or x.kind in kinds))


def calls(recording: Recording, beside: str = "", *, given: bool = True) -> Iterator[Call]:
    """Yields answered calls, in order of their replies.

    Args:
        recording: the recording.
        beside: the purpose of calls beside the run that are included; empty: none.
        given: also those that the operator gave a reply to in a fork.
    """
    waiting: dict[int, Call] = {}
    for event in recording.of_kind("Asked", "AskedAside", "Replied"):
        what = event.what
        if isinstance(what, e.Asked) or (isinstance(what, e.AskedAside) and what.ask.purpose == beside):
            waiting[what.id] = Call(what.id, event.turn, event.branch, what.ask, what.source, event.at)
        elif isinstance(what, e.Replied) and what.id in waiting:
            asked = waiting.pop(what.id)
            if what.given and not given:
                continue
            yield Call(asked.id, asked.turn, asked.branch, asked.ask, asked.source, asked.asked_at, what.reply)


def _entry(event: e.Event) -> Entry | None:
    found = _kind_and_text(event.what)
    if found is None:
        return None
    by = event.what.annotator if isinstance(event.what, e.Annotated) else None
    return Entry(found[0], event.number, event.at, event.turn, event.branch, found[1], event.worked, by)


def _kind_and_text(what: e.Payload) -> tuple[Kind, str] | None:
    match what:
        case e.Failed(message=message) | e.Recovered(message=message):
            return "fault", message
        case e.CommandTaken(ok=True, command=command):
            return command.mark()
        case e.Decided(by="operator", action=action, instead_of=instead) if action is not None:
            return "override", in_words(action) + (f", instead of: {in_words(instead)}" if instead else "")
        case e.Annotated(label=label, note=note):
            return "label", f"{label}: {note}" if note else label
        case e.Rewound(turn=turn, branch=branch, forked=forked):
            return "branch", f"{'fork' if forked else 'rewind'} to turn {turn}, branch {branch}"
        case e.Diverged(other=other, planner=planner):
            return "divergence", f"{planner} would {'give up' if other is None else in_words(other)}"
        case e.Switched(branch=branch, turn=turn):
            return "branch", f"back on branch {branch}, turn {turn}"
        case _:
            return None


Pairs = list[tuple[str, ModelReply]]


def replies(recording: Recording) -> Pairs:
    """Returns (key, reply) in order of the replies, also those that read the goal.

    Replies that the session took from its own memory are left out, because it will do so again, and those that belong to one
    branch only, because a command gives them. Keys are made with the source
    of the first reply, because `Replay` looks them up there, whichever provider was asked first.
    """
    answered = [(call.ask, call.reply) for call in calls(recording, GOAL_READING, given=False) if call.reply is not None]
    if not answered:
        return []
    source, known = answered[0][1].source, set()
    found: Pairs = []
    for ask, reply in answered:
        key = ask.key(source)
        if not (reply.cached and key in known):
            known.add(key)
            found.append((key, replace(reply, cached=False)))
    return found


def replay_of(recording: Recording) -> Replay:
    """Returns a provider that answers as in this recording."""
    found: dict[str, list[ModelReply]] = {}
    for key, reply in replies(recording):
        found.setdefault(key, []).append(reply)
    return Replay(found)


def write_replies(recording: Recording, out: Path) -> Path:
    """Writes a JSON-lines file for `--provider replay --ask file=…`.

    Raises:
        DataError: it cannot be written.
    """
    save_replies(out, replies(recording))
    return out
