"""VirtualHome in two forms: the evolving graph, and the Unity player."""
