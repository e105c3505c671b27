"""Code that several planners share: base classes for rearrangement, search and reactive planning."""
