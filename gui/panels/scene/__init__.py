"""What is known of the world now: rooms, furniture, things."""

from __future__ import annotations

from gui.panels.scene.panel import ScenePanel

__all__ = ["ScenePanel"]
