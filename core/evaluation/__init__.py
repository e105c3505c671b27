"""Suites of tasks, and the sweeps that play and tabulate them."""
