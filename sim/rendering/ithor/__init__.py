"""AI2-THOR's iTHOR rooms: turns the metadata of their objects into a house."""

from sim.rendering.ithor.house import read_house
from sim.rendering.ithor.metadata import KINDS, AssetSides, Metadata, asset_sides, load_rooms

__all__ = ["KINDS", "AssetSides", "Metadata", "asset_sides", "load_rooms", "read_house"]
