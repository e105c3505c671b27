"""Limits for files from outside. Readers check them before they allocate memory for the content."""

from __future__ import annotations

from typing import Final

# --- any JSON ----------------------------------------------------------------
MOST_JSON_BYTES: Final = 32 * 2**20
"""Bytes of JSON, after decompression."""
MOST_JSON_VALUES: Final = 1_000_000
"""Lists, objects and commas. This bounds the memory: a parsed value takes at most about 250 bytes."""
MOST_TEXT: Final = 200
"""Characters of a name."""

# --- scenes ------------------------------------------------------------------
LARGEST_SIDE: Final = 50.0
"""Metres from one end of a scene to the other, along each axis."""
FARTHEST: Final = 10_000.0
"""Metres from the origin. Scenes are not translated, so this keeps sums exact."""
SMALLEST_FLOOR: Final = 1.0
"""Metres of the shorter side of a room's floor. Nearly collinear walls are merged, so a smaller room would vanish."""
MOST_THINGS: Final = 5_000
"""Nodes of a graph, or objects of a room."""
MOST_EDGES: Final = 200_000
MOST_ROOMS: Final = 40
MOST_PIECES: Final = 150
"""Pieces of furniture without a box in one room: the layout compares each new piece with all earlier ones."""
MOST_DEPTH: Final = 64
"""Nested objects: a mug on a tray on a table is a chain of 3."""
MOST_WORDS: Final = 100
"""Properties, states or receptacles of one object."""

MOST_HOME_BYTES: Final = 2**20
MOST_HOME_ENTRIES: Final = 300
"""Rooms, doors, windows, or pieces of furniture in a room: each is compared with all others."""

MOST_HOME_PIECES: Final = 1_000

# --- files of operators -----------------------------------------------------------
MOST_SET_BYTES: Final = 2**20
"""Bytes of a set of labels."""
MOST_LABELS: Final = 1_000
"""Labels of one set."""
MOST_SIDECAR_BYTES: Final = 128 * 2**20
"""Bytes of the labels file of a recording: about half a million changes."""
MOST_EXAMPLES: Final = 10_000
MOST_EXAMPLE_BYTES: Final = 16 * 2**20
MOST_TRAJECTORIES: Final = 1_000_000
"""Lines of an expert set."""
MOST_TRAJECTORY_STEPS: Final = 1_000
MOST_TRAJECTORY_CHARACTERS: Final = 2**20
"""Characters of one trajectory, as JSON."""
