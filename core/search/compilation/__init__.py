"""Compiles the search with numba and caches the machine code."""
