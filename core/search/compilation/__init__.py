"""Compiles the search with numba and caches its machine code."""
