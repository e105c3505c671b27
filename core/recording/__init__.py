"""Episodes on disk: recorded as they happen, recovered after a crash, replayed, annotated and exported."""
