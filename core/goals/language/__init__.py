"""Reads the clauses of a task whatever the order of their words: tagged phrases, the frames they fill, and statements."""
