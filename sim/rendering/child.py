"""The drawing process as its parent sees it: started, asked, and ended without ever waiting for a dead or frozen one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from core.common.errors import DataError, RendererError
from sim.rendering import wire

ROOT = Path(__file__).resolve().parents[2]
Answer = tuple[wire.Json, bytes]
END_PATIENCE = 2.0  # seconds for the process to leave by itself once its input is closed


class ChildLost(Exception):  # noqa: N818 - says what happened
    """The process died, froze or answered nonsense. It must be closed; another one may do."""


class Child:
    """One process. All its pipes are served by a thread, so that a frozen process can be left at any moment."""

    def __init__(self) -> None:
        """Start the process; raises OSError when the system cannot. `wait_ready` comes next."""
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        # -P: a stray json.py in the working directory must not take the place of the real one.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sim.rendering.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, start_new_session=True)
        self._questions: SimpleQueue[wire.Json | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._thread = Thread(target=self._talk, name="drawing process", daemon=True)
        self._thread.start()

    def wait_ready(self, timeout: float) -> None:
        """Wait until the process can draw, at most `timeout` seconds.

        Raises:
            RendererError: it says that it cannot draw here.
            ChildLost: it died or froze.
        """
        header, _ = self._next(timeout)
        if "failed" in header:
            raise RendererError(header["failed"])

    def ask(self, question: wire.Json, timeout: float) -> Answer:
        """Its answer within `timeout` seconds; raises ChildLost."""
        self._questions.put(question)
        return self._next(timeout)

    def close(self) -> None:
        """End the process, by force if it does not end by itself, and leave nothing of it behind."""
        self._questions.put(None)
        self._thread.join(timeout=0.2)
        if self._thread.is_alive():  # in the middle of an answer, or frozen
            self.process.kill()
            self._thread.join()
        try:
            self.process.wait(timeout=END_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._errors.close()

    def _next(self, timeout: float) -> Answer:
        try:
            answer = self._answers.get(timeout=timeout)
        except Empty:
            self.process.kill()
            raise ChildLost(f"the drawing process did not answer for {timeout:g} s") from None
        if answer is None:
            raise ChildLost(self._last_words())
        return answer

    def _talk(self) -> None:
        """Hand on questions and answers until either side ends; None tells the asker that the process is gone."""
        questions, answers = self.process.stdin, self.process.stdout
        assert questions is not None
        assert answers is not None
        try:
            with questions, answers:
                self._exchange(questions, answers)
        except (OSError, DataError, ValueError):
            self._answers.put(None)

    def _exchange(self, questions: IO[bytes], answers: wire.Reader) -> None:
        answer = wire.read_message(answers)
        self._answers.put(answer)
        while answer is not None and (question := self._questions.get()) is not None:
            wire.write_message(questions, question)
            answer = wire.read_message(answers)
            self._answers.put(answer)

    def _last_words(self) -> str:
        """What the process wrote last, or how it ended."""
        try:
            code = self.process.wait(timeout=END_PATIENCE)
        except subprocess.TimeoutExpired:
            return "the drawing process closed its output"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the drawing process ended with {code}" + (f": {lines[-1][:200]}" if lines else "")
