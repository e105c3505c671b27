"""A house as plain geometry: rooms, walls, boxes, free floor, and where things lie. Shared by rules and pictures."""
