"""Inner Monologue: the model names one action at a time and gets feedback about its result (Huang et al., 2022)."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("inner-monologue", "Inner Monologue", "planner:InnerMonologue", 120),),
)
