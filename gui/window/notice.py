"""Notices at the top of the frames, which they do not cover: where and why a run stopped, and what can be done."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from core.planning.facets import Moment
from core.session import commands as c
from core.session.breakpoint_hits import Hit, stopped_words, why_words
from core.session.snapshot import Snapshot
from gui.control.console import Console
from gui.control.undo_commands import Final
from gui.widgets import Banner, CardState, Namer, Names, StateAction


class NoticeBox(QFrame):
    """One banner at the top of its parent."""

    def __init__(self, console: Console, parent: QWidget):
        super().__init__(parent)
        self._theme = console.context.theme
        self._content: Banner | None = None
        self.setObjectName("Dialog")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self.hide()

    def show_state(self, state: CardState | None) -> None:
        """Shows a banner, or none."""
        if self._content is not None:
            self._column.removeWidget(self._content)
            self._content.hide()
            self._content.deleteLater()
        self._content = Banner(self._theme, state) if state is not None else None
        self.setVisible(state is not None)
        if self._content is not None:
            self._column.addWidget(self._content)
            self.place()
            self.raise_()

    def place(self) -> None:
        """Places the banner under the header of the frames, as wide as its text needs."""
        parent, px = self.parentWidget(), self._theme.px
        if self._content is None or parent is None:
            return
        hint = self._content.sizeHint()
        width = max(px(200), min(hint.width() + 2, parent.width() - px(16)))
        self.setGeometry((parent.width() - width) // 2, px(38), width, hint.height() + 2)


class Notices(QObject):
    """Decides which notice is shown: the breakpoint at which the run stopped, or why the last action cannot be undone."""

    def __init__(self, console: Console, stage: QWidget):
        super().__init__(stage)
        self._console, self._namer = console, Namer()
        self.box = NoticeBox(console, stage)
        self._hit: Hit | None = None
        self._closed: Hit | None = None
        self._final = False
        """Whether the notice on display is about an action that cannot be undone."""
        self._line = 0
        console.live_snapshot.connect(self._on_live)
        console.undoing.refused.connect(self.offer_rewind)

    @property
    def shown(self) -> bool:
        """Whether a notice is shown."""
        return not self.box.isHidden()

    def close(self) -> bool:
        """Closes the notice. Returns True if there was one."""
        was, self._final = self.shown, False
        self._closed = self._hit
        self.box.show_state(None)
        return was

    def offer_rewind(self, final: Final) -> None:
        """Shows that an action cannot be undone, and offers to rewind to the turn before it."""
        close = StateAction("Close", "close", self.close)
        if not final.turn:
            state = CardState("large", f"“{final.what}” cannot be undone",
                              "It has taken effect. Choose another one to change it.", "undo", actions=(close,))
        else:
            rewind = StateAction(f"Rewind to turn {final.turn}", "rewind", partial(self._rewind, final), primary=True)
            state = CardState("large", f"“{final.what}” cannot be undone",
                              f"It was done in turn {final.turn}. Rewinding starts a new branch just before it.",
                              "undo", actions=(rewind, close))
        self._final, self._line = True, len(self._console.snapshot.turns)
        self.box.show_state(state)

    def _rewind(self, final: Final) -> None:
        self.close()
        self._console.rewind(Moment(final.branch, final.turn))

    def _on_live(self, snapshot: Snapshot) -> None:
        names = self._namer.of(snapshot.seen)
        hit = snapshot.stopped if not self._console.replaying else None
        if self._final and len(snapshot.turns) != self._line:
            self.close()
        if hit is self._hit:
            return
        self._hit = hit
        if hit is not None and hit is not self._closed:
            self._final = False
            self.box.show_state(self._hit_state(hit, names))
        elif not self._final:
            self.box.show_state(None)

    def _hit_state(self, hit: Hit, names: Names) -> CardState:
        post = self._console.runner.post
        off = partial(post, c.EnableBreakpoint(hit.point, enabled=False))
        actions = [StateAction("Go on", "run", self._console.run, primary=True)]
        if not hit.point.once:
            actions.append(StateAction("Turn off", "breakpoint", off))
        actions.append(StateAction("Close", "close", self.close))
        why = names.told(why_words(hit))
        where = why[:1].upper() + why[1:] if hit.point.on == "turn" else f"Turn {hit.turn} · {why}"
        return CardState("large", names.told(stopped_words(hit)), where, "breakpoint", actions=tuple(actions))
