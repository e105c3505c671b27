"""LLM-State: a language model maintains objects with attributes and a summary of the past, and plans from them."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("llm-state", "LLM-State", "planner:LlmState", 60),),
    suites=(Part("llm-state", "", "suite:LlmStateSuite", 30),),
)
