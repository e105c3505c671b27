"""The candidates panel: the leaves of the blocking tree, which the model chooses from, as a list with reasons."""

from gui.panels.candidates.panel import CandidatesPanel

__all__ = ["CandidatesPanel"]
