"""Grounding: resolves free text of a model to admissible names, places and actions.

The methods in order: exact text; text without articles, case and number; synonyms; a part of a name; corrected spelling;
sentence embeddings. Every match reports its method, its score and the second best candidate. Negated text and refusals resolve
to nothing.

`ground` resolves a name, `ground_action` an action, `ground_choice` one of several short plans, `ground_places` possible
locations of an object, `ground_rooms` rooms. `alike_to` computes the similarities that these take as input; `cosines` those of
the paper's prior, to the `first_action` of a plan.
"""

from core.llm.grounding.actions import ground_action
from core.llm.grounding.choices import alike_to, cosines, first_action, ground, ground_choice
from core.llm.grounding.match import Match
from core.llm.grounding.places import Placed, Places, ground_places, ground_rooms

__all__ = ["Match", "Placed", "Places", "alike_to", "cosines", "first_action", "ground", "ground_action", "ground_choice",
           "ground_places", "ground_rooms"]
