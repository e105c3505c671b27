"""An example of a package that adds a planner and a facet to Belvedere."""
