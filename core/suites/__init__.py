"""What suites share: their interface, contestants, tables and drawn tasks. Each suite lies in the folder of its planner."""
