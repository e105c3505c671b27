"""The override dialog: actions that are possible now, and those that are not, with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGraphicsDropShadowEffect,
    QLineEdit,
    QRadioButton,
    QStackedLayout,
    QWidget,
)

from core.session.commands import Ban, Command, Hold, ListActions, Override, Release, Unban
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.theme.screens import GAP, beside
from gui.widgets import Button, CardState, Line, Names, Prose, Segment, StateCard, Tool, tool_action
from gui.widgets.numbers import value, whole
from gui.window.override_table import Entry, Option, OptionRows, make_options, matching, numbers, planners_choice
from gui.window.palette import ListField

WIDTH, HEIGHT = 780, 576
LEAST_WIDTH = 420
"""Width in pixels at 100 % text size that the card keeps beside the frames; its height is what it needs."""
MARGIN = 12
"""Pixels between the card and the edges of the window."""
SHADE = QColor(5, 7, 10, 150)


class OverrideDialog(QWidget):
    """Covers its window and dims all but the frames, beside which its card lies.

    `ask` opens it; the window passes every snapshot to it, whether it is open or not.

    Opening holds the run and requests the list of actions; closing releases the run as it was. A ban "this turn" is lifted when
    the next turn begins.
    """

    closed = Signal()

    def __init__(self, context: Context, parent: QWidget):
        super().__init__(parent)
        self._context, self._window = context, parent
        self._snapshot, self._shown = Snapshot(), tuple[object, ...]()
        self._about = ""
        self._listed_before: object = None
        self._options: tuple[Option, ...] = ()
        self._wanted: Action | None = None
        self._asked: tuple[Action, ...] = ()
        """The actions that the dialog was opened for."""
        self._bans: list[tuple[Action, int]] = []
        self.card = OverrideCard(context.theme)
        shade = QGraphicsDropShadowEffect(self.card)
        shade.setBlurRadius(48)
        shade.setOffset(0, 14)
        shade.setColor(QColor(0, 0, 0, 190))
        self.card.setGraphicsEffect(shade)
        self.setAccessibleName("Override")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(self.card.field)
        self.card.setParent(self)
        self._connect()
        parent.installEventFilter(self)
        self.hide()

    def _connect(self) -> None:
        card = self.card
        card.field.textChanged.connect(lambda _: self._list())
        card.which.chosen.connect(lambda _: self._list())
        card.rows.chosen.connect(self._choose)
        card.rows.opened.connect(lambda _: self.accept())
        card.rows.helped.connect(self._choose_action)
        card.cancelled.connect(self.cancel)
        card.accepted.connect(self.accept)
        self._context.live_changed.connect(lambda live: None if live else self.cancel())

    # --- opening and closing -----------------------------------------------
    def ask(self, object_id: str = "", actions: tuple[Action, ...] = ()) -> None:
        """Opens the dialog.

        Args:
            object_id: the id of an object to list actions about; empty for all actions.
            actions: the first of these that is possible is chosen.
        """
        if not self._context.live:
            return
        self._about, self._listed_before = object_id, self._snapshot.options
        self._options, self._wanted, self._asked = (), None, actions
        self._context.post(Hold())
        self._context.post(ListActions(object_id))
        self.card.begin(plain=self._context.plain)
        self.setGeometry(self._window.rect())
        self._place()
        self.show()
        self.raise_()
        self.card.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._draw()

    def cancel(self) -> None:
        """Closes the dialog; the run continues as before."""
        if self.isVisible():
            self._close()

    def accept(self) -> None:
        """Posts the operator's action."""
        act = self.card.rows.act(self.card.rows.current)
        if not self.isVisible() or act is None:
            return
        choice = planners_choice(self._snapshot)
        commands: list[Command] = []
        if self.card.ban.isChecked() and self.card.ban.isEnabled() and choice is not None and choice != act:
            commands.append(Ban(choice))
            self._bans.append((choice, self._snapshot.turn))
        commands.append(Override(act, self.card.tell.isChecked(), self.card.why.text().strip()))
        for command in commands:
            self._context.post(command)
        self._close()

    def _close(self) -> None:
        self._context.post(Release())
        self.hide()
        self._window.setFocus()
        self.closed.emit()

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the newest snapshot, whether the dialog is open or not."""
        self._snapshot = snapshot
        for action, turn in list(self._bans):
            if snapshot.turn != turn:
                self._bans.remove((action, turn))
                if action in snapshot.banned:
                    self._context.post(Unban(action))
        if not self.isVisible():
            return
        if snapshot.status == "ended":
            self.cancel()
            return
        shown = (snapshot.options, snapshot.facets, snapshot.turn, snapshot.status)
        if len(shown) != len(self._shown) or any(a is not b for a, b in zip(shown, self._shown, strict=True)):
            self._shown = shown
            self._draw()

    def _draw(self) -> None:
        snapshot, names = self._snapshot, self._context.names.of(self._snapshot)
        listed = snapshot.options
        if listed is not None and listed is not self._listed_before and listed.thing == self._about:
            self._options = make_options(listed.options, numbers(snapshot), names)
        choice = planners_choice(snapshot)
        self.card.heading.say("What should it do instead?" if self._context.plain else f"Override turn {snapshot.turn}")
        self.card.live.say(self._live_line(choice, names))
        self.card.ban.setText(f"Ban {names.phrase(choice) if choice is not None else 'its choice'} this turn")
        self.card.ban.setEnabled(choice is not None)
        self._list()

    def _live_line(self, choice: Action | None, names: Names) -> str:
        if self._context.plain:
            return "" if choice is None else f"It would {names.phrase(choice)}."
        going = self._snapshot.status in ("thinking", "waiting")
        search = "The planner pauses at its next step." if going else "The planner is paused."
        if choice is None:
            return f"{search} The planner has not chosen yet."
        ranked = numbers(self._snapshot).get(choice)
        much = f": N {whole(ranked.visits)}, Q {value(ranked.value)}" if ranked is not None and ranked.visits else ""
        return f"{search} It would {names.phrase(choice)}{much}."

    def _list(self) -> None:
        rows, choice, names = self.card.rows, planners_choice(self._snapshot), self._context.names.of(self._snapshot)
        possible = sum(o.verdict.ok for o in self._options)
        self.card.which.set_names((f"Possible {whole(possible)}", f"All {whole(len(self._options))}"))
        entries = matching(self._options, self.card.field.text(), impossible=self.card.which.index == 1)
        rows.show_entries(entries, names, choice)
        self.card.show_found(entries, bool(self._options), self._about and names.display(self._about))
        at = rows.index_of(self._wanted)
        if at < 0 and self._asked and not self.card.field.text():
            asked = [rows.index_of(action) for action in self._asked]
            at = next((k for k in asked if rows.option(k) is not None), -1)
            rows.choose(at)  # none of them is possible now, and nothing else is chosen instead
            if at < 0 and max(asked) >= 0:
                rows.show_row(max(asked))
            self._name_act()
            return
        if at < 0:  # the best one that differs from the planner's own choice
            possible_rows = [k for k in range(len(entries)) if rows.option(k) is not None]
            others = [k for k in possible_rows if k != rows.index_of(choice)]
            at = (others or possible_rows or [-1])[0]
        rows.choose(at)
        self._name_act()

    def _choose(self, index: int) -> None:
        entry = self.card.rows.item(index)
        self._wanted = entry.action if isinstance(entry, Option) else None
        self._name_act()

    def _choose_action(self, action: object) -> None:
        if not isinstance(action, Action):
            return
        self._wanted, self._asked = action, ()
        self.card.field.clear()
        self._list()
        at = self.card.rows.index_of(action)
        if at >= 0:
            self.card.rows.choose(at)
        self._name_act()

    def _name_act(self) -> None:
        rows = self.card.rows
        act, entry = rows.act(rows.current), rows.item(rows.current)
        words = "" if act is None else self._context.names.of(self._snapshot).button(act)
        self.card.refusal.say(self._refusal(entry) if isinstance(entry, Option) and not entry.verdict.ok else "")
        self.card.refusal.setVisible(bool(self.card.refusal.text()))
        self.card.act.dress(f"{words or 'Override'}   Enter", "override")
        self.card.act.setAccessibleName(words or "Override")
        self.card.act.setEnabled(bool(words))

    def _refusal(self, option: Option) -> str:
        reason = option.verdict.reason or option.verdict.precondition
        return f"Not possible now: {self._context.names.of(self._snapshot).with_names(reason)}."

    # --- over the window ---------------------------------------------------
    def _place(self) -> None:
        """Places the card beside the frames that the action is about; in the middle while these are not in view."""
        px, room = self._context.theme.px, self.rect().adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        size, frames = QSize(px(WIDTH), px(HEIGHT)).boundedTo(room.size()), self._frames()
        place = QRect(QPoint(0, 0), size)
        place.moveCenter(self.rect().center())
        if not frames.isEmpty() and place.intersects(frames):
            place = beside(frames, size, room, px(GAP), self.card.minimumSizeHint().expandedTo(QSize(px(LEAST_WIDTH), 0)))
        self.card.setGeometry(place)

    def _frames(self) -> QRect:
        """Returns where the frames are in the window, in pixels; empty while they are not in view."""
        frames = self._context.judged()
        return QRect(self._window.mapFromGlobal(frames.topLeft()), frames.size()) if not frames.isEmpty() else QRect()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follows the window's size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._window.rect())
            self._place()
        return False

    def event(self, event: QEvent) -> bool:
        """Keeps the window's shortcuts from acting while the dialog is open."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Cancels on Esc and accepts on Enter; no key reaches the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        event.accept()

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: N802 - Qt's name
        """Keeps Tab within the dialog. Qt also calls this while the dialog is hidden and has nothing to focus."""
        chain = self.card.focus_chain()
        if not chain:
            return False
        here = self.focusWidget()
        at = chain.index(here) if here is not None and here in chain else -1 if next else 0
        reason = Qt.FocusReason.TabFocusReason if next else Qt.FocusReason.BacktabFocusReason
        chain[(at + (1 if next else -1)) % len(chain)].setFocus(reason)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Cancels on a click beside the card."""
        if not self.card.geometry().contains(event.position().toPoint()):
            self.cancel()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Dims the window, but not the frames."""
        del event
        painter = QPainter(self)
        painter.setClipRegion(QRegion(self.rect()) - self._frames())
        painter.fillRect(self.rect(), SHADE)
        painter.end()


