"""LLM-MCTS: a language model as world model and policy of a Monte Carlo tree search (Zhao, Lee, Hsu, 2023)."""
