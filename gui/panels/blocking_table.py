"""The blocking table panel: which conditions block each action and what resolves them, which the operator can edit and keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QAction, QPainter, QPen
from PySide6.QtWidgets import QFileDialog, QWidget

from core.common.errors import DataError
from core.common.files import replace_file
from core.common.user_folders import home
from core.planners.bcr.recorded_types import POSSIBLY, BlockingTable, TableRow, parsed
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Offer, Panel
from gui.theme import Theme
from gui.theme.boxes import FLUSH, hbox, vbox
from gui.widgets import Line, Prose, draw_text, tool_action, verb_words
from gui.widgets import numbers as say
from gui.widgets.lists import ItemRows
from gui.widgets.search import FindField

Part = Literal["blocked_by", "resolved_by"]
OBJECTS = "XYZ"
"""The names of an action's objects, by their numbers."""
HELP = "0 is X and 1 is Y. A “? ” before a resolution: it helps only possibly. Enter puts the entries in force."
FILES = "Tables of conditions (*.json);;All files (*)"


@dataclass(frozen=True, slots=True)
class TableLine:
    """One line of the table: an action, one of its conditions, and what resolves that.

    Attributes:
        verb: the action; empty for a condition that no action lists.
        kind: the kind of the condition; empty for an action without conditions.
        action: the action in words, with its objects.
        condition: the condition in words.
        resolutions: what resolves it, in words; a `?` stands before what helps only possibly.
        is_first: True for the first line of an action.
    """

    verb: str
    kind: str
    action: str
    condition: str
    resolutions: str
    is_first: bool

    @property
    def words(self) -> str:
        """The line as text."""
        return " → ".join(part for part in (self.action, self.condition, self.resolutions) if part)


def lines_of(table: BlockingTable) -> tuple[TableLine, ...]:
    """Returns the lines: those of each action in order, then the conditions that no action lists."""
    conditions, resolved = {c.kind: c for c in table.conditions}, {row.name: row.entries for row in table.resolved_by}
    objects = {a.name: a.arguments for a in table.actions}

    def made(verb: str, entry: str, *, is_first: bool) -> TableLine:
        kind, about = parsed(entry)
        names = [named(word) for word in about]
        words = conditions[kind].blocks if kind in conditions else entry
        for k, name in enumerate(names):
            words = words.replace(f"{{{k}}}", name)
        action = " ".join((verb_words(verb), ", ".join(OBJECTS[:objects.get(verb, 0)]))).strip() if verb else ""
        ways = ", ".join(resolution_words(entry, names) for entry in resolved.get(kind, ()))
        return TableLine(verb, kind, action, words, ways, is_first)

    found, listed = list[TableLine](), set[str]()
    for row in table.blocked_by:
        listed.update(parsed(entry)[0] for entry in row.entries)
        found += [made(row.name, entry, is_first=k == 0) for k, entry in enumerate(row.entries)]
        if not row.entries:
            found.append(replace(made(row.name, "", is_first=True), condition="never blocked", kind=""))
    others = [row.name for row in table.resolved_by if row.name not in listed]
    return (*found, *(made("", f"{kind} {' '.join('01'[:conditions[kind].arguments])}" if kind in conditions else kind,
                           is_first=k == 0) for k, kind in enumerate(others)))


def named(word: str) -> str:
    """Returns the name of an argument: `0` is X, `?cuts` something that cuts."""
    return OBJECTS[int(word)] if word.isdecimal() and int(word) < len(OBJECTS) else f"something that {word.removeprefix('?')}"


def resolution_words(entry: str, names: Sequence[str]) -> str:
    """Returns a resolution in words: `? search 0` becomes `? search X`.

    Args:
        entry: an entry of the table.
        names: the names of the condition's arguments.
    """
    name, about = parsed(entry)
    objects = ", ".join(names[int(w)] if w.isdecimal() and int(w) < len(names) else w for w in about)
    return f"{POSSIBLY if entry.startswith(POSSIBLY) else ''}{f'{verb_words(name)} {objects}'.strip()}"


def entries_of(table: BlockingTable, part: Part, name: str) -> tuple[str, ...] | None:
    """Returns the entries of a row, or None if there is no such row."""
    rows = table.blocked_by if part == "blocked_by" else table.resolved_by
    return next((row.entries for row in rows if row.name == name), None)


def with_entries(table: BlockingTable, part: Part, name: str, entries: tuple[str, ...] | None) -> BlockingTable:
    """Returns the table with a row changed, added, or removed if `entries` is None."""
    rows = table.blocked_by if part == "blocked_by" else table.resolved_by
    made = tuple(TableRow(name, entries) if row.name == name and entries is not None else row
                 for row in rows if row.name != name or entries is not None)
    if entries is not None and all(row.name != name for row in rows):
        made = (*made, TableRow(name, entries))
    return replace(table, blocked_by=made) if part == "blocked_by" else replace(table, resolved_by=made)


