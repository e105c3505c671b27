"""The dialog *Record a batch*: what is played, how, and into which folder; then the episodes and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialog, QFileDialog, QLineEdit, QListWidget, QListWidgetItem, QStackedLayout, QWidget

from core.app.batch import BatchPlan, seeds_of
from core.common.errors import UsageError
from core.common.visible import path_of, path_text
from core.session.pace import PACES, pace_of
from core.views.values import Column, Item, Mark, Tone
from gui.control.console import Console
from gui.control.kept_settings import KeptSettings
from gui.recordings.batch import Batch, BatchRow, State
from gui.theme import Theme
from gui.theme.boxes import DIALOG, FLUSH, hbox, vbox
from gui.theme.screens import fit
from gui.views.object_list import ObjectList
from gui.widgets import Button, Line, TextField
from gui.widgets.chooser import Choice
from gui.widgets.numbers import count

REACHED: Final = "goal reached"
FOLDER: Final = "batch/folder"
"""The setting that holds the folder of the last batch."""
TONES: Final[dict[State, Tone]] = {"waiting": "muted", "playing": "planner", "finishing": "good", "recorded": "good",
                                  "skipped": "plain", "failed": "bad"}
OUTCOME: Final = (Column("outcome"),)


def episode_item(row: BatchRow) -> Item:
    """Returns the row of an episode: its name, its state and how it came out."""
    tone = "plain" if row.state in ("finishing", "recorded") and row.words != REACHED else TONES[row.state]
    state = Mark("being finished" if row.state == "finishing" else row.state, tone)
    return Item(str(row.episode.number), row.episode.name, (row.words or None,), (state,))


class BatchDialog(QDialog):
    """Stays open beside the run; closing it does not stop the batch."""

    def __init__(self, console: Console, batch: Batch, settings: KeptSettings, folder: Path, parent: QWidget):
        super().__init__(parent)
        theme = self._theme = console.context.theme
        self._console, self._batch, self._settings = console, batch, settings
        self._folder = _new_folder(folder)
        self.setWindowTitle("Record a batch")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._make_fields()
        self.list = ObjectList(theme, "Episodes", episode_item, OUTCOME)
        self.line = Line(theme, "", "small", "muted")
        self.place = Line(theme, "", "small", "muted")
        self.begin = Button(theme, "Record", "record", "primary", self._begin)
        self.skip = Button(theme, "Skip this one", "next", act=batch.skip)
        self.stop = Button(theme, "Stop", "stop", act=batch.stop)
        self.other = Button(theme, "Another batch", "undo", act=self._show_choices)
        self.where = Button(theme, "Folder …", "folder", act=self._choose_folder)
        self._choosing = batch.plan is None
        self._lay_out()
        batch.opened.connect(self._on_opened)
        batch.changed.connect(self._show)
        console.choices_changed.connect(self._fill)
        console.live_snapshot.connect(self._on_live)
        self._fill()
        self._show()
        last = str(settings.value(FOLDER, ""))
        if batch.plan is None and last:
            batch.find(path_of(last), partial(batch.open, path_of(last)))

    # --- the choices ---------------------------------------------------------
    def _make_fields(self) -> None:
        theme, request = self._theme, self._console.request
        self.planners, self.scenes = _ticks(theme, "Planners"), _ticks(theme, "Scenes")
        self.tasks = TextField()
        self.tasks.setObjectName("Field")
        self.tasks.setPlainText(request.task)
        self.tasks.setPlaceholderText("One task a line; none: drawn by the seed")
        self.seeds = QLineEdit("0-2", placeholderText="0-4, 7")
        self.steps = QLineEdit(str(request.max_steps or ""), placeholderText="the simulator's own")
        self.pace = QComboBox(editable=True)
        self.pace.addItems([pace.words for pace in PACES])
        self.pace.setCurrentText(self._console.context.breakpoints.pace.words)
        for what, field in (("Tasks", self.tasks), ("Seeds", self.seeds), ("Most steps", self.steps), ("Pace", self.pace)):
            field.setAccessibleName(what)
            field.setFont(theme.font("body"))
        for box in (self.planners, self.scenes):
            box.itemChanged.connect(lambda _: self._show_line())
        self.tasks.textChanged.connect(self._show_line)
        self.seeds.textChanged.connect(lambda _: self._show_line())
        self.steps.textChanged.connect(lambda _: self._show_line())
        self.pace.currentTextChanged.connect(lambda _: self._show_line())

    def _fill(self) -> None:
        """Lists planners with their presets, and the scenes of the simulator."""
        request, choices = self._console.request, self._console.choices
        presets = {name: offered[1:] for name, offered in choices.presets.items()}
        planners = [choice for one in choices.planners_for(request.simulator) if one.available
                    for choice in (one, *(Choice(f"{one.name}:{p.name}", f"{one.title}: {p.title}")
                                          for p in presets.get(one.name, ())))]
        now = f"{request.planner}:{request.preset}" if request.preset else request.planner
        _offer(self.planners, planners, now)
        _offer(self.scenes, choices.scenes.get(request.simulator, ()), request.scene)
        self._show_line()

    def plan(self) -> BatchPlan:
        """Returns the plan that is chosen.

        Raises:
            UsageError: a field is wrong.
        """
        request, steps = self._console.request, self.steps.text().strip()
        if steps and not (steps.isdecimal() and 0 < int(steps) < 10**6):
            raise UsageError(f"“{steps}” is no number of steps from 1 on")
        tasks = tuple(dict.fromkeys(" ".join(line.split()) for line in self.tasks.toPlainText().splitlines()))
        base = replace(request, max_steps=int(steps) if steps else None)
        plan = BatchPlan(_ticked(self.planners), _ticked(self.scenes), tuple(filter(None, tasks)) or ("",),
                         seeds_of(self.seeds.text()), base, pace_of(self.pace.currentText()))
        plan.check()
        return plan

    def _plan_words(self) -> tuple[str, str]:
        try:
            plan = self.plan()
        except UsageError as error:
            return f"{str(error)[:1].upper()}{str(error)[1:]}", "warn"
        parts = (count(len(plan.planners), "planner"), count(len(plan.scenes), "scene"), count(len(plan.tasks), "task"),
                 count(len(plan.seeds), "seed"))
        return f"{count(plan.count, 'episode')}: {' × '.join(parts)}", "text"

    # --- acts ------------------------------------------------------------------
    def _begin(self) -> None:
        batch = self._batch
        if self._choosing:
            try:
                plan = self.plan()
            except UsageError:
                return  # the line says why
            self._settings.set_value(FOLDER, path_text(self._folder))
            self._choosing = False
            batch.begin(plan, self._folder)
        elif batch.folder is not None:
            batch.open(batch.folder, then=batch.go_on)

    def _show_choices(self) -> None:
        self._choosing = True
        self._folder = _new_folder(self._folder.parent)
        self._show()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, "Folder of the batch", str(self._folder.parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda path: self.take_folder(Path(path)))
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def take_folder(self, folder: Path) -> None:
        """Takes a folder: a batch that is in it is opened."""
        self._batch.find(folder, partial(self._open, folder), partial(self._record_in, folder))

    def _open(self, folder: Path) -> None:
        self._choosing = False
        self._settings.set_value(FOLDER, path_text(folder))
        self._batch.open(folder)

    def _record_in(self, folder: Path) -> None:
        self._folder = folder
        self._show()

    def _on_opened(self) -> None:
        """Shows the batch that was opened. The last one, which opens by itself, is shown only if episodes are left."""
        self._choosing = self._choosing and not self._batch.left

    # --- what is shown -----------------------------------------------------------
    def _lay_out(self) -> None:
        theme = self._theme

        def titled(what: str, field: QWidget) -> tuple[Line, tuple[QWidget, int]]:
            return Line(theme, what, "small", "muted", shrinks=False), (field, 1)

        choices = QWidget()
        lists = hbox(theme, (vbox(theme, *titled("Planners", self.planners), spacing=4), 3),
                     (vbox(theme, *titled("Scenes", self.scenes), spacing=4), 3),
                     (vbox(theme, *titled("Tasks, one a line", self.tasks), spacing=4), 4), spacing=10)
        fields = hbox(theme, *titled("Seeds", self.seeds), 8, *titled("Pace", self.pace), 8,
                      *titled("Most steps", self.steps), spacing=6)
        vbox(theme, (lists, 1), fields, on=choices, spacing=10, margins=FLUSH)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(choices)
        self._pages.addWidget(self.list)
        for button in (self.skip, self.stop, self.other, self.where):
            button.setAutoDefault(False)
        vbox(theme, Line(theme, "Record a batch", "heading", "text", 650), self.line, (pages, 1),
             hbox(theme, (self.place, 1), self.where, spacing=8),
             hbox(theme, self.other, 0, self.skip, self.stop, Button(theme, "Close", "close", act=self.reject), self.begin,
                  spacing=6), on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 760, 520)

    def _show(self) -> None:
        batch = self._batch
        self._choosing = self._choosing and not batch.active
        if batch.plan is not None and not self._choosing:
            self.list.show_objects(batch.rows)
        self._pages.setCurrentIndex(0 if self._choosing else 1)
        folder = self._folder if self._choosing or batch.folder is None else batch.folder
        self.place.say(f"Folder: {folder}")
        self.place.setToolTip(str(folder))
        self.begin.dress("Record" if self._choosing else "Continue", "record")
        self.begin.setVisible(not batch.active)
        self.begin.setEnabled(self._choosing or any(row.state != "recorded" for row in batch.rows))
        for button, shown in ((self.skip, batch.active), (self.stop, batch.active), (self.where, not batch.active),
                              (self.other, not batch.active and not self._choosing)):
            button.setVisible(shown)
        self._show_line()

    def _on_live(self, _: object) -> None:
        if self._batch.active:
            self._show_line()

    def _show_line(self) -> None:
        if self._choosing:
            words, tone = self._plan_words()
            self.begin.setEnabled(tone != "warn")
            self.line.say(words, tone)
            return
        rows = self._batch.rows
        done, failed = (sum(row.state == state for row in rows) for state in ("recorded", "failed"))
        parts = (self._batch.words, f"{done} of {count(len(rows), 'episode')} recorded", f"{failed} failed" if failed else "")
        self.line.say(" · ".join(filter(None, parts)), "text")


def _new_folder(inside: Path) -> Path:
    """Returns the name of a new folder for a batch; it is made with the plan."""
    return inside / f"Batch {datetime.now().astimezone():%Y-%m-%d %H-%M-%S}"


def _ticks(theme: Theme, name: str) -> QListWidget:
    box = QListWidget()
    box.setAccessibleName(name)
    box.setObjectName("Field")
    box.setFont(theme.font("body"))
    box.setWordWrap(True)  # names that differ only at the end are told apart
    box.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    box.setResizeMode(QListWidget.ResizeMode.Adjust)
    return box


def _offer(box: QListWidget, choices: Iterable[Choice], now: str) -> None:
    """Lists choices. Those that were ticked stay so; at first the present one is."""
    ticked = set(_ticked(box)) or {now}
    box.blockSignals(True)
    box.clear()
    for choice in choices:
        item = QListWidgetItem(choice.title, box)
        item.setData(Qt.ItemDataRole.UserRole, choice.name)
        item.setToolTip(choice.hint)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(Qt.CheckState.Checked if choice.name in ticked else Qt.CheckState.Unchecked)
    box.blockSignals(False)
    if first := next((item for item in map(box.item, range(box.count())) if item.checkState() == Qt.CheckState.Checked), None):
        box.scrollToItem(first, QListWidget.ScrollHint.PositionAtTop)


def _ticked(box: QListWidget) -> tuple[str, ...]:
    items = (box.item(row) for row in range(box.count()))
    return tuple(str(i.data(Qt.ItemDataRole.UserRole)) for i in items if i.checkState() == Qt.CheckState.Checked)
