"""Long lists, each painted by one widget."""

from gui.widgets.lists.code import CodeView
from gui.widgets.lists.rows import Rows
from gui.widgets.search import FindField, SearchStrip

__all__ = ["CodeView", "FindField", "Rows", "SearchStrip"]
