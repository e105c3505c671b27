"""When and how much is drawn at a time, so that nothing of the window waits long."""

from gui.drawing.painted import Painted
from gui.drawing.slices import Slices
from gui.drawing.throttle import Throttle

__all__ = ["Painted", "Slices", "Throttle"]
