"""What free text is compared by, in one line for the foot of the list of models."""

from __future__ import annotations

from core.llm.embeddings import embeddings_offer


def comparing_words() -> str:
    """By meaning, or by words, and then the command that changes it, with its size."""
    return embeddings_offer().words
