"""Loads a dataset with the real LeRobotDataset, in a Python that has it, and prints what a training script would get.

python load_lerobot.py FOLDER
"""

from __future__ import annotations

import importlib
import json
import sys
from functools import partial
from typing import Any


def plain(value: Any, *, is_picture: bool) -> Any:
    """Returns a value of a step as JSON can hold it; for a picture its mean brightness, 0 to 1."""
    if is_picture:
        return float(value.mean())
    return value.tolist() if hasattr(value, "tolist") else value


def backend() -> str:
    """Returns LeRobot's usual decoder if the machine has FFmpeg's libraries, else the one that brings its own."""
    try:
        importlib.import_module("torchcodec.decoders")
    except (ImportError, OSError, RuntimeError):
        return "pyav"
    return "torchcodec"


def main(folder: str) -> None:
    """Prints one JSON object: sizes, every step's values, and the mean brightness of its pictures."""
    torch: Any = importlib.import_module("torch")
    dataset = partial(importlib.import_module("lerobot.datasets.lerobot_dataset").LeRobotDataset, "belvedere/test", root=folder,
                      video_backend=backend())
    kept = dataset()
    steps = [{name: plain(value, is_picture=name in kept.meta.video_keys) for name, value in kept[k].items()}
             for k in range(len(kept))]
    batch = next(iter(torch.utils.data.DataLoader(kept, batch_size=2, shuffle=False)))
    two = dataset(delta_timestamps={"action": [0.0, 1.0], kept.meta.video_keys[0]: [-1.0, 0.0]})
    last = dataset(episodes=[kept.meta.total_episodes - 1])
    features = importlib.import_module("lerobot.datasets.utils").dataset_to_policy_features(kept.meta.features)
    sys.stdout.write(json.dumps({
        "policy": {name: feature.type.name for name, feature in features.items()},
        "episodes": kept.meta.total_episodes, "steps": steps, "tasks": list(kept.meta.tasks.index),
        "cameras": kept.meta.video_keys, "picture": list(kept[0][kept.meta.video_keys[0]].shape),
        "batch": {name: list(value.shape) for name, value in batch.items() if hasattr(value, "shape")},
        "two": {name: list(value.shape) for name, value in two[0].items() if hasattr(value, "shape")},
        "stats": {name: {word: list(value.shape) for word, value in found.items()} for name, found in kept.meta.stats.items()},
        "last_episode": len(last),
    }))


if __name__ == "__main__":
    main(sys.argv[1])
