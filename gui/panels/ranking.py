"""The ranking panel: the actions the planner could choose now, best first, and the operator's commands about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent

from core.common.parameters import described
from core.goals.literals import Goal
from core.planning.facets import Plan
from core.planning.search_facets import PolicyMixture, Ranking
from core.planning.simulation_facets import Margins
from core.session.commands import Ban, Deepen, Step, Unban
from core.session.ranking_view import choice_of, mixture_of, ranking_view
from core.session.snapshot import Snapshot
from core.views.values import Table, View
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.previews import Previews
from gui.control.snapshot_texts import staleness
from gui.panels.empty import EmptyPage
from gui.panels.view_panel import ViewPanel
from gui.views.item_rows import ItemsView
from gui.views.source import MadeSource
from gui.widgets import Names, tool_action

REPEAT_MS = 80
"""Milliseconds for which a key must stay up before the release counts.

A held key goes up and down thirty times a second, and on a busy machine X11 does not always mark that as a repetition.
"""


class HeldBan(QObject):
    """Keeps one action of a list from the press of the key to its release.

    Args:
        watched: the list that has the keyboard focus.
        preview: answers what the ban, or its removal, would change.
        act: bans an action, or allows it again if it was banned when the key was pressed.
    """

    def __init__(self, watched: QObject, preview: Previews, act: Callable[[Action, bool], None]):
        super().__init__(watched)
        self._preview, self._act = preview, act
        self._held: tuple[Action, bool] | None = None
        self._down = False
        self._up = QTimer(self)
        self._up.setSingleShot(True)
        self._up.setInterval(REPEAT_MS)
        self._up.timeout.connect(self._let_go)
        watched.installEventFilter(self)
        preview.cancelled.connect(self._forget)

    def press(self, action: Action, banned: frozenset[Action], names: Names) -> None:
        """Starts the preview for the action on whose row the key was pressed."""
        self._held, self._down = (action, action in banned), True
        words = f"{names.phrase(action)} is {'allowed' if action in banned else 'banned'}"
        self._preview.ask(words, banned=banned ^ {action})

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
        held, self._held, self._down = self._held, None, False
        if held is not None:
            self._preview.release()
            self._act(*held)

    def _forget(self) -> None:
        self._held = None


MORE_SIMULATIONS = 100
PREVIEW_MS = 120
"""Milliseconds for which the pointer rests on a row before its variation is shown."""


class RankingPanel(ViewPanel):
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
    facets = frozenset({Ranking, PolicyMixture})
    icon: ClassVar[str] = "ranking"
    needs_live: ClassVar[str] = "Banning, overriding or searching on"
    previews: ClassVar[bool] = True

    def __init__(self, context: Context):
        super().__init__(context)
        theme, self._playing, self._kept = context.theme, False, context.selection.now
        self._dress(Table(()))
        assert isinstance(self.shown, ItemsView), "see _dress"
        self.rows = self.shown.rows
        self._held_ban = HeldBan(self.rows, context.preview, self._ban_or_allow)
        self._goal_only = tool_action(self, theme, "Only the goal's objects", "filter", self.redraw, checkable=True, key="F")
        self._more = tool_action(self, theme, "More visits for the selected action", "add", self.more_visits, key="N")
        self._equal = tool_action(self, theme, "Equalise visits", "equal", self.equalise, key="Q")
        self._parts = tool_action(self, theme, "How P is made: uniform and model's part, similarity of each sample",
                                  "parameters", self.redraw, checkable=True, key="U")
        self._preview = QTimer(self)
        self._preview.setSingleShot(True)
        self._preview.setInterval(PREVIEW_MS)
        self._preview.timeout.connect(self._play)
        self.rows.hovered.connect(self._hover)
        key = Qt.Key
        for code, act in ((key.Key_X, self._press_ban), (key.Key_N, self.more_visits), (key.Key_D, self.deeper),
                          (key.Key_Q, self.equalise), (key.Key_F, self._goal_only.trigger), (key.Key_U, self._parts.trigger)):
            self.rows.on_key(code, act)
        context.margins.changed.connect(self.redraw)
        context.live_changed.connect(lambda _: self._allow())
        self._allow()

    # --- what it shows -----------------------------------------------------
    def make_sources(self) -> tuple[MadeSource]:
        """Returns the ranking with what was chosen and banned."""
        return (MadeSource(self.context, self.title, self._drawn, self._view),)

    def empty_page(self) -> EmptyPage:
        """Returns the page to show before a planner ranks actions."""
        return self.nothing("filter", "ranked actions",
                            "The planner's choices appear here with their visits and values once it thinks.")

    def _drawn(self, now: Snapshot) -> tuple[object, ...] | None:
        ranking = now.facet(Ranking)
        return None if ranking is None else (
            ranking, self._mixture(now), choice_of(now), now.banned, now.options, self._goal(now), self._margins(now))

    def _view(self, now: Snapshot) -> Table:
        held = [item.about.action for item in self.rows.view.items] if self.rows.under >= 0 else []
        return ranking_view(now, self._margins(now), goal=self._goal(now), parts=self._mixture(now),
                            order=[action for action in held if action is not None])

    def _mixture(self, now: Snapshot) -> PolicyMixture | None:
        """Returns the parts of the priors if they are to be shown."""
        return mixture_of(now) if self._parts.isChecked() else None

    def _goal(self, now: Snapshot) -> Goal | None:
        return now.goal if self._goal_only.isChecked() else None

    def _margins(self, now: Snapshot) -> Margins | None:
        """Returns what would change the decision, if its ranking is shown and not a preview."""
        is_present = self.context.preview.snapshot is None and not staleness(now, Ranking, "new search")
        return self.context.shown_margins if is_present else None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking, bans and names."""
        self.sources[0].stale = staleness(snapshot, Ranking, "new search")
        super().show_snapshot(snapshot)
        self._allow()

    def headline(self) -> str:
        """Returns the number of actions, by how much the best one leads, and whether its plan goes on."""
        told, now = super().headline(), self._snapshot
        moment, plan = now.moment_of(Ranking), now.fresh(Plan)
        goes_on = moment is not None and moment.turn != now.turn and plan is not None and plan.continues
        return f"{told} · of turn {moment.turn}, whose plan goes on" if told and goes_on and moment is not None else told

    def _allow(self) -> None:
        """Enables the tools that have something to do."""
        ranking = self._snapshot.facet(Ranking)
        self._parts.setEnabled(self._parts.isChecked() or (ranking is not None and mixture_of(self._snapshot) is not None))
        for tool in (self._more, self._equal):
            tool.setEnabled(self.context.live and ranking is not None and ranking.budget > 0)  # only a search has visits to add

    def has_edits(self, view: View) -> bool:
        """Returns True: each action can be banned and overridden."""
        del view
        return True

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions for more visits, equal visits, the parts of P and the filter."""
        return (self._more, self._equal, self._parts, self._goal_only)

    # --- the selection -----------------------------------------------------
    def _select(self) -> None:
        self._preview.stop()
        super()._select()
        self._kept = self.context.selection.now

    def _hover(self, row: int) -> None:
        if row >= 0:
            self._preview.start()
            return
        self._preview.stop()
        if self._playing:
            self._playing = False
            self.context.selection.select(self._kept)

    def _play(self) -> None:
        item = self.rows.item_of_row(self.rows.under)
        if item is None or item.about.action is None:
            return
        if not self._playing:
            self._kept, self._playing = self.context.selection.now, True
        self.context.selection.select(Selected("action", action=item.about.action))

    # --- the operator's acts -----------------------------------------------
    def _current(self) -> Action | None:
        """Returns the action that keys act on: that of the row under the pointer while it is previewed, or the selected one."""
        choice = self.shown.choice() if self.shown is not None else None
        return choice.about.action if choice is not None else None

    def _open(self) -> None:
        """Previews an override with a row's action. For a macro it offers the steps; the first possible one is used."""
        action, ranking = self._current(), self._snapshot.facet(Ranking)
        if self.context.live and action is not None and ranking is not None:
            steps = next((row.steps for row in ranking.actions if row.steps and row.steps[-1] == action), (action,))
            self.context.selection.asked_actions.emit(steps)

    def _press_ban(self) -> None:
        """Starts the preview of a ban if the run is paused, otherwise bans the action or allows it again."""
        action = self._current()
        if action is None or not self.context.live:
            return
        if self._snapshot.status == "paused":
            self._held_ban.press(action, self._snapshot.banned, self.context.names.of(self._snapshot))
        else:
            self._ban_or_allow(action, action in self._snapshot.banned)

    def _ban_or_allow(self, action: Action, banned: bool) -> None:
        command, word = (Unban(action), "Allow") if banned else (Ban(action), "Ban")
        self.context.push_command(command, f"{word} {self.context.names.of(self._snapshot).phrase(action)}")

    def more_visits(self) -> None:
        """Requests 25 more simulations of the current action. A paused run does them and pauses again."""
        action = self._current()
        if action is not None and action not in self._snapshot.banned:
            self._deepen(action)

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
