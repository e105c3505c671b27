"""Trains the cloned policy with torch: the network of `network.py` for many samples at once, by gradient descent.

The loss is the cross-entropy of the expert's choice among a random subset of the choices: behaviour cloning, as for the paper's
GPT-2 policy (Zhao et al., section 3.1). AdamW; the rate rises over the first steps and falls to 0 by half a cosine.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import math
import time
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from core.common.errors import DataError, MissingPart
from core.common.files import replacing
from core.common.installation import needs
from core.common.terminal import Interrupted
from core.planners.cloned_policy.network import CHOICE, EPSILON, GOAL, PAST, SEEN, Arrays, Floats, Sizes, shapes
from core.planners.cloned_policy.samples import Sample
from core.planners.cloned_policy.text import LONGEST, MOST_PAST, Vocabulary, words_of

Ints = npt.NDArray[np.int32]
POOL = 16
"""Batches among which samples are sorted by length, so that a batch needs little padding."""
WARM = 100
"""Steps in which the rate rises."""
SAVE_EVERY = 60.0
"""Seconds."""
MOST_CHOICES = 1000
"""More than any step has."""
MOMENTS = ("exp_avg", "exp_avg_sq")
EMBEDDINGS, EMBEDDING = frozenset({"words", "characters", "positions", "kinds", "ages"}), 0.3
"""The arrays of embeddings, and their standard deviation before training."""
ELSE = "choose another --out, or delete the file"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a network is trained. Equal recipes and samples give equal networks on one machine with the same torch.

    Attributes:
        seed: the seed of the first weights, of the order of samples, and of what is left out.
        epochs: how often each sample is seen.
        batch: samples of a step.
        rate: the highest learning rate.
        decay: AdamW's weight decay.
        choices: choices of a sample that are compared in a step: the expert's and others at random.
        spelled: share of the words that are represented by their characters in a step, as unknown ones are.
        detours: share of the trajectories that are also learned after a detour (`samples.py`).
        sizes: of the network.
    """

    seed: int = 17
    epochs: int = 8
    batch: int = 256
    rate: float = 2e-3
    decay: float = 0.01
    choices: int = 16
    spelled: float = 0.05
    detours: float = 0.0
    sizes: Sizes = field(default_factory=Sizes)


class Table:
    """Samples as indices of clauses.

    Attributes:
        index: clause -> its index.
        rows: per sample: the number of goal clauses; the clauses of goal and past, observation, choices; the expert's choice.
    """

    def __init__(self, samples: Iterable[Sample]):
        self.index: dict[str, int] = {}
        self.rows: list[tuple[int, Ints, Ints, Ints, int]] = []
        for sample in samples:
            scene = sample.scene
            context = (*scene.goal, *scene.past[-MOST_PAST:])
            self.rows.append((len(scene.goal), self._ids(context), self._ids(scene.seen), self._ids(scene.choices),
                              sample.taken))

    def _ids(self, clauses: Iterable[str]) -> Ints:
        return np.array([self.index.setdefault(c, len(self.index)) for c in clauses], np.int32)

    def batches(self, recipe: Recipe, epoch: int) -> list[Ints]:
        """Returns the rows of each batch of an epoch; a batch has samples of similar length."""
        rng = np.random.default_rng((recipe.seed, epoch, 1))
        order = rng.permutation(len(self.rows)).astype(np.int32)
        lengths = np.array([len(row[2]) + len(row[1]) for row in self.rows])
        found: list[Ints] = []
        for first in range(0, len(order), POOL * recipe.batch):
            pool = order[first:first + POOL * recipe.batch]
            pool = pool[np.argsort(lengths[pool], kind="stable")]
            found += [pool[i:i + recipe.batch] for i in range(0, len(pool), recipe.batch)]
        return [found[int(i)] for i in rng.permutation(len(found))]


