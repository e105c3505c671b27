"""The middle of the window: the frames, the states of the run as cards over or under them, and notices at their top."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from core.common.errors import BelvedereError, GoalError, MissingPart, UsageError
from core.planning.facets import Moment
from core.session import commands as c
from core.session.annotation import Unsaved
from core.session.breakpoints import Hit, stopped_words, why_words
from core.session.events import Ended, Failed
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.context import Context
from gui.control.undo import Final
from gui.recordings.unsaved_labels import brief, counted
from gui.theme import Theme
from gui.theme.boxes import scrolled
from gui.widgets import Banner, CardState, Names, StateAction, StateCard
from gui.widgets.numbers import clock, compact, count
from gui.widgets.state_card import Kind
from gui.window.docks import Card
from gui.window.layout_fitting import FRAMES, GAP

SLACK = 8
"""Pixels by which the room between the bars may be less than the window expects."""
SHORT = 60
"""Characters of a reason that can be a heading."""
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


class _Frame(QFrame):
    """A border around one widget at a time; hidden while there is none."""

    def __init__(self, name: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.setObjectName(name)
        self.content: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self.hide()

    def put(self, content: QWidget | None) -> None:
        """Shows a widget, and deletes the one that was shown before."""
        if self.content is not None:
            self._column.removeWidget(self.content)
            self.content.hide()
            self.content.deleteLater()
        self.content = content
        if content is not None:
            self._column.addWidget(content)
        self.setVisible(content is not None)


class Strip(_Frame):
    """A banner under the frames, which stay visible: in one line, or as high as its text needs.

    Attributes:
        state: what is shown.
    """

    def __init__(self, theme: Theme):
        super().__init__("Card")
        self._theme = theme
        self.state: CardState | None = None

    def show_state(self, state: CardState | None) -> None:
        """Shows a state, or none."""
        self.state = state
        self.put(None)
        self.fit()

    def fit(self) -> None:
        """Chooses the form of the banner for the present width."""
        state, parent = self.state, self.parentWidget()
        if state is None or parent is None:
            return
        width = parent.width() - 2
        low = state.kind == "done" or Banner.line_width(self._theme, state) <= width  # what a success cost may be cut
        banner = self.content
        if not isinstance(banner, Banner) or banner.low != low:
            banner = Banner(self._theme, state, low=low)
            self.put(banner)
        self.setFixedHeight(banner.high_at(width) + 2)


class Overlay(QWidget):
    """Dims the frames and shows one card in their middle; a waiting card is at the bottom, without dimming."""

    def __init__(self, theme: Theme, parent: QWidget, room: Callable[[], QRect]):
        """Creates an empty overlay. `room` returns the area of its parent that it may cover, in pixels."""
        super().__init__(parent)
        self._room, self._theme = room, theme
        self._low = False
        self._content: QWidget | None = None
        self._box = _Frame("Dialog", self)
        self.hide()

    def show_content(self, content: QWidget | None, low: bool = False) -> None:
        """Shows a widget in the card; None hides the card. `low` places it at the bottom, without dimming."""
        self._low, self._content = low, content
        self._box.put(scrolled(content, 0) if isinstance(content, StateCard) else content)
        self.setVisible(content is not None)
        if content is not None:
            self.place()
            self.raise_()

    def place(self) -> None:
        """Fits the card into the available area."""
        content, stage, px = self._content, self._room(), self._theme.px
        if content is None:
            return
        hint = content.sizeHint()
        room = QSize(min(px(620 if self._low else 560), stage.width() - px(24)), stage.height() - px(24))
        width = min(room.width(), max(hint.width(), px(320 if self._low else 400)))
        high = content.heightForWidth(width - 2) if content.hasHeightForWidth() else hint.height()
        if isinstance(content, StateCard):
            words = content.height_of_words(width - 2 - px(14))  # beside a scroll bar
            content.setMinimumHeight(words)
            high = max(high, words)
        high = min(room.height(), high + 2 if self._low else max(high + px(36), px(120)))
        if self._low:
            x, y = stage.x() + (stage.width() - width) // 2, stage.bottom() - high - px(15)
            self.setGeometry(x, y, width, high)
            self._box.setGeometry(0, 0, width, high)
        else:
            self.setGeometry(stage)
            self._box.setGeometry((self.width() - width) // 2, max(0, (self.height() - high) // 2), width, high)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the dimming."""
        del event
        if not self._low:
            painter = QPainter(self)
            painter.fillRect(self.rect(), self._theme.tinted("canvas", 0.62))
            painter.end()


