"""The interface of a planner, model requests, prompts, facets, beliefs and regression planning."""
