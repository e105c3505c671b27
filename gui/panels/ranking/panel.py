"""The ranking panel: the actions the planner could choose now, best first, and the operator's commands about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent

from core.common.parameters import described
from core.planning.facets import Facet
from core.planning.search_facets import PolicyMixture, RankedAction, Ranking
from core.planning.simulation_facets import Margins
from core.session.commands import Ban, Deepen, Step, Unban
from core.session.flip_words import flip_of, margin_words, near_words
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action, in_words
from gui.control.context import Context, Selected
from gui.control.margins import nearest, of_priors
from gui.control.previews import Previews
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.panels.ranking.mixture import Shares, shares_of, summary
from gui.panels.ranking.rows import Flipping, Listing, RankingRows, Row, choice_of, lead, make_listing, not_possible
from gui.widgets import Namer, Names, StaleOverlay, tool_action
from gui.widgets import numbers as say

REPEAT_MS = 80
"""Milliseconds for which a key must stay up before the release counts.

A held key goes up and down thirty times a second, and on a busy machine X11 does not always mark that as a repetition.
"""


class HeldBan(QObject):
    """Keeps one row of a list from the press of the key to its release.

    Args:
        watched: the list that has the keyboard focus.
        preview: answers what the ban, or its removal, would change.
        act: bans the row's action, or allows it again.
    """

    def __init__(self, watched: QObject, preview: Previews, act: Callable[[Row], None]):
        super().__init__(watched)
        self._preview, self._act = preview, act
        self._row: Row | None = None
        self._down = False
        self._up = QTimer(self)
        self._up.setSingleShot(True)
        self._up.setInterval(REPEAT_MS)
        self._up.timeout.connect(self._let_go)
        watched.installEventFilter(self)
        preview.cancelled.connect(self._forget)

    def press(self, row: Row, banned: frozenset[Action], names: Names) -> None:
        """Starts the preview for the row on which the key was pressed."""
        self._row, self._down = row, True
        words = f"{names.phrase(row.action)} is {'allowed' if row.banned else 'banned'}"
        self._preview.ask(words, banned=banned ^ {row.action})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles the release of the key and the loss of the keyboard focus.

        The release of any key counts, because the operator may have assigned another key to the ban. If the list loses the
        focus, nothing is banned.
        """
        del watched
        if not self._down:
            return False
        if event.type() == QEvent.Type.FocusOut:
            self._up.stop()
            self._down = False
            self._preview.cancel()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            repeats = event.isAutoRepeat() or self._up.isActive()
            self._up.stop()
            return repeats
        elif event.type() == QEvent.Type.KeyRelease:
            self._up.start()
        return False

    def _let_go(self) -> None:
        row, self._row, self._down = self._row, None, False
        if row is not None:
            self._preview.release()
            self._act(row)

    def _forget(self) -> None:
        self._row = None


MORE_SIMULATIONS = 100
PREVIEW_MS = 120
"""Milliseconds for which the pointer rests on a row before its variation is shown."""


def standing(ranking: Ranking, chosen: RankedAction | None) -> str:
    """Returns how the value of the chosen action compares with the best, for the panel's header; empty if nothing is known."""
    if chosen is not None and chosen.loss:
        return f" · the chosen action is {say.lead(chosen.loss)} below the best"
    gap = lead(ranking)
    return "" if gap is None else f" · {'best' if chosen is None else 'chosen'} action leads by {say.lead(gap)}"


