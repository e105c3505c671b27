"""What every panel is given: theme, selection, undo stack, edits, runs, breakpoints, and a way to post commands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Generic, Literal, TypeVar, cast

from PySide6.QtCore import QObject, QRect, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from core.app.run_request import Request
from core.common.parameters import Value
from core.llm.budget import Price
from core.llm.model import Partial
from core.planning.facets import Facet, Moment
from core.planning.measures import FacetIndex
from core.planning.simulation_facets import Margins
from core.session import commands as c
from core.session import events as e
from core.session.annotation import COMPANION
from core.session.breakpoints import Breakpoint
from core.session.command import NOTHING_SET, Wording
from core.session.pace import DEFAULT_PACE, Pace
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.background import BackgroundJobs
from gui.control.event_log import EventLog
from gui.control.frame_images import FrameImages
from gui.control.free_view import FreeView
from gui.control.margins import MarginFinder
from gui.control.previews import Previews
from gui.control.run_names import RunNames
from gui.control.watches import Watches
from gui.theme import Theme

F = TypeVar("F", bound=Facet)


class Context(QObject):
    """State and functions that all panels share; made by the composition root. The run's state is in the snapshot, not here.

    Args:
        theme: the colours and fonts in force.
        post: sends a command to the session; safe at any time, does nothing when there is no run.

    Attributes:
        live: False while a recording or a past turn is shown; panels must not offer edits then.
    """

    theme_changed = Signal()
    live_changed = Signal(bool)
    keys_changed = Signal()
    """`key_now` returns other keys from now on."""
    asked_undo = Signal()
    """Undo the operator's last action."""
    asked_comparison = Signal(object)
    """Compare the recording that is shown with that of a Path."""
    plain_changed = Signal(bool)
    """`plain` has changed."""
    newest_changed = Signal()
    """`newest` returns another snapshot from now on."""

    def __init__(self, theme: Theme, post: Callable[[c.Command], None]):
        super().__init__()
        self.theme, self.post = theme, post
        self.taken_back = ""
        """The name of the step that `undo_edit` undoes out of order, meanwhile."""
        self.selection = Selection()
        self.undo = QUndoStack(self)
        self.key_now: Callable[[str], str] = str
        """Returns the present key of an action or tool, given its default key."""
        self.newest: Callable[[Snapshot], Snapshot] = lambda shown: shown
        """Returns the newest snapshot of the run or recording, given the last one a panel was shown. The panel's is older if
        the panel was hidden meanwhile or the past is shown."""
        self.read_turn: Callable[[Moment, Callable[[Snapshot | None], None]], None] = lambda moment, then: then(None)
        """Reads the last snapshot of a turn and passes it to a function, at once or later, on the GUI thread. Passes None if
        the turn is not kept."""
        self.read_recording: Callable[[Path, int, Callable[[Snapshot | None], None]], None] = lambda path, n, take: take(None)
        """Reads the last snapshot of a turn of another recording, and passes it on in the same way."""
        self.request: Callable[[], Request | None] = lambda: None
        """Returns the request of the next runs."""
        self.set_request: Callable[[Request], None] = lambda request: None
        """Changes the request of the next runs."""
        self.is_recording: Callable[[], bool] = lambda: False
        """Whether a recording is shown instead of a run."""
        self.decide_here: Callable[[], object] = lambda: None
        """Makes the decision on display the present of a live run: takes a recording over there, or takes the run back."""
        self.kinds_of: Callable[[str], frozenset[type[Facet]] | None] = lambda planner: None
        """Returns the kinds of facet that a planner shows, given its name; None if that is not known."""
        self.planner_title: Callable[[str], str] = str
        """Returns a planner as people call it, with the preset and the values its name may carry: `LLM-MCTS:paper`."""
        self.fork_with: Callable[[Moment, c.GiveReply | c.ChangeWorld], None] = lambda moment, then: None
        """Forks the run at a turn with another reply or a change of the world; of a recording, goes on from there with it."""
        self.partial: Callable[[int], Partial | None] = lambda call: None
        """Returns the part of the reply to a waiting call that has arrived so far."""
        self.price: Callable[[str], Price | None] = lambda source: None
        """Returns the price of a million tokens of an answerer, or None if it is not known."""
        self.preparing: Callable[[], str] = str
        """Returns what goes on beside the run, such as compiling the search, as text; empty if nothing."""
        self.worked_at: Callable[[float], float] = lambda seconds: seconds
        """Returns how many of the seconds up to a moment of what is shown were work: the clock that the window tells."""
        self.judged: Callable[[], QRect] = QRect
        """Returns where the frames are, which labels and examples are about, in pixels of the desktop; empty while they are
        not in view."""
        self.pending_edits = PendingEdits()
        """Edits that the session has not answered yet."""
        self.runs = RunList()
        """The runs of this window."""
        self.breakpoints = OperatorBreakpoints()
        """The operator's breakpoints."""
        self.watches = Watches(lambda moment, then: self.read_turn(moment, then))
        """The operator's watched expressions."""
        self.label_filter = LabelFilter()
        """Whose labels may be shown."""
        self.views = FacetIndex()
        """The views of the newest facets: several panels may show parts of one."""
        self.names = RunNames()
        """The names of things in the last runs."""
        self.event_log = EventLog()
        """The log lines of a live run."""
        self.images = FrameImages()
        """The images of the newest frames."""
        self.preview = Previews()
        """The what-if preview of the change that is being dragged."""
        self.jobs = BackgroundJobs("panels")
        """Work of panels that the GUI thread must not wait for."""
        self.margins = MarginFinder()
        """What would change the decision at which the run is paused."""
        self.free_view = FreeView(self.images)
        """Draws the dollhouse from any side."""
        self.live_changed.connect(self.preview.set_live)
        self._live = True
        self._plain = False

    @property
    def live(self) -> bool:
        """Whether the newest state of a run is shown."""
        return self._live

    @property
    def shown_margins(self) -> Margins | None:
        """What would change the decision that is shown, as far as it is known; None also while the past is shown."""
        return self.margins.margins if self._live else None

    @property
    def plain(self) -> bool:
        """Whether visitors look on: pictures and dialogs then show no visits, values and probabilities."""
        return self._plain

    def set_plain(self, plain: bool) -> None:
        """Sets whether visitors look on."""
        if plain != self._plain:
            self._plain = plain
            self.plain_changed.emit(plain)

    def set_live(self, live: bool) -> None:
        """Sets whether the newest state of a run is shown."""
        if live != self._live:
            self._live = live
            self.live_changed.emit(live)

    def push(self, words: str, do: Callable[[], object], undo: Callable[[], object], *, done: bool = False,
             merges: object = None, about: type[Facet] | None = None) -> None:
        """Does something that can be undone.

        Args:
            words: its name on the undo stack.
            do: does it, also when it is done again. A step for which it or `undo` returns False is obsolete.
            undo: undoes it.
            done: it has happened already, so that pushing it does nothing.
            merges: successive steps with the same value, other than None, are one step.
            about: the kind of facet that is edited; None: it is no edit of one. See `undo_edit`.
        """
        self.undo.push(_Step(words, do, undo, done, merges, about))

    @property
    def undone(self) -> str:
        """The name of the step that is being undone."""
        return self.taken_back or self.undo.undoText()

    def last_edit(self, *kinds: type[Facet]) -> str:
        """Returns the name of the operator's last edit of some kinds of facet that is not undone; empty if there is none."""
        step = self._last_edit(kinds)
        return "" if step is None else step.text()

    def undo_edit(self, *kinds: type[Facet]) -> None:
        """Undoes the operator's last edit of some kinds of facet, and nothing that was done elsewhere since."""
        step = self._last_edit(kinds)
        if step is None:
            return
        if step is self.undo.command(self.undo.index() - 1):
            self.asked_undo.emit()
        else:
            self.push(f"undo: {step.text()}", partial(self._take_back, step), step.take_up)

    def _take_back(self, step: _Step) -> object:
        self.taken_back = step.text()
        try:
            return step.take_back()
        finally:
            self.taken_back = ""

    def _last_edit(self, kinds: Collection[type[Facet]]) -> _Step | None:
        if not isValid(self.undo):  # the stack announces that it is emptied while it is destroyed
            return None
        steps = (self.undo.command(k) for k in reversed(range(self.undo.index())))
        return next((step for step in steps if isinstance(step, _Step) and step.about in kinds and not step.taken_back), None)

    def push_command(self, command: c.Command, words: str = "", opposite: c.Command | None = None,
                     change: Callable[[Request], Request] | None = None) -> None:
        """Posts a command that can be undone.

        Args:
            command: the command.
            words: its name on the undo stack; empty: the command's own.
            opposite: the command that undoes it; None: the opposite that the command declares.
            change: returns the request of the next runs with the new value; None: the command is about this run only.
        """
        opposite, before = opposite or command.opposite(NOTHING_SET), self.request() if change is not None else None
        assert opposite is not None, "a command without an opposite cannot be undone"
        after = change(before) if change is not None and before is not None else None
        self.push(words or command.title(Wording()), partial(self._send, command, after), partial(self._send, opposite, before))

    def push_parameter(self, words: str, name: str, value: Value, before: Value) -> None:
        """Sets a parameter of the planner, for this run and the next ones."""
        self.push_command(c.SetParameter(name, value), words, c.SetParameter(name, before),
                          lambda request: replace(request, parameters={**request.parameters, name: value}))

    def _send(self, command: c.Command, request: Request | None) -> None:
        if request is not None:
            self.set_request(request)
        self.post(command)


