"""AI2-THOR's controller with our server, which ends with it whatever happens."""

from __future__ import annotations

from typing import Any

from ai2thor.controller import Controller

from sim.thor.server import Server


class SteadyController(Controller):  # type: ignore[misc]  # the package has no types
    """The package's controller makes only servers of its own; this one makes ours, and ends it when a start fails."""

    server: Any

    def __init__(self, **settings: Any):
        try:
            super().__init__(**settings, server_class=Server)
        except BaseException:
            server = vars(self).get("server")
            if server is not None:
                server.stop()
            raise

    def _build_server(self, host: str, port: int, width: int, height: int) -> None:
        if self.server is None:
            self.server = Server(host, timeout=self.server_timeout, port=port, width=width, height=height,
                                 depth_format=self.depth_format, add_depth_noise=self.add_depth_noise)
