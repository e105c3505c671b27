"""Two lists beside the goal: tasks that can be done in this scene, and the scene's objects by room."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint

from core.app.run_request import Request
from core.world.vocabulary import Entity, spaced
from gui.control.background import BackgroundJobs
from gui.control.choices import ListTasks
from gui.control.console import Console
from gui.control.context import Selected
from gui.control.scene_entities import SceneEntities
from gui.widgets.chooser import Chooser, Option
from gui.window.goal_box import GoalBox

if TYPE_CHECKING:
    from core.app.scene_content import SampleTask

MOST = 100_000
"""The number of different lists of tasks."""
OTHERS = "Draw other tasks"
ONLY_YOU = "Only you see this: the robot does not know where things are"


class GoalPickers(QObject):
    """Opens the lists under the goal box. A chosen task is read as if it were typed; a chosen object is selected everywhere."""

    def __init__(self, console: Console, box: GoalBox, scene: SceneEntities, list_tasks: ListTasks | None):
        super().__init__(box)
        self._console, self._box, self._scene, self._list_tasks = console, box, scene, list_tasks
        theme = console.context.theme
        self.tasks, self.things = Chooser(theme, "Tasks for this scene", box), Chooser(theme, "Objects of this scene", box)
        self.jobs = BackgroundJobs("tasks")
        self._drawn = 0
        """The number of the list that is wanted."""
        self._waiting = False
        """Whether the list of objects waits for the scene."""
        console.asked_tasks.connect(self.open_tasks)
        console.asked_things.connect(self.open_things)
        scene.listed.connect(self._show_things)
        scene.failed.connect(lambda error: self._fail(self.things, error) if self._waiting else None)

    def open_tasks(self) -> None:
        """Draws tasks for the scene of the next run, and lists them."""
        listing, request = self._list_tasks, self._console.request
        if listing is None or not self._console.may_change():
            return
        self._drawn = number = random.randrange(MOST)
        self._open(self.tasks, "Drawing tasks …")
        self.jobs.do(lambda: listing(request, number), partial(self._show_tasks, number), partial(self._fail, self.tasks))

    def _show_tasks(self, number: int, tasks: tuple[SampleTask, ...]) -> None:
        if number == self._drawn and self.tasks.isVisible():
            found = [Option(task.text, task.difficulty, task.kind, act=partial(self._box.take, task.text)) for task in tasks]
            self._list(self.tasks, (Option(OTHERS, act=self.open_tasks), *found))

    def draw_tasks(self, request: Request, take: Callable[[Request, Sequence[SampleTask]], None]) -> None:
        """Draws tasks for the scene of a request, and passes them on, on the GUI thread; where none can be drawn, nothing."""
        listing = self._list_tasks
        if listing is not None:
            self.jobs.do(lambda: listing(request, 0), partial(take, request), lambda error: self._console.report(error, "warn"))

    def open_things(self) -> None:
        """Lists the objects in the scene of the next run."""
        if self._console.may_change():
            self._waiting = True
            self._open(self.things, "Looking …")
            self._scene.ask(self._console.request)

    def _show_things(self, entities: tuple[Entity, ...]) -> None:
        if self._waiting:
            self._waiting = False
            found = [Option(name, str(len(ids)), room, act=partial(self._select, ids))
                     for room, name, ids in things_by_room(entities)]
            self._list(self.things, (Option(ONLY_YOU, enabled=False), *found))

    def _select(self, ids: tuple[str, ...]) -> None:
        """Selects the object, or the next one of its kind in the room if one of them is selected."""
        selection = self._console.context.selection
        now = selection.thing()
        selection.select(Selected("thing", ids[(ids.index(now) + 1) % len(ids)] if now in ids else ids[0]))

    def _open(self, chooser: Chooser, waiting: str) -> None:
        chooser.offer((Option(waiting, enabled=False),))
        corner = self._box.mapToGlobal(QPoint(0, self._box.height() + 3))
        chooser.open_at(corner, max(self._box.width(), self._console.context.theme.px(360)))

    def _list(self, chooser: Chooser, options: tuple[Option, ...]) -> None:
        if chooser.isVisible():
            chooser.offer(options)
            chooser.take_focus()

    def _fail(self, chooser: Chooser, error: Exception) -> None:
        self._waiting = False
        chooser.hide()
        self._console.report(error, "warn")


def things_by_room(entities: tuple[Entity, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Returns the room, the class in words, and the ids of the objects there, in the order of the names."""
    rooms = {entity.id: spaced(entity.id) for entity in entities if entity.category == "room"}
    found: dict[tuple[str, str], list[str]] = {}
    for entity in entities:
        if entity.category == "object":
            found.setdefault((rooms.get(entity.room or "", "elsewhere"), spaced(entity.cls)), []).append(entity.id)
    return [(room, name, tuple(ids)) for (room, name), ids in sorted(found.items())]