class OverrideCard(QFrame):
    """Texts and widgets of the dialog. Knows nothing of the run."""

    cancelled = Signal()
    accepted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setObjectName("Dialog")
        self.heading = Line(theme, "Override", "heading", "text", 650, shrinks=False)
        self.live = Line(theme, "", "body", "muted")
        self._close = Tool(theme, tool_action(self, theme, "Close (Esc)", "close", self.cancelled.emit))
        self.which = CountedSegment(theme, ("Possible", "All"), 1, "Which actions")
        self.rows = OptionRows(theme)
        self.field = ListField(self.rows)
        self._state = StateCard(theme)
        self.refusal = Prose(theme, "", "small", "bad")
        """Why the chosen action is not possible; a row of the table may cut it."""
        self.refusal.hide()
        self.count = Line(theme, "", "small", "faint")
        self.why = QLineEdit()
        self.tell, self.quiet = QRadioButton("Tell the planner"), QRadioButton("Do not tell")
        self.ban = QCheckBox("Ban its choice this turn")
        self.cancel = Button(theme, "Cancel   Esc", act=self.cancelled.emit)
        self.act = Button(theme, "Override", "override", "operator", act=self.accepted.emit)
        self._tables, self._details = QStackedLayout(), QWidget()
        self._lay_out()

    def _lay_out(self) -> None:
        theme, px = self._theme, self._theme.px
        self.field.setPlaceholderText("Type an action: walk cof…")
        self.field.setAccessibleName("Type an action")
        self.field.setMinimumHeight(px(30))
        self.why.setMinimumHeight(px(30))
        self.why.setAccessibleName("Why")
        self.tell.setChecked(True)
        self.quiet.setToolTip("The planner is not told; it can only observe the result")
        why = hbox(theme, Line(theme, "Why", "body", "muted", shrinks=False), (self.why, 1),
                   Line(theme, "kept in the recording", "small", "faint", shrinks=False), spacing=8)
        told = hbox(theme, self.tell, self.quiet, self.ban, 0, spacing=14)
        vbox(theme, why, told, on=self._details, spacing=10, margins=FLUSH)
        vbox(theme, hbox(theme, self.heading, (self.live, 1), self._close, spacing=10),
             hbox(theme, (self.field, 1), self.which, spacing=8), (self._tables, 1), self.refusal, self.count, self._details,
             hbox(theme, 0, self.cancel, self.act, spacing=8), on=self, spacing=10, margins=(20, 14, 20, 16))
        self._tables.addWidget(self.rows)  # only now: without a parent they would be shown as windows of their own
        self._tables.addWidget(self._state)

    # --- what it says ------------------------------------------------------
    def begin(self, *, plain: bool) -> None:
        """Resets the fields when the dialog opens. `plain` leaves out the planner's figures and what only operators decide."""
        self.rows.figures = not plain
        self._details.setHidden(plain)
        self.field.clear()
        self.why.clear()
        self.tell.setChecked(True)
        self.ban.setChecked(False)

    def show_found(self, entries: Sequence[Entry], listed: bool, about: str) -> None:
        """Shows how many actions match, or why there are none."""
        options = [e for e in entries if isinstance(e, Option)]
        possible = sum(o.verdict.ok for o in options)
        whose = f" about {about}" if about else ""
        order = "; sorted by visits, then prior" if self.rows.figures else ""
        self.count.say(f"{whole(possible)} possible and {whole(len(options) - possible)} not possible{whose}{order}"
                       if options else "")
        self._tables.setCurrentIndex(int(not options))
        if not listed:
            self._state.show_state(CardState("waiting", "Listing the actions", "They appear at the run's next step."))
        elif not options:
            self._state.show_state(CardState("empty", "No such action", "No action matches these words. Type fewer words.",
                                             "search"))

    def focus_chain(self) -> list[QWidget]:
        """The widgets that Tab goes through, in order."""
        chain: list[QWidget] = [self.field, self.rows, self.why, self.tell, self.quiet, self.ban, self.cancel, self.act]
        return [w for w in chain if w.isVisible() and w.isEnabled()]


class CountedSegment(Segment):
    """A segment whose names contain numbers."""

    def set_names(self, names: tuple[str, ...]) -> None:
        """Changes the names."""
        for part, name in zip(self._parts, names, strict=True):
            part.setText(name)
            part.setAccessibleName(name)