def _padded(rows: Sequence[Ints]) -> Ints:
    """Returns (n, longest) indices, -1 where a row has ended."""
    found = np.full((len(rows), max(1, *map(len, rows))), -1, np.int32)
    for k, row in enumerate(rows):
        found[k, :len(row)] = row
    return found


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of B samples: (B, .) arrays of indices into the U clauses of the batch, -1 where there is none.

    Attributes:
        words: (U, LONGEST) pairs of word and position, as word * LONGEST + position.
        context: goal and past.
        ages: of each clause of the context: 0 for the last action, -1 for the goal.
        seen: observation.
        choices: choices.
        taken: (B,) the expert's.
    """

    words: Ints
    context: Ints
    ages: Ints
    seen: Ints
    choices: Ints
    taken: Ints


class Batches:
    """Makes batches of a table's rows."""

    def __init__(self, table: Table, vocabulary: Vocabulary):
        self._rows = table.rows
        self._pairs = np.full((len(table.index), LONGEST), -1, np.int32)
        for clause, k in table.index.items():
            for j, word in enumerate(words_of(clause)):
                self._pairs[k, j] = vocabulary.index(word) * LONGEST + j

    def make(self, rows: Ints, rng: np.random.Generator, most: int) -> Batch:
        """Returns a batch with at most `most` choices per sample."""
        drawn = [self._rows[int(k)] for k in rows]
        taken = np.zeros(len(drawn), np.int32)
        choices: list[Ints] = []
        for _, _, _, every, right in drawn:
            others = np.delete(every, right)
            kept = others if len(others) < most else rng.choice(others, most - 1, replace=False)
            choices.append(np.concatenate((every[right:right + 1], kept)))
        parts = [_padded([row[1] for row in drawn]), _padded([row[2] for row in drawn]), _padded(choices)]
        used, inverse = np.unique(np.concatenate([p.ravel() for p in parts]), return_inverse=True)
        first = int(used[0] < 0)  # -1 comes first
        ends = np.cumsum([p.size for p in parts])[:-1]
        context, seen, found = (x.reshape(p.shape).astype(np.int32) - first
                                for x, p in zip(np.split(inverse.ravel(), ends), parts, strict=True))
        ages = np.full(context.shape, -1, np.int32)
        for k, (goals, both, _, _, _) in enumerate(drawn):
            ages[k, goals:len(both)] = np.arange(len(both) - goals)[::-1]
        return Batch(self._pairs[used[first:]], context, ages, seen, found, taken)


