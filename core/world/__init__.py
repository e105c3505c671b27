"""The vocabulary all simulators share: entities, relations, actions, observations; and what is known of a world."""
