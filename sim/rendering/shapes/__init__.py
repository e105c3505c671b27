"""The drawing of every class of object."""
