"""Long lists, each painted by one widget."""

from gui.widgets.lists.code import CodeView
from gui.widgets.lists.find_field import FindField
from gui.widgets.lists.rows import Rows
from gui.widgets.lists.search_strip import SearchStrip

__all__ = ["CodeView", "FindField", "Rows", "SearchStrip"]
