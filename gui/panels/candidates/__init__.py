"""The leaves of the blocking tree as a list: what the model may choose among, and why each is there."""

from gui.panels.candidates.panel import CandidatesPanel

__all__ = ["CandidatesPanel"]
