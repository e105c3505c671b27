"""The operator's label sets in the settings, one text of JSON each. Several windows may add and remove some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from core.common.errors import DataError
from core.recording.labels import LabelSet, as_json, label_set, read_labels
from gui.control.kept_settings import KeptSettings, Texts

KEY: Final = "label sets"
MOST_SETS: Final = 50
"""The maximum number of label sets that are kept."""


def kept_sets(settings: KeptSettings) -> tuple[tuple[LabelSet, ...], str]:
    """Returns the label sets that are kept, or that of an earlier version; and why some cannot be read, in one line."""
    found, troubles = list[LabelSet](), list[str]()
    for text in _texts(settings.texts(KEY)):
        try:
            found.append(_set_of(text))
        except DataError as error:
            troubles.append(str(error))
    path = settings.value("labels")
    if not found and isinstance(path, str) and path:
        try:
            found.append(read_labels(Path(path)))
        except DataError as error:
            troubles.append(str(error))
    return tuple(found), "; ".join(troubles)


def add_set(settings: KeptSettings, new: LabelSet) -> None:
    """Keeps a label set, in place of one with the same title.

    Raises:
        DataError: there are too many.
    """
    def add(kept: Texts) -> Texts:
        others = _without(kept, new.title)
        if sum(_title_of(text) is not None for text in others) >= MOST_SETS:
            raise DataError(f"{MOST_SETS} label sets are kept: remove one before “{new.title}” is added")
        return (*others, json.dumps(as_json(new)))

    settings.change_texts(KEY, add)


def remove_set(settings: KeptSettings, title: str) -> None:
    """Removes a label set."""
    settings.change_texts(KEY, lambda kept: _without(kept, title))


def _without(kept: Texts, title: str) -> Texts:
    """Returns the texts without those of a title. What cannot be read stays: a later version may have written it."""
    return tuple(text for text in _texts(kept) if _title_of(text) != title)


def _title_of(text: str) -> str | None:
    try:
        return _set_of(text).title
    except DataError:
        return None


def _set_of(text: str) -> LabelSet:
    try:
        return label_set(json.loads(text), "settings")
    except (ValueError, RecursionError) as error:
        raise DataError(f"settings: a label set is damaged ({type(error).__name__})") from error


def _texts(kept: Texts) -> Texts:
    """Returns one text for each set. Earlier versions kept all sets as one list of JSON."""
    if len(kept) != 1:
        return kept
    try:
        value = json.loads(kept[0])
    except (ValueError, RecursionError):
        return kept
    return tuple(map(json.dumps, value)) if isinstance(value, list) else kept
