"""AI2-THOR's iTHOR rooms: turns the metadata of their objects into a house."""

from .boxes import AssetSides, Metadata, asset_sides
from .house import read_house
from .read import KINDS, load_rooms

__all__ = ["KINDS", "AssetSides", "Metadata", "asset_sides", "load_rooms", "read_house"]
