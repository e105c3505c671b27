"""The LLM-State panel: objects with their attributes as chips, recent changes, the summary, and the operator's edits."""

from __future__ import annotations

from gui.panels.dictionary.panel import DictionaryPanel

__all__ = ["DictionaryPanel"]
