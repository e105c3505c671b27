"""The LLM-State panel: objects with attributes as chips, what changed and why, the summary, and the operator's hand in them."""

from __future__ import annotations

from gui.panels.dictionary.panel import DictionaryPanel

__all__ = ["DictionaryPanel"]
