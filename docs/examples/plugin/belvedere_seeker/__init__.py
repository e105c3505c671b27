"""An example of a package that adds a planner, a facet and a panel to Belvedere."""
