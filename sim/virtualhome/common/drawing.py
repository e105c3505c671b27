"""Pictures of an apartment: its layout, made once, in its present state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.planning.facets import Frame, View
from core.world.vocabulary import Pose
from sim.rendering.graph.picture import GraphPicture, Now
from sim.rendering.service import Cameras
from sim.virtualhome.common.apartment_state import Home


class Drawing:
    """Lays a graph out and draws it.

    Args:
        raw: the first graph, as VirtualHome writes it.
        home: the same graph, indexed.
    """

    def __init__(self, raw: dict[str, Any], home: Home):
        names = {str(i): kind.id for i, kind in home.catalogue.items()}
        self._rooms = {n["id"]: k for k, n in enumerate(n for n in raw["nodes"] if n["category"] == "Rooms")}
        self._picture = GraphPicture(raw, names, now_of(home))
        self._cameras = Cameras()

    def pose(self, home: Home) -> Pose:
        """Returns where the robot stands."""
        focus = None if home.focus is None else home.catalogue[home.focus].id
        return self._picture.pose(self._rooms[home.room], focus, now_of(home))

    def shot(self, home: Home, pose: Pose, view: View, size: tuple[int, int], *, still: bool) -> Callable[[], Frame]:
        """Captures this moment. The returned function draws the picture."""
        now = now_of(home)
        return self._cameras.shot(self._picture.house(now), self._picture.robot(pose, now), view, size, still=still)

    def close(self) -> None:
        """Ends the cameras."""
        self._cameras.close()


def now_of(home: Home) -> dict[str, Now]:
    """Returns the state of each entity."""
    found = {}
    for node, kind in home.catalogue.items():
        if kind.category != "room":
            link = home.parent(node)
            parent, inside = (None, False) if link is None else (home.catalogue[link[1]].id, link[0] == "inside")
            found[kind.id] = Now(parent, inside, home.has_state(node, "OPEN"), home.has_state(node, "ON"), home.is_hidden(node),
                                 node in home.graph.held)
    return found
