"""The interface of a simulator, and the list of actions it offers an operator."""
