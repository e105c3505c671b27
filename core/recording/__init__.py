"""Recordings: written during a run, recovered after a crash, replayed, annotated and exported."""
