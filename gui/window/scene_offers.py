"""What the window offers of a scene: its picture in the list of scenes, its objects, its tasks, scenes in files."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from gui.control.goal_draft import SceneNames
from gui.control.kept_settings import KeptSettings
from gui.control.parts import Parts
from gui.control.scene_choices import scene_of
from gui.control.scene_entities import SceneEntities
from gui.control.scene_pictures import ScenePictures
from gui.window.goal_pickers import GoalPickers
from gui.window.main_window import MainWindow
from gui.window.scene_files import SceneFiles
from gui.window.task_card import TaskSampler


class SceneOffers(QObject):
    """Makes what reads scenes for the operator bar, the task card and the goal, and ends it.

    Attributes:
        sampler: draws tasks.
        entities: lists the objects of a scene.
        files: opens scenes of files.
        pictures: draws the pictures in the list of scenes.
        pickers: the lists of tasks and objects.
    """

    def __init__(self, window: MainWindow, parts: Parts, settings: KeptSettings):
        super().__init__(window)
        console, box, scenes = window.console, window.bar.goal, window.bar.pickers.scene
        self.sampler = TaskSampler(console, parts.draw_task)
        self.entities = SceneEntities(parts.list_entities)
        self.files = SceneFiles(console, settings, window)
        self.pictures = ScenePictures(parts.draw_scene, parts.pictures)
        scenes.picture_of = lambda name: self.pictures.of(*scene_of(name, console.request))
        scenes.opened.connect(self.pictures.forget)
        self.pictures.drawn.connect(scenes.show_pictures)
        self.pickers = GoalPickers(console, box, self.entities, parts.list_tasks)
        card = window.task_card
        card.asked_tasks.connect(lambda request: self.pickers.draw_tasks(request, card.show_tasks))
        box.opened.connect(lambda: self.entities.ask(console.request))
        self.entities.listed.connect(lambda entities: box.offer(SceneNames.of(entities)))

    def close(self, left: Callable[[], float]) -> None:
        """Ends all jobs. Pictures that nobody will see are not drawn."""
        for jobs in (self.sampler.jobs, self.entities.jobs, self.pickers.jobs):
            jobs.close(left())
        self.pictures.forget()
        self.pictures.jobs.close(left())
