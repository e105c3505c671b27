"""AI2-THOR's controller with our server. The server ends with the controller in every case."""

from __future__ import annotations

from typing import Any

from ai2thor.build import ExternalBuild
from ai2thor.controller import Controller
from ai2thor.platform import STR_PLATFORM_MAP, CloudRendering

from sim.thor.server import Server
from sim.thor.settings import CLOUD


class SteadyController(Controller):  # type: ignore[misc]  # the package has no types
    """The package's controller, which uses our server and ends it if a start fails.

    It also follows the package's documentation on `platform` and `gpu_device`. The package itself treats every custom player as
    one that needs an X display, and queries Vulkan about the cards of $CUDA_VISIBLE_DEVICES even if nothing uses them.
    """

    server: Any

    def __init__(self, platform: str | None = None, **settings: Any):
        self._cloud = platform == CLOUD
        try:
            super().__init__(**settings, platform=platform and STR_PLATFORM_MAP[platform], server_class=Server)
        except BaseException:
            server = vars(self).get("server")
            if server is not None:
                server.stop()
            raise

    def _build_server(self, host: str, port: int, width: int, height: int) -> None:
        if self._cloud and isinstance(self._build, ExternalBuild):
            self._build.platform = CloudRendering
        if self._build.platform is not CloudRendering:
            self.gpu_device = None
        if self.server is None:
            self.server = Server(host, timeout=self.server_timeout, port=port, width=width, height=height,
                                 depth_format=self.depth_format, add_depth_noise=self.add_depth_noise)
            self.server.start_patience = self.server_start_timeout
