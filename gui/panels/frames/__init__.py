"""What the robot sees, and the house from above."""

from __future__ import annotations

from gui.panels.frames.panel import FramesPanel

__all__ = ["FramesPanel"]
