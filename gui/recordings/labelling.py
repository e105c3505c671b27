"""Labels in the window: set by keys during a run, or later on a recording. Every change can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from core.common.errors import DataError
from core.recording.labels import STANDARD, Label, read_labels
from core.session.annotation import Annotation, Change
from core.session.commands import Annotate, Relabel
from core.session.snapshot import Snapshot, open_state
from gui.control.console import Console

if TYPE_CHECKING:
    from core.recording.annotations import AnnotationHistory
    from gui.control.recording_files import OpenRecording

DECISION = "decision"
"""The label of a rating without another label."""
HOLD = 300
"""Milliseconds after which a key counts as held and marks a state."""


class Labelling(QObject):
    """Sets and changes labels: of a live run through its events, of a recording in the file beside it."""

    changed = Signal()
    """The labels or the label set changed."""

    def __init__(self, console: Console, settings: QSettings):
        super().__init__()
        self._console, self._settings = console, settings
        self.annotator = _name(str(settings.value("annotator", "")))
        self.set = STANDARD
        self._history: AnnotationHistory | None = None
        """The annotations of the recording that is shown."""
        self._live: Mapping[str, Annotation] = MappingProxyType({})
        self._tapped = 0
        self._read_set(str(settings.value("labels", "")))
        console.live_snapshot.connect(self._on_live)
        console.replay.opened.connect(self._on_opened)
        console.replay.changed.connect(self.changed)

    # --- what there is -----------------------------------------------------
    @property
    def annotations(self) -> Mapping[str, Annotation]:
        """All labels of what is shown, by id."""
        if self._console.replaying:
            return self._history.annotations if self._history is not None else {}
        return self._console.snapshot.labels

    def present(self) -> float:
        """The moment, in seconds, that a label set now is about."""
        return self._console.replay.seconds if self._console.replaying else self._console.shown.at

    def horizon(self) -> float:
        """The end of what is known, in seconds; open states reach up to it."""
        return self._console.replay.length if self._console.replaying else self._console.snapshot.at

    # --- whose and which -------------------------------------------------------
    def set_annotator(self, annotator: str) -> None:
        """Changes the annotator."""
        self.annotator = _name(annotator)
        self._settings.setValue("annotator", self.annotator)
        self.changed.emit()

    def use(self, path: Path | None) -> None:
        """Uses another label set, kept for the next start; None: the standard set."""
        if self._read_set(str(path or "")):
            self._settings.setValue("labels", str(path or ""))

    def _read_set(self, path: str) -> bool:
        try:
            self.set = read_labels(Path(path)) if path else STANDARD
        except DataError as error:
            self._console.message.emit(str(error), "warn")
            return False
        self.changed.emit()
        return True

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
        if self._console.replaying:
            self.change(None, self._new(label, state=state), f"Label {label}")
        else:
            self._tapped += 1
            self._console.runner.post(Annotate(label, phase="start" if state else "point", annotator=self.annotator))

    def stop(self, label: str) -> None:
        """Ends the open state here."""
        if not self._console.replaying:
            self._console.runner.post(Annotate(label, phase="stop", annotator=self.annotator))
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
        mine = [a for a in self.annotations.values() if (a.label, a.annotator) == (DECISION, self.annotator)
                and (a.turn, a.branch) == (shown.turn, shown.branch)]
        return mine[-1] if mine else self._new(DECISION)

    def _new(self, label: str, *, state: bool = False) -> Annotation:
        from core.recording.annotations import AnnotationHistory  # imported when first needed, because it loads the codec

        shown = self._console.shown
        key = AnnotationHistory(self.annotations).new_id(self.annotator)
        return Annotation(key, label, self.present(), None, state, shown.turn, shown.branch, annotator=self.annotator)

    # --- changing ----------------------------------------------------------------
    def change(self, before: Annotation | None, after: Annotation | None, words: str) -> None:
        """Changes, adds or removes a label; can be undone."""
        if before != after and self._may_label():
            self._push(words, Change(before, after))

    def end_open_states(self) -> None:
        """Ends every open state."""
        from core.recording.annotations import closed_intervals

        changes = closed_intervals(self.annotations.values(), self.horizon())
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
        one = change.after or change.before
        key = one.id if one is not None else ""
        self._console.context.push(words, lambda: self._become(key, change.after), lambda: self._become(key, change.before),
                                   done=done)

    def _become(self, key: str, wanted: Annotation | None) -> None:
        now = self.annotations.get(key)
        if now != wanted:
            self._carry_out(Change(now, wanted))

    def _carry_out(self, change: Change) -> None:
        """Applies a change: posts it to the run, or writes it beside the recording."""
        recording = self._console.replay.recording
        if recording is None or self._history is None:
            self._console.runner.post(Relabel(change))
            return
        try:
            self._history = self._history.applied(change)
        except DataError as error:
            self._console.message.emit(str(error), "warn")
            return
        self._console.replay.append_label(change, self._console.report)
        self.changed.emit()

    # --- from the run and the recording ------------------------------------------
    def _on_opened(self, recording: OpenRecording) -> None:
        self._history = recording.annotations
        self.changed.emit()

    def _on_live(self, snapshot: Snapshot) -> None:
        if self._console.replaying or snapshot.labels is self._live:
            return
        before, self._live = self._live, snapshot.labels
        new = [a for key, a in snapshot.labels.items() if key not in before and a.id.startswith("event ")]
        for annotation in new[:self._tapped]:  # set by a key: the run has given it an id, and now it can be undone
            self._tapped -= 1
            self._push(f"Label {annotation.label}", Change(None, annotation), done=True)
        self.changed.emit()


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
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles keys pressed and released in the window."""
        del watched
        kinds = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        label = self._labelling.set.by_key(event.text().lower()) if plain and event.text() else None
        if label is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the key of a label does not also trigger an action
        elif event.isAutoRepeat():
            return True
        elif event.type() == QEvent.Type.KeyPress:
            self.press(label)
        else:
            self.release(label)
        return True

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
