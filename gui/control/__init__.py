"""State and commands of a run in the GUI, without widgets: bridge, runner, console, undo, formatting of events."""
