"""numba's cache of a function, made careful: a damaged file or a full disk costs time, and never a search."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from numba.core.caching import FunctionCache


class CarefulCache(FunctionCache):  # type: ignore[misc]  # numba is partly typed
    """Where numba's own would raise in the midst of a call, the function is compiled for this process."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for some types; None: it is to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - unpickling half a file may raise anything; the file is replaced
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code, if there is room."""
        try:
            super().save_overload(sig, data)
        except OSError:
            self.disable()
