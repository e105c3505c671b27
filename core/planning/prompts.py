"""Reads prompts from `resources/prompts/<planner>/<name>.txt` and fills their `$fields`."""

from __future__ import annotations

from functools import lru_cache
from string import Template

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.planning.model_requests import Message

PROMPTS = RESOURCES / "prompts"


@lru_cache(64)
def _template(planner: str, name: str) -> Template:
    path = PROMPTS / planner / f"{name}.txt"
    try:
        return Template(path.read_text(encoding="utf-8").rstrip("\n"))
    except OSError as error:
        raise DataError(f"the prompt {path} cannot be read: {error.strerror}") from error


def prompt(planner: str, name: str, **fields: str) -> tuple[Message, ...]:
    """Returns a filled prompt as one user message.

    Raises:
        DataError: the file does not exist, or it has a field that is not given.
    """
    return (Message("user", prompt_text(planner, name, **fields)),)


def prompt_text(planner: str, name: str, **fields: str) -> str:
    """Returns the text of a filled prompt, or of a part of one.

    Raises:
        DataError: the file does not exist, or it has a field that is not given.
    """
    try:
        return _template(planner, name).substitute(fields)
    except (KeyError, ValueError) as error:
        raise DataError(f"the prompt {planner}/{name}.txt has a field that nothing fills: {error}") from error
