"""What `main.py` supplies to the console."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from core.app.run_request import Request
from gui.control.choices import Choices, DrawTask, ListChoices, ListEntities, ListTasks, MakeSetup, ReadGoal
from gui.control.free_view import OpenWorld
from gui.control.recording_files import RecordingFiles
from gui.control.scene_pictures import DrawScene

if TYPE_CHECKING:
    from core.app.facts import Facts

ReadFacts = Callable[[], "Facts"]
"""Returns names and values about this installation. May take seconds; called off the GUI thread."""


def qt_facts() -> Facts:
    """Returns the versions of Qt and the platform it draws on."""
    return [("Qt", f"{qVersion()}, PySide {PySide6.__version__}, platform {QGuiApplication.platformName()}")]


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
