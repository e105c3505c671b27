"""The frames panel: the first-person picture and the dollhouse picture (the house from above)."""

from __future__ import annotations

from gui.panels.frames.panel import FramesPanel

__all__ = ["FramesPanel"]
