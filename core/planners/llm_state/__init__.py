"""The parts of LLM-State: names and calls as its prompts write them, the history, the dictionary, the wording."""

from core.planners.llm_state import offline_estimate as offline_estimate
from core.planners.llm_state import offline_plan as offline_plan
