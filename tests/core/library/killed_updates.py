"""Kills updates of an index many times: `python -m tests.core.library.killed_updates FOLDER KILLS`, with recordings in FOLDER.

Prints how many recordings were told to be in the index, and how many of them were missing afterwards.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from core.library import scan
from core.library.index import Index
from tests.core.recording.common import CODEC
from tests.killed import Tell, told_until_killed


def update(path: Path, folder: Path, tell: Tell) -> None:
    """Brings the index up to date, and tells of each recording that is in it."""
    scan.BATCH_SECONDS = 0.0  # type: ignore[misc]
    with Index(path) as index:
        for progress in scan.update(index, [folder], CODEC):
            tell(str(progress.done))


def main(folder: str, kills: str) -> None:
    """Kills updates of an index in the folder so many times."""
    place, path, rng, told, missing = Path(folder), Path(folder) / "index" / "library.sqlite", random.Random(3), 0, 0
    for _ in range(int(kills)):
        with Index(path) as index:
            assert not index.notice
            if rng.random() < 0.5:
                index.clear()
            before = len(index.entries())
        new = told_until_killed(lambda tell: update(path, place, tell), rng.randrange(5), rng)
        done = int(new[-1]) if new else 0
        with Index(path) as index:
            assert (index.notice, index.is_temporary) == ("", False)
            missing += max(0, before + done - len(index.find("")))
        told += done
    print(json.dumps({"told": told, "missing": missing}))  # noqa: T201 - for the test


if __name__ == "__main__":
    main(*sys.argv[1:])
