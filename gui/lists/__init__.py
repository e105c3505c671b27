"""Long lists drawn by one painter each."""

from gui.lists.code import CodeView
from gui.lists.find_field import FindField
from gui.lists.rows import Rows
from gui.lists.search_strip import SearchStrip

__all__ = ["CodeView", "FindField", "Rows", "SearchStrip"]
