"""The library: an index of all recordings in some folders, which answers queries, and is rebuilt from the files at will."""
