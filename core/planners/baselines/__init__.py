"""The planners the papers compare against: greedy, oracle, UCT and the language model as policy alone."""
