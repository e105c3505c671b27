"""The fifteen tasks of LLM-State (table I), written for any home, with other wordings and other objects too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TABLES = ("kitchen_table", "table", "coffee_table", "desk", "bookshelf", "bed", "kitchen_counter", "nightstand", "sofa",
          "couch")
TOPS = ("desk", "bed", "sofa", "couch", "kitchen_table", "table", "coffee_table")
ROOMS = ("bedroom", "living_room", "home_office")
SMALL = ("book", "mug", "apple", "cellphone", "toy", "candle", "lime", "plum", "water_glass", "notes")
BATH = ("toothbrush", "face_cream", "toothpaste", "bar_soap", "hair_product", "candle", "lotion_bottle")
DRINKS = ("wine_glass", "juice", "wine", "alcohol", "water_glass", "milk", "mug")
OVENS = ("microwave", "oven", "stove")
TOASTERS = ("toaster", "microwave", "oven")
SHUT = ("kitchen_cabinet", "cupboard", "cabinet", "filing_cabinet", "dresser")


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: what the task is about; the tasks are in the paper's order.
        wordings: with `{roles}` to fill; the first is the paper's.
        most: actions after which it counts as failed (the paper's limits).
        roles: role -> classes it may be filled with, the paper's first; furniture and rooms must be in the home.
        things: roles that are filled with movable objects; there will be enough of each in the home.
        counts: role -> numbers, the paper's first.
        laden: (role, minimum, maximum): the number of objects on furniture of the role's class.
        world: settings of the household.
        bread: role of the number of bread slices that must be in the home, plus one spare.
    """

    name: str
    wordings: tuple[str, ...]
    most: int = 30
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    things: frozenset[str] = frozenset()
    counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    laden: tuple[str, int, int] | None = None
    world: Mapping[str, str] = field(default_factory=dict)
    bread: str = ""


LIT = {"lit": "yes"}
SLIPPERY = {"slippery": "0.2"}
TOAST = ("Make {n} slices of toasts using {toaster} and place them on {table}.",
         "Toast {n} slices of bread in the {toaster}, then put them on the {table}.",
         "Please prepare {n} toasts with the {toaster} and bring them to the {table}!")
TOASTING = {"toaster": TOASTERS, "table": ("kitchen_table", "table", "coffee_table", "desk")}

SIMPLE: tuple[Task, ...] = (
    Task("light of a room", ("Switch off the light in {room}.", "Turn the lights off in the {room}.",
                             "Please turn off every lamp in the {room}."), roles={"room": ROOMS}, world=LIT),
    Task("open", ("Open the {box}.", "Please open the {box}!", "Open one {box}."),
         roles={"box": ("fridge", "freezer", "kitchen_cabinet", "microwave", "bathroom_cabinet", "dresser")}),
    Task("put", ("Put a {thing} on the {top}.", "Bring one {thing} to the {top}.", "Move the {thing} onto the {top}."),
         roles={"thing": SMALL, "top": TOPS}, things=frozenset({"thing"})),
    Task("all lights", ("Switch off all lights in the house.", "Turn off every lamp in the house.", "Turn all lights off."),
         world=LIT),
    Task("use", ("Use {machine}.", "Switch the {machine} on.", "Please turn on the {machine}."),
         roles={"machine": ("computer", "television", "coffee_machine", "coffe_maker")}),
    Task("find", ("Find a {thing}, put it on a {top}.", "Look for one {thing} and place it on the {top}.",
                  "Get a {thing}, then lay it on the {top}."),
         roles={"thing": ("magazine", *SMALL), "top": ("bed", *TOPS)}, things=frozenset({"thing"})),
    Task("toast", ("Make toast.", "Toast a slice of bread.", "Make a piece of toast."), bread="one"),
    Task("heat", ("Heat {food} with {oven}.", "Warm up the {food} in the {oven}.", "Cook one {food} using the {oven}."),
         roles={"food": ("milk", "chicken", "salmon", "carrot", "pancake", "plum"), "oven": OVENS}, things=frozenset({"food"})),
)
HARD: tuple[Task, ...] = (
    Task("two into a closed one", ("Put {a} and {b} in the {box}.", "Place one {a} and one {b} inside the {box}.",
                                   "Get a {a} and a {b} and put them into the {box}."), 60,
         {"a": BATH, "b": BATH[1:], "box": ("bathroom_cabinet", *SHUT)}, frozenset({"a", "b"})),
    Task("empty a table", ("Empty the surface of {table}, and place them in {box}s.", "Clear the {table} and put everything "
                           "into the {box}.", "Empty the {table}, then store them inside the {box}."), 150,
         {"table": TABLES, "box": SHUT}, laden=("table", 2, 13)),
    Task("two to a table", ("Get {a} and {b}, place them on {top}.", "Fetch a {a} and a {b} and bring them to the {top}.",
                            "Find one {a} and one {b}, then put them on the {top}."), 50,
         {"a": DRINKS, "b": DRINKS[1:], "top": TOPS}, frozenset({"a", "b"})),
    Task("three toasts", TOAST, 60, TOASTING, counts={"n": (3, 2)}, bread="n"),
    Task("six toasts", TOAST, 120, TOASTING, counts={"n": (6, 4, 5)}, bread="n"),
    Task("toasts that slip", TOAST, 100, TOASTING, counts={"n": (2, 3)}, world=SLIPPERY, bread="n"),
    Task("take away", ("Take away {n} objects from the {table}.", "Remove {n} things from the {table}.",
                       "Please take {n} items off the {table}."), 100, {"table": TABLES}, counts={"n": (3, 2, 4)},
         laden=("table", 3, 40), world=SLIPPERY),
)