class Stage(QWidget):
    """The frames and the overlay. `room` returns the height in pixels that is between the bars of the window."""

    def __init__(self, context: Context, room: Callable[[], int]):
        super().__init__()
        self._theme, self._least_room = context.theme, room
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.card = Card(context, "frames", on=self)
        column.setSpacing(GAP)
        column.addWidget(self.card, 1)
        self._strip, self.notice = Strip(self._theme), Strip(self._theme)
        """How a run ended, and what is asked or told meanwhile in its place."""
        column.addWidget(self._strip)
        column.addWidget(self.notice)
        self.overlay = Overlay(self._theme, self, lambda: self.rect().adjusted(1, self._theme.px(29), -1, -1))
        self._state: CardState | None = None
        context.theme_changed.connect(self._fit)

    def judged(self) -> QRect:
        """Returns where the frames are, in pixels of the desktop; empty while they are not in view."""
        return QRect(self.card.mapToGlobal(QPoint(0, 0)), self.card.size()) if self.card.isVisible() else QRect()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The least size of the frames, which are lower than `FRAMES` only in a window that has no room for that."""
        return QSize(FRAMES, max(self.card.minimumSizeHint().height(), min(FRAMES, self._least_room() - SLACK)))

    def show_state(self, state: CardState | None) -> None:
        """Shows a state of the run, or none."""
        if state == self._state:
            return
        self._state = state
        below = state is not None and state.kind in ("done", "large")
        low = state is not None and state.kind == "waiting"
        self._strip.show_state(state if below else None)
        self.show_notice(self.notice.state)
        card = None if state is None or below else Banner(self._theme, state) if low else StateCard(self._theme, state)
        self.overlay.show_content(card, low)

    def show_notice(self, state: CardState | None) -> None:
        """Shows a notice in place of how the run ended, or that again."""
        if state != self.notice.state:
            self.notice.show_state(state)
        self._strip.setVisible(state is None and self._strip.state is not None)

    @property
    def has_state(self) -> bool:
        """Whether a state is shown, over or under the frames."""
        return self._state is not None

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Moves the cards with the window."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.overlay.place()
        self._strip.fit()
        self.notice.fit()
        self.show_notice(self.notice.state)


@dataclass(frozen=True, slots=True)
class CardCallbacks:
    """Functions for the cards' buttons beyond the console's.

    Attributes:
        override: opens the override dialog.
        unrecorded: goes on without recording.
        close: closes the card.
        goal: starts editing the goal.
        models: opens the list of models.
        why: the button that shows why the episode failed; None: there is none.
    """

    override: Callable[[], object]
    unrecorded: Callable[[], object]
    close: Callable[[], object]
    goal: Callable[[], object]
    models: Callable[[], object]
    why: StateAction | None = None


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
        return ended_state(snapshot, console, callbacks)
    return None


def goal_state(error: GoalError, console: Console, callbacks: CardCallbacks) -> CardState:
    """Returns the card for a goal that is not possible in this scene: goals that are, and a button to type another."""
    text = f"{error.cause[:1].upper()}{error.cause[1:]}. Possible goals here:" if error.suggestions else error.cause
    choices = tuple(StateAction(task, "goal", partial(console.choose, replace(console.request, task=task, goal="")))
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
        copy = (StateAction("Copy command", "copy", partial(QGuiApplication.clipboard().setText, command)),) if command else ()
        cause = _COMMAND.sub("", text)
        return CardState("missing", "A part is not installed", cause, mono=command, choices=models, actions=(*copy, again))
    if isinstance(error, UsageError):
        fitting = tuple(StateAction(title, "planner" if other.planner != console.request.planner else "goal",
                                    partial(console.choose, other))
                        for title, other in console.choices.instead_of(console.request))
        return CardState("missing", "This run cannot start", text, "goal", choices=(*fitting, *models), actions=(again,))
    heading = "This run did not start" if isinstance(error, BelvedereError) else "The session failed"
    return CardState("failed", heading, text or type(error).__name__, choices=models, actions=(again,))


def install_command(text: str) -> str:
    """Returns the command at the end of a message, or empty."""
    found = _COMMAND.search(text)
    return found.group(1) if found else ""


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


def ended_state(snapshot: Snapshot, console: Console, callbacks: CardCallbacks) -> CardState:
    """Returns the card for the end of a run, with one line of numbers, and why it failed."""
    ended = snapshot.ended
    assert ended is not None, "asked for an ended run only"
    done = sum(p.reached for p in ended.progress)
    tokens = snapshot.tokens_in + snapshot.tokens_out
    calls = count(snapshot.model_calls, "call")
    facts = f"{done} of {len(ended.progress)} · {calls} · {compact(tokens)} tokens · {clock(snapshot.worked)}"
    reason = ended.reason[:1].upper() + ended.reason[1:]
    if ended.success:
        reason = f"Goal reached in {count(len(snapshot.line), 'turn')}" if snapshot.line else "The goal held from the start"
    heading, text = (reason, facts) if len(reason) <= SHORT else ("The run has ended", f"{reason} · {facts}")
    why = (callbacks.why,) if callbacks.why is not None and not ended.success else ()
    actions = (*why, StateAction("Run again", "retry", console.again, primary=True),
               StateAction("Close", "close", callbacks.close))
    kind: Kind = "done" if ended.success else "large"
    icon = "" if ended.success else "goal"
    return CardState(kind, heading, text, icon, actions=actions)


class Notices(QObject):
    """Decides which notice is shown: a breakpoint that stopped the run, an action that cannot be undone, a correction, a file.

    A file is a recording that cannot be read, or that was shown when the window was closed.
    """

    def __init__(self, console: Console, stage: Stage):
        super().__init__(stage)
        self._console, self._stage = console, stage
        self.box = stage.notice
        self._hit: Hit | None = None
        self._closed: Hit | None = None
        self._passes = False
        """Whether the notice on display goes when the next turn is done."""
        self._line = 0
        self._answers = False
        """Whether the notice on display answers an act of the operator."""
        self._unreadable = False
        """Whether the notice on display is about a recording that cannot be read."""
        self._passed_on: tuple[CardState | None, Ended | None] = (None, None)
        """The last notice that goes when a run ends, whose outcome is shown in its place, and the end known when it came."""
        self._unsaved: CardState | None = None
        """The notice about labels that could not be written, once there was one."""
        console.replay.opened.connect(lambda _: self._on_opened())
        console.live_snapshot.connect(self._on_live)
        console.undoing.refused.connect(self.offer_rewind)

    @property
    def shown(self) -> bool:
        """Whether a notice is shown."""
        return self.box.state is not None

    def close(self) -> bool:
        """Closes the notice. Returns True if there was one."""
        was, self._passes, self._unreadable = self.shown, False, False
        self._closed = self._hit
        self._stage.show_notice(None)
        return was

    def offer_rewind(self, final: Final) -> None:
        """Shows that an action cannot be undone, and offers to rewind to the turn before it."""
        close = StateAction("Close", "close", self.close)
        rewind = StateAction(f"Rewind to turn {final.turn}", "rewind", partial(self._rewind, final), primary=True)
        text = f"It was done in turn {final.turn}. Rewinding starts a new branch just before it." if final.turn \
            else "It has taken effect. Choose another one to change it."
        self._passes, self._line, self._answers = True, len(self._console.snapshot.turns), True
        self._unreadable = False
        self._stage.show_notice(CardState("large", f"“{final.what}” cannot be undone", text, "undo",
                                      actions=(rewind, close) if final.turn else (close,)))

    def offer_example(self, moment: Moment, keep: Callable[[Moment], object]) -> None:
        """Offers to keep a turn that the operator corrected as an example, until the next turn is done."""
        if self.shown and (self._answers or not self._passes):
            return  # a breakpoint, or the answer to what the operator just did, is more urgent

        def act() -> None:
            self.close()
            keep(moment)

        self._passes, self._line, self._answers = True, len(self._console.snapshot.turns), False
        self._stage.show_notice(CardState("large", f"You corrected turn {moment.turn}",
                                      "LLM-MCTS shows examples to its model in similar tasks.", "learnings",
                                      actions=(StateAction("Keep as example", "learnings", act, primary=True),
                                               StateAction("Close", "close", self.close))))

    def offer_name(self, give: Callable[[], object]) -> bool:
        """Asks who labels. Returns False if a breakpoint that stopped the run is shown, which is more urgent."""
        if self.shown and not self._passes:
            return False

        def act() -> None:
            self.close()
            give()

        self._passes = False
        self._stage.show_notice(CardState("large", "Who labels?", "Your name stands beside your labels.", "note",
                                      actions=(StateAction("Give a name …", "user", act, primary=True),
                                               StateAction("Not now", "close", self.close))))
        return True

    def offer_document(self, name: str, act: Callable[[], object]) -> None:
        """Offers to open the recording of the last start again, until a run begins."""
        if not self.shown:
            self._passes, self._line, self._answers = True, len(self._console.snapshot.turns), False
            actions = (StateAction("Open", "folder", lambda: (self.close(), act()), primary=True),
                       StateAction("Not now", "close", self.close))
            self._stage.show_notice(CardState("large", f"Open {name} again?", "It was shown when the window was closed.",
                                              "runs", actions=actions))

    def report_unreadable(self, name: str, why: str, another: Callable[[], object]) -> None:
        """Shows that a recording cannot be read, until the operator closes it or opens another one, or a run ends.

        Args:
            name: the file's name.
            why: the reason, in one line.
            another: lets the operator choose another recording.
        """
        self._passes, self._unreadable = False, True
        self._stage.show_notice(CardState("failed", f"{name} cannot be read", why,
                                      actions=(StateAction("Open another …", "folder", lambda: (self.close(), another())),
                                               StateAction("Close", "close", self.close))))
        self._passed_on = self.box.state, self._console.snapshot.ended

    def report_left(self, lines: Sequence[str]) -> None:
        """Shows what a console that did not close properly has left, until the operator closes it or a run ends."""
        self._passes = self._unreadable = False
        more = f", and {len(lines) - 1} more" if len(lines) > 1 else ""
        self._stage.show_notice(CardState("large", "Belvedere did not close properly", f"{lines[0]}{more}", "runs",
                                      actions=(StateAction("Close", "close", self.close),)))
        self._passed_on = self.box.state, self._console.snapshot.ended

    def report_unsaved(self, unsaved: Unsaved, elsewhere: Callable[[], object], again: Callable[[], object]) -> None:
        """Shows that labels could not be written, until they are or the annotator closes it."""
        if not unsaved:
            if self._unsaved is not None and self._unsaved is self.box.state:
                self.close()
            return
        self._passes = self._unreadable = False
        self._stage.show_notice(CardState("failed", counted(unsaved), brief(unsaved),
                                      actions=(StateAction("Save elsewhere …", "folder", elsewhere, primary=True),
                                               StateAction("Try again", "redo", again),
                                               StateAction("Close", "close", self.close))))
        self._unsaved = self.box.state

    def _on_opened(self) -> None:
        if self._unreadable:
            self.close()

    def _rewind(self, final: Final) -> None:
        self.close()
        self._console.rewind(Moment(final.branch, final.turn))

    def _on_live(self, snapshot: Snapshot) -> None:
        names = self._console.context.names.of(snapshot)
        hit = snapshot.stopped if not self._console.replaying else None
        notice, ended = self._passed_on
        has_ended = snapshot.ended is not None and snapshot.ended is not ended
        if (self._passes and len(snapshot.turns) != self._line) or (has_ended and self.shown and self.box.state is notice):
            self.close()
        if hit is self._hit:
            return
        self._hit = hit
        if hit is not None and hit is not self._closed:
            self._passes = self._unreadable = False
            self._stage.show_notice(self._hit_state(hit, names))
        elif not self._passes:
            self._stage.show_notice(None)

    def _hit_state(self, hit: Hit, names: Names) -> CardState:
        post = self._console.runner.post
        off = partial(post, c.EnableBreakpoint(hit.point, enabled=False))
        actions = [StateAction("Go on", "run", self._console.run, primary=True)]
        if not hit.point.once:
            actions.append(StateAction("Turn off", "breakpoint", off))
        actions.append(StateAction("Close", "close", self.close))
        why = why_words(hit)
        where = why[:1].upper() + why[1:] if hit.what == f"turn {hit.turn}" else f"Turn {hit.turn} · {why}"
        return CardState("large", names.with_names(stopped_words(hit)), where, "breakpoint", actions=tuple(actions))
