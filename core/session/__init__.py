"""One run of one planner in one simulator, steered by an operator: session, commands, events, snapshot, branches."""
