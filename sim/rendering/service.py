"""Pictures for a program that must not wait for an OpenGL driver, or die with it: a renderer process that is replaced."""

from __future__ import annotations

import math
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import IO

import numpy as np

from core.common import child_python
from core.common.errors import DataError, RendererError
from core.planning.facets import Frame, View
from core.simulator.orbit import Orbit
from sim.geometry.model import House, Robot
from sim.rendering import wire
from sim.rendering.cameras import Camera, Picture, Size, boxes, check_request, dollhouse, first_person, orbiting

Answer = tuple[wire.Json, bytes]
END_PATIENCE = 2.0  # seconds the process has to end after its input was closed
GIVE_UP_AFTER = 0.1  # seconds that a picture in progress still has when the service is closed
CLOSED = "The frame service is closed."


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
        self.process = subprocess.Popen(
            child_python.command("sim.rendering.worker"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, env=child_python.environment(), process_group=0)
        self._questions: SimpleQueue[wire.Json | None] = SimpleQueue()
        self._answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._thread = Thread(target=self._talk, name="drawing process", daemon=True)
        self._thread.start()

    def wait_ready(self, timeout: float) -> str:
        """Waits until the process can draw, at most `timeout` seconds. Returns the name of the OpenGL renderer.

        Raises:
            RendererError: it reports that it cannot draw here.
            ChildLost: it died or froze.
        """
        header, _ = self._next(timeout)
        if "failed" in header:
            raise RendererError(header["failed"])
        return str(header["ready"])

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

    def _exchange(self, questions: IO[bytes], answers: IO[bytes]) -> None:
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


VARIABLE = "BELVEDERE_RENDERER"
CHOICES = ("auto", "2d")
ATTEMPTS = 3  # processes that may fail on one picture before the plan is drawn
FIRST_REST, LONGEST_REST = 10.0, 300.0
"""Seconds until the 3-D view is tried again after a failure: doubled each time, up to the longest."""


def drawn_by(timeout: float = 10.0) -> str:
    """Returns the name of the OpenGL renderer of this machine, or why there is none. Starts a process for that."""
    if os.environ.get(VARIABLE) == "2d":
        return f"not used ({VARIABLE}=2d)"
    try:
        child = Child()
    except OSError as error:
        return f"none: {error}"
    try:
        return child.wait_ready(timeout)
    except (ChildLost, RendererError) as error:
        return f"none: {error}"
    finally:
        child.close()


class FrameService:
    """Draws in a process of its own. A process that dies or freezes is replaced, and the next one draws the picture.

    Without OpenGL, or if several processes in a row fail on one picture, pictures are plans seen from above and `notice` says
    why. After a rest one process tries the 3-D view again. The first picture that succeeds ends the plans. Any thread may call;
    callers wait for each other.

    Args:
        start_timeout: seconds a process may take until it can draw.
        answer_timeout: seconds one picture may take.
        rest: seconds until the first new attempt after a failure.

    Raises:
        DataError: the environment variable BELVEDERE_RENDERER is neither "auto" nor "2d".
    """

    def __init__(self, start_timeout: float = 10.0, answer_timeout: float = 15.0, rest: float = FIRST_REST) -> None:
        self.notice = ""
        """One line that says why pictures are plans and what to install; empty while 3-D pictures are drawn."""
        self.restarts = 0
        """Number of processes that died or froze."""
        self._start_timeout, self._answer_timeout = start_timeout, answer_timeout
        self._lock, self._closed = Lock(), False
        self._child: Child | None = None
        self._ready = False
        self._sent: House | None = None
        self._rest = self._first_rest = rest
        self._again_at = -math.inf
        """Time of the next attempt (`time.monotonic`) while `notice` is not empty."""
        choice = os.environ.get(VARIABLE, "auto")
        if choice not in CHOICES:
            raise DataError(f"{VARIABLE} is {choice!r}; it can be {' or '.join(CHOICES)}.")
        if choice == "2d":
            self.notice = f"The plan from above is drawn because {VARIABLE} is 2d."
            self._again_at = math.inf
        else:
            self._start()

    def __enter__(self) -> FrameService:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Returns the id of the renderer process, or None while plans are drawn."""
        return None if self._child is None else self._child.process.pid

    def picture(self, house: House, camera: Camera, size: Size = (640, 480), robot: Robot | None = None,
                samples: int = 1) -> Picture:
        """Returns a picture of `size` (width, height).

        Args:
            house: what to draw.
            camera: the viewpoint.
            size: width and height, pixels.
            robot: drawn in the dollhouse; in first person only what it holds is.
            samples: 1 for live frames, 2 for smooth stills.

        Raises:
            RendererError: what `check_request` refuses, or the service is closed.
        """
        check_request(house, size, samples)
        with self._lock:
            if self._closed:
                raise RendererError(CLOSED)
            for _ in range(self._attempts()):
                try:
                    picture = self._ask(house, camera, size, robot, samples)
                except ChildLost as loss:
                    if self._closed:
                        raise RendererError(CLOSED) from loss
                    self._fail(f"The 3-D view failed ({loss}); its plan is drawn until it is tried again.")
                    self.restarts += 1
                except (RendererError, OSError) as error:
                    self._fail(f"{error}; until then its plan is drawn.")
                    break
                else:
                    self.notice, self._rest = "", self._first_rest
                    return picture
            if self.notice and self._again_at < time.monotonic():
                self._again_at, self._rest = time.monotonic() + self._rest, min(2 * self._rest, LONGEST_REST)
            from sim.rendering.top_view import draw_top_view  # it loads Pillow, which most runs do not need

            return draw_top_view(house, camera, size, robot)

    def _attempts(self) -> int:
        """Returns how many processes may try the next picture: one while plans are drawn, to save time."""
        if not self.notice:
            return ATTEMPTS
        return 1 if self._again_at <= time.monotonic() else 0

    def _fail(self, reason: str) -> None:
        self.notice = reason
        self._drop()

    def close(self) -> None:
        """Ends the renderer process. May be called twice. A picture that another thread waits for is given up."""
        self._closed = True
        while not self._lock.acquire(timeout=GIVE_UP_AFTER):
            if (child := self._child) is not None:
                child.process.kill()
        try:
            self._drop()
        finally:
            self._lock.release()

    def _ask(self, house: House, camera: Camera, size: Size, robot: Robot | None, samples: int) -> Picture:
        if self._child is None:
            self._start()
        child = self._child
        if child is None:
            raise RendererError(self.notice)
        if not self._ready:
            child.wait_ready(self._start_timeout)
            self._ready = True
        question = {"camera": wire.camera_to_json(camera), "size": size, "samples": samples, "robot": wire.robot_to_json(robot)}
        header, data = child.ask(question | self._news(house), self._answer_timeout)
        self._sent = house
        return _unpack(header["names"], data, size, camera)

    def _news(self, house: House) -> wire.Json:
        """Returns what the process does not know of this house yet."""
        sent = self._sent
        if sent is None or (house.rooms, house.walls, house.height) != (sent.rooms, sent.walls, sent.height):
            return {"house": wire.house_to_json(house)}
        if house.things == sent.things:
            return {}
        return {"things": wire.things_to_json(house.things, sent.things)}

    def _start(self) -> None:
        self._sent, self._ready = None, False
        try:
            self._child = Child()
        except OSError as error:
            self.notice = f"The drawing process cannot be started ({error}); its plan is drawn instead."

    def _drop(self) -> None:
        child, self._child, self._sent, self._ready = self._child, None, None, False
        if child is not None:
            child.close()


class Cameras:
    """Draws houses as frames with one renderer process, which starts with the first picture."""

    def __init__(self) -> None:
        self._service: FrameService | None = None

    def shot(self, house: House, robot: Robot | None, view: View, size: Size, *, still: bool) -> Callable[[], Frame]:
        """Returns a function that draws the house as given. It may run on any thread."""
        camera = dollhouse(house, size[0] / size[1])
        if view == "first person" and robot is not None:
            camera = first_person(robot.x, robot.y, robot.yaw, robot.pitch, robot.eye_height)
        return self._shot(house, robot, view, camera, size, still)

    def draw_from(self, orbit: Orbit, house: House, robot: Robot | None, size: Size, *, still: bool) -> Frame:
        """Returns the house without its roof from a free viewpoint."""
        return self._shot(house, robot, "dollhouse", orbiting(orbit), size, still)()

    def _shot(self, house: House, robot: Robot | None, view: View, camera: Camera, size: Size,
              still: bool) -> Callable[[], Frame]:
        if self._service is None:
            self._service = FrameService()
        service = self._service

        def draw() -> Frame:
            picture = service.picture(house, camera, size, robot, samples=2 if still else 1)
            found = tuple(boxes(picture).items())
            return Frame(view, picture.pixels, picture.ids, picture.names, found, service.notice,
                         tuple(picture.matrix.ravel().tolist()))

        return draw

    def close(self) -> None:
        """Ends the renderer process. May be called twice."""
        if self._service is not None:
            self._service.close()
            self._service = None


def _unpack(names: list[str], data: bytes, size: Size, camera: Camera) -> Picture:
    width, height = size
    pixels = np.frombuffer(data, np.uint8, width * height * 3).reshape(height, width, 3)
    ids = np.frombuffer(data, np.uint16, width * height, width * height * 3).reshape(height, width)
    return Picture(pixels, ids, tuple(names), camera)
