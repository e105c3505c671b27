"""A language model as a policy, and as a world model that an algorithm searches (LLM-MCTS, sections 1 and 4)."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("lab-policy", "LLM as policy (lab)", "planner:LabPolicy", 130),
              Part("lab-model", "LLM as model (lab)", "planner:LabModel", 140)),
    suites=(Part("decision-complexity", "", "suite:DecisionComplexity", 50),
            Part("flight-routes", "", "suite:FlightRoutes", 60)),
)
