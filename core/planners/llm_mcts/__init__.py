"""LLM-MCTS: a language model as world model and policy of a Monte Carlo tree search (Zhao, Lee, Hsu, 2023)."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("llm-mcts", "LLM-MCTS", "planner:LlmMcts", 10),
              Part("llm-mcts-fully-observable", "LLM-MCTS, sees everything", "planner:LlmMctsFullyObservable", 20),
              Part("llm-policy", "LLM policy", "llm_policy:LlmPolicy", 40),
              Part("greedy", "Greedy", "greedy:Greedy", 80)),
    suites=(Part("rearrangement", "", "suite:Rearrangement", 20),),
)
