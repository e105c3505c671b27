"""What the two VirtualHome simulators share: scene graphs, what the robot sees of them, and the verbs."""