class TableRows(ItemRows[TableLine]):
    """The table, one line for each condition of an action."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=21)
        self.setAccessibleName("Table of conditions")

    def row_words(self, index: int) -> str:
        """Returns a line as text."""
        return self.items[index].words

    def row_tip(self, index: int) -> str:
        """Returns the same; the columns can be narrow."""
        return self.items[index].words

    def _columns(self, width: float) -> tuple[tuple[float, float], ...]:
        """Returns (left edge, width) of the three columns."""
        left, gap = self.theme.px(12), self.theme.px(8)
        room = width - left - 3 * gap
        first, second = room * 0.24, room * 0.44
        return ((left, first), (left + first + gap, second), (left + first + second + 2 * gap, room - first - second))

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        for (x, wide), text in zip(self._columns(rect.width()), ("Action", "is blocked if", "resolved by"), strict=True):
            draw_text(painter, self.theme, QRectF(x, 0, wide, rect.height()), text, "small", "faint", 500)
        painter.setPen(QPen(self.theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line. Only the first line of an action shows its name."""
        theme, line = self.theme, self.items[index]
        if line.is_first and index:
            painter.setPen(QPen(theme.colour("line"), 1))
            painter.drawLine(int(rect.x()), int(rect.y()), int(rect.right()), int(rect.y()))
        self.paint_back(painter, index, rect)
        action = line.action if line.is_first or index == self.current else ""
        cells = ((action or ("(other conditions)" if line.is_first else ""), "text" if line.action else "faint", 600),
                 (line.condition, "condition" if line.kind else "faint", 400),
                 (line.resolutions or ("nothing" if line.kind else ""), "resolution" if line.resolutions else "faint", 400))
        for (x, wide), (text, tone, weight) in zip(self._columns(rect.width()), cells, strict=True):
            draw_text(painter, theme, QRectF(x, rect.y(), wide, rect.height()), text, "small", tone, weight)


class EntriesEditor(QWidget):
    """Two text fields for the selected line: the conditions of its action, and the resolutions of its condition.

    Attributes:
        entered: emitted with the part, the name of the row and its new entries.
    """

    entered = Signal(str, str, object)

    def __init__(self, theme: Theme):
        super().__init__()
        self.fields: dict[Part, FindField] = {}
        self.titles: dict[Part, Line] = {}
        self._names: dict[Part, str] = {"blocked_by": "", "resolved_by": ""}
        self.trouble = Prose(theme, "", "small", "bad")
        parts: tuple[Part, ...] = ("blocked_by", "resolved_by")
        rows = []
        for part, what, tone in zip(parts, ("conditions", "resolutions"), ("text", "condition"), strict=True):
            self.titles[part] = Line(theme, "", "small", tone, 600, shrinks=False)
            self.fields[part] = field = FindField(f"{what}, separated by commas")
            field.setToolTip(HELP)
            field.returnPressed.connect(lambda part=part: self._enter(part))
            rows.append(hbox(theme, self.titles[part], (field, 1), spacing=6))
        vbox(theme, *rows, self.trouble, on=self, spacing=4, margins=(10, 4, 8, 6))
        self.trouble.hide()
        self.hide()

    def show_line(self, table: BlockingTable, line: TableLine | None, *, editable: bool) -> None:
        """Shows the rows of the table that a line is made of."""
        verb, kind = (line.verb, line.kind) if line is not None else ("", "")
        names: dict[Part, str] = {"blocked_by": verb, "resolved_by": kind}
        said = {"blocked_by": f"{verb_words(verb)} is blocked by", "resolved_by": f"{kind} is resolved by"}
        self.setVisible(line is not None)
        for part, field in self.fields.items():
            entries = entries_of(table, part, names[part]) if names[part] else ()
            text = ", ".join(entries or ())
            if names[part] != self._names[part] or not (field.hasFocus() and field.isModified()):
                field.setText(text)
                field.setCursorPosition(0)
            self.titles[part].say(verb_words(verb) if part == "blocked_by" else kind)
            field.setEnabled(editable and bool(names[part]))
            field.setAccessibleName(said[part])
            for widget in (field, self.titles[part]):
                widget.setVisible(bool(names[part]))
        self._names = names

    def say(self, trouble: str) -> None:
        """Shows why an entry or a file is not taken; empty hides it."""
        self.trouble.setText(trouble)
        self.setVisible(bool(trouble) or not self.isHidden())
        self.trouble.setVisible(bool(trouble))

    def _enter(self, part: Part) -> None:
        field, name = self.fields[part], self._names[part]
        entries = tuple(" ".join(entry.split()) for entry in field.text().split(",") if entry.strip())
        field.setModified(False)
        if name:
            self.entered.emit(part, name, entries)


