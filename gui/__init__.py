"""The console: Qt, panels and the one bridge to the session."""
