"""The network of the cloned policy in numpy: scores each possible action, given the clauses of goal, past and observation.

A transformer over clauses. A clause is one vector: the sum over its words, each a function of word and position. L blocks
refine the clauses of the goal, the past and the choices. Each attends to the goal, the past and the observation, never to a
choice: the score of a choice does not depend on which others are listed. The observation's vectors are the same in all blocks.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from core.common.errors import DataError
from core.common.files import replacing
from core.common.json_fields import Field
from core.planners.cloned_policy.text import LONGEST, MOST_PAST, Scene, Vocabulary, words_of
from core.world.vocabulary import Value

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, Floats]
FORMAT = 1
"""The number of the network's definition. A file of another one is refused."""
MOST_BYTES = 12 * 2**20
"""Bytes of a file of weights."""
MOST_WIDTH, MOST_BLOCKS, MOST_WORDS = 1024, 24, 20_000
GOAL, PAST, SEEN, CHOICE = range(4)
"""The kinds of clauses: rows of the array `kinds`."""
EPSILON = 1e-5
ORIGIN = ("trajectories", "samples", "detours", "seed", "epochs")
"""What a file says about its training: the numbers of trajectories and steps, of those after a detour, the seed, the epochs."""
CURE = "make it again with `examples clone train`"


@dataclass(frozen=True)
class Sizes:
    """The sizes of a network: d the width of a vector, L the number of blocks, h heads of d / h each."""

    width: int = 128
    blocks: int = 2
    heads: int = 4


def shapes(sizes: Sizes, vocabulary: Vocabulary) -> dict[str, tuple[int, ...]]:
    """Returns name -> shape of all arrays of weights."""
    d, e = sizes.width, 2 * sizes.width
    found: dict[str, tuple[int, ...]] = {
        "words": (len(vocabulary.words), d), "characters": (len(vocabulary.characters), d), "positions": (LONGEST, d),
        "kinds": (4, d), "ages": (MOST_PAST, d), "score": (d,),
    }
    for part in ("word", "clause", *range(sizes.blocks)):
        found |= {f"{part}.up": (d, e), f"{part}.bias": (e,), f"{part}.down": (e, d)}
    norms = ["clause.norm", "seen.norm", "last.norm"]
    for k in range(sizes.blocks):
        found |= {f"{k}.{name}": (d, d) for name in ("query", "key", "value", "out")}
        norms += [f"{k}.norm", f"{k}.norm2"]
    return found | {name: (2, d) for name in norms}


@dataclass(frozen=True, eq=False)
class Network(Value):
    """A trained network.

    Attributes:
        sizes: its sizes.
        vocabulary: the words it knows.
        arrays: name -> weights, float32, read-only.
        origin: what it was trained on, as the command that trained it states it.
    """

    sizes: Sizes
    vocabulary: Vocabulary
    arrays: Arrays
    origin: Mapping[str, int]

    def scores(self, scene: Scene) -> Floats:
        """Returns the scores of the choices: (n,) logits, whose softmax is the probability that the expert takes each."""
        a = self.arrays
        past = scene.past[-MOST_PAST:]
        clauses = self._clauses((*scene.goal, *past, *scene.choices, *scene.seen))
        m, n = len(scene.goal) + len(past), len(scene.choices)
        x, seen = clauses[:m + n], clauses[m + n:]
        kinds = [GOAL] * len(scene.goal) + [PAST] * len(past) + [CHOICE] * n
        x = x + a["kinds"][kinds]
        x[len(scene.goal):m] += a["ages"][:len(past)][::-1]
        seen = _norm(seen + a["kinds"][SEEN], a["seen.norm"])
        for k in range(self.sizes.blocks):
            y = _norm(x, a[f"{k}.norm"])
            x = x + self._attend(k, y, np.concatenate((y[:m], seen)))
            y = _norm(x, a[f"{k}.norm2"])
            x = x + np.maximum(y @ a[f"{k}.up"] + a[f"{k}.bias"], 0) @ a[f"{k}.down"]
        return np.asarray(_norm(x[m:], a["last.norm"]) @ a["score"], np.float32)

    def _attend(self, k: int, x: Floats, read: Floats) -> Floats:
        """Returns what the rows of x (n, d) read from the rows of `read` (m, d): scaled dot-product attention of block k."""
        h, a = self.sizes.heads, self.arrays
        query, key, value = (
            np.reshape(rows @ a[f"{k}.{name}"], (len(rows), h, -1)).transpose(1, 0, 2)
            for rows, name in ((x, "query"), (read, "key"), (read, "value")))
        weights = softmax(np.asarray(query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]), np.float32))
        return np.asarray((weights @ value).transpose(1, 0, 2).reshape(len(x), -1) @ a[f"{k}.out"], np.float32)

    def _clauses(self, clauses: Iterable[str]) -> Floats:
        """Returns the vectors of clauses: (n, d)."""
        a = self.arrays
        rows = [list(enumerate(words_of(clause))) for clause in clauses]
        places = {place: k for k, place in enumerate(dict.fromkeys(chain.from_iterable(rows)))}  # (position, word) -> row
        plain = np.stack([self._word(word) for _, word in places])
        up = np.maximum((plain + a["positions"][[j for j, _ in places]]) @ a["word.up"] + a["word.bias"], 0)
        table = plain + up @ a["word.down"]
        x = np.stack([table[[places[place] for place in row]].sum(0) for row in rows])
        y = _norm(x, a["clause.norm"])
        return np.asarray(y + np.maximum(y @ a["clause.up"] + a["clause.bias"], 0) @ a["clause.down"], np.float32)

    def _word(self, word: str) -> Floats:
        index = self.vocabulary.index(word)
        if index >= 0:
            return np.asarray(self.arrays["words"][index])
        spelled = self.vocabulary.spelled(word)
        return np.asarray(self.arrays["characters"][spelled].sum(0) / np.float32(max(1, len(spelled))))