def imported() -> Any:
    """Returns torch.

    Raises:
        MissingPart: it is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        raise MissingPart(needs("training the cloned policy", ["torch"], "embeddings"))
    return importlib.import_module("torch")


def forward(torch: Any, a: dict[str, Any], b: Batch, heads: int, spelling: Any, spelled: Any) -> Any:
    """Returns the scores (B, C) of the choices; -inf where there is none. Equal to `Network.scores`.

    Args:
        torch: the module.
        a: name -> weights.
        b: the batch.
        heads: the number of heads.
        spelling: (V, characters) the share of each character in each word.
        spelled: (V,) bool: words represented by their characters.
    """
    f = torch.nn.functional

    def norm(x: Any, name: str) -> Any:
        return f.layer_norm(x, x.shape[-1:], a[name][0], a[name][1], EPSILON)

    def mlp(x: Any, name: str) -> Any:
        return f.relu(x @ a[f"{name}up"] + a[f"{name}bias"]) @ a[f"{name}down"]

    def clauses(index: Ints) -> Any:
        return f.embedding(torch.from_numpy(index).long() % len(vectors), vectors)

    words = torch.where(spelled[:, None], spelling @ a["characters"], a["words"])
    pairs, inverse = torch.unique(torch.from_numpy(b.words[b.words >= 0]).long(), return_inverse=True)
    plain = words[pairs // LONGEST]
    table = plain + mlp(plain + a["positions"][pairs % LONGEST], "word.")
    starts = np.concatenate(([0], np.cumsum((b.words >= 0).sum(1))[:-1]))
    y = norm(f.embedding_bag(inverse, table, torch.from_numpy(starts).long(), mode="sum"), "clause.norm")
    vectors = y + mlp(y, "clause.")

    ages = torch.from_numpy(b.ages).long()
    past = (ages >= 0)[..., None]
    context = clauses(b.context) + torch.where(past, a["kinds"][PAST] + a["ages"][ages.clamp(min=0)], a["kinds"][GOAL])
    x = torch.cat((context, clauses(b.choices) + a["kinds"][CHOICE]), 1)
    seen = norm(clauses(b.seen) + a["kinds"][SEEN], "seen.norm")
    reads = torch.from_numpy(np.concatenate((b.context, b.seen), 1) >= 0)[:, None, None, :]
    size, m = len(b.context), b.context.shape[1]
    for k in range(sum(name.endswith(".query") for name in a)):
        y = norm(x, f"{k}.norm")
        both = torch.cat((y[:, :m], seen), 1)
        query, key, value = ((rows @ a[f"{k}.{name}"]).view(size, rows.shape[1], heads, -1).transpose(1, 2)
                             for rows, name in ((y, "query"), (both, "key"), (both, "value")))
        read = f.scaled_dot_product_attention(query, key, value, attn_mask=reads)
        x = x + read.transpose(1, 2).reshape(x.shape) @ a[f"{k}.out"]
        x = x + mlp(norm(x, f"{k}.norm2"), f"{k}.")
    scores = norm(x[:, m:], "last.norm") @ a["score"]
    return scores.masked_fill(torch.from_numpy(b.choices < 0), -torch.inf)


# --- the run -------------------------------------------------------------------------
def trained(table: Table, held_out: Table, vocabulary: Vocabulary, recipe: Recipe, checkpoint: Path, threads: int,
            say: Callable[[str], None]) -> Arrays:
    """Trains a network, and returns its arrays.

    The state is saved every SAVE_EVERY seconds and when a signal ends the program; the same call goes on from there.

    Args:
        table: the samples.
        held_out: samples to measure the accuracy after each epoch.
        vocabulary: of the samples.
        recipe: how it is trained.
        checkpoint: the file of the state, `.npz`.
        threads: of torch.
        say: receives a line on each epoch.

    Raises:
        MissingPart: torch is not installed.
        DataError: the checkpoint is damaged, or of another recipe or data.
    """
    torch = imported()
    torch.set_num_threads(threads)
    run = _Run(torch, table, vocabulary, recipe)
    run.resume(checkpoint)
    per_epoch = len(table.batches(recipe, 0))
    since = time.monotonic()
    try:
        with tqdm(total=per_epoch * recipe.epochs, initial=run.step, unit="step", dynamic_ncols=True) as bar:
            for epoch in range(run.step // per_epoch, recipe.epochs):
                for rows in table.batches(recipe, epoch)[run.step % per_epoch:]:
                    run.learn(rows, per_epoch * recipe.epochs)
                    bar.update()
                    bar.set_postfix_str(f"loss {run.loss:.3f}", refresh=False)
                    if time.monotonic() - since > SAVE_EVERY:
                        run.save(checkpoint)
                        since = time.monotonic()
                say(f"epoch {epoch + 1} of {recipe.epochs}: loss {run.loss:.3f}, the expert's choice is the first in "
                    f"{100 * run.accuracy(held_out):.1f} % of {len(held_out.rows):,} steps held out")
    except Interrupted as signalled:
        run.save(checkpoint)
        signalled.saved = f"step {run.step:,} is kept in {checkpoint}: go on with the same command"
        raise
    run.save(checkpoint)
    return run.arrays()


class _Run:
    """A training in progress.

    Attributes:
        step: the number of steps done.
        loss: the mean loss of about the last 50 steps.
    """

    def __init__(self, torch: Any, table: Table, vocabulary: Vocabulary, recipe: Recipe):
        self._torch, self._recipe, self._vocabulary, self._table = torch, recipe, vocabulary, table
        self._weights = {name: torch.tensor(value, requires_grad=True)
                         for name, value in first_weights(recipe, vocabulary).items()}
        self._optimizer = torch.optim.AdamW(list(self._weights.values()), recipe.rate, weight_decay=recipe.decay)
        self._batches = Batches(table, vocabulary)
        self._spelling = torch.from_numpy(spelling_of(vocabulary))
        self.step, self.loss = 0, 0.0

    def learn(self, rows: Ints, steps: int) -> None:
        """Does one step of `steps` in all."""
        torch, recipe = self._torch, self._recipe
        rng = np.random.default_rng((recipe.seed, self.step, 3))
        batch = self._batches.make(rows, rng, recipe.choices)
        spelled = torch.from_numpy(rng.random(len(self._vocabulary.words)) < recipe.spelled)
        scores = forward(torch, self._weights, batch, recipe.sizes.heads, self._spelling, spelled)
        loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(batch.taken).long())
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self._weights.values()), 1.0)
        for group in self._optimizer.param_groups:
            group["lr"] = recipe.rate * min(1.0, (self.step + 1) / WARM) * (1 + math.cos(math.pi * self.step / steps)) / 2
        self._optimizer.step()
        self.step += 1
        now = float(loss.detach())
        self.loss = now if self.step == 1 else 0.98 * self.loss + 0.02 * now

    def accuracy(self, held_out: Table) -> float:
        """Returns the share of samples in which the expert's choice has the highest score of all choices."""
        torch, batches, right = self._torch, Batches(held_out, self._vocabulary), 0
        rng, none = np.random.default_rng(0), torch.zeros(len(self._vocabulary.words), dtype=torch.bool)
        with torch.no_grad():
            for rows in held_out.batches(self._recipe, 0):
                batch = batches.make(rows, rng, MOST_CHOICES)
                scores = forward(torch, self._weights, batch, self._recipe.sizes.heads, self._spelling, none)
                right += int((scores.argmax(1).numpy() == batch.taken).sum())
        return right / max(1, len(held_out.rows))

    def arrays(self) -> Arrays:
        """Returns name -> weights."""
        return {name: weight.detach().numpy().copy() for name, weight in self._weights.items()}

    # --- the checkpoint ------------------------------------------------------------------
    def _about(self) -> str:
        return json.dumps({**asdict(self._recipe), "samples": len(self._table.rows), "words": self._vocabulary.words})

    def save(self, path: Path) -> None:
        """Writes weights, moments of the optimizer, and the number of steps."""
        state = {name: self._optimizer.state.get(weight, {}) for name, weight in self._weights.items()}
        arrays = {f"weight {name}": value for name, value in self.arrays().items()}
        for moment in MOMENTS:
            arrays |= {f"{moment} {name}": found[moment].numpy() for name, found in state.items() if found}
        with replacing(path) as draft, draft.open("wb") as file:
            np.savez(file, step=self.step, loss=self.loss, about=np.frombuffer(self._about().encode(), np.uint8),
                     **arrays)  # type: ignore[arg-type]

    def resume(self, path: Path) -> None:
        """Goes on from a checkpoint if there is one.

        Raises:
            DataError: it is damaged, or of another recipe or data.
        """
        if not path.exists():
            return
        torch = self._torch
        try:
            with np.load(path, allow_pickle=False) as found:
                if found["about"].tobytes().decode() != self._about():
                    raise DataError(f"{path} is of another training (other trajectories or flags): {ELSE}")
                for name, weight in self._weights.items():
                    with torch.no_grad():
                        weight.copy_(torch.from_numpy(found[f"weight {name}"]))
                    if f"{MOMENTS[0]} {name}" in found:
                        self._optimizer.state[weight] = {"step": torch.tensor(float(found["step"])),
                                                         **{m: torch.from_numpy(found[f"{m} {name}"]) for m in MOMENTS}}
                self.step, self.loss = int(found["step"]), float(found["loss"])
        except (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile) as error:
            raise DataError(f"{path} is damaged ({error}): {ELSE}") from error


