"""AI2-THOR's iTHOR rooms: turns the metadata of their objects into a house."""

from sim.rendering.ithor.house import read_house
from sim.rendering.ithor.read import KINDS, load_rooms
from sim.rendering.ithor.scene import AssetSides, Metadata, asset_sides

__all__ = ["KINDS", "AssetSides", "Metadata", "asset_sides", "load_rooms", "read_house"]
