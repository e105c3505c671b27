"""FF-Replan: classical planning on what is known, as a task of facts and operators that a separate process solves."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("ff-replan", "FF-Replan", "planner:FfReplan", 110),),
)
