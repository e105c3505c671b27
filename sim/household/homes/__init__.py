"""Four-room homes, written by hand as files, and the objects in them."""

from sim.household.homes.reader import home_names, home_title, load_home

__all__ = ["home_names", "home_title", "load_home"]
