"""Suites of tasks, and what runs and tabulates them."""
