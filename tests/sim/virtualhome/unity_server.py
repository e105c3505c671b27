"""A server on a loopback port that answers as VirtualHome's Unity executable does, and fails as a test says."""

from __future__ import annotations

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
from PIL import Image

from tests.sim.virtualhome.unity_world import CHARACTER, Trouble, UnityWorld

Json = dict[str, Any]
STATIC_CAMERAS, CHARACTER_CAMERAS = 4, 6


class UnityServer:
    """The running server.

    Attributes:
        world: the apartment.
        log: all questions so far.
        faults: action -> what happens the next times it is asked for: `hang`, `die` (in mid-answer, having done it), `500`,
            `garbage`, `nonsense` (JSON of another shape), `refuse`.
        modern: whether it knows `clear` and `instance_colors`.
        coarse: how many times smaller its pictures are than was asked for.
    """

    def __init__(self, *, modern: bool = True, port: int = 0):
        self.world, self.modern = UnityWorld(), modern
        self.log: list[Json] = []
        self.faults: dict[str, list[str]] = {}
        self.coarse = 1
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def asked(self, action: str) -> list[Json]:
        """All questions of one kind."""
        return [question for question in self.log if question["action"] == action]

    def answer(self, question: Json) -> tuple[str, Json]:
        """(fault, answer) of one question."""
        with self._lock:
            self.log.append(question)
            waiting = self.faults.get(question["action"])
            fault = waiting.pop(0) if waiting else ""
            reply: Json = {"id": question["id"], "success": True, "message": "", "message_list": None, "value": 0}
            if fault in ("", "die"):
                self._answer(question, reply)
            elif fault == "refuse":
                reply |= {"success": False, "message": "not today"}
            return fault, reply

    def _answer(self, question: Json, reply: Json) -> None:
        action, strings = question["action"], question.get("stringParams", [])
        if action == "environment" or (action == "clear" and self.modern):
            self.world.clear()
        elif action == "environment_graph":
            reply["message"] = json.dumps(self.world.graph())
        elif action == "camera_count":
            reply["value"] = STATIC_CAMERAS
        elif action == "add_character":
            self._appear(json.loads(strings[0]), reply)
        elif action == "instance_colors" and self.modern:
            reply["message"] = json.dumps({str(i): [c / 255 for c in _colour(i)] for i in self.world.nodes})
        elif action == "camera_image":
            self._images(question["intParams"], json.loads(strings[0]), reply)
        elif action == "render_script":
            self._script(strings[1:], reply)
        elif action not in ("idle", "expand_scene"):
            reply |= {"success": False, "message": f"Unknown action {action}"}

    def _appear(self, who: Json, reply: Json) -> None:
        try:
            if who["mode"] != "fix_room":
                raise Trouble(f"this server does not know mode {who['mode']}")
            self.world.add_character(who["initial_room"])
        except Trouble as trouble:
            reply |= {"success": False, "message": str(trouble)}

    def _images(self, cameras: list[int], settings: Json, reply: Json) -> None:
        """Each character brings its own cameras, after those of the rooms."""
        count = STATIC_CAMERAS + CHARACTER_CAMERAS * (CHARACTER in self.world.nodes)
        if all(0 <= camera < count for camera in cameras):
            reply["message_list"] = [self._image(settings) for _ in cameras]
        else:
            reply |= {"success": False, "message": f"Invalid camera index; there are {count} cameras"}

    def _script(self, lines: list[str], reply: Json) -> None:
        try:
            self.world.run(lines)
        except Trouble as trouble:
            words = f"ScriptExcutor 0: EXCEPTION at line 1. REASON: {trouble}."
            reply |= {"success": False, "message": json.dumps({"0": {"message": words}}) if self.modern else words}
        else:
            reply["message"] = json.dumps({"0": {"message": "Success"}})

    def _image(self, settings: Json) -> str:
        """Stripes: one for each thing of the character's room; `seg_inst` has them in the things' own colours."""
        width, height = (settings[k] // self.coarse for k in ("image_width", "image_height"))
        room = next(b for a, r, b in self.world.edges if a == 100 and r == "INSIDE")
        things = sorted(a for a, r, b in self.world.edges if b == room and r == "INSIDE" and a != 100)
        row = np.array([_colour(things[x * len(things) // width]) for x in range(width)], np.uint8)
        picture = np.tile(row, (height, 1, 1))
        if settings["mode"] == "normal":
            picture = 255 - picture
        out = io.BytesIO()
        Image.fromarray(picture).save(out, "PNG")
        return base64.b64encode(out.getvalue()).decode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fault, reply = server.answer(question)
                body = json.dumps(reply).encode()
                if fault == "hang":
                    server.released.wait(20)
                    self.close_connection = True
                    return
                body = {"garbage": b"{\"id\": <html>", "nonsense": b"[1, 2]"}.get(fault, body)
                self.send_response(500 if fault == "500" else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if fault == "die" else body)

        return Handler


def _colour(number: int) -> tuple[int, int, int]:
    return (number * 37 + 11) % 256, (number * 91 + 5) % 256, (number * 53 + 129) % 256