class LabelFilter(QObject):
    """Whose labels the window may show. An annotator who works blind sees only their own until they have finished."""

    changed = Signal()
    """Other labels are shown from now on."""

    def __init__(self) -> None:
        super().__init__()
        self.only: str | None = None
        """The annotator whose labels are shown; None: those of everybody."""
        self.hidden = 0
        """How many labels of what is shown are hidden."""

    def show(self, only: str | None, hidden: int) -> None:
        """Takes a new state."""
        before, self.only, self.hidden = self.only, only, hidden
        if only != before:
            self.changed.emit()

    def passes(self, annotator: str | None) -> bool:
        """Returns True if something that is about a label of this annotator may be shown; None: it is about no label."""
        return self.only is None or annotator in (None, self.only, COMPANION)


class _Step(QUndoCommand):
    """A step of the undo stack, made of two functions.

    Attributes:
        about: the kind of facet that it edits; None: none.
        taken_back: a later step of the stack has undone it.
    """

    def __init__(self, words: str, do: Callable[[], object], undo: Callable[[], object], done: bool, merges: object,
                 about: type[Facet] | None):
        super().__init__(words)
        self._do, self._undo, self._done, self._merges = do, undo, done, merges
        self.about, self.taken_back = about, False

    def take_back(self) -> object:
        """Undoes it out of order, as part of a later step. Returns False if it cannot be undone."""
        self.taken_back = True
        return self._undo()

    def take_up(self) -> object:
        """Does it again after `take_back`. Returns False if it cannot be done."""
        self.taken_back = False
        return self._do()

    def redo(self) -> None:
        """Does it, unless it has happened already when it is pushed."""
        if not self._done:
            self.setObsolete(self._do() is False)
        self._done = False

    def undo(self) -> None:
        """Undoes it."""
        self.setObsolete(self._undo() is False)

    def id(self) -> int:
        """Returns 1 for a step that can merge with the next one, otherwise -1."""
        return -1 if self._merges is None else 1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 - Qt's name
        """Merges a later step into this one. Returns False if it is of another kind."""
        if not isinstance(other, _Step) or other._merges != self._merges:
            return False
        self._do = other._do
        self.setText(other.text())
        return True


