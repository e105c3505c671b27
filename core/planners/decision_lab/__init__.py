"""A language model as a policy, and as a world model that an algorithm searches (LLM-MCTS, sections 1 and 4)."""
