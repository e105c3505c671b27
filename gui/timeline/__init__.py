"""The timeline: turns, marks, annotations and a playhead."""

from __future__ import annotations

from gui.timeline.view import Timeline

__all__ = ["Timeline"]
