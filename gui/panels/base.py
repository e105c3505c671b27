"""What a panel is: a view of the newest snapshot, and a place to say commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context


@dataclass(frozen=True, slots=True)
class Offer:
    """Something a panel can do at this moment: what its tools and its selection offer to hotkeys and palette.

    Attributes:
        key: the key it has at first, as the window's table spells it (`Ctrl+F`); empty: none.
    """

    title: str
    run: Callable[[], object]
    key: str = ""
    icon: str = "right"


class Panel(QWidget):
    """Shows part of a snapshot. Panels do not know each other; they meet in the context's selection.

    `show_snapshot` is called on the GUI thread at most 30 times a second with the newest snapshot, live or from a recording; a
    panel compares what it shows by identity and returns at once when nothing of its own has changed. It never waits, never
    reads files, and always says what it waits for when it has nothing to show.

    Attributes:
        name: its name in the registry and in saved layouts.
        title: what its tab says.
        facets: the kinds of facet it claims; a facet no panel claims is shown by the plain tree panel.
        icon: a name of the theme's icons.
        previews: it shows the preview of what is dragged, where there is one, in the place of the newest snapshot.
        immediate: every snapshot may be shown at once; other panels get one every 100 ms at most while the turn lasts.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    facets: ClassVar[frozenset[type[Facet]]] = frozenset()
    icon: ClassVar[str] = "more"
    previews: ClassVar[bool] = False
    immediate: ClassVar[bool] = False

    headline_changed = Signal()
    """`headline` answers otherwise, though no other snapshot was shown."""

    def __init__(self, context: Context):
        super().__init__()
        self.context = context
        self.setAccessibleName(self.title)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the newest state."""
        raise NotImplementedError

    def headline(self) -> str:
        """The live line of its header: what is inside, in a few words."""
        return ""

    def tools(self) -> tuple[QAction, ...]:
        """Actions for the right end of its header."""
        return ()

    def offers(self) -> Sequence[Offer]:
        """What can be done now beside the tools, asked for when a key is pressed or the palette opens."""
        return ()

    def restyle(self) -> None:
        """The theme changed: take its colours and fonts again."""
        self.update()
