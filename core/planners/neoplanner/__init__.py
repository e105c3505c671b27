"""NeoPlanner: a state-space graph with values, and a language model where the graph has no knowledge. Paul (2023)."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("neoplanner", "NeoPlanner", "planner:NeoPlanner", 70),),
    suites=(Part("scienceworld", "", "suite:ScienceWorld", 40),),
)
