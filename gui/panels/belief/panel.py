"""The belief panel: heatmap or bars, the selected cell below, search, order and scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCursor, QResizeEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget, QWidgetAction

from core.planning.belief import Act, most
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.simulation_facets import Margin, SimulationSteps
from core.session.flip_words import flip_words
from core.session.snapshot import Snapshot
from core.world.vocabulary import Observation
from gui.control.context import Context, Selected
from gui.control.margins import of_cells
from gui.control.snapshot_texts import staleness
from gui.panels.base import Offer, Panel
from gui.panels.belief.bars import Bars, cell_of, described, first_cell, likely_places
from gui.panels.belief.cell import CellEditor, Chosen
from gui.panels.belief.counts import cell_words, counted, summary
from gui.panels.belief.editing import Editor
from gui.panels.belief.heatmap import Heatmap
from gui.panels.belief.layout import Cell, Places, room_of_names, rows_in_order
from gui.panels.belief.painting import BeliefShown, Legend, Scale
from gui.theme import Theme
from gui.theme.boxes import vbox
from gui.widgets import StaleOverlay, tool_action
from gui.widgets.search import FindField


class Controls(QObject):
    """Holds the display options of the panel. Emits `changed` when one of them changes."""

    changed = Signal()
    reset = Signal()
    """Emitted to undo all edits of the selected row."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(parent)
        self.legend = Legend(theme)
        self.search = tool_action(self, theme, "Find an object", "search", checkable=True, key="Ctrl+F")
        self.goal_only = tool_action(self, theme, "Only the goal's objects", "filter", self.changed.emit, checkable=True,
                                     key="F")
        self.more = tool_action(self, theme, "Order, scale, columns, counts", "parameters", self._open_menu)
        self.order = self._choice("Least sure first", checked=True)
        self.log = self._choice("Logarithmic scale", checked=False)
        self.fold = self._choice("Hide unlikely places", checked=True)
        self.counts = self._choice("How many answers name each place", checked=False)
        self._back = QAction("Undo all edits of this row", self)
        self._back.triggered.connect(self.reset)
        self._menu = QMenu(parent)
        self._menu.addActions((self.order, self.log, self.fold, self.counts))
        self._menu.addSeparator()
        self._menu.addAction(self._back)
        held = QWidgetAction(self)
        held.setDefaultWidget(self.legend)
        self.legend.setAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide, False)  # else it stays hidden
        self.tools: tuple[QAction, ...] = (held, self.search, self.goal_only, self.more)

    def _choice(self, text: str, *, checked: bool) -> QAction:
        action = QAction(text, self)
        action.setCheckable(True)
        action.setChecked(checked)
        action.toggled.connect(self._choose)
        return action

    @property
    def scale(self) -> Scale:
        """Returns the scale of the colours."""
        return "logarithmic" if self.log.isChecked() else "square root"

    def _choose(self) -> None:
        self.legend.show_scale(self.scale)
        self.changed.emit()

    def _open_menu(self) -> None:
        self._menu.popup(QCursor.pos())


NARROW = 290
"""Pixels at text size 100 %. A narrower panel shows bars instead of the heatmap."""
LOW = 130
"""Pixels at text size 100 %. A lower panel hides the slider and the buttons to leave room for the heatmap."""
ROUNDING = 1e-9
"""Probabilities that differ by less are equal."""
LATE_MS = 500
"""Milliseconds. The belief of the previous turn is marked stale only if the new one takes longer than this."""


