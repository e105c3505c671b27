"""What is compared besides two branches: two turns, two planners, or a run and a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.user_folders import home
from core.common.visible import path_of, readable
from core.planning.companion import CompanionDecision
from core.session.events import Began
from core.session.snapshot import Snapshot
from core.session.turns import first_from
from core.world.vocabulary import Action
from gui.control.context import Context
from gui.widgets import Names
from gui.widgets.numbers import count

BRANCHES, BEFORE, BESIDE, OTHER = "branches", "before", "beside", "other"
TITLES: Mapping[str, str] = MappingProxyType({
    BRANCHES: "Two branches", BEFORE: "This turn with the one before", BESIDE: "Both planners in this turn",
    OTHER: "With another recording …"})
"""What can be compared, by mode."""
NO_COMPANION = ("In this turn no second planner has thought. Choose one in the list of planners, under “Only thinks”: it "
                "thinks about every turn and never acts.")


@dataclass(frozen=True, slots=True)
class Found:
    """Two sides of planner data.

    Attributes:
        title: a heading; if there is no pair, why not in a few words.
        sides: what stands left and right.
        pair: the two snapshots; None if there is nothing to compare.
        why: what to do if there is no pair.
    """

    title: str
    sides: tuple[str, str] = ("", "")
    pair: tuple[Snapshot, Snapshot] | None = None
    why: str = ""


NOTHING = Found("")


class Moments(QObject):
    """Finds the two sides. What must be read from a file arrives later; `changed` is emitted then."""

    changed = Signal()

    def __init__(self, context: Context):
        super().__init__()
        self._context = context
        self._wanted: tuple[object, ...] = ()
        self._began: Began | None = None
        """The beginning of the run that `_wanted` is of, compared by `is`: runs with the same settings begin alike."""
        self._read: Snapshot | None = None
        self._arrived = False

    def of(self, mode: str, shown: Snapshot, names: Names) -> Found:
        """Returns the two sides.

        Args:
            mode: BEFORE, BESIDE, or the path of a recording.
            shown: the turn displayed.
            names: display names of objects.
        """
        if mode == BESIDE:
            return both_planners(shown, names, self._context.planner_title)
        if mode == BEFORE:
            return self._before(shown)
        return self._recording(path_of(mode), shown)

    def _before(self, shown: Snapshot) -> Found:
        place = first_from(shown.line, shown.turn) - 1
        if place < 0 or shown.turn < 1:
            return Found("No turn before", why="Go to the second turn or a later one.")
        before = shown.line[place]
        if shown.began is not self._began:
            self._began, self._wanted = shown.began, ()
        other = self._take((before.moment,), lambda take: self._context.read_turn(before.moment, take))
        if other is None:
            return self._missing(f"turn {before.number}")
        sides = f"Turn {before.number}", f"Turn {shown.turn}"
        return Found(" → ".join(sides), sides, (other, shown))

    def _recording(self, path: Path, shown: Snapshot) -> Found:
        other = self._take((path, shown.turn), lambda take: self._context.read_recording(path, shown.turn, take))
        if other is None:
            return self._missing(f"turn {shown.turn} of {path.name}")
        planner = self._context.planner_title(other.began.planner) if other.began is not None else readable(path.stem)
        title = f"Turn {shown.turn} here → turn {other.turn} of {readable(path.stem)}"
        return Found(title, ("Here", f"{readable(path.stem)}: {planner}"), (shown, other))

    def _missing(self, what: str) -> Found:
        title = f"There is no {what}" if self._arrived else f"Reading {what} …"
        return Found(title, why="It was not kept, or the file cannot be read." if self._arrived else "")

    def _take(self, wanted: tuple[object, ...], read: Callable[[Callable[[Snapshot | None], None]], None]) -> Snapshot | None:
        """Returns what was read for `wanted`; reads it if something else was wanted before."""
        if wanted != self._wanted:
            self._wanted, self._read, self._arrived = wanted, None, False
            read(lambda snapshot: self._deliver(wanted, snapshot))
        return self._read

    def _deliver(self, wanted: tuple[object, ...], snapshot: Snapshot | None) -> None:
        if wanted == self._wanted and not self._arrived:
            self._read, self._arrived = snapshot, True
            self.changed.emit()


def both_planners(shown: Snapshot, names: Names, title_of: Callable[[str], str]) -> Found:
    """Returns what the driving planner and its companion showed in the turn displayed."""
    decision = shown.fresh(CompanionDecision)
    if decision is None:
        return Found("No second planner", why=NO_COMPANION)
    own = {kind: found for kind, found in shown.facets.items() if found[1] == shown.moment and kind is not CompanionDecision}
    driving = replace(shown, facets=MappingProxyType(own))
    planner = title_of(shown.began.planner) if shown.began is not None else "The planner"
    calls, _, _ = decision.spent
    left = f"{_words(decision.driving, names)} · {planner} acts"
    second = f"{title_of(decision.planner)} only thinks, {count(calls, 'call')}"
    right = f"{decision.trouble or _words(decision.action, names)} · {second}"
    title = f"Turn {shown.turn}: {'both would do the same' if decision.agrees else 'the two planners differ'}"
    beside = {type(facet): (facet, shown.moment) for facet in decision.facets}
    return Found(title, (left, right), (driving, replace(shown, facets=MappingProxyType(beside))))


def _words(action: Action | None, names: Names) -> str:
    return "give up" if action is None else names.phrase(action)


def ask_recording(parent: QWidget, then: Callable[[Path], None]) -> None:
    """Opens the dialog in which a recording is chosen."""
    dialog = QFileDialog(parent, "Compare with a recording", str(home()), "Recordings (*.mcap);;All files (*)")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
    dialog.fileSelected.connect(lambda path: then(Path(path)))
    dialog.open()
