"""The renderer process as its parent sees it. No call waits for a dead or frozen process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from core.common.errors import DataError, RendererError
from core.common.installation import ROOT
from sim.rendering import wire

Answer = tuple[wire.Json, bytes]
END_PATIENCE = 2.0  # seconds the process has to end after its input was closed


class ChildLost(Exception):  # noqa: N818 - says what happened
    """The process died, froze or sent nonsense. It must be closed. Another process may succeed."""


class Child:
    """One process. A thread serves all its pipes, so a frozen process can be abandoned at any moment."""

    def __init__(self) -> None:
        """Starts the process. Call `wait_ready` next.

        Raises:
            OSError: the system cannot start it.
        """
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        # -P: a stray json.py in the working directory must not replace the real one.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "sim.rendering.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, process_group=0)
        self._questions: SimpleQueue[wire.Json | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._thread = Thread(target=self._talk, name="drawing process", daemon=True)
        self._thread.start()

    def wait_ready(self, timeout: float) -> None:
        """Waits until the process can draw, at most `timeout` seconds.

        Raises:
            RendererError: it reports that it cannot draw here.
            ChildLost: it died or froze.
        """
        header, _ = self._next(timeout)
        if "failed" in header:
            raise RendererError(header["failed"])

    def ask(self, question: wire.Json, timeout: float) -> Answer:
        """Returns its answer within `timeout` seconds.

        Raises:
            ChildLost: it died, froze or sent nonsense.
        """
        self._questions.put(question)
        return self._next(timeout)

    def close(self) -> None:
        """Ends the process, by force if necessary, and frees everything it used."""
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
        """Passes questions and answers on until either side ends. None as an answer means that the process is gone."""
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
        """Returns the last line the process wrote, or how it ended."""
        try:
            code = self.process.wait(timeout=END_PATIENCE)
        except subprocess.TimeoutExpired:
            return "the drawing process closed its output"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"the drawing process ended with {code}" + (f": {lines[-1][:200]}" if lines else "")