class BeliefPanel(Panel):
    """Shows where the planner believes objects are, and lets the operator edit it.

    The menu shows, in place of the probabilities, how many of the model's answers name each place.
    """

    name: ClassVar[str] = "belief"
    title: ClassVar[str] = "Belief"
    facets = frozenset({Belief, PositionAnswers})
    icon: ClassVar[str] = "belief"
    needs_live: ClassVar[str] = "Editing the belief"
    previews: ClassVar[bool] = True
    room_for_offer: ClassVar[int] = 210

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._places = Places(theme)
        self._selected: Cell | None = None
        self._by_hand = False  # else the cell follows the wanted objects
        self._was: float | None = None
        self._reported: Belief | None = None
        self._answers: PositionAnswers | None = None
        self._stale = ""
        self._seen: Observation | None = None
        self._sampled: Belief | None = None
        """The world that a simulation has sampled, while one is shown."""
        self._empty = self.nothing("glow", "belief",
                                   "Where the planner believes objects are appears here after the first observation.")
        self.heatmap, self.bars = Heatmap(theme), Bars(theme, self._places.name)
        self.cell, self.controls, self._query = CellEditor(context), Controls(theme, self), FindField("Find an object")
        self.editor = Editor(context, self._cell_words)
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(LATE_MS)
        self._late.timeout.connect(self.redraw)
        self._build()
        self._connect()

    def _build(self) -> None:
        self._shown, body = QStackedWidget(), QWidget()
        for widget in (self.heatmap, self.bars):
            self._shown.addWidget(widget)
        self._shown.setMinimumHeight(1)  # it scrolls, so it shrinks before the texts of the cell do
        vbox(self.context.theme, self._query, (self._shown, 1), self.cell, on=body, spacing=0, margins=(0, 4, 0, 0))
        self._pages = self.stack(self._empty, body)
        self._overlay = StaleOverlay(self.context.theme, self._shown)

    def _connect(self) -> None:
        heatmap, cell = self.heatmap, self.cell
        heatmap.chosen.connect(self.choose)
        self.bars.chosen.connect(self.choose)
        heatmap.unfold.connect(self.controls.fold.toggle)
        heatmap.pointed.connect(self._point)
        heatmap.typed.connect(self._key)
        for moving in (heatmap.dragged, cell.moved):
            moving.connect(self._drag)
        heatmap.dropped.connect(self._drop)
        cell.settled.connect(lambda: self._drop(nudge=True))
        cell.typed.connect(self._act)
        cell.pin.connect(lambda: self._toggle("pin"))
        cell.zero.connect(lambda: self._toggle("zero"))
        cell.undo.connect(partial(self.context.undo_edit, Belief))
        self.editor.changed.connect(self.redraw)
        self.context.margins.changed.connect(self.redraw)
        for part in (heatmap.let_go, cell.slider.let_go, self.editor.take_back):
            self.context.preview.cancelled.connect(part)
        self.controls.changed.connect(self.redraw)
        self.controls.reset.connect(lambda: self._act("reset"))
        self._query.opened_by(self.controls.search)
        self._query.textChanged.connect(lambda _: self.redraw())
        self.context.selection.changed.connect(self._follow)
        self.context.live_changed.connect(self._on_live)
        self.context.undo.indexChanged.connect(self._on_steps)

    # --- display -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's belief, or the operator's pending edit of it, and learns the rooms of its locations."""
        if snapshot.facet(SimulationSteps) is not None:
            self._sampled = snapshot.facet(Belief)
            self.redraw()
            return
        if snapshot is self.context.preview.snapshot:
            snapshot = self.context.newest(snapshot)  # a drag: the editor shows what is dragged
        was_sampled, self._sampled = self._sampled is not None, None
        belief, stale = snapshot.facet(Belief), staleness(snapshot, Belief, "new belief")
        if belief is not self._reported:
            self._was = self._value()
        self.editor.show_snapshot(snapshot)
        self._answers = snapshot.facet(PositionAnswers)
        if self.has_changed(belief, self._answers, snapshot.seen, stale) or was_sampled:
            if stale and stale != self._stale:
                self._late.start()
            self._reported, self._stale, self._seen = belief, stale, snapshot.seen
            self._places.see(snapshot.seen, self.context.names.of(snapshot))
            self.redraw()

    def headline(self) -> str:
        """Returns the legend of the marks; while counts are shown, the number of answers."""
        if self._counting() is not None:
            return summary(self._counting() or PositionAnswers((), ()))
        shown = self.heatmap.shown
        flips = "  ▴ flip" if shown is not None and any(margin.flips for margin in shown.margins.values()) else ""
        return f"○ seen  – looked  × zeroed{flips}" if self._reported is not None else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: legend, search, filter, and a menu of further options."""
        return self.controls.tools

    def offers(self) -> Sequence[Offer]:
        """Returns the edits of the selected cell, its row, and the likely cells of wanted objects."""
        belief = self.editor.belief
        if belief is None or not self._places.columns:
            return ()
        chosen = () if self._selected is None or self.editor.may_edit(self._selected[0]) else self._selected_offers(belief)
        wanted = [row for row, is_wanted in enumerate(belief.wanted) if is_wanted and not self.editor.may_edit(row)]
        likely = [(row, place) for row in wanted for place in likely_places(belief, row) if (row, place) != self._selected]
        return (*chosen, *(Offer(f"edit {self._cell_words(*cell)}", partial(self._edit, cell), icon="edit") for cell in likely))

    def _selected_offers(self, belief: Belief) -> tuple[Offer, ...]:
        assert self._selected is not None, "offered for a selected cell"
        cell, thing = self._cell_words(*self._selected), self._called(belief, self._selected[0])
        pinned, zeroed = belief.pinned[self._selected], belief.zeroed[self._selected]
        return (Offer(f"edit {cell}", partial(self._key, "E"), "E", "edit"),
                Offer(f"{'unpin' if pinned else 'pin'} {cell}", partial(self._key, "P"), "P", "pin"),
                Offer(f"{'allow' if zeroed else 'zero'} {cell}", partial(self._key, "Z"), "Z", "zero"),
                Offer(f"renormalise {thing}: undo its pins and edits", partial(self._key, ""), icon="undo"))

    def restyle(self) -> None:
        """Draws the panel again in the new theme."""
        self._fit()
        self.redraw()

    # --- drawing ---------------------------------------------------------------
    def redraw(self) -> None:
        """Draws the panel again at once."""
        belief = self._belief
        empty = belief is None or not belief.objects or not belief.places
        self._pages.setCurrentIndex(int(not empty))
        if belief is None or empty:
            return
        rows, places = belief.probability.shape
        if not self._by_hand or self._selected is None or self._selected[0] >= rows or self._selected[1] >= places:
            first = first_cell(belief)
            self._was = self._was if first == self._selected else None
            self._selected, self._by_hand = first, False
        controls, counting = self.controls, self._counting()
        controls.counts.setEnabled(self._answers is not None)
        real, samples = belief, tuple[int, ...]()
        if counting is not None:
            belief, samples = counted(belief, counting)
        order = rows_in_order(belief, self._query.text(), by_entropy=controls.order.isChecked(),
                              wanted_only=controls.goal_only.isChecked())
        heatmap = self.heatmap
        self._shown.setCurrentWidget(self.bars if self.width() < self.context.theme.px(NARROW) else heatmap)
        # The heatmap itself may not be laid out yet, and its scroll bar comes and goes with the columns.
        width, shown = self.width() - heatmap.verticalScrollBar().sizeHint().width(), self._belief_shown(belief, samples)
        left = room_of_names(shown.widest(self.context.theme, order), width, self.context.theme.px)
        columns = self._places.shown(belief, width - left, heatmap.columns, self._selected,
                                     fold=controls.fold.isChecked(), still=heatmap.viewport().underMouse())
        self.heatmap.editable = counting is None and self._selected is not None and not self._may_edit(self._selected[0])
        self.heatmap.show_belief(shown, order, columns)
        self.bars.show_belief(shown, order)
        self._overlay.say("" if self._late.isActive() or self._sampled is not None else self._stale)
        told = described(replace(shown, belief=real), order, self._places.name)
        self.heatmap.setAccessibleDescription(self._places.names.with_names(told))
        self.headline_changed.emit()
        self._show_cell()

    @property
    def _belief(self) -> Belief | None:
        """The belief that is drawn: a sampled world while one is shown, otherwise the one that can be edited."""
        return self._sampled or self.editor.belief

    def _may_edit(self, row: int) -> str:
        return "a sampled world" if self._sampled is not None else self.editor.may_edit(row)

    def _counting(self) -> PositionAnswers | None:
        """Returns the answers whose counts are shown; None while the belief is."""
        return self._answers if self.controls.counts.isChecked() else None

    def _belief_shown(self, belief: Belief, samples: tuple[int, ...]) -> BeliefShown:
        place = self.context.selection.thing()
        pointed = self.heatmap.shown.pointed if self.heatmap.shown is not None else -1
        at = belief.places.index(place) if place in belief.places else -1
        return BeliefShown(belief, self._places.room_titles(), self._selected, at, pointed, self.controls.scale,
                           samples, {} if samples else self._margins(belief), self._places.names,
                           () if self._seen is None else self._seen.agent.holding)

    def _margins(self, belief: Belief) -> dict[Cell, Margin]:
        """Returns what is known of flips, by cell: where the belief is that of the decision, and of the cell that is edited."""
        margins = self.context.shown_margins if self._sampled is None else None
        found = {} if margins is None else of_cells(margins, belief)
        return {cell: margin for cell, margin in found.items()
                if cell == self._selected or abs(belief.probability[cell] - margin.value) < ROUNDING}

    def _show_cell(self) -> None:
        belief = self._belief
        if belief is None or self._selected is None or self._selected[0] >= len(belief.objects):
            return
        row, place = self._selected
        value, prior = float(belief.probability[row, place]), float(belief.prior[row, place])
        margin = self._margins(belief).get((row, place))
        self.cell.show_cell(Chosen(
            self._called(belief, row), self._places.where(place), value, prior, most(belief, row, place), self._was,
            bool(belief.pinned[row, place]), bool(belief.zeroed[row, place]), self._may_edit(row),
            self.context.last_edit(Belief), cell_words(self._answers, belief, row, place),
            () if margin is None else margin.flips, "" if margin is None else flip_words(margin, self._places.names)))

    def _on_steps(self, _: int) -> None:
        self._show_cell()

    # --- names -------------------------------------------------------------------
    def _cell_words(self, row: int, place: int) -> str:
        belief = self.editor.belief
        return f"{self._called(belief, row)} {self._places.where(place)}" if belief is not None else ""

    def _called(self, belief: Belief, row: int) -> str:
        return self._places.names.with_names(belief.called(row))

    def _value(self) -> float | None:
        belief = self.editor.belief
        if belief is None or self._selected is None or self._selected[0] >= len(belief.objects):
            return None
        return float(belief.probability[self._selected])

    # --- edits -----------------------------------------------------------------
    def choose(self, row: int, place: int) -> None:
        """Selects a cell. Its location becomes the selection of the whole window.

        Args:
            row: the row of the belief.
            place: the index of the location in the belief.
        """
        belief = self.editor.belief
        if belief is None:
            return
        self._selected, self._was, self._by_hand = (row, place), None, True
        self.context.selection.select(Selected("thing", belief.places[place]))
        self.redraw()
        self.heatmap.reveal((row, place))

    def _follow(self, selected: Selected | None) -> None:
        """Selects the cell that belongs to a location or object selected elsewhere."""
        belief = self.editor.belief
        if belief is None or selected is None or selected.kind != "thing":
            return
        cell = cell_of(belief, selected.id, self._selected or first_cell(belief))
        if cell != self._selected:
            self._selected, self._was, self._by_hand = cell, None, True
        self.redraw()

    def _point(self, row: int) -> None:
        belief = self.editor.belief
        thing = (belief.located[row] or belief.objects[row]) if belief is not None and row >= 0 else ""
        self.context.selection.pointed.emit(Selected("thing", thing) if thing else None)

    def _drag(self, value: float) -> None:
        if self._selected is not None:
            self._by_hand = True
            self.editor.drag(*self._selected, value)

    def _drop(self, *, nudge: bool = False) -> None:
        if self._selected is not None:
            self.editor.drop(*self._selected, nudge=nudge)

    def _act(self, act: float | Act) -> None:
        if self._selected is not None:
            self._was, self._by_hand = self._value(), True
            self.editor.act(*self._selected, act)

    def _toggle(self, act: Act) -> None:
        belief = self.editor.belief
        if belief is None or self._selected is None:
            return
        if act == "pin":
            self._act("unpin" if belief.pinned[self._selected] else "pin")
        else:
            self._act("allow" if belief.zeroed[self._selected] else "zero")

    def _edit(self, cell: Cell) -> None:
        """Selects a cell and gives the number field the focus."""
        self.choose(*cell)
        self.cell.type("")

    def _key(self, key: str) -> None:
        match key:
            case "P":
                self._toggle("pin")
            case "Z":
                self._toggle("zero")
            case "E":
                self.cell.type("")
            case "":
                self._act("reset")
            case point:
                self.cell.type(point)

    # --- size ----------------------------------------------------------------------
    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Draws as many columns as fit the new size."""
        super().resizeEvent(event)
        self._fit()
        self.redraw()

    def _on_live(self, _: bool) -> None:
        self._fit()
        self.redraw()

    def _fit(self) -> None:
        self.cell.show_foot(self.context.live and self.height() >= self.context.theme.px(LOW))
