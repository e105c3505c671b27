"""Size, height and drawn class of the homes' furniture, unless its entry in the file says otherwise."""

from __future__ import annotations

from typing import NamedTuple

from sim.geometry.model import Vector


class Drawn(NamedTuple):
    """How a class or kind is placed.

    Attributes:
        kind: class it is drawn and placed as.
        size: width, depth and height, metres.
        height: of its bottom above the floor, metres.
        drawn_back: True for curtains, which are open by day.
    """

    kind: str
    size: Vector
    height: float = 0.0
    drawn_back: bool = False


def _table(text: str) -> dict[str, Drawn]:
    """Parses lines "name kind width depth height [bottom]"."""
    rows = (line.split() for line in text.strip().splitlines())
    return {
        name: Drawn(kind, (float(w), float(d), float(h)), float(*z or (0,)), kind == "curtain")
        for name, kind, w, d, h, *z in rows
    }


DRAWN: dict[str, Drawn] = _table("""
armchair         armchair         0.86 0.84 0.84
bathroom_cabinet wall_cabinet     0.60 0.18 0.70 1.25
bathroom_counter bathroom_counter 1.10 0.50 0.82
bathtub          bathtub          1.70 0.75 0.58
bed              bed              1.60 2.05 1.00
bench            bench            1.20 0.36 0.45
bookshelf        bookshelf        0.90 0.32 1.90
cabinet          cabinet          1.20 0.44 0.82
ceiling_lamp     ceiling_lamp     0.42 0.42 0.55 2.05
blinds           Blinds           1.60 0.06 0.90 1.25
chair            chair            0.45 0.48 0.88
clock            wall_clock       0.32 0.04 0.32 1.75
coffee_machine   coffee_machine   0.22 0.28 0.34 0.90
coffee_table     coffee_table     1.10 0.60 0.42
computer         cpuscreen        0.56 0.18 0.44 0.75
curtain          curtain          2.00 0.10 2.20 0.12
desk             desk             1.30 0.62 0.75
desk_lamp        DeskLamp         0.20 0.24 0.42 0.75
dishwasher       dishwasher       0.60 0.60 0.90
faucet           faucet           0.16 0.18 0.26 0.90
floor_lamp       floor_lamp       0.42 0.42 1.60
fridge           fridge           0.72 0.70 1.85
hood             hood             0.62 0.46 0.70 1.62
kitchen_cabinet  base_cabinet     0.80 0.60 0.90
kitchen_counter  kitchen_counter  1.20 0.60 0.90
kitchen_table    kitchen_table    1.50 0.90 0.75
laundry_basket   laundry_basket   0.42 0.36 0.50
microwave        microwave        0.50 0.38 0.29 0.90
mirror           mirror           0.60 0.04 0.80 1.22
nightstand       nightstand       0.46 0.40 0.52
office_chair     office_chair     0.60 0.60 0.98
ottoman          Ottoman          0.56 0.50 0.40
picture          picture          0.70 0.04 0.50 1.45
plant            plant            0.44 0.44 1.05
radiator         radiator         1.10 0.11 0.60 0.12
rug              rug              2.00 1.40 0.012
shoe_rack        shoe_rack        0.70 0.30 0.45
shower           shower           0.90 0.90 2.00
sink             sink_unit           0.80 0.60 0.90
sofa             sofa             2.00 0.90 0.82
speaker          speaker          0.24 0.26 0.90
stove            stove            0.60 0.61 0.91
stool            stool            0.36 0.36 0.46
table_lamp       table_lamp       0.24 0.24 0.44 0.52
television       television       1.15 0.20 0.70 0.50
toaster          toaster          0.30 0.20 0.20 0.90
toilet           toilet           0.40 0.68 0.80
toilet_paper_holder ToiletPaperHanger 0.16 0.10 0.10 0.70
towel_rack       towel_rack       0.60 0.10 0.06 1.25
trash_can        trash_can        0.32 0.32 0.55
tv_stand         tv_stand         1.60 0.44 0.50
wall_lamp        walllamp        0.16 0.14 0.24 1.70
wall_shelf       wallshelf       0.90 0.22 0.03 1.50
washing_machine  washing_machine  0.60 0.60 0.86
""")
"""Class -> its usual size and drawing."""

KINDS: dict[str, Drawn] = _table("""
chest            dresser          1.00 0.46 0.86
dresser          dresser          1.10 0.48 0.80
highboard        cabinet  0.80 0.42 1.40
mirror_cabinet   bathroom_cabinet 0.70 0.16 0.70 1.20
tall_cabinet     kitchen_cabinet     0.60 0.60 2.00
wall_cabinet     wall_cabinet     0.80 0.34 0.70 1.45
wardrobe         wardrobe         1.40 0.60 2.05
wash_stand       sink             0.60 0.46 0.84
basin            bathtub          0.52 0.38 0.17
""")
"""Another kind that an entry may choose by `kind`. Its size and height replace those of the class."""