def _norm(x: Floats, gain_and_bias: Floats) -> Floats:
    """Layer normalization of each row."""
    centred = x - x.mean(-1, keepdims=True)
    scale = np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(EPSILON))
    return np.asarray(centred / scale * gain_and_bias[0] + gain_and_bias[1], np.float32)


def softmax(x: Floats) -> Floats:
    """Returns the softmax along the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True), np.float32)


# --- the file ------------------------------------------------------------------------
def save(network: Network, path: Path) -> None:
    """Writes a network as `.npz`: the arrays as float16, and `about`, its JSON as bytes. Equal networks give equal files."""
    about = {"format": FORMAT, **asdict(network.sizes), "words": network.vocabulary.words,
             "characters": network.vocabulary.characters, "origin": dict(network.origin)}
    with replacing(path) as draft, zipfile.ZipFile(draft, "w") as file:
        arrays: dict[str, npt.NDArray[np.generic]] = {name: a.astype(np.float16) for name, a in sorted(network.arrays.items())}
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        for name, array in arrays.items():
            stream = BytesIO()
            np.lib.format.write_array(stream, array, (1, 0), allow_pickle=False)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), stream.getvalue())


@lru_cache(4)
def load(path: Path) -> Network:
    """Returns the network of a file.

    Raises:
        DataError: the file is missing, too large or damaged, or of another format; the message is one line.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path} has more than {MOST_BYTES // 2**20} MB, so it is no policy of this network: {CURE}.")
        with zipfile.ZipFile(path) as file:
            return _read(file, str(path))
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror or error}): {CURE}.") from error
    except (zipfile.BadZipFile, zlib.error, RuntimeError, KeyError, ValueError, EOFError) as error:
        raise DataError(f"{path} is no file of weights ({error}): {CURE}.") from error


def _read(file: zipfile.ZipFile, where: str) -> Network:
    about = Field(json.loads(_array(file, "about", np.dtype(np.uint8), None, where).tobytes()), where, CURE)
    found = about.field("format").whole(0, 2**31)
    if found != FORMAT:
        raise DataError(f"{where} is of format {found}, this program reads {FORMAT}: {CURE}.")
    sizes = Sizes(about.field("width").whole(1, MOST_WIDTH), about.field("blocks").whole(1, MOST_BLOCKS),
                  about.field("heads").whole(1, MOST_WIDTH))
    if sizes.width % sizes.heads:
        about.field("heads").fail("does not divide the width")
    words = tuple(word.text() for word in about.field("words").items(MOST_WORDS))
    vocabulary = Vocabulary(words, about.field("characters").text(1000))
    origin = about.field("origin")
    arrays = {name: _array(file, name, np.dtype(np.float16), shape, where).astype(np.float32)
              for name, shape in shapes(sizes, vocabulary).items()}
    for name, array in arrays.items():
        array.setflags(write=False)
        if not np.isfinite(array).all():
            raise DataError(f"{where}: {name} holds values that are no numbers: {CURE}.")
    return Network(sizes, vocabulary, MappingProxyType(arrays),
                   MappingProxyType({name: origin.field(name).whole(0, 2**63) for name in ORIGIN}))


def _array(file: zipfile.ZipFile, name: str, dtype: np.dtype[np.generic], shape: tuple[int, ...] | None,
           where: str) -> npt.NDArray[np.generic]:
    """Returns an array of the file. Its header is compared before memory is taken.

    Args:
        file: the open file.
        name: of the array.
        dtype: the type it must have.
        shape: the shape it must have; None: one dimension of any length.
        where: the file, for messages.
    """
    entry = file.getinfo(f"{name}.npy")
    if entry.file_size > MOST_BYTES:
        raise DataError(f"{where}: {name} is too large: {CURE}.")
    stream = BytesIO(file.read(entry))
    np.lib.format.read_magic(stream)
    found, _, kind = np.lib.format.read_array_header_1_0(stream)
    if kind != dtype or (found != shape if shape is not None else len(found) != 1):
        raise DataError(f"{where}: {name} has the shape {found} of {kind}, expected {shape or '(n,)'} of {dtype}: {CURE}.")
    return np.frombuffer(stream.read(), dtype).reshape(found)
