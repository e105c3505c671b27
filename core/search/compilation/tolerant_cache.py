"""numba's cache of a function with error handling: a damaged file, a full disk or a second writer never stops a search."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from numba.core.caching import FunctionCache

from core.search.compilation import code_cache


class TolerantCache(FunctionCache):  # type: ignore[misc]  # numba is partly typed
    """A cache that compiles the function for this process in cases where numba's own raises an error within a call."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the machine code for a signature; None if it must be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - unpickling half a file may raise anything; the file is replaced
            with suppress(OSError), code_cache.alone("write"):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Stores machine code, if possible.

        numba reads an index, adds the number of a new file to it, and writes both. Two processes at once could take the same
        number for different signatures and later run the wrong machine code. The lock prevents that.
        """
        try:
            with code_cache.alone("write"):
                super().save_overload(sig, data)
        except OSError:
            self.disable()
