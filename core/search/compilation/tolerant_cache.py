"""numba's cache of a function, made careful: a damaged file, a full disk or another process costs time, and never a search."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from numba.core.caching import FunctionCache

from core.search.compilation import code_cache


class TolerantCache(FunctionCache):  # type: ignore[misc]  # numba is partly typed
    """Where numba's own would raise in the midst of a call, the function is compiled for this process."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code for some types; None: it is to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - unpickling half a file may raise anything; the file is replaced
            with suppress(OSError), code_cache.alone("write"):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code, if there is room.

        numba reads an index, adds the number of a new file to it, and writes both: two processes at once could take the same
        number for different types, and later run the one's machine code on the other's.
        """
        try:
            with code_cache.alone("write"):
                super().save_overload(sig, data)
        except OSError:
            self.disable()