@dataclass(frozen=True, slots=True)
class Selected:
    """The one selection: an object, room or place by its id, an action, or a model call, turn or simulation by its number.

    An action may have the id of the thing it is about and the number of a turn. It is then the better one in this turn: if it
    is not listed there, another one about the thing is meant, and the action itself if there is none.
    """

    kind: Literal["thing", "action", "call", "turn", "simulation"]
    id: str = ""
    action: Action | None = None
    number: int = -1


class Selection(QObject):
    """The selection shared by all panels: an object clicked in one panel is selected in all of them."""

    changed = Signal(object)
    """Selected, or None."""
    asked_override = Signal(str)
    """The id of an object that was double-clicked: open the override dialog filtered to it."""
    asked_changes = Signal(str)
    """The id of an object: open the list of changes that can be made to it in the simulator's world."""
    asked_actions = Signal(object)
    """A tuple of Actions that was double-clicked: open the override dialog and choose the first one that is possible."""
    asked_turn = Signal(int, int)
    """Branch and number of a turn that should be shown."""
    shown_panel = Signal(object)
    """The widget of a panel that was brought to the front, by whatever means: a key, a link, a tab."""
    asked_panel = Signal(str)
    """The name of a panel that should come into view."""
    pointed = Signal(object)
    """Selected, or None: the pointer rests on it in one panel, and others may highlight it. The selection does not change."""

    def __init__(self) -> None:
        super().__init__()
        self._now: Selected | None = None

    @property
    def now(self) -> Selected | None:
        """The present selection, or None."""
        return self._now

    def select(self, selected: Selected | None) -> None:
        """Changes the selection. Emits `changed` only if it differs from the present one."""
        if selected != self._now:
            self._now = selected
            self.changed.emit(selected)

    def thing(self) -> str:
        """The id of the selected object, or empty."""
        return self._now.id if self._now is not None and self._now.kind == "thing" else ""