class BlockingTablePanel(Panel):
    """The table action → condition → resolution. The rows of the selected line can be edited, the table saved and loaded."""

    name: ClassVar[str] = "blocking_table"
    title: ClassVar[str] = "Conditions"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTable})
    icon: ClassVar[str] = "plan"
    needs_live: ClassVar[str] = "Editing the table"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._facet = EditableFacet(context, BlockingTable, self.redraw)
        self.rows, self.editor = TableRows(theme), EntriesEditor(theme)
        self._load = tool_action(self, theme, "Load a table from a file …", "folder", self._ask_load)
        self._save = tool_action(self, theme, "Save the table to a file …", "save", self._ask_save)
        self._undo = tool_action(self, theme, "Undo the last edit here", "undo", partial(context.undo_edit, BlockingTable))
        body = QWidget()
        vbox(theme, (self.rows, 1), self.editor, on=body, spacing=0, margins=FLUSH)
        empty = self.nothing("blocking", "conditions",
                             "What blocks each action, and what resolves that, once the planner has begun.")
        self._pages = self.stack(empty, body)
        self.rows.chosen.connect(lambda _: self._show_line())
        self.editor.entered.connect(self._enter)
        context.live_changed.connect(lambda _: self.redraw())
        context.undo.indexChanged.connect(self._on_steps)
        self._on_steps()
        self._allow()

    # --- display -------------------------------------------------------------
    def _on_steps(self, _: int = 0) -> None:
        self._undo.setEnabled(bool(self.context.last_edit(BlockingTable)))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the table in force, or the operator's pending edit of it."""
        self._facet.show_snapshot(snapshot)
        if self.has_changed(snapshot.facet(BlockingTable), self._facet.shown):
            self.redraw()

    def headline(self) -> str:
        """Returns the numbers of actions and conditions."""
        table = self._facet.shown
        if table is None:
            return ""
        return f"{say.count(len(table.blocked_by), 'action')} · {say.count(len(table.resolved_by), 'condition')}"

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions to load, save and undo."""
        return (self._load, self._save, self._undo)

    def offers(self) -> Sequence[Offer]:
        """Returns saving and loading."""
        return (Offer("save the table of conditions", self._save.trigger, icon="save"),
                Offer("load a table of conditions", self._load.trigger, icon="folder")) if self._facet.shown is not None else ()

    def redraw(self) -> None:
        """Draws the panel again at once."""
        table = self._facet.shown
        self._pages.setCurrentIndex(int(table is not None))
        self._allow()
        if table is not None:
            self.rows.show_items(lines_of(table), lambda line: (line.verb, line.kind))
            self._show_line()

    def _allow(self) -> None:
        self._save.setEnabled(self._facet.shown is not None)
        self._load.setEnabled(self._facet.shown is not None and self.context.live)

    def _show_line(self) -> None:
        table = self._facet.shown
        self.editor.say("")
        if table is not None:
            self.editor.show_line(table, self.rows.chosen_item, editable=self.context.live)
            self._keep_in_view()

    def _keep_in_view(self) -> None:
        """Scrolls to the selected line once the editor below has its new height."""
        if self.rows.current >= 0:
            QTimer.singleShot(0, self.rows, lambda: self.rows.show_row(self.rows.current))

    # --- edits -----------------------------------------------------------------
    def _enter(self, part: Part, name: str, entries: tuple[str, ...]) -> None:
        table = self._facet.current
        if table is None or not self.context.live or entries_of(table, part, name) == entries:
            return
        before = entries_of(table, part, name)
        wrong = with_entries(table, part, name, entries).problem()
        self.editor.say(wrong)
        self._keep_in_view()
        if not wrong:
            words = f"{name} is {'blocked' if part == 'blocked_by' else 'resolved'} by {', '.join(entries) or 'nothing'}"
            self._facet.push_edit(words, lambda now: with_entries(now, part, name, entries),
                                  lambda now: with_entries(now, part, name, before))

    # --- files -----------------------------------------------------------------
    def _ask_save(self) -> None:
        dialog = QFileDialog(self, "Save the table of conditions", str(home() / "conditions.json"), FILES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.fileSelected.connect(self.save)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def _ask_load(self) -> None:
        dialog = QFileDialog(self, "Load a table of conditions", str(home()), FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setOption(QFileDialog.Option.ReadOnly)  # it opens files, and must not offer to delete any
        dialog.fileSelected.connect(self.load)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def save(self, path: str) -> None:
        """Writes the table shown to a file, completely or not at all."""
        table, target = self._facet.shown, Path(path)
        if table is None:
            return
        try:
            replace_file(target, table.to_json().encode())
            self.editor.say("")
        except DataError as error:
            self.editor.say(str(error))

    def load(self, path: str) -> None:
        """Puts the table of a file in force, as one edit that can be undone."""
        table = self._facet.current
        if table is None or not self.context.live:
            return
        try:
            loaded = table.with_file(Path(path))
        except DataError as error:
            self.editor.say(str(error))
            return
        self._facet.push_edit(
            f"conditions from {Path(path).name}",
            lambda now: replace(now, blocked_by=loaded.blocked_by, resolved_by=loaded.resolved_by),
            lambda now: replace(now, blocked_by=table.blocked_by, resolved_by=table.resolved_by))
