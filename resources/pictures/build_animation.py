"""Draws the animated picture of the README: the console after each of the first turns of an episode.

`python resources/pictures/build_animation.py`, or `make screenshots`. Needs a display or `QT_QPA_PLATFORM=offscreen`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(__file__).with_name("console.webp")
RUN = ("--planner", "llm-mcts", "--seed", "3", "--size", "1600x900", "--task",
       "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet")
TURNS = range(1, 8)
WIDTH = 1200
"""Pixels."""
HOLD_MS = 1400
"""How long each picture is shown."""


def main() -> None:
    """Draw one picture for each turn and join them."""
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in TURNS:
            path = Path(folder) / f"{turn}.png"
            subprocess.run([sys.executable, "main.py", "screenshot", *RUN, "--turns", str(turn), "--out", str(path)], cwd=ROOT,
                           check=True)
            with Image.open(path) as picture:
                high = round(picture.height * WIDTH / picture.width)
                frames.append(picture.convert("RGB").resize((WIDTH, high), Image.Resampling.LANCZOS))
    frames[0].save(OUT, save_all=True, append_images=frames[1:], duration=HOLD_MS, loop=0, quality=82, method=6)


if __name__ == "__main__":
    main()
