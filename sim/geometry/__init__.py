"""A house as plain geometry: rooms, walls, boxes, free floor, and what furniture holds. Shared by rules and pictures."""
