"""The scene panel: what is known of the world now (rooms, furniture, objects)."""
