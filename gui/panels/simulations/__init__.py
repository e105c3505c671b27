"""The simulations panel: the simulations of a decision as a list, and one of them step by step."""
