"""The dialog of an evaluation: what to play, who plays, who answers, how often and where; what it may take before it begins."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QFileDialog, QLineEdit, QWidget

from core.llm.model import OFFLINE
from gui.control.choices import where_words
from gui.control.console import Console
from gui.evaluations.estimate_words import words_of
from gui.evaluations.runs import EvaluationRuns
from gui.theme.boxes import DIALOG, FLUSH, hbox, scrolled, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Prose
from gui.widgets.numbers import count

if TYPE_CHECKING:
    from core.evaluation.plan import Estimate, EvaluationPlan, SuiteChoice
    from core.evaluation.results import Results

RULES: Final = "commonsense · not an LLM"
LABELS: Final = 96
"""Width of the column of names in pixels at 100 % text size."""
MOST: Final = 100_000
TRIALS: Final = 20
"""The most trials that are offered at first: suites have up to some hundred, which takes hours."""
TYPING_MS: Final = 250
EXAMPLE: Final = "Another planner, such as llm-mcts:paper+simulations=50"


class PlanDialog(QDialog):
    """Makes a plan. With results it begins with their plan, and the episodes they hold count.

    Attributes:
        started: an EvaluationPlan and the folder for it.
        planners: the boxes of the planners, by their text.
    """

    started = Signal(object, object)

    def __init__(self, console: Console, runs: EvaluationRuns, parent: QWidget, results: Results | None = None):
        super().__init__(parent)
        theme = self._theme = console.context.theme
        self._runs, self._models, self._results = runs, console.models, results
        self._suites: Sequence[SuiteChoice] = ()
        self._asked, self._folder = 0, None if results is None else results.folder
        self.setWindowTitle("Evaluation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.suite, self.model = QComboBox(), QComboBox()
        self.about, self.estimated = Prose(theme, "Reading the suites …", "small", "muted"), Prose(theme, "", "small", "text")
        self.planners: dict[str, QCheckBox] = {}
        self.another = QLineEdit()
        self.another.setPlaceholderText(EXAMPLE)
        self.trials, self.first_seed, self.max_steps = NumberField(1, MOST), NumberField(0, MOST), NumberField(1, MOST)
        self.jobs = NumberField(1, max(1, 4 * (os.cpu_count() or 1)))
        self.jobs.set_value(max(1, (os.cpu_count() or 2) - 1))
        self.jobs.setToolTip("Processes at once. One core is left for the window.")
        self.place = Line(theme, "", "small", "muted")
        self.choose = Button(theme, "Choose …", "folder", act=self._ask_folder)
        self.measure = Button(theme, "Measure first", "scatter", act=lambda: self._start(only=1))
        self.measure.setToolTip("Play one episode of each planner and cell. They count, and then the rest can be estimated.")
        self.start = Button(theme, "Start", "run", "primary", self._start)
        self._ask = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._ask.timeout.connect(self._estimate)
        self._lay_out()
        self._fill_models()
        self._connect()
        self._show()
        runs.list_suites(self._offer)

    def _lay_out(self) -> None:
        theme = self._theme
        boxes = QWidget()
        self._boxes = vbox(theme, on=boxes, spacing=4, margins=(2, 2, 8, 2))
        add = Button(theme, "Add", "add", act=self._add_another)
        planners = vbox(theme, (scrolled(boxes, theme.px(54)), 1), hbox(theme, (self.another, 1), add, spacing=6), spacing=4,
                        margins=FLUSH)
        numbers = hbox(theme, spacing=6)
        for title, field in (("Seeds a cell", self.trials), ("from", self.first_seed), ("Most steps", self.max_steps),
                             ("Processes", self.jobs)):
            field.setAccessibleName(title)
            numbers.addWidget(Line(theme, title, "small", "muted", shrinks=False))
            numbers.addWidget(field)
        numbers.addStretch(1)
        close = Button(theme, "Close", "close", act=self.reject)
        self.another.textChanged.connect(lambda text: (add if text.strip() else self.start).setDefault(True))  # for Enter
        vbox(theme, Line(theme, "Evaluation", "heading", "text", 650), self._row("Suite", hbox(theme, (self.suite, 1))),
             self._row("", hbox(theme, (self.about, 1))), (self._row("Planners", planners), 1),
             self._row("Model", hbox(theme, (self.model, 1))), self._row("Size", numbers),
             self._row("Results in", hbox(theme, (self.place, 1), self.choose, spacing=6)),
             self._row("It may take", hbox(theme, (self.estimated, 1))),
             hbox(theme, 0, close, self.measure, self.start, spacing=6), on=self, spacing=9, margins=DIALOG)
        fit(self, theme, 720, 640)

    def _row(self, title: str, content: object) -> QWidget:
        row, name = QWidget(), Line(self._theme, title, "small", "muted", 500)
        name.setFixedWidth(self._theme.px(LABELS))
        line = hbox(self._theme, on=row, spacing=6, margins=FLUSH)
        line.addWidget(name, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(content, 1)  # type: ignore[arg-type]
        return row

    def _connect(self) -> None:
        self.suite.activated.connect(lambda _: self._take_suite())
        self.model.activated.connect(lambda _: self._show())
        for field in (self.trials, self.first_seed, self.max_steps, self.jobs):
            field.value_changed.connect(self._show)

    # --- content -------------------------------------------------------------
    def _fill_models(self) -> None:
        self.model.addItem(RULES)
        for entry in self._models.entries:
            self.model.addItem(f"{entry.name} · {where_words(entry.provider, entry.options)}")
        if self._results is not None and self._results.model != OFFLINE:
            self.model.addItem(self._results.model)
            self.model.setCurrentIndex(self.model.count() - 1)

    def _offer(self, suites: Sequence[SuiteChoice]) -> None:
        """Takes the suites, and begins with that of the results, or with the first."""
        self._suites = suites
        self.suite.addItems([choice.name for choice in suites])
        for k, choice in enumerate(suites):
            if choice.missing:
                self.suite.setItemData(k, choice.missing, Qt.ItemDataRole.ToolTipRole)
        plan = None if self._results is None else self._results.plan
        names = [choice.name for choice in suites]
        if plan is not None and plan.suite in names:
            self.suite.setCurrentIndex(names.index(plan.suite))
            self._take_suite(plan.planners)
            self.trials.set_value(plan.trials)
            self.first_seed.set_value(plan.first_seed)
            self.max_steps.set_value(plan.max_steps)
            for field in (self.suite, self.model, self.max_steps, self.choose):
                field.setEnabled(False)  # they are the same for all episodes of a folder
        elif suites:
            self.suite.setCurrentIndex(names.index("rearrangement") if "rearrangement" in names else 0)
            self._take_suite()

    def _take_suite(self, chosen: Sequence[str] | None = None) -> None:
        """Shows the defaults of the chosen suite. `chosen` planners are marked; None: the first two."""
        suite = self._suites[self.suite.currentIndex()]
        self.about.say(suite.missing or f"{suite.about} {count(suite.cells, 'cell')}.", "warn" if suite.missing else "muted")
        for box in self.planners.values():
            box.deleteLater()
        self.planners.clear()
        marked = suite.planners[:2] if chosen is None else chosen
        for text in dict.fromkeys((*marked, *suite.planners)):
            self._add_box(text, marked=text in marked)
        self.trials.set_value(min(suite.trials, TRIALS))
        self.max_steps.set_value(suite.max_steps)
        if self._results is None:
            self._folder = None
        self._show()

    def _add_box(self, text: str, *, marked: bool) -> None:
        box = self.planners[text] = QCheckBox(text)
        box.setChecked(marked)
        box.toggled.connect(lambda _: self._show())
        self._boxes.addWidget(box)

    def _add_another(self) -> None:
        text = self.another.text().strip()
        if text and text not in self.planners:
            self._add_box(text, marked=True)
        elif text:
            self.planners[text].setChecked(True)
        self.another.clear()
        self._show()

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, "Keep the results in", str(self._runs.home))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._take_folder)
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()

    def _take_folder(self, path: str) -> None:
        self._folder = Path(path)
        self._show()

    # --- the plan --------------------------------------------------------------
    @property
    def folder(self) -> Path:
        """Where the results are kept."""
        if self._folder is not None:
            return self._folder
        taken = {folder.name for folder in self._runs.folders}
        name = f"{self.suite.currentText() or 'evaluation'} {date.today().isoformat()}"
        return self._runs.home / next(n for k in range(1, 1000) if (n := name if k == 1 else f"{name} {k}") not in taken)

    @property
    def plan(self) -> EvaluationPlan | None:
        """The plan as the fields say; None if it is not complete."""
        names = tuple(text for text, box in self.planners.items() if box.isChecked())
        if not self._suites or not names or self._suites[self.suite.currentIndex()].missing:
            return None
        from core.evaluation.plan import EvaluationPlan  # loaded with the suites by now

        suite, jobs = self._suites[self.suite.currentIndex()], self.jobs.value
        before = None if self._results is None else self._results.plan
        if before is not None:
            return replace(before, planners=names, trials=self.trials.value, first_seed=self.first_seed.value, jobs=jobs)
        plan = EvaluationPlan(suite.name, names, self.trials.value, self.max_steps.value, self.first_seed.value, jobs=jobs)
        if not self.model.currentIndex():
            return replace(plan, provider=OFFLINE)
        entry = self._models.entries[self.model.currentIndex() - 1]
        return replace(plan, provider=entry.provider, options={name: str(value) for name, value in entry.options.items()},
                       limits=entry.limits, prices=entry.prices)

    def _show(self) -> None:
        """Shows what follows from the fields. The estimate comes a moment later."""
        self.place.say(str(self.folder))
        plan = self.plan
        self.start.setEnabled(plan is not None and self._runs.running is None)
        self.measure.setEnabled(plan is not None and self._runs.running is None)
        self._asked += 1
        if plan is None:
            self.estimated.say("Choose at least one planner" if self._suites else "", "warn")
        elif self._runs.running is not None:
            self.estimated.say(f"{self._runs.running.name} is being played: pause it first", "warn")
        else:
            self._ask.start()

    def _estimate(self) -> None:
        asked, plan = self._asked, self.plan
        if plan is not None:
            self._runs.estimate(plan, self.folder, lambda found: self._show_estimate(asked, found),
                                lambda error: self._show_problem(asked, error))

    def _show_estimate(self, asked: int, found: Estimate) -> None:
        if asked != self._asked:
            return
        number = count(found.episodes, "episode")
        if not found.episodes:
            self.estimated.say("Everything of this is played already", "muted")
        elif found.unknown:
            self.estimated.say(f"{number}. Time and cost are unknown: no episode of {', '.join(found.unknown)} was played with "
                               "this suite and model. Measure first plays one of each cell, and they count.", "warn")
        else:
            known = count(found.measured, "earlier episode")
            self.estimated.say(f"{number}, {words_of(found)}, estimated from {known}", "text")

    def _show_problem(self, asked: int, error: Exception) -> None:
        if asked == self._asked:
            self.estimated.say(" ".join(str(error).split()), "bad")
            self.start.setEnabled(False)
            self.measure.setEnabled(False)

    def _start(self, only: int = 0) -> None:
        """Starts the plan; only so many seeds of each cell if `only` is given."""
        if (plan := self.plan) is not None:
            self.started.emit(replace(plan, trials=only) if only else plan, self.folder)
            self.accept()

    def done(self, result: int) -> None:
        """Drops what is still being estimated."""
        self._asked += 1
        super().done(result)


class NumberField(QLineEdit):
    """A field for a whole number. `value_changed` is emitted when another one is typed or set."""

    value_changed = Signal()

    def __init__(self, least: int, most: int):
        super().__init__()
        self._least = least
        self.setValidator(QIntValidator(least, most, self))
        self.set_value(least)
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("0" * 8))
        self.textChanged.connect(lambda _: self.value_changed.emit())

    @property
    def value(self) -> int:
        """The number; the least one while the field holds none."""
        return int(self.text()) if self.hasAcceptableInput() else self._least

    def set_value(self, value: int) -> None:
        """Shows another number."""
        self.setText(str(value))
