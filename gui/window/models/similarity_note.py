"""How free text is compared, in one line for the lower edge of the list of models."""

from __future__ import annotations

from core.llm.embeddings import embeddings_offer


def comparing_words() -> str:
    """Returns whether text is compared by meaning or by words, and in that case the command that changes it, with its size."""
    return embeddings_offer().words
