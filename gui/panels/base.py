"""The interface of a panel: a view of the newest snapshot that may post commands. And what replaces a panel that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QWidget

from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.empty import EmptyPage, Reason, live_actions, live_offer
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.theme.tokens import MOTION
from gui.views.source import are_same
from gui.widgets import Button, EmptyState, PopupMenu, Prose, StateAction

ROOM_FOR_WORDS = 90
"""Pixels in height at 100 % text size that a panel needs for the sentence about a live planner, besides those of its button."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that a panel can perform now, offered to hotkeys and to the command palette.

    Attributes:
        title: its text in the palette.
        run: performs the action.
        key: its default key, spelled as in the window's key table (`Ctrl+F`). Empty if it has none.
        icon: the name of one of the theme's icons.
    """

    title: str
    run: Callable[[], object]
    key: str = ""
    icon: str = "right"


def thing_entries(context: Context, thing: str, name: str) -> Sequence[tuple[str, Callable[[], object]]]:
    """Returns what a menu offers about an object: what the robot can do with it, and what the operator can change.

    Args:
        context: asks for it.
        thing: the object's id.
        name: what it is called in a sentence.
    """
    selection = context.selection
    return ((f"What the robot can do with {name} …", partial(selection.asked_override.emit, thing)),
            (f"Change {name} in the simulator, in a fork …", partial(selection.asked_changes.emit, thing)))


def open_thing_menu(context: Context, thing: str, owner: QWidget, at: QPoint) -> PopupMenu:
    """Opens the menu of an object at a point of the screen."""
    menu = PopupMenu(owner)
    for title, act in thing_entries(context, thing, "it"):
        menu.add(title, act)
    menu.open_at(at)
    return menu


class Panel(QWidget):
    """The base class of all panels. A panel shows part of a snapshot.

    Panels do not know each other. They share only the selection in the context.

    `show_snapshot` is called on the GUI thread at most 30 times a second with the newest snapshot, live or from a recording. A
    panel compares the parts it shows by identity and returns at once if none of them has changed. It never blocks and never
    reads files. If it has nothing to show, it shows the page that `nothing` makes: what it waits for, or why nothing comes.

    Attributes:
        name: its name in the registry and in saved layouts.
        title: the text of its tab.
        facets: the kinds of facet it claims. A kind that no panel claims has a panel made from its view.
        icon: the name of one of the theme's icons.
        page: what the panel shows and what its columns mean, in the form of `resources/help/panels.md`, which has the pages of
            our panels; empty: the class's docstring.
        previews: if True, the panel shows the preview of a drag, while there is one, instead of the newest snapshot.
        needs_live: what the operator does here that needs a live planner, as the beginning of a sentence. If it is not empty, a
            line below the content (see `stack`) offers one while a recording or a past turn is shown.
        room_for_offer: pixels in height at 100 % text size that the panel must have for the button of that line.
        interval: the least time between two snapshots within a turn, in milliseconds; 0: the panel receives every snapshot.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    facets: ClassVar[frozenset[type[Facet]]] = frozenset()
    icon: ClassVar[str] = "more"
    page: ClassVar[str] = ""
    previews: ClassVar[bool] = False
    needs_live: ClassVar[str] = ""
    room_for_offer: ClassVar[int] = 120
    interval: ClassVar[int] = MOTION["publish"]

    headline_changed = Signal()
    """Emitted when `headline` returns a new text although no new snapshot was shown."""

    tools_changed = Signal()
    """Emitted when `tools` returns others."""

    retitled = Signal(str)
    """Emitted with another title for its tab and header."""

    def __init__(self, context: Context):
        super().__init__()
        self.context = context
        self._drawn_parts: tuple[object, ...] | None = None
        self._empty_page: EmptyPage | None = None
        self.setAccessibleName(self.title)

    @classmethod
    def missing(cls) -> str:
        """Returns in one line what is not installed and the command that installs it. Empty if the panel can be used."""
        return ""

    @property
    def has_nothing(self) -> bool:
        """Whether it is empty and nothing will come, so that its tools are of no use."""
        page = self._empty_page
        return page is not None and page.is_final and page.isVisibleTo(self)

    def receive(self, snapshot: Snapshot) -> None:
        """Shows a snapshot, and on the page of an empty panel what it waits for or why it is empty. Called by the window."""
        if self._empty_page is not None:
            self._empty_page.tell(snapshot)
        self.show_snapshot(snapshot)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows a snapshot.

        Args:
            snapshot: the newest state of the run, or of the recording at the turn displayed.
        """
        raise NotImplementedError

    def has_changed(self, *parts: object) -> bool:
        """Returns True if one of the parts shown is another object than at the last call. Numbers and texts count by value.

        Args:
            parts: everything that the panel draws.
        """
        before, self._drawn_parts = self._drawn_parts, parts
        return not are_same(before, parts)

    def nothing(self, icon: str, things: str, hint: str, reason: Reason | None = None, *, helps: bool = True) -> EmptyPage:
        """Returns the page to show while there is nothing to show.

        Args:
            icon: the name of one of the theme's icons.
            things: what the panel shows, as it follows `No`: `search tree`.
            hint: what will appear, in one or two sentences.
            reason: returns why nothing comes, given a snapshot of a recording, a past turn or the end; None: the planner showed
                no facet of the kinds that the panel claims.
            helps: False if a live run would not bring anything either.
        """
        self._empty_page = EmptyPage(self.context, icon, things, hint, reason, self.facets, helps=helps)
        return self._empty_page

    def live_actions(self) -> tuple[StateAction, ...]:
        """Returns the button that makes the decision on display live, for a card of the panel's own; none if it is live."""
        return live_actions(self.context)

    def stack(self, empty: QWidget, content: QWidget, on: QWidget | None = None) -> QStackedLayout:
        """Fills the panel, or a part of it, with two pages: index 0 is shown while there is nothing to show, 1 otherwise."""
        if self.needs_live:
            page = LivePage()
            self.offer = page.offer = LiveOffer(self.context, self.needs_live, self.room_for_offer)
            vbox(self.context.theme, (content, 1), self.offer, on=page, spacing=0, margins=FLUSH)
            content = page
        pages = QStackedLayout(on or self)
        pages.addWidget(empty)
        pages.addWidget(content)
        return pages

    def headline(self) -> str:
        """Returns a few words that summarise the content, for the panel's header."""
        return ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions shown at the right end of the panel's header."""
        return ()

    def offers(self) -> Sequence[Offer]:
        """Returns the actions available now besides the tools. Called when a key is pressed or the palette opens."""
        return ()

    def restyle(self) -> None:
        """Applies the theme's colours and fonts again after the theme has changed."""
        self.redraw()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self.update()


