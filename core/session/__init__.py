"""One run of one planner in one simulator, steered by an operator."""

from core.session.session import Session
from core.session.setup import Setup
from core.session.voice import Listener

__all__ = ["Listener", "Session", "Setup"]
