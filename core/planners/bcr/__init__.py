"""Blocking conditions and resolutions (BCR): which conditions block an action, and which actions resolve them."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("bcr", "BCR", "planner:Bcr", 50),),
    suites=(Part("blocking", "", "suite:Blocking", 10),),
)
