"""The run of a window, without widgets: what plays it, what is shown of it, and what the operator does with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from gui.control.background import CatalogueLoader
from gui.control.bridge import Bridge
from gui.control.choices import ModelBook
from gui.control.console import Console
from gui.control.context import Context
from gui.control.free_view import world_request
from gui.control.goal_reader import GoalReader
from gui.control.kept_files import KeptFile
from gui.control.kept_settings import KeptSettings
from gui.control.parts import Parts
from gui.control.replay import Replay
from gui.control.runner import MakeListener, Runner
from gui.theme import Theme


class RunControl(QObject):
    """Makes the parts that a run needs in any window, and ends them.

    Args:
        parts: supplied by `main.py`.
        theme: the colours and fonts.
        settings: the user's settings.
        make_listener: makes what records a session.

    Attributes:
        context: what all panels share.
        bridge: brings events and snapshots to the GUI thread.
        runner: plays sessions on their threads.
        reader: reads goals off the GUI thread.
        replay: the recording that is shown instead of a run.
        console: what the operator does.
        catalogue: lists all that can be chosen, once that is known.
        kept: the files of what the window changes: settings, models.
    """

    def __init__(self, parts: Parts, theme: Theme, settings: KeptSettings, make_listener: MakeListener):
        super().__init__()
        self.bridge = Bridge()
        self.context = context = Context(theme, lambda command: self.runner.post(command))
        self.bridge.prepare_frame = context.images.prepare
        self.runner = Runner(self.bridge, make_listener, context.breakpoints, parts.files.first_snapshot)
        context.partial, context.price, context.preparing = self.runner.partial, self.runner.price, self.runner.preparing
        context.margins.ask = self.runner.ask_what_if
        context.preview.ask_what_if = context.margins.ask_first
        self.reader = GoalReader(parts.read_goal)
        self.replay = Replay(parts.files)
        self.console = console = Console(context, self.bridge, self.runner, self.replay, parts.choices, parts.make_setup,
                                         parts.request, ModelBook(parts.models))
        context.free_view.open_world = parts.open_world
        context.free_view.request_of = lambda world: world_request(world, console.request)
        self.reader.may_ask = lambda request: console.answerer(request).is_model
        self.catalogue = CatalogueLoader(parts.list_choices, complete=parts.choices.complete)
        self._list_choices()
        context.watches.keep_in(settings)
        console.live_snapshot.connect(lambda _: context.watches.show_snapshot(console.snapshot))
        self.kept: tuple[KeptFile[Any], ...] = (settings, console.models)
        for kept in self.kept:
            kept.told.connect(console.message)

    def _list_choices(self) -> None:
        console, catalogue = self.console, self.catalogue
        catalogue.listed.connect(console.offer)
        catalogue.failed.connect(console.message)
        console.asked_choices.connect(catalogue.begin)
        console.live_snapshot.connect(catalogue.take_snapshot)
        console.trouble_changed.connect(catalogue.take_trouble)

    def silence(self) -> None:
        """Emits nothing any more: the window is gone."""
        for source in (self.bridge, self.console, self.reader, self.replay):
            source.blockSignals(True)
        self.bridge.activity.stop()

    def end_run(self, left: Callable[[], float]) -> None:
        """Ends the run, and what panels still compute of it. `left` returns the seconds that closing may still take."""
        self.runner.shutdown(left())
        self.context.jobs.close(left())

    def close(self, left: Callable[[], float]) -> None:
        """Ends everything else, once nobody uses it any more."""
        self.context.free_view.close(left())
        self.catalogue.close(left())
        self.replay.end(left())
        for kept in self.kept:
            kept.close(left())
