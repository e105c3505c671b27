"""VirtualHome's evolving graph: the package's own simulator, its 518 apartments, and what a robot may know of them."""
