"""Who answers a planner's questions: language models behind one interface, and those that are none and say so."""
