"""Assembles the console and runs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QSettings, QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from core.app.run_request import Request
from core.common.errors import UsageError
from core.common.terminal import Interrupted, handled
from core.world.vocabulary import Action
from gui.control.background import PATIENCE, CatalogueLoader, Deadline
from gui.control.bridge import Bridge
from gui.control.choices import Choices, DrawTask, ListChoices, ListEntities, ListTasks, MakeSetup, ModelBook, ReadGoal
from gui.control.console import Console
from gui.control.context import Context
from gui.control.free_view import OpenWorld, world_request
from gui.control.goal_draft import SceneNames
from gui.control.goal_reader import GoalReader
from gui.control.kept_settings import KeptSettings, user_settings
from gui.control.label_keeping import LabelKeeping
from gui.control.recording_files import RecordingFiles
from gui.control.replay import Replay
from gui.control.runner import Runner
from gui.control.scene_choices import scene_of
from gui.control.scene_entities import SceneEntities
from gui.control.scene_pictures import DrawScene, ScenePictures
from gui.evaluations.runs import EvaluationRuns
from gui.library.acts import LibraryActs
from gui.library.shelf import Shelf
from gui.recordings.agreement import AgreementReview
from gui.recordings.batch import Batch
from gui.recordings.example_keeping import ExampleKeeper
from gui.recordings.failures import FailureReview
from gui.recordings.label_dialogs import LabelDialogs
from gui.recordings.labelling import Annotator, Labelling
from gui.recordings.recorders import Recorders
from gui.recordings.review import Review
from gui.recordings.runs import Ask, CloseGuard, Runs, ask_operator
from gui.recordings.sharing import DecisionSharing
from gui.recordings.unsaved_labels import UnsavedLabels, explanation, heading
from gui.recordings.viewer import RecordingExport, RecordingViewer
from gui.theme import Theme, theme_named
from gui.theme.screens import GEOMETRY
from gui.widgets.full_page import FullPage
from gui.widgets.keyboard import MeantKeys
from gui.window.about import ReadFacts, qt_facts
from gui.window.actions import Actions
from gui.window.documents import Documents
from gui.window.goal_pickers import GoalPickers
from gui.window.main_window import MainWindow
from gui.window.scene_files import SceneFiles
from gui.window.screen_keeper import ScreenKeeper
from gui.window.task_card import TaskSampler

if TYPE_CHECKING:
    from gui.evaluations.page import EvaluationsPage
    from gui.library.page import LibraryPage
    from gui.recordings.batch_dialog import BatchDialog
    from gui.window.models_dialog import ModelsDialog
    from gui.window.override_dialog import OverrideDialog
    from gui.window.world_changer import WorldChanger

Page = TypeVar("Page", bound=FullPage)


@dataclass(frozen=True, slots=True)
class Parts:
    """What `main.py` supplies to the console.

    Attributes:
        choices: the parts known at once that the operator can choose from.
        list_choices: returns all parts.
        make_setup: makes the parts of a session.
        read_goal: reads the goal of a request.
        request: the request prepared at the start, so that one click on Run starts it.
        files: the folders of recordings.
        draw_task: draws a random task for a request's scene; None: not available.
        list_tasks: returns tasks of a request's scene; None: not available.
        list_entities: returns everything in a request's scene; None: not available.
        draw_scene: draws a small picture of a scene; None: the list of scenes has none.
        open_world: opens a second simulator of a run, which draws it from all sides; None: pictures have one side only.
        pictures: the folder that keeps these pictures; None: they are kept in memory only.
        sample: the request of the sample episode, for the guided tour; None: it plays `request`.
        read_facts: returns what the report on this installation lists: names and values.
        models: the file of the user's models; None: they are kept in memory only.
        record: whether to record from the start.
        show_welcome: whether to show the card for the first task if it was never shown; it is always shown if there is no task.
    """

    choices: Choices
    list_choices: ListChoices
    make_setup: MakeSetup
    read_goal: ReadGoal
    request: Request
    files: RecordingFiles = field(default_factory=RecordingFiles.of_user)
    draw_task: DrawTask | None = None
    list_tasks: ListTasks | None = None
    list_entities: ListEntities | None = None
    draw_scene: DrawScene | None = None
    open_world: OpenWorld | None = None
    pictures: Path | None = None
    sample: Request | None = None
    read_facts: ReadFacts = qt_facts
    models: Path | None = None
    record: bool = False
    show_welcome: bool = True


SWITCH_INTERVAL = 0.0001
"""Seconds that a thread may keep the interpreter lock while another one wants it."""
PICTURES_PATIENCE = 3.0
"""Seconds that recordings may take to add their last pictures when the window closes."""


class App(QObject):
    """The assembled console: context, bridge, runner, window, keys, palette."""

    def __init__(self, parts: Parts, theme: Theme, settings: QSettings, ask: Ask | None = None):
        """Creates all parts of the console.

        Args:
            parts: supplied by `main.py`.
            theme: the colours and fonts.
            settings: name the file of the user's settings.
            ask: asks the operator before unsaved runs are lost; None: they are discarded without asking.
        """
        super().__init__()
        self.settings = KeptSettings(settings)
        self.bridge = Bridge()
        self.context = Context(theme, lambda command: self.runner.post(command))
        self.bridge.prepare_frame = self.context.images.prepare
        self.runner = Runner(self.bridge, lambda *session: self.recorders.listener_for(*session), self.context.breakpoints,
                             parts.files.first_snapshot)
        self.context.partial, self.context.price = self.runner.partial, self.runner.price
        self.context.preparing = self.runner.preparing
        self.context.margins.ask = self.runner.ask_what_if
        self.context.preview.ask_what_if = self.context.margins.ask_first
        self.reader = GoalReader(parts.read_goal)
        self.replay = Replay(parts.files)
        self.console = Console(self.context, self.bridge, self.runner, self.replay, parts.choices, parts.make_setup,
                               parts.request, ModelBook(parts.models))
        self.context.free_view.open_world = parts.open_world
        self.context.free_view.request_of = lambda world: world_request(world, self.console.request)
        self.reader.may_ask = lambda request: self.console.answerer(request).is_model
        self.catalogue_loader = loader = CatalogueLoader(parts.list_choices, complete=parts.choices.complete)
        loader.listed.connect(self.console.offer)
        loader.failed.connect(self.console.message)
        self.console.asked_choices.connect(loader.begin)
        self.console.live_snapshot.connect(loader.take_snapshot)
        self.console.trouble_changed.connect(loader.take_trouble)
        self.viewer = RecordingViewer(self.console, parts.make_setup, parts.files.folder)
        self.recorders = Recorders(parts.files, self.console)
        self.runs = Runs(self.console, self.recorders, self.viewer)
        self.batch = Batch(self.console, self.recorders)
        self.task_sampler = TaskSampler(self.console, parts.draw_task)
        self.scene_entities = SceneEntities(parts.list_entities)
        self.label_keeping = LabelKeeping()
        self.label_keeping.failed.connect(self.console.report)
        self.label_keeping.moved.connect(self.replay.changed)
        self.labelling = Labelling(self.console, self.settings, self.recorders, self.label_keeping)
        self.context.watches.keep_in(self.settings)
        self.console.live_snapshot.connect(lambda _: self.context.watches.show_snapshot(self.console.snapshot))
        self.failures = FailureReview(self.console, self.recorders, self.labelling)
        self.window = MainWindow(self.console, self.recorders, self.viewer, self.labelling, self.failures, self.reader,
                                 self.settings)
        self.meant_keys = MeantKeys(self.window)
        box = self.window.bar.goal
        self.screens = ScreenKeeper(self.window)
        self.scene_files = SceneFiles(self.console, self.settings, self.window)
        self.pictures, scenes = ScenePictures(parts.draw_scene, parts.pictures), self.window.bar.pickers.scene
        scenes.picture_of = lambda name: self.pictures.of(*scene_of(name, self.console.request))
        scenes.opened.connect(self.pictures.forget)
        self.pictures.drawn.connect(scenes.show_pictures)
        self.goal_pickers = GoalPickers(self.console, box, self.scene_entities, parts.list_tasks)
        card = self.window.task_card
        card.asked_tasks.connect(lambda request: self.goal_pickers.draw_tasks(request, card.show_tasks))
        box.opened.connect(lambda: self.scene_entities.ask(self.console.request))
        self.scene_entities.listed.connect(lambda entities: box.offer(SceneNames.of(entities)))
        self.unsaved_labels = UnsavedLabels(self.console, self.label_keeping, self.window)
        self.kept = self.settings, self.console.models
        for kept in self.kept:
            kept.told.connect(self.console.message)
        self.close_guard = CloseGuard(self.window, self.runs, self.label_keeping, self.unsaved_labels, self.kept, ask)
        self.label_keeping.changed.connect(self._show_unsaved)
        self.recorders.found_left.connect(self.window.notices.report_left)
        self.window.may_close = self.close_guard.may_close
        self.agreement = AgreementReview(self.console, self.labelling, self.viewer, parts.files)
        self.dialogs = LabelDialogs(self.console, self.labelling, self.agreement, self.window)
        self.window.timeline.asked_label.connect(self.dialogs.open_label)
        self.labelling.asked_name.connect(self._ask_name)
        self.exporter = RecordingExport(self.console, parts.files)
        self.sharing = DecisionSharing(self.console, self.recorders, self.window, self.window.shown_panels)
        self.window.timeline.asked_share.connect(self.sharing.ask)
        self.keeper = ExampleKeeper(self.console, self.recorders)
        self.keeper.offered.connect(lambda moment: self.window.notices.offer_example(moment, self.keeper.keep))
        self.window.timeline.asked_example.connect(self.keeper.keep)
        files, shown = parts.files, [parts.files.folder, *filter(None, (parts.files.running,))]
        self.shelf = Shelf(files.index or files.folder / ".library.sqlite", shown, self.settings, files.codec,
                           self.bridge.activity.wait_until_idle)
        self.recorders.recorded.connect(lambda _: self.shelf.look_now())
        self.library_acts = LibraryActs(self.console, self.viewer, files)
        self.review = Review(self.console, self.labelling, self.viewer, self.batch, files)
        self.review.selected = lambda: self.library.marked_paths()
        self.review.asked_name.connect(self.dialogs.labels)
        self.window.asked_review.connect(lambda finish: self.review.next(finish=finish))
        self.shelf.is_blind = self.library_acts.is_blind = lambda: self.labelling.blind
        self.evaluation_runs = EvaluationRuns(files.folder.with_name("evaluations"), self.settings)
        self._connect_pages()
        self.documents = Documents(self.window, self.recorders, self.scene_files, self.settings)
        self.actions = Actions(self.window, self.dialogs, self.unsaved_labels, self.exporter, self.sharing, self.keeper,
                               self.documents, parts.read_facts, self.settings)
        self.actions.tour.sample = parts.sample
        self.annotator = Annotator(self.labelling, self.window)
        self.models: ModelsDialog | None = None
        """The open dialog of the user's models, or None."""
        self._recording: Path | None = None
        self._turn = 0
        self.window.closed.connect(self._end)
        batch = {"open": self.open_batch, "skip": self.batch.skip, "stop": self.batch.stop}
        self.window.asked_batch.connect(lambda what: batch[what]())
        self.window.asked_override.connect(lambda: self.ask_override())
        selection = self.context.selection
        selection.asked_override.connect(lambda object_id: self.ask_override(object_id))
        selection.asked_actions.connect(lambda actions: self.ask_override(actions=actions))
        selection.asked_changes.connect(lambda thing: self.world_changer.ask(thing))
        self.console.asked_models.connect(self.open_models)

    # Made when they are first asked for: most windows are closed without, and opening one is quicker.
    @cached_property
    def library(self) -> LibraryPage:
        """The page of the library."""
        from gui.library.page import LibraryPage

        return self._add_page(LibraryPage(self.context, self.shelf, self.library_acts))

    @cached_property
    def evaluations(self) -> EvaluationsPage:
        """The page of evaluations."""
        from gui.evaluations.page import EvaluationsPage

        return self._add_page(EvaluationsPage(self.console, self.evaluation_runs, self.viewer))

    @cached_property
    def override(self) -> OverrideDialog:
        """The override dialog."""
        from gui.window.override_dialog import OverrideDialog

        dialog = OverrideDialog(self.context, self.window)
        self.console.live_snapshot.connect(dialog.show_snapshot)
        dialog.show_snapshot(self.console.snapshot)
        return dialog

    @cached_property
    def world_changer(self) -> WorldChanger:
        """The list of changes of an object."""
        from gui.window.world_changer import WorldChanger

        return WorldChanger(self.console, self.window)

    def _add_page(self, page: Page) -> Page:
        self.window.add_page(page)
        page.left.connect(self.window.leave_frames_only)
        self.console.message.connect(page.say)
        return page

    def _connect_pages(self) -> None:
        window = self.window
        window.asked_library.connect(lambda: window.toggle_page(self.library))
        window.asked_evaluations.connect(lambda: window.toggle_page(self.evaluations))
        self.replay.opened.connect(lambda _: window.leave_page())
        self.library_acts.asked_comparison.connect(self._compare_with)

    def _compare_with(self, path: Path) -> None:
        self.window.show_panel("compare")
        self.window.docks["compare"].card.fill()
        self.context.asked_comparison.emit(path)

    def _end(self) -> None:
        """Ends the run and all jobs when the window closes. Signals are blocked, so that none reaches a window that is gone."""
        until = Deadline(PATIENCE + (PICTURES_PATIENCE if self.recorders.on or self.runner.pictures_left else 0.0))
        if self.models is not None:
            self.models.reject()
        self.runs.blockSignals(True)
        for source in (self.bridge, self.console, self.reader, self.batch, self.recorders, self.replay, self.failures,
                       self.agreement):
            source.blockSignals(True)
        self.bridge.activity.stop()
        self.settings.set_value(ASKED, True)
        self.label_keeping.close(until.left)  # first: nothing is labelled any more
        self.runner.shutdown(until.left)
        self.context.jobs.close(until.left)
        self.recorders.close(until.left)
        self.exporter.jobs.close(until.left)
        self.library_acts.jobs.close(until.left)
        self.batch.jobs.close(until.left)
        self.review.jobs.close(until.left)
        self.shelf.close(until.left)
        self.evaluation_runs.close(until.left)
        self.sharing.jobs.close(until.left)
        self.documents.jobs.close(until.left)
        self.keeper.jobs.close(until.left)
        self.failures.close(until.left)
        self.agreement.close(until.left)
        self.task_sampler.jobs.close(until.left)
        self.scene_entities.jobs.close(until.left)
        self.goal_pickers.jobs.close(until.left)
        self.pictures.forget()
        self.pictures.jobs.close(until.left)
        self.context.free_view.close(until.left)
        self.catalogue_loader.close(until.left)
        self.replay.end(until.left)
        for kept in self.kept:
            kept.close(until.left)
        self.runs.settle(keep=self.close_guard.keep)  # last: until now jobs may read or export these files, or label them
        self.runner.blockSignals(True)

    def open_models(self) -> None:
        """Opens the dialog of the user's models. The file is read again, because it may have been repaired."""
        from core.llm.embeddings import comparison_words  # imported here: the window does not wait for them
        from gui.window.models_dialog import ModelsDialog

        console = self.console
        if self.models is not None or not console.may_change():
            return
        console.models.update()

        def used() -> str:
            entry = console.models.used_by(console.request)
            return entry.name if entry is not None else ""

        self.models = ModelsDialog(self.context.theme, console.models, used, comparison_words(), self.window)
        self.models.chosen.connect(console.run_request.choose_model)
        self.models.finished.connect(lambda _: self._forget_models())
        self.models.open()

    def open_batch(self) -> BatchDialog:
        """Opens the dialog of batches, or raises the one that is open."""
        from gui.recordings.batch_dialog import BatchDialog

        self.console.asked_choices.emit()
        opened = next((d for d in self.window.findChildren(BatchDialog) if d.isVisible()), None)
        dialog = opened or BatchDialog(self.console, self.batch, self.settings, self.recorders.files.folder, self.window)
        dialog.show()
        dialog.activateWindow()
        return dialog

    def _show_unsaved(self) -> None:
        if self.label_keeping.unsaved:
            self.console.message.emit(explanation(self.label_keeping.unsaved), "bad")
        self.window.notices.report_unsaved(self.label_keeping.unsaved, self.unsaved_labels.save_elsewhere,
                                           self.label_keeping.try_again)

    def _ask_name(self) -> None:
        if self.window.notices.offer_name(self.dialogs.labels):
            self.labelling.was_asked()

    def _forget_models(self) -> None:
        self.models = None

    def ask_override(self, object_id: str = "", actions: tuple[Action, ...] = ()) -> None:
        """Opens the override dialog, filtered to an object or with one of the actions chosen, if a turn is under way."""
        if self.console.moment is not None or self.bridge.snapshot.current is None:
            self.console.message.emit("There is no turn under way to override", "warn")
            return
        self.console.begun = True
        self.override.ask(object_id, actions)

    def open(self, *, ask: bool, recording: Path | None = None, turn: int = 0) -> None:
        """Shows the window and prepares the request, or shows a recording.

        Args:
            ask: whether to show the card for the first task.
            recording: a recording to show instead of a run.
            turn: the turn to show of it; 0: the first.
        """
        self._recording, self._turn = recording, turn
        self.window.show()
        if ask and recording is None:
            self.window.ask_task()
        # Show the window before panels load their modules and the session opens its scene.
        QTimer.singleShot(0, self, self._go)

    def _go(self) -> None:
        self.window.settle()
        if self.console.models.trouble:
            self.console.message.emit(f"Your models are not listed: {self.console.models.trouble}", "bad")
        if self._recording is not None:
            self.viewer.open_turn(self._recording, self._turn)
        else:
            self.console.prepare()


