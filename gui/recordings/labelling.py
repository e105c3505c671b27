"""Labels in the window: set by keys during a run, or later on a recording. Every change can be undone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from core.common.errors import DataError
from core.recording.label_log import LabelLog, merged
from core.recording.labels import DECISION, STANDARD, Label, LabelSet, read_labels, write_labels
from core.session.annotation import COMPANION, Annotation, Change, new_id
from core.session.command import Phase
from core.session.commands import Annotate, Relabel
from core.session.events import Began
from core.session.snapshot import Snapshot, open_state
from gui.control.console import Console
from gui.control.kept_settings import KeptSettings
from gui.control.label_keeping import LabelKeeping
from gui.recordings.kept_label_sets import KEY, add_set, kept_sets, remove_set
from gui.recordings.recorders import Recorders
from gui.widgets.keyboard import character
from gui.widgets.numbers import count

if TYPE_CHECKING:
    from gui.control.recording_files import OpenRecording

FINISHED = "finished"
"""The label of the mark of an annotator who has labelled the whole recording."""
HOLD = 300
"""Milliseconds after which a key counts as held and marks a state."""
TAP = 150
"""Milliseconds within which no key repeats: one that is released earlier was tapped."""
REPEAT = 40
"""Milliseconds between the release and the press of a key that repeats while held. Some displays, such as remote ones, do not
say that these are repetitions."""


class Labelling(QObject):
    """Sets and changes labels: of a live run through its events, of a recording in files. Those of other windows come in, too.

    Attributes:
        annotator: the name given with labels; empty: none was given yet.
        blind: whether the labels of others are hidden until this annotator has finished.
        set: the label set whose keys are in force.
        sets: all label sets, the standard set first.
        keeping: writes the labels.
    """

    changed = Signal()
    """The labels, the label sets, the annotator, or what may be shown changed."""
    asked_name = Signal()
    """A label was given, and the annotator has never been asked for a name."""

    def __init__(self, console: Console, settings: KeptSettings, recorders: Recorders, keeping: LabelKeeping):
        super().__init__()
        self._console, self._recorders, self.keeping, self._settings = console, recorders, keeping, settings
        self.annotator = _name(str(settings.value("annotator", "")))
        self.blind = str(settings.value("blind", "")) == "yes"
        self.set: LabelSet = STANDARD
        self.sets: tuple[LabelSet, ...] = (STANDARD,)
        self._run_log = LabelLog()
        """The labels of the live run."""
        self._began: Began | None = None
        """The event with which it began."""
        self._live: Mapping[str, Annotation] = MappingProxyType({})
        """Those that the run has told of."""
        self._tapped: set[str] = set()
        """The ids of labels set by a key that the run has not told of yet."""
        self._own: dict[str, Annotation | None] = {}
        """Labels as this window last made them, by id; None: it removed them."""
        self._unnamed: set[str] = set()
        """The ids of labels that were given in this window without a name."""
        self._view = _View(MappingProxyType({}), None, MappingProxyType({}))
        self._shown_sets: tuple[object, ...] = ()
        self.tracks: tuple[Label, ...] = STANDARD.labels
        """The labels that have a track: those of the set in force, then those of other sets that were given."""
        self._read_sets()
        settings.follow(KEY, self._take_sets)
        self.changed.connect(self._refresh)  # before all other listeners
        console.live_snapshot.connect(self._on_live)
        console.replay.opened.connect(self._on_opened)
        console.replay.changed.connect(self.changed)
        keeping.arrived.connect(self._on_arrived)
        keeping.changed.connect(self.changed)

    # --- what there is -----------------------------------------------------
    @property
    def annotations(self) -> Mapping[str, Annotation]:
        """Everything that was said by anybody about what is shown, by id. What is displayed is `visible`."""
        return self._log.annotations

    @property
    def _log(self) -> LabelLog:
        recording = self._console.replay.recording
        if recording is not None:
            return recording.annotations
        return self._run_log if self._console.snapshot.began is self._began else LabelLog()

    @property
    def unsaved(self) -> frozenset[str]:
        """The ids of labels that could not be written beside their recording."""
        return self.keeping.unsaved.keys

    @property
    def visible(self) -> Mapping[str, Annotation]:
        """The labels that hold and may be shown, by id. While this annotator works blind, these are their own."""
        known, only = self.annotations, (self.annotator if self.blind and not self.finished else None)
        if self._view.known is not known or self._view.only != only:
            shown = {key: a for key, a in known.items() if a.holds and (only is None or a.annotator in (only, COMPANION))}
            self._view = _View(known, only, known if len(shown) == len(known) else MappingProxyType(shown))
        return self._view.shown

    @property
    def hidden(self) -> int:
        """How many labels of others are hidden."""
        return self._console.context.label_filter.hidden

    def present(self) -> float:
        """The moment, in seconds, that a label set now is about."""
        return self._console.replay.seconds if self._console.replaying else self._console.shown.at

    def worked_at(self, seconds: float) -> float:
        """Returns how many of the seconds up to a moment were work, as the clocks of the window tell them."""
        return self._console.worked_at(seconds)

    def horizon(self) -> float:
        """The end of what is known, in seconds; open states reach up to it."""
        return self._console.replay.length if self._console.replaying else self._console.snapshot.at

    def _refresh(self) -> None:
        """Works out again what may be shown, and which labels have a track."""
        shown = self.visible
        hidden = sum(a.holds for a in self._view.known.values()) - len(shown)
        self._console.context.label_filter.show(self._view.only, hidden)
        basis = shown, self.set, self.sets
        if len(self._shown_sets) == len(basis) and all(a is b for a, b in zip(self._shown_sets, basis, strict=True)):
            return
        self._shown_sets, names = basis, {a.label for a in shown.values()}
        others = {label.name: replace(label, key="") for one in self.sets for label in one.labels if label.name in names}
        own = {label.name for label in self.set.labels}
        tracks = (*self.set.labels, *(label for name, label in others.items() if name not in own))
        if tracks != self.tracks:
            self.tracks = tracks

    # --- whose -----------------------------------------------------------------
    def set_annotator(self, annotator: str) -> None:
        """Changes the annotator. Labels that were given in this window without a name get it."""
        self.annotator = _name(annotator)
        self._settings.set_value("annotator", self.annotator)
        self._name_labels()
        self.changed.emit()

    def _name_labels(self) -> None:
        """Gives the annotator's name to the labels that were given in this window without one."""
        known = self.annotations
        nameless = [a for key in sorted(self._unnamed) if (a := known.get(key)) is not None and not a.annotator]
        if self.annotator and nameless:
            self._unnamed.clear()
            self._console.context.undo.beginMacro(f"Name {count(len(nameless), 'label')}")
            for a in nameless:
                self.change(a, replace(a, annotator=self.annotator), "Name")
            self._console.context.undo.endMacro()

    def was_asked(self) -> None:
        """Notes that the annotator was asked for a name, which happens once."""
        self._settings.set_value("annotator asked", "yes")

    def set_blind(self, blind: bool) -> None:
        """Hides the labels of others until this annotator has finished, or shows them."""
        self.blind = blind
        self._settings.set_value("blind", "yes" if blind else "no")
        self.changed.emit()

    @property
    def finished(self) -> bool:
        """Whether this annotator has marked what is shown as finished."""
        return self._mark() is not None

    def finish(self, *, finished: bool = True) -> None:
        """Marks what is shown as finished by this annotator, or takes the mark back; can be undone."""
        mark = self._mark()
        if finished and mark is None:
            new = replace(self._new(FINISHED), at=self.horizon(), role="done")
            self.change(None, new, "Finish labelling")
        elif not finished and mark is not None:
            self.change(mark, None, "Go on labelling")

    def _mark(self) -> Annotation | None:
        mine = (a for a in self.annotations.values() if a.role == "done" and a.annotator == self.annotator)
        return next(mine, None)

    # --- label sets -------------------------------------------------------------
    def use(self, path: Path | None) -> None:
        """Adds the label set of a file, and uses it; None: uses the standard set."""
        try:
            new = read_labels(path) if path is not None else STANDARD
        except DataError as error:
            self._console.message.emit(str(error), "warn")
            return
        if path is not None:
            try:
                add_set(self._settings, new)
            except DataError as error:
                self._console.message.emit(str(error), "warn")
        self.switch(new)

    def switch(self, wanted: LabelSet | None = None) -> None:
        """Uses another of the label sets; None: the next one."""
        places = [k for k, one in enumerate(self.sets) if one == self.set]
        self.set = wanted or self.sets[((places or [0])[0] + 1) % len(self.sets)]
        self._settings.set_value("label set", self.set.title)
        self.changed.emit()

    def remove(self, unwanted: LabelSet) -> None:
        """Removes a label set, but not the standard set. Labels that were given stay."""
        if unwanted != STANDARD:
            remove_set(self._settings, unwanted.title)
            self.switch(STANDARD if self.set.title == unwanted.title else self.set)

    def write(self, path: Path, wanted: LabelSet) -> None:
        """Writes a label set to a file for others."""
        try:
            write_labels(wanted, path)
        except DataError as error:
            self._console.message.emit(str(error), "warn")
        else:
            self._console.message.emit(f"The label set {wanted.title} is in {path}", "good")

    def _take_sets(self) -> None:
        """Takes the label sets that are kept now: this or another window has changed them."""
        self.sets = (STANDARD, *kept_sets(self._settings)[0])
        self.changed.emit()

    def _read_sets(self) -> None:
        """Reads the label sets of the last start."""
        found, trouble = kept_sets(self._settings)
        if trouble:
            self._console.message.emit(f"Not all label sets were read: {trouble}", "warn")
        self.sets = (STANDARD, *found)
        title = str(self._settings.value("label set", self.sets[-1].title))
        self.set = next((one for one in self.sets if one.title == title), STANDARD)

    # --- giving -----------------------------------------------------------------
    def point(self, label: str) -> None:
        """Sets a label on this moment."""
        self._give(label, state=False)

    def start(self, label: str) -> None:
        """Begins a state here."""
        self._give(label, state=True)

    def _may_label(self) -> bool:
        """Returns False, and says why, if the run was stopped: its session takes no more labels, and its file is complete."""
        over = not self._console.replaying and self._console.runner.phase == "idle"
        if over:
            self._console.message.emit("This run was stopped: open it from the Runs list to label it", "warn")
        return not over

    def _give(self, label: str, *, state: bool) -> None:
        if not self._may_label():
            return
        if not self.annotator and str(self._settings.value("annotator asked", "")) != "yes":
            self.asked_name.emit()
        if self._console.replaying:
            new = self._new(label, state=state)
            self._unnamed |= set() if self.annotator else {new.id}
            self.change(None, new, f"Label {label}")
        else:
            self._annotate(label, "start" if state else "point")

    def _annotate(self, label: str, phase: Phase) -> None:
        """Labels the present of the run, which tells of the label when it has dated it."""
        key = new_id()
        self._tapped.add(key)
        self._console.runner.post(Annotate(label, phase=phase, annotator=self.annotator, id=key))

    def stop(self, label: str) -> None:
        """Ends the open state here."""
        if not self._console.replaying:
            self._annotate(label, "stop")
        elif (state := open_state(self.annotations, label, self.annotator)) is not None:
            self.end(state)

    def is_open(self, label: str) -> bool:
        """Whether a state of this label has begun and not ended."""
        return open_state(self.annotations, label, self.annotator) is not None

    def end(self, state: Annotation) -> None:
        """Ends a state at the present moment, or where it began if that is later."""
        self.change(state, replace(state, until=max(state.at, self.present())), f"End {state.label}")

    def rated(self) -> Annotation:
        """Returns this annotator's rating of the decision of the turn shown: an earlier one, or an empty one to fill in."""
        shown = self._console.shown
        mine = [a for a in self.annotations.values() if (a.label, a.annotator, a.role) == (DECISION, self.annotator, "label")
                and (a.turn, a.branch) == (shown.turn, shown.branch)]
        return mine[-1] if mine else self._new(DECISION)

    def _new(self, label: str, *, state: bool = False) -> Annotation:
        shown = self._console.shown
        return Annotation(new_id(), label, self.present(), None, state, shown.turn, shown.branch, annotator=self.annotator)

    # --- changing ----------------------------------------------------------------
    def change(self, before: Annotation | None, after: Annotation | None, words: str) -> None:
        """Changes, adds or removes a label; can be undone."""
        if before != after and self._may_label():
            self._push(words, Change(before, after))

    def end_open_states(self) -> None:
        """Ends every open state of this annotator."""
        from core.recording.annotations import closed_intervals

        mine = (a for a in self.annotations.values() if a.annotator in ("", self.annotator))
        changes = closed_intervals(mine, self.horizon())
        if not changes:
            self._console.message.emit("No state is open", "muted")
            return
        undo = self._console.context.undo
        undo.beginMacro("End open states")
        for change in changes:
            self.change(change.before, change.after, "End")
        undo.endMacro()

    def _push(self, words: str, change: Change, *, done: bool = False) -> None:
        """Pushes a change of a label, found by its id, so that undo also covers changes made since."""
        key, before, after = change.key, change.before, change.after
        self._console.context.push(words, lambda: self._become(key, before, after), lambda: self._become(key, after, before),
                                   done=done)

    def _become(self, key: str, had: Annotation | None, wanted: Annotation | None) -> bool:
        """Changes a label of this window from what it was to something else.

        Of a label that another window changed meanwhile, only what this window changed is changed back. Returns False, and says
        so, if the other window changed just that.
        """
        now = self.annotations.get(key)
        if now != self._own.get(key, now) and now != wanted:
            if now is None or had is None or wanted is None or merged(wanted, had, now) != now:
                what = (now or had or wanted or Annotation(key, key, 0.0)).label
                self._console.message.emit(f"“{what}” stays as it is: another window has changed it meanwhile", "warn")
                return False
            wanted = merged(had, wanted, now)
        if now != wanted:
            self._carry_out(self._log.next(now, wanted))
        return True

    def _carry_out(self, change: Change) -> None:
        """Applies a change, writes it, and tells the run of it."""
        if not self._console.replaying:
            self._console.runner.post(Relabel(change))
        self._take_own(change)
        self.changed.emit()

    def _take_own(self, change: Change) -> None:
        log = self._log
        log.take(change)
        self._own[change.key] = log.annotations.get(change.key)
        self.keeping.give(change)

    # --- from the run, the recording and other windows ------------------------------
    def _on_opened(self, recording: OpenRecording) -> None:
        self._began = None
        self._own.clear()
        self._unnamed.clear()
        self.keeping.open_recording(recording)
        self.changed.emit()

    def _on_arrived(self, run: str, changes: Iterable[Change]) -> None:
        """Takes what other windows changed; `run` is the one that is shown."""
        del run
        new = [change for change in changes if self._log.take(change)]
        if new:
            self.changed.emit()

    def _on_live(self, snapshot: Snapshot) -> None:
        """Takes the labels that the run has told of. After a change of this window it tells what is known already."""
        if self._console.replaying:
            return
        if snapshot.began is not self._began:
            self._follow(snapshot.began)
        if snapshot.labels is self._live:
            return
        before, self._live = self._live, snapshot.labels
        for key in {**before, **self._live}:
            was, now = before.get(key), self._live.get(key)
            if was == now or self._log.has_been(key, now):
                continue
            self._take_own(self._log.next(was, now))
            if key in self._tapped and now is not None:  # now it can be undone
                self._tapped.discard(key)
                self._unnamed |= set() if now.annotator else {key}
                self._push(f"Label {now.label}", Change(None, now), done=True)
        self._name_labels()  # the name may have been given before the label came back from the run
        self.changed.emit()

    def _follow(self, began: Began | None) -> None:
        """Turns to another run."""
        self._began, self._run_log, self._live = began, LabelLog(), MappingProxyType({})
        self._own.clear()
        run = self._recorders.run_of(began)
        if run is not None:
            self.keeping.follow_run(run.identity, lambda: run.file)
        else:
            self.keeping.leave()


