"""The vocabulary shared by all simulators (entities, relations, actions, observations), and the knowledge about a world."""