ASKED = "first run asked"
"""The setting that tells whether the card for the first task was shown."""
WAKE_EVERY = 300
"""Milliseconds between two wake-ups of Python, which handles signals only then, not while Qt waits."""


def run_console(parts: Parts, recording: Path | None = None, turn: int = 0) -> int:
    """Runs the console until its window is closed. Returns the exit code of the application.

    Args:
        parts: what it is made of.
        recording: a recording to show at the start instead of a run.
        turn: the turn to show of it; 0: the first.

    Raises:
        Interrupted: a signal closed the window.
    """
    app = application()
    app.setApplicationName("Belvedere")
    app.setOrganizationName("Belvedere")
    settings = user_settings()
    theme = theme_named(str(settings.value("theme", "dark")), _number(settings.value("text size", 1.0)))
    theme.apply(app)
    with responsive_interpreter():
        console = App(parts, theme, settings, ask_operator)
        console.screens.begin(settings.value(GEOMETRY))
        first = parts.show_welcome and not settings.value(ASKED)
        console.open(ask=first or not parts.request.task, recording=recording, turn=turn)
        if recording is None and parts.show_welcome and not first:
            console.documents.offer_last()
        if parts.record:
            console.recorders.toggle()
        with ended_by_signals(console.window, console.close_guard.close_keeping) as came:
            code = app.exec()
    if came:
        left = console.label_keeping.left
        said = console.recorders.saved, heading(left) if left else "", *(kept.left for kept in console.kept)
        raise Interrupted(came[0], "; ".join(filter(None, said)))
    return code


