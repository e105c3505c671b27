"""Two tiny houses made by hand."""

from sim.geometry.model import House, Opening, Room, Thing, Wall


def one_room(fridge_open: bool = False) -> House:
    """4 x 4 m: a fridge at the north wall with an apple in it, a table with a mug, a window in the west."""
    fridge = Thing("fridge", "Fridge", 0, (2.0, 3.5, 0.0), (0.8, 0.7, 1.8), 3.141592653589793, openable=True, open=fridge_open)
    apple = Thing("apple", "Apple", 0, (2.0, 3.45, 0.62), (0.12, 0.12, 0.12), parent="fridge", inside=True,
                  hidden=not fridge_open)
    table = Thing("table", "DiningTable", 0, (3.2, 1.6, 0.0), (1.0, 1.0, 0.7))
    mug = Thing("mug", "Mug", 0, (3.2, 1.6, 0.7), (0.14, 0.14, 0.18), parent="table")
    corners = ((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0))
    holes = {0: (Opening("leaf", 0.5, 1.4),), 3: (Opening("window", 1.4, 2.6, 0.9, 2.1),)}
    walls = tuple(Wall(corners[k], corners[(k + 1) % 4], 0, -1, holes.get(k, ())) for k in range(4))
    return House((Room("kitchen", ((0.0, 0.0, 4.0, 4.0),), "tile"),), walls, (fridge, apple, table, mug))


def ell() -> House:
    """An L-shaped living room around a bathroom in the north-east, with a passage between them."""
    living = Room("living room", ((0.0, 0.0, 6.0, 3.0), (0.0, 3.0, 3.0, 5.0)), "plank")
    bath = Room("bathroom", ((3.0, 3.0, 6.0, 5.0),), "bathtile", (0.8, 0.88, 0.9))
    walls = (
        Wall((0.0, 0.0), (6.0, 0.0), 0), Wall((6.0, 0.0), (6.0, 3.0), 0), Wall((6.0, 3.0), (6.0, 5.0), 1),
        Wall((6.0, 5.0), (3.0, 5.0), 1), Wall((3.0, 5.0), (0.0, 5.0), 0), Wall((0.0, 5.0), (0.0, 0.0), 0),
        Wall((3.0, 3.0), (6.0, 3.0), 1, 0, (Opening("door", 1.0, 1.95),)), Wall((3.0, 5.0), (3.0, 3.0), 1, 0),
    )
    things = (
        Thing("sofa", "Sofa", 0, (1.5, 4.5, 0.0), (1.8, 0.8, 0.8), 3.141592653589793),
        Thing("plant", "HousePlant", 0, (5.4, 0.6, 0.0), (0.4, 0.4, 0.9)),
        Thing("toilet", "Toilet", 1, (5.4, 4.5, 0.0), (0.44, 0.75, 0.8), 3.141592653589793),
        Thing("book", "Book", 0, (1.5, 1.0, 0.0), (0.2, 0.15, 0.04)),
    )
    return House((living, bath), walls, things)
