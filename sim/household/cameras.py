"""The two cameras of a household: first person, and the whole house without its roof."""

from __future__ import annotations

from collections.abc import Callable

from core.planning.facets import Frame, View
from sim.geometry.model import House, Robot
from sim.household.drawing import house_of, robot_of
from sim.household.household import Household
from sim.rendering.cameras import Camera, boxes, dollhouse, first_person
from sim.rendering.service import FrameService


class Cameras:
    """Draws frames with one renderer process, which starts with the first picture."""

    def __init__(self) -> None:
        self._service: FrameService | None = None

    def shot(self, home: Household, view: View, width: int, height: int, *, still: bool) -> Callable[[], Frame]:
        """Captures the household as it is now. The returned function draws the frame and may run on any thread."""
        if self._service is None:
            self._service = FrameService()
        service, house, robot = self._service, house_of(home), robot_of(home)
        camera = _camera(house, robot, view, width / height)

        def draw() -> Frame:
            picture = service.picture(house, camera, (width, height), robot, samples=2 if still else 1)
            found = tuple(boxes(picture).items())
            matrix = (picture.camera.projection(width / height) @ picture.camera.view()).ravel().tolist()
            return Frame(view, picture.pixels, picture.ids, picture.names, found, service.notice, tuple(matrix))

        return draw

    def close(self) -> None:
        """Ends the renderer process."""
        if self._service is not None:
            self._service.close()
            self._service = None


def _camera(house: House, robot: Robot | None, view: View, aspect: float) -> Camera:
    if view == "first person" and robot is not None:
        return first_person(robot.x, robot.y, robot.yaw, robot.pitch)
    return dollhouse(house, aspect)