NOWHERE = "offscreen"
"""Qt's platform that needs no display. It is tried last, because Qt aborts the program if none can be used."""


def application() -> QApplication:
    """Returns the application on the display of the user.

    Raises:
        UsageError: no display can be used; what Qt says about it is part of the message.
    """
    if not sys.platform.startswith("linux"):
        return QApplication(sys.argv[:1])
    wayland, folder = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("XDG_RUNTIME_DIR", "")
    displays = {"wayland": wayland, "xcb": os.environ.get("DISPLAY", "")}
    said: list[str] = []
    if wayland and not Path(wayland).is_absolute() and not Path(folder).is_absolute():
        said.append("XDG_RUNTIME_DIR names no folder with its socket")
        displays["wayland"] = ""  # the library would print a line of its own
    wanted = os.environ.get("QT_QPA_PLATFORM") or ";".join(name for name, display in displays.items() if display)  # as Qt does
    qInstallMessageHandler(lambda kind, context, text: said.append(text))
    app = QApplication([*sys.argv[:1], "-platform", ";".join(filter(None, (wanted, NOWHERE)))])
    qInstallMessageHandler(None)
    if app.platformName() == NOWHERE and NOWHERE not in wanted:
        app.shutdown()
        why = " ".join((said or ["no display answers"])[0].split())
        where = " ".join(filter(None, (wayland, displays["xcb"]))) or wanted
        raise UsageError(f"no window can be opened on the display {where} ({why}): set DISPLAY or WAYLAND_DISPLAY to one that "
                         "is there, or choose a command that needs no window")
    return app


