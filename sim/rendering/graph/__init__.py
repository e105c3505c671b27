"""VirtualHome scene graphs: reads and checks them, and lays them out as a house."""

from .layout import Layout, lay_out
from .read import Graph, check_graph, read_graph

__all__ = ["Graph", "Layout", "check_graph", "lay_out", "read_graph"]
