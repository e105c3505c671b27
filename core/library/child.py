"""Brings the index up to date in a child process: `python -m core.library.child INDEX FOLDER…`.

Reading thousands of recordings in the window's own process would keep taking the interpreter lock from it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from core.common import child_python
from core.common.errors import BelvedereError, DataError
from core.common.priority import lower_priority
from core.library.index import Index
from core.library.scan import Progress, update
from core.recording.codec import Codec


class ChildUpdate:
    """An update in a child process.

    Args:
        index: the file of the index.
        folders: the folders to look into.
    """

    def __init__(self, index: Path, folders: Sequence[Path]):
        self._command = child_python.command("core.library.child", str(index), *map(str, folders))
        self._lock, self._stopped = threading.Lock(), False
        self._process: subprocess.Popen[str] | None = None

    def progress(self) -> Iterator[Progress]:
        """Runs the update, and yields the progress like `update`.

        Raises:
            DataError: the process failed; in one line.
        """
        with self._lock:
            if self._stopped:
                return
            try:
                process = self._process = subprocess.Popen(
                    self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    encoding="utf-8", process_group=0, env=child_python.environment())
            except OSError as error:
                raise DataError(f"no process could be started to read recordings: {error}") from error
        assert process.stdout is not None, "it is a pipe"
        with process, process.stdout as lines:
            for line in lines:
                said = json.loads(line)
                if "error" in said:
                    raise DataError(said["error"])
                yield Progress(said["done"], said["total"], tuple(said["troubles"]))
        if process.returncode and not self._stopped:
            raise DataError(f"the process that reads recordings ended with code {process.returncode}: rebuild the index")

    def stop(self) -> None:
        """Ends the process. What it has read is kept. Safe to call from any thread."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.terminate()


def main(index: str, *folders: str) -> int:
    """Updates the index and prints the progress, a line of JSON each. Ends if its parent does."""
    lower_priority()
    parent = os.getppid()
    try:
        with Index(Path(index)) as opened:
            for progress in update(opened, [Path(folder) for folder in folders], Codec(),
                                   stopped=lambda: os.getppid() != parent):
                _say(asdict(progress))
    except BelvedereError as error:
        _say({"error": " ".join(str(error).split())})
        return 1
    return 0


def _say(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
