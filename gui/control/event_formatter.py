"""Formats events as text, one line each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.common.parameters import Parameters, Value, changed, described
from core.planning.facets import Belief, Facet, Frame
from core.session import commands as c
from core.session import events as e
from core.session.breakpoint_hits import title
from core.world.vocabulary import Action, named

Kind = Literal["turn", "action", "command", "call", "fault", "note"]
KINDS: tuple[Kind, ...] = ("turn", "action", "command", "call", "fault", "note")


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


class EventFormatter:
    """Formats events as text. Remembers earlier values, so that a line can name the value before a change.

    Args:
        phrase: formats an action: `walk to the fridge`.
        name: formats an entity.
    """

    def __init__(self, phrase: Callable[[Action], str], name: Callable[[str], str]):
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
            case e.CommandTaken():
                return self._commanded(event, what)
            case e.Asked() | e.AskedAside() | e.Replied():
                return self._called(event, what)
            case e.Shown(facet=Frame(notice=notice)) if notice:
                return _line(event, "note", notice, "info", "muted")
            case (e.Failed() | e.Recovered() | e.Paused() | e.BreakpointHit() | e.Resumed() | e.Annotated() | e.Relabelled()):
                return _happened(event, what)
            case _:
                return None

    def _turning(self, event: e.Event, what: e.Began | e.TurnBegan | e.Ended | e.Rewound | e.Switched) -> Line:
        match what:
            case e.Began():
                self._parameters = what.parameters
                text = f"{what.planner} in {what.simulator} {what.scene}: {what.goal.text} · seed {what.seed}"
                return _line(event, "turn", text, "run")
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
                return _line(event, "action", f"Planner sees nothing left to do{_because(what.because)}", "planner", "warn")
            text = f"{'Operator' if operator else 'Planner'} chose: {self._phrase(what.action)}"
            if what.instead_of is not None and what.instead_of != what.action:
                text += f", instead of: {self._phrase(what.instead_of)}"
            return _line(event, "action", text + _because(what.because), "override" if operator else "planner",
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
        text = f"Call {what.id} answered by {reply.source}{kind}: {self._purposes.pop(what.id, 'reply')} · {how}{note}"
        return _line(event, "call", text, "cache" if reply.cached else "model", "muted", number=what.id)

    def _commanded(self, event: e.Event, what: e.CommandTaken) -> Line | None:
        words, icon = self._command(what.command, what.before)
        if not words:
            return None
        if not what.ok:
            return _line(event, "fault", f"Refused: {words} – {what.reason}", "fault", "bad", "bad")
        if isinstance(what.command, c.SetParameter):
            self._parameters = changed(self._parameters, {what.command.name: what.command.value})
        return _line(event, "command", words, icon, who="operator_act")

    def _command(self, command: c.Command, before: Facet | None) -> tuple[str, str]:
        match command:
            case c.Look() | c.KeepPictures() | c.ListActions() | c.Annotate():
                return "", ""
            case c.Override(action=action, told=told, why=why):
                return f"Override: {self._phrase(action)}{'' if told else ' · planner not told'}{_because(why)}", "override"
            case c.Ban(action=action):
                return f"Ban: {self._phrase(action)}", "ban"
            case c.Unban(action=action):
                return f"Allow again: {self._phrase(action)}", "ban"
            case c.Edit(facet=facet, why=why):
                return f"{self._edited(before, facet)}{_because(why)}", "edit"
            case c.SetParameter(name=name, value=value):
                return f"{name}: {_value(self._before(name))} → {_value(value)}", "parameters"
            case c.SetGoal(goal=goal):
                return f"New goal: {goal.text}", "goal"
            case _:
                return _plain(command)

    def _before(self, name: str) -> Value | None:
        return next((p.value for p in described(self._parameters) if p.name == name), None)

    def _edited(self, before: Facet | None, after: Facet) -> str:
        if isinstance(before, Belief) and isinstance(after, Belief) and before.probability.shape == after.probability.shape:
            change = np.abs(after.probability - before.probability)
            row, column = (int(k) for k in np.unravel_index(int(change.argmax()), change.shape))
            was, now = before.probability[row, column], after.probability[row, column]
            return f"Belief: {after.objects[row]} · {self._name(after.places[column])} · {was:.2f} → {now:.2f}"
        return f"Edited: {_spaced(type(after).__name__)}"


def _switched(command: c.SetBreakpoint | c.ClearBreakpoint | c.EnableBreakpoint) -> str:
    match command:
        case c.SetBreakpoint():
            return "set"
        case c.ClearBreakpoint():
            return "deleted"
        case c.EnableBreakpoint(enabled=enabled):
            return "turned on" if enabled else "turned off"


def _plain(command: c.Command) -> tuple[str, str]:
    """Formats commands whose text needs nothing but the command."""
    match command:
        case c.SetBreakpoint() | c.ClearBreakpoint() | c.EnableBreakpoint():
            return f"Breakpoint {_switched(command)}: {title(command.breakpoint)}", "breakpoint"
        case c.Answer(ask=ask, text=text):
            return f"Operator answered call {ask}: {_short(text)}", "user"
        case c.AskAgain(ask=ask):
            return f"Asked call {ask} again", "retry"
        case c.AskAside(question=ask):
            return f"Asked with the operator's prompt: {ask.purpose}", "edit"
        case c.UseModel(name=name):
            return f"Provider: {name}", "provider"
        case c.SetSteps(most=most):
            return f"Steps allowed: {most}", "edit"
        case c.SetLimits(calls=calls, tokens=tokens, cost=cost):
            limits = ((calls, "calls"), (tokens, "tokens"), (cost, "spent"))
            return f"Limits: {', '.join(f'{n} {what}' for n, what in limits if n is not None) or 'none'}", "edit"
        case c.Step(to=to):
            return f"Step one {to}", "step"
        case _:
            return _spaced(type(command).__name__).capitalize(), "edit"


_Happened = e.Failed | e.Recovered | e.Paused | e.BreakpointHit | e.Resumed | e.Annotated | e.Relabelled


def _happened(event: e.Event, what: _Happened) -> Line:
    match what:
        case e.BreakpointHit(point=point, count=count):
            return _line(event, "command", f"Breakpoint “{title(point)}”, hit {count}", "breakpoint")
        case e.Failed(part=part, message=message):
            return _line(event, "fault", f"The {part} failed: {message}", "fault", "bad", "bad")
        case e.Recovered(message=message):
            return _line(event, "fault", message[:1].upper() + message[1:], "retry", "warn", "warn")
        case e.Paused(reason=reason):
            return _line(event, "command", f"Paused: {reason}", "pause")
        case e.Resumed():
            return _line(event, "command", "Resumed", "run")
        case e.Annotated(label=label, note=note, phase=phase):
            word = {"point": "", "start": " begins", "stop": " ends"}[phase]
            return _line(event, "note", f"{label}{word}{': ' if label and note else ''}{note}", "note", who="operator_act")
        case e.Relabelled(change=change):
            words = f"{change.after.label} changed" if change.after is not None else "A label was removed"
            return _line(event, "note", words, "note", who="operator_act")


def _line(event: e.Event, kind: Kind, text: str, icon: str, tone: str = "text", who: str = "muted",
          action: Action | None = None, number: int = -1) -> Line:
    return Line(event.at, event.turn, kind, " ".join(text.split()), icon, tone, who, action, number)


def _because(why: str) -> str:
    return f" – {_short(why)}" if why else ""


def _short(text: str, most: int = 160) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most - 1] + "…"


def _value(value: Value | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _spaced(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
