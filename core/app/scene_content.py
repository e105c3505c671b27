"""What a request's scene contains, and tasks that can be done in it: for people who choose, not for planners."""

from __future__ import annotations

from core.app.launch import SimulatorClass, placed
from core.app.run_request import Request
from core.world.vocabulary import Entity


def scene_entities(request: Request, simulator_class: SimulatorClass) -> tuple[Entity, ...]:
    """Returns everything in the request's scene at its seed.

    Raises:
        UsageError: there is no such scene.
        DataError: the scene's file is damaged.
        MissingPart: the simulator is not installed.
    """
    request = placed(request, simulator_class)
    with simulator_class(request.simulator).open(request.scene, request.world) as world:
        world.reset(request.seed)
        return world.reveal().entities
