"""ProgPrompt: plans written as programs, parsed as data (never executed as Python), and followed line by line."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("progprompt", "ProgPrompt", "planner:ProgPrompt", 90),),
)
