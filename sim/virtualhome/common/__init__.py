"""What the two VirtualHome simulators have in common: scene graphs, what a robot sees of them, and the verbs."""
