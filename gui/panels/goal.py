"""The goal panel: every literal with its count, and where the planner's knowledge differs from the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen

from core.goals.literals import Literal
from core.planning.facets import GoalProgress
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.panels.base import Panel
from gui.theme import Theme
from gui.widgets import RIGHT, ChipLook, Namer, Names, draw_block, draw_chip, draw_text, text_width
from gui.widgets.lists import ItemRows

ROW, CHIP = 54, 20
"""Pixels at text size 100 %: height of a literal with the gap above it, height of a chip."""


class GoalPanel(Panel):
    """The goal panel. A click on a literal selects its target, a click on a chip selects its object."""

    name: ClassVar[str] = "goal"
    title: ClassVar[str] = "Goal"
    facets = frozenset({GoalProgress})
    icon: ClassVar[str] = "goal"

    def __init__(self, context: Context):
        super().__init__(context)
        self._namer = Namer()
        self._began: Began | None = None
        self._snapshot = Snapshot()
        self.list = GoalList(context.theme)
        self._pages = self.stack(self.nothing(
            "goal", "goal", "Type a task in plain words. Each part of the goal is counted here.",
            lambda snapshot: f"No part of a goal was judged up to turn {snapshot.turn}."), self.list)
        self.list.picked.connect(lambda entity_id: context.selection.select(Selected("thing", entity_id)))
        context.selection.changed.connect(lambda _: self.redraw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest counts."""
        if snapshot.began is not self._began:
            self._began = snapshot.began
            self._namer.forget()
        self._snapshot = snapshot
        if self.has_changed(snapshot.goal, snapshot.progress, snapshot.fresh(GoalProgress), self._namer.of(snapshot.seen)):
            self.redraw()

    def headline(self) -> str:
        """Returns how many literals are reached."""
        literals = self.list.items
        if not literals:
            return ""
        warning = " · the planner believes otherwise" if any(s.differs for s in literals) else ""
        return f"{sum(s.reached for s in literals)} of {len(literals)} reached{warning}"

    def redraw(self) -> None:
        """Draws the panel again at once."""
        literals = literal_statuses(self._snapshot, self._namer.of(self._snapshot.seen))
        self._pages.setCurrentIndex(int(bool(literals)))
        self.list.show_literals(literals, self.context.selection.thing())


