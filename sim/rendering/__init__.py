"""Pictures of a house, and the layouts of iTHOR rooms and VirtualHome graphs. Knows shapes and places, no rules."""
