"""What a planner is: its interface, model requests, prompts, facets, beliefs and regression."""
