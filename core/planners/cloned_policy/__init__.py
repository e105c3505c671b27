"""A small transformer, trained to imitate the expert, as policy (the paper's finetuned GPT-2; Zhao et al., 2023)."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("cloned-policy", "Cloned policy", "planner:ClonedPolicy", 100),),
)
