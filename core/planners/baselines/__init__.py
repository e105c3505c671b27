"""The baselines of the papers: greedy, oracle, UCT and the language model as policy alone."""