@dataclass(frozen=True, slots=True)
class Pending:
    """An edit, and the session's facet that it changes. It is displayed until the session shows another facet."""

    edited: Facet
    of: Facet


class PendingEdits:
    """The last edit of each kind of facet, for the present run and branch. Used on the GUI thread only."""

    def __init__(self) -> None:
        self._pending: dict[type[Facet], Pending] = {}

    def of(self, kind: type[Facet]) -> Pending | None:
        """The pending edit of a kind, or None."""
        return self._pending.get(kind)

    def expect(self, edited: Facet, of: Facet) -> None:
        """Stores an edit of the facet `of` that was sent."""
        self._pending[type(edited)] = Pending(edited, of)

    def take_events(self, new_run: bool, events: Sequence[e.Event]) -> None:
        """Takes more events. Edits are dropped if the run goes back; a fork keeps them.

        Args:
            new_run: True if the events belong to another run than before.
            events: the events since the last call, in order.
        """
        if new_run:
            self._pending.clear()
        for event in events:
            match event.what:
                case e.Switched() | e.Rewound(present=False):
                    self._pending.clear()
                case e.CommandTaken(ok=False, command=c.Edit(facet=facet)):
                    self._forget(facet)
                case _:
                    pass

    def _forget(self, refused: Facet) -> None:
        pending = self._pending.get(type(refused))
        if pending is not None and pending.edited is refused:
            del self._pending[type(refused)]


class EditableFacet(Generic[F]):
    """The facet to display: the operator's pending edit if there is one, otherwise the session's latest.

    Edits, undo and redo start from `current`, which is read from the run itself: a hidden panel receives no snapshots, and a
    panel that looks at the past shows an older one. All panels share the edits that the session has not answered yet.

    Args:
        context: gives the undo stack, the newest snapshot and the pending edits.
        kind: the kind of facet.
        redraw: shows the facet again after an edit.
    """

    def __init__(self, context: Context, kind: type[F], redraw: Callable[[], None] = lambda: None):
        self._context, self._kind, self._redraw = context, kind, redraw
        self._snapshot = Snapshot()
        self._edited_from: F | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows, of the present or the past."""
        self._snapshot = snapshot

    @property
    def reported(self) -> F | None:
        """The facet that the session or recording reported at the moment shown."""
        return self._snapshot.facet(self._kind)

    @property
    def shown(self) -> F | None:
        """The facet to display: of the past the recorded one, otherwise the operator's pending edit or the newest."""
        reported, pending = self.reported, self._context.pending_edits.of(self._kind)
        if reported is None or pending is None or not self._context.live:
            return reported
        return cast(F, pending.edited) if reported is pending.of or reported is self._edited_from else reported

    @property
    def current(self) -> F | None:
        """The facet that an edit starts from, or None if the run shows none now."""
        newest = self._context.newest(self._snapshot).facet(self._kind)
        pending = self._context.pending_edits.of(self._kind)
        return cast(F, pending.edited) if newest is not None and pending is not None and newest is pending.of else newest

    def post_edit(self, edited: F, why: str) -> None:
        """Posts an edit to the session."""
        newest = self._context.newest(self._snapshot).facet(self._kind)
        if newest is not None:
            self._edited_from = self.reported  # older than the newest one if the panel has not been shown that yet
            self._context.pending_edits.expect(edited, newest)
        self._context.post(c.Edit(edited, why))

    def push_edit(self, words: str, there: Callable[[F], F | None], back: Callable[[F], F | None],
                  merges: object = None) -> None:
        """Makes an edit that can be undone. Does nothing while the past is shown.

        Undo and redo change only their part of the newest facet. What the planner has changed elsewhere since then is kept.

        Args:
            words: describe the edit, for the undo list and the log.
            there: returns a facet with the edit, or None if it no longer has what is edited.
            back: returns a facet without the edit, or None.
            merges: successive edits with the same value, other than None, are one step on the undo stack.
        """
        if self._context.live:  # the text of the step is read when it is undone, because merging changes it
            self._context.push(words, partial(self._apply, there, words),
                               lambda: self._apply(back, f"undo: {self._context.undone}"), merges=merges,
                               about=self._kind)

    def _apply(self, change: Callable[[F], F | None], why: str) -> bool:
        """Posts the newest facet with a change. Returns False if it cannot be changed."""
        newest = self.current
        edited = change(newest) if newest is not None else None
        if edited is not None:
            self.post_edit(edited, why)
            self._redraw()
        return edited is not None


