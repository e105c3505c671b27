"""The compare panel: two branches side by side, turn by turn from where they diverge."""
