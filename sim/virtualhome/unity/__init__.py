"""VirtualHome's Unity executable, over HTTP."""