class RankingPanel(Panel):
    """The ranking panel: actions best first, with the evidence for each.

    Resting on a row shows its variation in all panels (it is selected until the pointer leaves); a click keeps the selection.

    Enter or a double click previews an override. N searches the selected action with 25 more simulations, Q searches all
    actions until their visits are equal, D adds 100 simulations to the budget, and F lists only actions about the goal's
    objects. U shows, in place of visits and values, how P is made: its uniform part, the model's part, and the similarity of
    each sample of the model's answer to each action. X bans or allows an action; in a paused run, holding X previews what that
    would change, and Escape cancels it.
    """

    name: ClassVar[str] = "ranking"
    title: ClassVar[str] = "Ranking"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Ranking, PolicyMixture})
    icon: ClassVar[str] = "ranking"
    needs_live: ClassVar[str] = "Banning, overriding or searching on"
    previews: ClassVar[bool] = True

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot = Snapshot()
        self._listing, self._namer = Listing(), Namer()
        self._all = self._playing = False
        self._kept: Selected | None = None
        empty = self.nothing("filter", "ranked actions",
                             "The planner's choices appear here with their visits and values once it thinks.")
        self.rows = RankingRows(context.theme)
        self._held_ban = HeldBan(self.rows, context.preview, self._ban_or_allow)
        self._stale = ""
        self._overlay = StaleOverlay(context.theme, self.rows)
        self._pages = self.stack(empty, self.rows)
        self._goal_only = tool_action(self, context.theme, "Only the goal's objects", "filter", self.redraw,
                                      checkable=True, key="F")
        self._more = tool_action(self, context.theme, "More visits for the selected action", "add", self.more_visits, key="N")
        self._equal = tool_action(self, context.theme, "Equalise visits", "equal", self.equalise, key="Q")
        self._parts = tool_action(self, context.theme, "How P is made: uniform and model's part, similarity of each sample",
                                  "parameters", self.redraw, checkable=True, key="U")
        self._parts.setEnabled(False)
        self._preview = QTimer(self)
        self._preview.setSingleShot(True)
        self._preview.setInterval(PREVIEW_MS)
        self._preview.timeout.connect(self._play)
        self._connect()

    def _connect(self) -> None:
        rows = self.rows
        rows.chosen.connect(self._choose)
        rows.opened.connect(lambda index: self._override(self._listing.rows[index]))
        rows.hovered.connect(self._hover)
        rows.foot_clicked.connect(self._list_all)
        key = Qt.Key
        for code, act in ((key.Key_X, self._press_ban), (key.Key_N, self.more_visits), (key.Key_D, self.deeper),
                          (key.Key_Q, self.equalise),
                          (key.Key_F, self._goal_only.trigger), (key.Key_U, self._parts.trigger)):
            rows.on_key(code, act)
        self.context.selection.changed.connect(self._follow)
        self.context.margins.changed.connect(self.redraw)
        self.context.live_changed.connect(lambda _: self.redraw())

    # --- what it shows -----------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking, bans and names."""
        self._snapshot = snapshot
        self._stale = staleness(snapshot, Ranking, "new search")
        if self.has_changed(snapshot.facet(Ranking), snapshot.facet(PolicyMixture), choice_of(snapshot), snapshot.banned,
                            self._namer.of(snapshot.seen), snapshot.options, snapshot.goal, snapshot.status == "paused",
                            self._stale):
            self.redraw()

    def headline(self) -> str:
        """Returns the number of actions, by how much the best one leads, and the nearest flip of the decision."""
        ranking = self._snapshot.facet(Ranking)
        if ranking is None:
            return ""
        shares = self._shares()
        if shares is not None:
            return summary(shares.mixture)
        leads, moment = standing(ranking, choice_of(self._snapshot)), self._snapshot.moment_of(Ranking)
        if moment is not None and not self._stale and moment.turn != self._snapshot.turn:
            leads += f" · of turn {moment.turn}, whose plan goes on"
        margins = self._margins()
        near = nearest(margins) if margins is not None else None
        if near is not None:
            leads += f" · nearest flip: {near_words(near, self._namer.of(self._snapshot.seen))}"
        return f"{say.count(len(ranking.actions), 'action')}{leads}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions for more visits, equal visits, the parts of P and the filter."""
        return (self._more, self._equal, self._parts, self._goal_only)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Lists as many rows as now fit."""
        super().resizeEvent(event)
        if self._snapshot.facet(Ranking) is not None:
            self.redraw()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        snapshot = self._snapshot
        ranking = snapshot.facet(Ranking)
        self._pages.setCurrentIndex(int(ranking is not None))
        if ranking is None:
            return
        held = [row.action for row in self._listing.rows] if self.rows.under >= 0 else []
        goal = snapshot.goal if self._goal_only.isChecked() else None
        self._listing = make_listing(ranking, snapshot.banned, chosen=choice_of(snapshot), goal=goal,
                                     room=10_000 if self._all else self.rows.rows_that_fit(), order=held)
        self._parts.setEnabled(self._parts.isChecked() or self._mixture() is not None)
        for tool in (self._more, self._equal):
            tool.setEnabled(self.context.live and ranking.budget > 0)  # only a search has visits to add
        self.rows.show_listing(self._listing, self._namer.of(snapshot.seen), self._foot(), self._shares(), self._flips())
        self.headline_changed.emit()
        self._overlay.say(self._stale)
        self._follow(self.context.selection.now)

    def _mixture(self) -> PolicyMixture | None:
        """Returns the parts of the priors if they were shown in the turn of the ranking."""
        snapshot = self._snapshot
        is_same = snapshot.moment_of(PolicyMixture) == snapshot.moment_of(Ranking)
        return snapshot.facet(PolicyMixture) if is_same else None

    def _shares(self) -> Shares | None:
        """Returns the parts to show; None while visits and values are shown, or if there are no parts."""
        return shares_of(self._mixture(), self._snapshot.facet(Ranking)) if self._parts.isChecked() else None

    def _margins(self) -> Margins | None:
        """Returns what would change the decision, if its ranking is shown and not a preview."""
        return self.context.shown_margins if self.context.preview.snapshot is None and not self._stale else None

    def _flips(self) -> dict[Action, Flipping]:
        """Returns what would change the choice, for each row that has something to tell."""
        margins, names = self._margins(), self._namer.of(self._snapshot.seen)
        if margins is None:
            return {}
        priors, found = of_priors(margins), {}
        for row in self._listing.rows:
            margin, told, short = priors.get(in_words(row.action)), list[str](), ""
            if margin is not None:
                told.append(margin_words(margin, names))
                short = flip_of(margin, row.action, chosen=row.action == margins.chosen)
            near = nearest(margins) if row.action == margins.chosen else None
            if near is not None and near is not margin:
                told.append(f"The nearest flip: {margin_words(near, names)}")
            if told:
                found[row.action] = Flipping(short, "\n".join(told))
        return found

    def _foot(self) -> str:
        """Returns a line that counts the actions not listed."""
        impossible = not_possible(self._snapshot)
        unvisited = "more, never visited" if self._listing.searched else "more"
        parts = [f"{say.whole(n)} {what}" for n, what in (
            (self._listing.unvisited, unvisited), (self._listing.filtered, "not about the goal"),
            (impossible, "not possible now")) if n]
        return f"Not listed: {' · '.join(parts)}" if parts else ""

    def _list_all(self) -> None:
        self._all = not self._all
        self.redraw()

    # --- the selection -----------------------------------------------------
    def _follow(self, selected: Selected | None) -> None:
        if selected is not None and selected.kind == "action":
            self.rows.choose(self._listing.index_of(selected.action))
        else:
            self.rows.choose(-1)

    def _choose(self, index: int) -> None:
        self._preview.stop()
        self._kept = Selected("action", action=self._listing.rows[index].action)
        self.context.selection.select(self._kept)

    def _hover(self, index: int) -> None:
        if self.rows.can_choose(index):
            self._preview.start()
            return
        self._preview.stop()
        if index < 0 and self._playing:
            self._playing = False
            self.context.selection.select(self._kept)

    def _play(self) -> None:
        index = self.rows.under
        if not self.rows.can_choose(index):
            return
        if not self._playing:
            self._kept, self._playing = self.context.selection.now, True
        self.context.selection.select(Selected("action", action=self._listing.rows[index].action))

    # --- the operator's acts -----------------------------------------------
    def _current(self) -> Row | None:
        """Returns the row that keys act on: the one under the pointer while it is previewed, otherwise the selected one."""
        index = self.rows.current
        return self._listing.rows[index] if self.rows.can_choose(index) else None

    def _override(self, row: Row) -> None:
        """Previews an override with a row's action. For a macro it offers the steps; the first possible one is used."""
        if self.context.live:
            self.context.selection.asked_actions.emit(row.ranked.steps if row.ranked is not None else (row.action,))

    def ban_or_allow(self) -> None:
        """Bans the current action, or allows it again. The command can be undone."""
        row = self._current()
        if row is not None and self.context.live:
            self._ban_or_allow(row)

    def _press_ban(self) -> None:
        """Starts the preview of a ban if the run is paused, otherwise bans the action or allows it again."""
        row = self._current()
        if row is not None and self.context.live and self._snapshot.status == "paused":
            self._held_ban.press(row, self._snapshot.banned, self._namer.of(None))
        else:
            self.ban_or_allow()

    def _ban_or_allow(self, row: Row) -> None:
        command, word = (Unban(row.action), "Allow") if row.banned else (Ban(row.action), "Ban")
        self.context.push_command(command, f"{word} {self._namer.of(None).phrase(row.action)}")

    def more_visits(self) -> None:
        """Requests 25 more simulations of the current action. A paused run does them and pauses again."""
        row = self._current()
        if row is not None and row.ranked is not None:
            self._deepen(row.action)

    def equalise(self) -> None:
        """Requests simulations until all actions have equally many visits."""
        self._deepen(None)

    def _deepen(self, action: Action | None) -> None:
        if not self.context.live:
            return
        self.context.post(Deepen(action))
        if self._snapshot.status == "paused":
            self.context.post(Step("checkpoint"))

    def deeper(self) -> None:
        """Adds 100 simulations to the budget, if the planner has a parameter for it."""
        if not self.context.live:
            return
        for parameter in described(self._snapshot.parameters):
            if parameter.name == "simulations" and isinstance(parameter.value, int):
                more = parameter.value + MORE_SIMULATIONS
                self.context.push_parameter(f"simulations: {more}", "simulations", more, parameter.value)