@dataclass(frozen=True, slots=True)
class _View:
    """The labels that are shown of those known, and the annotator whose they are; None: of everybody."""

    known: Mapping[str, Annotation]
    only: str | None
    shown: Mapping[str, Annotation]


def _name(text: str) -> str:
    """Returns an annotator's name as one line of at most 60 characters."""
    return " ".join(text.split())[:60]


class Annotator(QObject):
    """Handles the keys of the label set, unless a text field or list takes them.

    The key of a point label sets a point when tapped, and marks a state while it is held. The key of a state label begins a
    state: if the key is held, the state ends when it is released; if it is tapped, the state ends at the next tap.
    """

    def __init__(self, labelling: Labelling, window: QWidget):
        super().__init__(window)
        self._labelling = labelling
        self._down: Label | None = None
        self._is_held = False
        self._timer = QTimer(self, singleShot=True, interval=HOLD)
        self._timer.timeout.connect(self._hold)
        self._pressed = ("", 0.0)
        """The label whose key was pressed last, and when."""
        self._let_go: Label | None = None
        """The label whose key was released just now, unless it repeats."""
        self._letting_go = QTimer(self, singleShot=True, interval=REPEAT)
        self._letting_go.timeout.connect(self._release_now)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles keys pressed and released in the window."""
        del watched
        kinds = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        text, shift = event.text().lower(), Qt.KeyboardModifier.ShiftModifier
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        plain = plain or (event.modifiers() == shift and not text.isalpha())  # on some keyboards digits need Shift
        keys = (text, character(event).lower()) if plain else ()
        label = next((label for key in keys if key and (label := self._labelling.set.by_key(key)) is not None), None)
        if label is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the key of a label does not also trigger an action
        elif event.isAutoRepeat():
            return True
        elif event.type() == QEvent.Type.KeyPress:
            self._key_pressed(label)
        else:
            self._key_released(label)
        return True

    def _key_pressed(self, label: Label) -> None:
        if self._let_go is not None and self._let_go.name == label.name:  # it repeats
            self._letting_go.stop()
            self._let_go = None
            return
        self._release_now()
        self._pressed = label.name, time.monotonic()
        self.press(label)

    def _key_released(self, label: Label) -> None:
        """Releases a key that was tapped at once, another one when it is not pressed again immediately."""
        name, since = self._pressed
        if name == label.name and time.monotonic() - since < TAP / 1000:
            self.release(label)
        else:
            self._let_go = label
            self._letting_go.start()

    def _release_now(self) -> None:
        label, self._let_go = self._let_go, None
        self._letting_go.stop()
        if label is not None:
            self.release(label)

    def press(self, label: Label) -> None:
        """Handles a key that was pressed."""
        if self._down is not None:
            self.release(self._down)
        self._down, self._is_held = label, False
        if label.kind == "state":
            if self._labelling.is_open(label.name):
                self._down = None
                self._labelling.stop(label.name)
                return
            self._labelling.start(label.name)
        self._timer.start()

    def release(self, label: Label) -> None:
        """Handles a key that was released: sets a point, or ends a state that was held."""
        if self._down is None or label.name != self._down.name:
            return
        self._timer.stop()
        self._down = None
        if self._is_held:
            self._labelling.stop(label.name)
        elif label.kind == "point":
            self._labelling.point(label.name)

    def _hold(self) -> None:
        self._is_held = True
        if self._down is not None and self._down.kind == "point":
            self._labelling.start(self._down.name)
