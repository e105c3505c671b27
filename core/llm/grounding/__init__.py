"""From free text to admissible names, places and actions: the one door for a model's own words.

Methods in order: the very text; the text without articles, case and number; synonyms; a part of a name; words put right that
are misspelt; sentence embeddings. What is uncertain is never hidden: every match says how it came about, its score, and what
else it might have been. What a reply denies or declines names nothing.

`ground` reads a name, `ground_action` an action, `ground_choice` one of several short plans, `ground_places` where something
may be, `ground_rooms` rooms. `alike_to` computes the likenesses that the others take;
`cosines` those of the paper's prior.
"""

from core.llm.grounding.actions import ground_action
from core.llm.grounding.choices import ground_choice
from core.llm.grounding.match import Match
from core.llm.grounding.names import ground
from core.llm.grounding.places import Placed, Places, ground_places, ground_rooms
from core.llm.grounding.similarity import alike_to, cosines

__all__ = ["Match", "Placed", "Places", "alike_to", "cosines", "ground", "ground_action", "ground_choice", "ground_places",
           "ground_rooms"]
