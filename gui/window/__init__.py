"""The main window: docks, layouts, operator bar, palette, shortcuts, dialogs."""
