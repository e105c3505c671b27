"""Reads the clauses of a task in any order of words: it tags phrases, fills frames with them, and recognises statements."""