class LivePage(QWidget):
    """The content of a panel over its `offer`, which is left out where it would take too much of the height."""

    offer: LiveOffer

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Gives the offer as much room as there is."""
        super().resizeEvent(event)
        self.offer.fit(self.height())


class LiveOffer(QWidget):
    """A line about what needs a live planner, with a button that makes the decision on display live. Hidden in the present.

    Args:
        context: says whether the present is shown, and makes the decision live.
        what: what needs a live planner, as the beginning of a sentence.
        room: pixels in height at 100 % text size that the panel must have for it.
    """

    def __init__(self, context: Context, what: str, room: int = 0):
        super().__init__()
        self._context, self._is_wanted, self._room = context, True, room
        self.button = Button(context.theme, "", "fork", "operator", act=context.decide_here)
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._why, self._has_room = Prose(context.theme, f"{what} needs a live planner."), True
        hbox(context.theme, (self._why, 1), self.button, on=self, spacing=8, margins=(8, 4, 8, 4))
        context.live_changed.connect(lambda _: self._show())
        self._show()

    def fit(self, high: int) -> None:
        """Leaves out the sentence, or all, in a low panel: the strip and the timeline offer the same."""
        px = self._context.theme.px
        self._why.setVisible(high >= px(self._room + ROOM_FOR_WORDS))
        self._has_room = high >= px(self._room)
        self._show()

    def want(self, wanted: bool) -> None:
        """Sets whether the panel shows something that this is about."""
        if wanted != self._is_wanted:
            self._is_wanted = wanted
            self._show()

    def _show(self) -> None:
        title, tip = live_offer(self._context)
        self.button.dress(title, "fork")
        self.button.setToolTip(f"{tip}. {self._why.text()}" if self._why.isHidden() else tip)
        visible = self._is_wanted and not self._context.live and self._has_room
        if self.parentWidget() is not None or not visible:  # without a parent it would open as a window of its own
            self.setVisible(visible)


class BrokenPanel(Panel):
    """Shows why a panel cannot be used.

    Args:
        reason: one line.
    """

    name: ClassVar[str] = "broken"
    title: ClassVar[str] = "Broken panel"
    icon: ClassVar[str] = "info"

    def __init__(self, context: Context, reason: str):
        super().__init__(context)
        vbox(context.theme, EmptyState(context.theme, "info", "This panel cannot be used", reason), on=self)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Do nothing: no snapshot changes the reason."""
        del snapshot
