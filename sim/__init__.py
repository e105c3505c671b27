"""The worlds: one adapter a file or folder, each a `core.simulator.base.Simulator`."""
