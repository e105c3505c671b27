"""LLM-State: a language model maintains objects with attributes and a summary of the past, and plans from them."""

from core.planners.llm_state import offline as offline
