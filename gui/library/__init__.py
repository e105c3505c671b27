"""The library: a page of the window with all recordings of some folders, found by what is in them."""