class GoalList(ItemRows["LiteralStatus"]):
    """A list with a block for each literal: whether it is reached, its counts, and the objects that satisfy it."""

    picked = Signal(str)
    """Emitted with the id of an object that was clicked, or that is the target of the chosen literal."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=ROW)
        self._selected = ""
        self.setAccessibleName("Literals of the goal")
        self.chosen.connect(self._pick_target)

    def show_literals(self, literals: tuple[LiteralStatus, ...], selected: str) -> None:
        """Shows literals.

        Args:
            literals: one per row.
            selected: the id of the object selected in the window. Empty if there is none.
        """
        self._selected = selected
        self.show_items(literals)

    def row_words(self, index: int) -> str:
        """Returns a literal with its counts as text."""
        literal = self.items[index]
        counted = f"{literal.words}: {literal.real} of {literal.literal.count}"
        return ", ".join(filter(None, (counted, "reached" if literal.reached else "", literal.differs)))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `picked`: a click on a chip selects its object, a click elsewhere on the literal selects its target."""
        index = self.row_at(event.position().y())
        top = self.row_top(index) - self.verticalScrollBar().value()
        chips = self._chips(self.items[index], self._block(QRectF(0, top, self.viewport().width(), self.row_height()))) \
            if index >= 0 else []
        subject = next((entity_id for entity_id, _, rect in chips if rect.contains(event.position())), "")
        if subject:
            self.picked.emit(subject)
        else:
            super().mousePressEvent(event)

    def _pick_target(self, index: int) -> None:
        if target := self.items[index].target:
            self.picked.emit(target)

    # --- painting ----------------------------------------------------------
    def _block(self, row: QRectF) -> QRectF:
        px = self.theme.px
        return row.adjusted(px(6), px(6), -px(6), 0)

    def _chips(self, literal: LiteralStatus, rect: QRectF) -> list[tuple[str, str, QRectF]]:
        """Returns (id, name, rectangle) of the chips of subjects that fit. The last one stands for those that do not fit."""
        px, found, x = self.theme.px, list[tuple[str, str, QRectF]](), rect.x() + self.theme.px(26)
        right = rect.right() - px(8) - self._note_width(literal)
        for n, (entity_id, name) in enumerate(literal.subjects):
            rest = len(literal.subjects) - n
            width = text_width(self.theme, name, "small", 500) + px(16)
            if x + width + (px(34) if rest > 1 else 0) > right:
                found.append(("", f"+{rest}", QRectF(x, rect.y() + px(24), px(32), px(CHIP))))
                break
            found.append((entity_id, name, QRectF(x, rect.y() + px(24), width, px(CHIP))))
            x += width + px(4)
        return found

    def _note_width(self, literal: LiteralStatus) -> float:
        return text_width(self.theme, literal.differs, "small", 500) + self.theme.px(10) if literal.differs else 0.0

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a literal: its text and count, a line for the share that is reached, and its subjects."""
        theme, px, literal, rect = self.theme, self.theme.px, self.items[index], self._block(rect)
        tone = "good" if literal.reached else "warn"
        on = bool(literal.target) and literal.target == self._selected
        draw_block(painter, theme, rect, "raised", "selection" if on else "line")
        side, line = px(14), QRectF(rect.x(), rect.y() + px(2), rect.width(), px(22))
        painter.drawPixmap(QPointF(rect.x() + px(8), line.center().y() - side / 2),
                           theme.pixmap("check" if literal.reached else "search", side, tone))
        counted = f"{min(literal.real, literal.literal.count)}/{literal.literal.count}"
        wide = text_width(theme, counted, "body", 650) + px(10)
        draw_text(painter, theme, line.adjusted(px(28), 0, -wide - px(6), 0), literal.words, "body", "text", 600)
        draw_text(painter, theme, line.adjusted(0, 0, -px(8), 0), counted, "body", tone, 650, RIGHT)
        share = min(1.0, literal.real / max(1, literal.literal.count))
        if share > 0:
            painter.setPen(QPen(theme.colour(tone), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            y = rect.bottom() - 1
            painter.drawLine(QPointF(rect.x() + 4, y), QPointF(rect.x() + 4 + (rect.width() - 8) * share, y))
        self._paint_subjects(painter, literal, rect)

    def _paint_subjects(self, painter: QPainter, literal: LiteralStatus, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        for entity_id, name, where in self._chips(literal, rect):
            on = bool(entity_id) and entity_id == self._selected
            draw_chip(painter, theme, where, ChipLook(name, "selection" if on else "good" if literal.reached else "muted",
                                                      "selection_bg" if on else "good_bg" if literal.reached else "sunken"))
        below = QRectF(rect.x() + px(28), rect.y() + px(24), rect.width() - px(36), px(CHIP))
        if not literal.subjects:
            draw_text(painter, theme, below.adjusted(0, 0, -self._note_width(literal), 0), "none", "small", "faint")
        if literal.differs:
            draw_text(painter, theme, below, literal.differs, "small", "warn", 500, RIGHT)


@dataclass(frozen=True, slots=True)
class LiteralStatus:
    """The status of one literal, as the planner believes it and as it is in the world.

    Attributes:
        literal: the literal; `words` is its text.
        real: the number of subjects that satisfy it in the world.
        known: the number of subjects that satisfy it as far as the planner knows; None if the planner does not report it.
        subjects: (id, name) of the subjects counted in either number.
        target: the id of the first known object that matches the literal's target. Empty if there is none.
    """

    literal: Literal
    words: str
    real: int
    known: int | None
    subjects: tuple[tuple[str, str], ...]
    target: str = ""

    @property
    def reached(self) -> bool:
        """True if the literal holds in the world."""
        return self.real >= self.literal.count

    @property
    def differs(self) -> str:
        """How the planner's count differs from the world, as text; "" if it does not."""
        if self.known is None or self.known == self.real:
            return ""
        return f"planner knows of {self.known}" if self.known < self.real else f"planner believes {self.known}"


def literal_statuses(snapshot: Snapshot, names: Names) -> tuple[LiteralStatus, ...]:
    """Returns the status of all literals of the goal, in its order."""
    facet = snapshot.fresh(GoalProgress)  # progress from another turn or branch does not describe the present
    known = {p.literal: p for p in facet.literals} if facet is not None else {}
    real = {p.literal: p for p in snapshot.progress}
    found = []
    for literal in snapshot.goal.literals if snapshot.goal is not None else ():
        true, believed = real.get(literal), known.get(literal)
        ids = tuple(dict.fromkeys((*(true.subjects if true else ()), *(believed.subjects if believed else ()))))
        found.append(LiteralStatus(literal, str(literal), true.have if true else 0, believed.have if believed else None,
                                   tuple((i, names.display(i)) for i in ids), _target(literal, snapshot)))
    return tuple(found)


def _target(literal: Literal, snapshot: Snapshot) -> str:
    if literal.target is None or snapshot.seen is None:
        return ""
    known = (*snapshot.seen.entities, *snapshot.seen.landmarks)
    return next((e.id for e in known if literal.target in (e.id, e.cls)), "")
