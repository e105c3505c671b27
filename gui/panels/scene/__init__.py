"""The scene panel: what is known of the world now (rooms, furniture, objects)."""

from __future__ import annotations

from gui.panels.scene.panel import ScenePanel

__all__ = ["ScenePanel"]