RunState = Literal["now", "shown", "kept", "recorded"]
RunAction = Literal["open", "save", "go on", "remove"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of this window.

    Attributes:
        number: counts from 1 in the order the runs began.
        planner: name of the planner.
        scene: name of the scene.
        seed: the run's seed.
        goal: text of the goal.
        state: `now`: the run under way; `shown`: reopened and on display; `kept`: autosaved, not saved under a name;
            `recorded`: saved as a recording.
        outcome: how it ended, in one or two words.
        reached: whether the goal was reached.
        turns: number of turns in which it came to the outcome, on one line of branches.
        seconds: work time of its turns.
        branches: number of branches.
        changes: number of changes by the operator.
        labels: number of labels.
        saved: whether it has a file of its own among the recordings.
    """

    number: int
    planner: str
    scene: str
    seed: int
    goal: str
    state: RunState
    outcome: str
    reached: bool
    turns: int
    seconds: float
    branches: int = 1
    changes: int = 0
    labels: int = 0
    saved: bool = False


class RunList(QObject):
    """The list of runs, newest first."""

    changed = Signal()
    asked = Signal(str, int)
    """A RunAction and the number of the run it is about."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RunRow, ...] = ()

    def show(self, rows: tuple[RunRow, ...]) -> None:
        """Replaces the list."""
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()

    def ask(self, act: RunAction, number: int) -> None:
        """Emits a request about a run."""
        self.asked.emit(act, number)


class OperatorBreakpoints(QObject):
    """The operator's breakpoints and pace. They outlive a run: the next run begins with them.

    It follows the commands posted to runs, whether or not a run is under way.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._settings = NOTHING_SET

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """Breakpoints that are set, in the order they were set."""
        return self._settings.breakpoints

    @property
    def disabled(self) -> frozenset[Breakpoint]:
        """Those of them that do not stop a run."""
        return self._settings.disabled

    def follow(self, command: c.Command) -> None:
        """Takes a command that is posted to a run, or would be if there was one."""
        if command.outlives_run:
            settings = command.settings_after(self._settings)
            if settings != self._settings:
                self._settings = settings
                self.changed.emit()

    @property
    def pace(self) -> Pace:
        """When a run stops by itself."""
        return self._settings.pace

    def take_events(self, events: Iterable[e.Event]) -> None:
        """Takes events of a run: a breakpoint for one stop is removed once it was hit."""
        for event in events:
            if isinstance(event.what, e.BreakpointHit) and event.what.point.once:
                self.follow(c.ClearBreakpoint(event.what.point))

    def commands(self) -> tuple[c.Command, ...]:
        """Returns the commands that set these breakpoints and this pace in a new run."""
        pace = () if self.pace == DEFAULT_PACE else (c.SetPace(self.pace),)
        return (*pace, *(c.SetBreakpoint(p) for p in self.points),
                *(c.EnableBreakpoint(p, enabled=False) for p in self.points if p in self.disabled))
