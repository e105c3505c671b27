"""The status line: state and numbers left; recording, seed, memory and layout right; short messages in between."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.llm.human import Human
from core.session.breakpoints import Hit, hit_words
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.label_keeping import LabelKeeping
from gui.control.snapshot_texts import detail_words, state_words, waiting_words
from gui.recordings.recorders import Recorders
from gui.recordings.unsaved_labels import explanation, heading
from gui.theme.boxes import hbox
from gui.widgets import Line
from gui.widgets.chooser import chosen
from gui.widgets.message_line import MessageLine
from gui.widgets.numbers import count

MESSAGE = 6000
"""Milliseconds a message is shown."""
WAITING_MS = 500
"""Milliseconds between two updates of a waiting call's seconds."""
STATE, DETAIL = 142, 240
"""Pixels for the longest state, and for the text beside it, so that what follows does not move."""


class StatusLine(QWidget):
    """The status line, 24 px high."""

    def __init__(self, console: Console, recorders: Recorders, keeping: LabelKeeping):
        super().__init__()
        theme = console.context.theme
        self._console, self._theme = console, theme
        self.setAccessibleName("Status")
        self._state = Line(theme, "○ Ready", "small", "muted", 600, shrinks=False, room=STATE)
        self.detail = Line(theme, "", "small", "muted", room=DETAIL)
        self._message = MessageLine(theme, "", "small", "warn")
        self._recording = Line(theme, "Recording off", "small", "faint", shrinks=False)
        self.unsaved = Line(theme, "", "small", "bad", 600, shrinks=False)
        """The number of labels that are not saved, for as long as there are some."""
        self.unsaved.hide()
        self._keeping = keeping
        self._seed, self._memory, self._layout = (Line(theme, "", "small", "muted", shrinks=False) for _ in range(3))
        self._parts = (self._state, self.detail, self.unsaved, self._recording, self._seed, self._memory, self._layout)
        self._row = hbox(theme, *self._parts[:2], (self._message, 1), *self._parts[2:], on=self)
        self._hit: Hit | None = None
        self._note: tuple[str, str] = "", ""
        self._optional = (self._layout, self._memory, self._seed, self.detail)
        """What is hidden, in this order, if a message does not fit."""
        self._clear = QTimer(self, singleShot=True)
        self._clear.timeout.connect(self._show_note)
        self._measure = QTimer(self, interval=2000)
        self._measure.timeout.connect(self._show_memory)
        self._measure.start()
        self._waits = QTimer(self, interval=WAITING_MS)
        self._waits.timeout.connect(lambda: self.show_snapshot(console.snapshot))
        self._waiting: tuple[int, float] | None = None
        """The first call that the run waits for, and since when."""
        console.live_snapshot.connect(self.show_snapshot)
        console.message.connect(self.show_message)
        console.message_over.connect(self._end_message)
        console.replay.changed.connect(lambda: self.show_snapshot(console.snapshot))
        keeping.changed.connect(self._show_unsaved)
        recorders.changed.connect(lambda: self._show_recording(recorders))
        console.runner.phase_changed.connect(lambda _: self.show_snapshot(console.snapshot))
        console.request_changed.connect(lambda _: self._show_note())
        console.models.changed.connect(self._show_note)
        console.context.theme_changed.connect(self._restyle)
        self._restyle()
        self._show_memory()
        self._show_note()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows state and numbers of the present."""
        console = self._console
        if console.replaying:
            snapshot = console.shown
            self._state.say("▶ Replaying" if console.running else "○ Recording, read-only", "selection")
        else:
            self._state.say(*state_words(snapshot, console.begun, console.runner.phase))
        before = self._widths()
        words = detail_words(snapshot, self._console.context.names.of(snapshot)) if console.begun else ""
        self.detail.say(" · ".join(filter(None, (words, self._waited_for(snapshot), self._prepared(snapshot)))))
        self._show_note()
        self._seed.say(f"seed {snapshot.began.seed if snapshot.began is not None else console.request.seed}")
        planner = chosen(console.choices.planners, console.request.planner).title
        self._layout.say(f"{planner} layout")
        if self._widths() != before:
            self._fit()

    def _waited_for(self, snapshot: Snapshot) -> str:
        """Describes what the present run waits for, updated for as long as it lasts."""
        calls, context = snapshot.waiting, self._console.context
        if snapshot.status != "waiting" or not calls or self._console.replaying:
            self._waits.stop()
            self._waiting = None
            return ""
        if self._waiting is None or self._waiting[0] != calls[0].id:
            self._waiting = calls[0].id, time.monotonic()
        if not self._waits.isActive():
            self._waits.start()
        return waiting_words(calls, time.monotonic() - self._waiting[1], context.partial, context.price)

    def _prepared(self, snapshot: Snapshot) -> str:
        """Describes what goes on beside the present run, updated for as long as it lasts. Nothing waits for it."""
        if self._console.replaying or snapshot.status in ("idle", "ended"):
            return ""
        preparing = self._console.context.preparing()
        if preparing and not self._waits.isActive():
            self._waits.start()
        return preparing

    def show_message(self, text: str, tone: str = "warn") -> None:
        """Shows a short message that disappears after a while."""
        self._message.tell(" ".join(text.split()), tone)
        self._fit()
        self._clear.start(MESSAGE)

    def _end_message(self, text: str) -> None:
        if self._message.text == text:
            self._clear.stop()
            self._show_note()

    def _show_note(self) -> None:
        """Shows the breakpoint at which the run is stopped, otherwise who answers. A message stays until its time is over."""
        hit = self._console.snapshot.stopped if not self._console.replaying else None
        if hit is not self._hit:
            self._hit = hit
            self._clear.stop()
        if self._clear.isActive():
            return
        names = self._console.context.names.of(self._console.snapshot)
        note = self._answerer_words() if hit is None else (hit_words(hit, names.with_names), "warn")
        if note != self._note or self._message.text != note[0]:
            self._note = note
            self._message.say(*note)
            self._fit()

    def _answerer_words(self) -> tuple[str, str]:
        """Who answers the run's calls, and who the next run's if that differs; and the tone."""
        console = self._console
        following = console.answerer()
        now = console.answering if console.replaying or (console.begun and console.snapshot.began is not None) else following
        if now is None:
            return "", "muted"
        then = "" if console.replaying or following.title == now.title else f"; {following.title} from the next run on"
        if now.name == Human.name:
            return f"You answer the calls{then}", "muted"
        if not now.is_model and not then:
            return f"{now.title} answers from placement statistics; it is not an LLM", "warn"
        where = f" ({now.note})" if now.note and now.note != now.title else ""
        return f"{now.title} answers{where}{then}", "muted"

    def _widths(self) -> tuple[int, ...]:
        return tuple(part.sizeHint().width() for part in self._parts)

    def _fit(self) -> None:
        """Leaves out what is shown elsewhere if the message would be cut off."""
        gap = self._row.spacing()
        wanted = self._message.sizeHint().width() if self._message.text else 0
        parts = (part for part in self._parts if part is not self.unsaved or self._keeping.unsaved)
        widths = {part: part.sizeHint().width() + gap for part in parts}
        room = self.width() - 2 * self._row.contentsMargins().left() - gap
        kept = set(widths)
        for part in self._optional:
            if sum(widths[p] for p in kept) + wanted <= room:
                break
            kept.discard(part)
        for part in self._optional:
            if part.isHidden() == (part in kept):
                part.setVisible(part in kept)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to the new width."""
        super().resizeEvent(event)
        self._fit()

    def _show_recording(self, recorders: Recorders) -> None:
        before = self._recording.sizeHint()
        self._recording.say(*recorders.words())
        if self._recording.sizeHint() != before:
            self._fit()

    def _show_unsaved(self) -> None:
        unsaved = self._keeping.unsaved
        self.unsaved.say(f"■ {count(len(unsaved.keys), 'label')} not saved", "bad")
        self.unsaved.setToolTip(f"{heading(unsaved)}. {explanation(unsaved)}")
        self.unsaved.setVisible(bool(unsaved))
        self._fit()

    def _show_memory(self) -> None:
        megabytes = resident_megabytes()
        self._memory.say(f"memory {megabytes} MB" if megabytes else "")

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(24))
        self._row.setContentsMargins(px(10), 0, px(10), 0)
        self._row.setSpacing(px(14))
        self._fit()


def resident_megabytes() -> int:
    """Memory of this process in megabytes; 0 if it cannot be read cheaply."""
    if not sys.platform.startswith("linux"):
        return 0
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 // 1_000_000
