"""Long lists drawn by one painter each."""

from gui.lists.code import CodeView
from gui.lists.find_field import FindField
from gui.lists.painted import Painted
from gui.lists.rows import Rows
from gui.lists.search_strip import SearchStrip
from gui.lists.slices import Slices
from gui.lists.throttle import Throttle

__all__ = ["CodeView", "FindField", "Painted", "Rows", "SearchStrip", "Slices", "Throttle"]
