"""VirtualHome scene graphs: reads and checks them, and lays them out as a house."""

from sim.rendering.graph.graph_reader import Graph, check_graph, read_graph
from sim.rendering.graph.layout import Layout, lay_out

__all__ = ["Graph", "Layout", "check_graph", "lay_out", "read_graph"]