@contextmanager
def ended_by_signals(window: QWidget, end: Callable[[], object]) -> Iterator[list[int]]:
    """Closes the window by `end` on Ctrl C, SIGTERM and the closing of the terminal: without a question, saving every run.

    Yields:
        The signals that came.
    """
    came: list[int] = []

    def close(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        QTimer.singleShot(0, window, end)  # later: the window may be painting

    ticking = QTimer(window)
    ticking.timeout.connect(lambda: None)
    ticking.start(WAKE_EVERY)
    with handled(close):
        yield came


@contextmanager
def responsive_interpreter() -> Iterator[None]:
    """Sets the interpreter up for a window: full garbage collections are rare, and threads take turns often.

    A full collection stops every thread, and so the window, for 80 ms soon after the start, and longer once many trees are
    kept. Therefore the oldest generation is collected a hundred times less often than by default, and what exists already is
    never looked at again: among it may be parts of a window that was closed, and PySide crashes where those are collected.
    A thread that wants the interpreter lock waits for `SWITCH_INTERVAL` before the holder has to give it up. Every painter call
    gives the lock up, so by default (5 ms) a picture could be late by many such waits.
    """
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.freeze()
    gc.set_threshold(thresholds[0], thresholds[1], thresholds[2] * 100)
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)


def _number(value: object) -> float:
    """Reads a number from the settings, which may contain text."""
    try:
        return float(str(value))
    except ValueError:
        return 1.0
