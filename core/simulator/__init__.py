"""The interface of a simulator, and the list of actions it offers to an operator."""
