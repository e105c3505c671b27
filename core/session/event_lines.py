"""Events as text, one line each: the log of the window, of a recording, and of recordings in other viewers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from core.common.parameters import Parameters, changed
from core.planning.facets import Frame
from core.planning.sentences import quoted
from core.session import events as e
from core.session.command import Wording, because
from core.session.commands import SetParameter
from core.session.marks import mark_of
from core.world.vocabulary import Action, in_words, named

Kind = Literal["turn", "action", "command", "call", "fault", "note"]
KINDS: tuple[Kind, ...] = ("turn", "action", "command", "call", "fault", "note")
WORDED: Final = ("Began", "TurnBegan", "Ended", "Rewound", "Switched", "Decided", "Acted", "Diverged", "CommandTaken", "Asked",
                 "AskedAside", "Replied", "Frame", "Failed", "Recovered", "Paused", "BreakpointHit", "Resumed", "Annotated",
                 "Relabelled")
"""The kinds of payload and facet that have a line."""
UNLABELLED: Final = tuple(kind for kind in WORDED if kind not in ("Annotated", "Relabelled"))
"""Those of them that are not about labels, which may change after the run."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log.

    Attributes:
        at: when it happened, as in the event.
        turn: the turn it happened in.
        kind: what the line is about; the log filters by it.
        text: the line itself.
        icon: name of one of the theme's icons.
        tone: colour token of the text.
        who: colour token of the icon, which stands for who did it.
        action: the action it is about, or None.
        number: number of the model call it is about, or -1.
        annotator: who gave the label it is about; None: it is about no label.
        worked: the seconds of work until then, which is the time that is told; None: not known, it is found by `at`.
        event: the number of the event; -1: it tells of no event.
    """

    at: float
    turn: int
    kind: Kind
    text: str
    icon: str
    tone: str = "text"
    who: str = "muted"
    action: Action | None = None
    number: int = -1
    annotator: str | None = None
    worked: float | None = None
    event: int = -1


class EventFormatter:
    """Formats events as text. Remembers earlier values, so that a line can name the value before a change.

    Args:
        phrase: formats an action: `walk to the fridge`; by default with ids.
        name: formats an entity.
    """

    def __init__(self, phrase: Callable[[Action], str] = in_words, name: Callable[[str], str] = str):
        self._phrase, self._name = phrase, name
        self._parameters = Parameters()
        self._purposes: dict[int, str] = {}

    def format(self, event: e.Event) -> Line | None:
        """Returns the line of an event, or None for events that panels show directly (facets, lists of actions)."""
        what = event.what
        match what:
            case e.Began() | e.TurnBegan() | e.Ended() | e.Rewound() | e.Switched():
                return self._turning(event, what)
            case e.Decided() | e.Acted():
                return self._acting(event, what)
            case e.Diverged() if (mark := mark_of(event)) is not None:
                return _line(event, "note", named(mark.text, self._name), "compare", "muted", action=what.other)
            case e.CommandTaken():
                return self._commanded(event, what)
            case e.Asked() | e.AskedAside() | e.Replied():
                return self._called(event, what)
            case e.Shown(facet=Frame(notice=notice)) if notice:
                return _line(event, "note", notice, "info", "muted")
            case (e.Failed() | e.Recovered() | e.Paused() | e.BreakpointHit() | e.Resumed() | e.Annotated() | e.Relabelled()):
                line = _happened(event, what)
                return replace(line, text=named(line.text, self._name))
            case _:
                return None

    def _turning(self, event: e.Event, what: e.Began | e.TurnBegan | e.Ended | e.Rewound | e.Switched) -> Line:
        match what:
            case e.Began():
                self._parameters = what.parameters
                return _line(event, "turn", began_words(what), "run")
            case e.TurnBegan(progress=progress):
                have, want = sum(p.have for p in progress), sum(p.literal.count for p in progress)
                return _line(event, "turn", f"Turn {event.turn} began · {have} of {want} reached", "step", "muted")
            case e.Ended(success=success, reason=reason):
                icon, tone = ("goal", "good") if success else ("stop", "warn")
                return _line(event, "turn", f"Run ended: {reason}", icon, tone, tone)
            case e.Rewound(turn=turn, forked=forked, branch=branch):
                word = "Forked" if forked else "Rewound"
                return _line(event, "turn", f"{word} to turn {turn} · branch {branch}", "fork" if forked else "rewind",
                             who="operator_act")
            case e.Switched(branch=branch, turn=turn):
                return _line(event, "turn", f"Switched to branch {branch} at turn {turn}", "fork", who="operator_act")

    def _acting(self, event: e.Event, what: e.Decided | e.Acted) -> Line:
        if isinstance(what, e.Decided):
            operator = what.by == "operator"
            if what.action is None:
                return _line(event, "action", f"Planner sees nothing left to do{because(what.because)}", "planner", "warn")
            text = f"{'Operator' if operator else 'Planner'} chose: {self._phrase(what.action)}"
            if what.instead_of is not None and what.instead_of != what.action:
                text += f", instead of: {self._phrase(what.instead_of)}"
            return _line(event, "action", text + because(what.because), "override" if operator else "planner",
                         who="operator_act" if operator else "planner_act", action=what.action)
        action, outcome = what.outcome.action, what.outcome
        if outcome.ok:
            seconds = what.thinking + what.waiting + what.acting
            return _line(event, "action", f"Done: {self._phrase(action)} · {seconds:.1f} s", "check", who="good", action=action)
        words = f"Could not {self._phrase(action)}: {outcome.reason}"
        return _line(event, "fault", words, "fault", "bad", "bad", action)

    def _called(self, event: e.Event, what: e.Asked | e.AskedAside | e.Replied) -> Line:
        if not isinstance(what, e.Replied):
            self._purposes[what.id] = what.ask.purpose
            about = f" · {named(what.ask.subject, self._name)}" if what.ask.subject else ""
            about += " · with the operator's prompt" if isinstance(what, e.AskedAside) else ""
            return _line(event, "call", f"Call {what.id} to {what.source}: {what.ask.purpose}{about}", "model", "muted",
                         number=what.id)
        reply = what.reply
        how = "from the cache" if reply.cached else f"{reply.seconds:.1f} s · {reply.tokens_in:,} + {reply.tokens_out:,} tokens"
        kind = "" if reply.is_model or reply.source == "human" else " (not an LLM)"
        note = f" · {reply.note}" if reply.note else ""
        note += f" · {quoted(reply.texts[0])}" if reply.texts else ""
        text = f"Call {what.id} answered by {reply.source}{kind}: {self._purposes.pop(what.id, 'reply')} · {how}{note}"
        return _line(event, "call", text, "cache" if reply.cached else "model", "muted", number=what.id)

    def _commanded(self, event: e.Event, what: e.CommandTaken) -> Line | None:
        command = what.command
        text = command.line(Wording(self._phrase, self._name, self._parameters, what.before))
        if not text:
            return None
        if not what.ok:
            return _line(event, "fault", f"Refused: {text} – {what.reason}", "fault", "bad", "bad")
        if isinstance(command, SetParameter):
            self._parameters = changed(self._parameters, {command.name: command.value})
        return _line(event, "command", text, command.icon, who="operator_act")


def began_words(what: e.Began) -> str:
    """Returns the beginning of a run in one line."""
    return f"{what.planner} in {what.scene}, seed {what.seed}: {what.goal.text}"


_Happened = e.Failed | e.Recovered | e.Paused | e.BreakpointHit | e.Resumed | e.Annotated | e.Relabelled


def _happened(event: e.Event, what: _Happened) -> Line:
    match what:
        case e.BreakpointHit():
            return _line(event, "command", (
                f"Tracepoint “{what.point.expression}”, hit {what.count}: {what.what}" if what.point.log else
                f"Breakpoint “{what.point.expression}”, hit {what.count}"), "breakpoint")
        case e.Failed(part=part, message=message):
            return _line(event, "fault", f"The {part} failed: {message}", "fault", "bad", "bad")
        case e.Recovered(message=message):
            return _line(event, "fault", message[:1].upper() + message[1:], "retry", "warn", "warn")
        case e.Paused(reason=reason, seconds=seconds):
            return _line(event, "command", f"Paused for {seconds:g} s" if seconds else f"Paused: {reason}", "pause")
        case e.Resumed():
            return _line(event, "command", "Resumed", "run")
        case e.Annotated(label=label, note=note, phase=phase):
            word = {"point": "", "start": " begins", "stop": " ends"}[phase]
            words = f"{label}{word}{': ' if label and note else ''}{note}"
            return replace(_line(event, "note", words, "note", who="operator_act"), annotator=what.annotator)
        case e.Relabelled(change=change):
            words, one = "A label was removed", change.after or change.before
            if change.after is not None:
                words = f"{change.after.label}{' changed' if change.before is not None else ''}"
            return replace(_line(event, "note", words, "note", who="operator_act"), annotator=one.annotator if one else "")


def _line(event: e.Event, kind: Kind, text: str, icon: str, tone: str = "text", who: str = "muted",
          action: Action | None = None, number: int = -1) -> Line:
    return Line(event.at, event.turn, kind, " ".join(text.split()), icon, tone, who, action, number,
                worked=event.worked, event=event.number)