def spelling_of(vocabulary: Vocabulary) -> Floats:
    """Returns the share of each character in each word: (words, characters)."""
    found = np.zeros((len(vocabulary.words), len(vocabulary.characters)), np.float32)
    for k, word in enumerate(vocabulary.words):
        spelled = vocabulary.spelled(word)
        np.add.at(found[k], spelled, 1 / max(1, len(spelled)))
    return found


def first_weights(recipe: Recipe, vocabulary: Vocabulary) -> dict[str, Floats]:
    """Returns the weights before training: gains 1, biases 0, embeddings and matrices normal."""
    rng = np.random.default_rng((recipe.seed, 2))
    found: dict[str, Floats] = {}
    for name, shape in sorted(shapes(recipe.sizes, vocabulary).items()):
        last = name.rpartition(".")[2]
        if last in ("norm", "norm2"):
            value = np.stack((np.ones(shape[1]), np.zeros(shape[1])))
        elif last == "bias":
            value = np.zeros(shape)
        else:
            half = 0.5 if last in ("down", "out") else 1.0  # what is added to a vector begins small
            value = rng.normal(0, EMBEDDING if name in EMBEDDINGS else half / math.sqrt(shape[0]), shape)
        found[name] = value.astype(np.float32)
    for k in range(recipe.sizes.blocks):
        found[f"{k}.key"] = found[f"{k}.query"].copy()  # at first, clauses attend to clauses with the same words
    return found
