"""What an answerer must offer."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self

from core.common.parameters import Parameters
from core.llm.keys import Secret
from core.planning.model_requests import Ask, Reply


class LanguageModel(ABC):
    """Answers questions. Called from reply threads, so it must be safe to call from several at once.

    Attributes:
        name: its name in the registry.
        title: what people call it; empty: its name.
        notes: what it is, in a few words, for lists.
        needs_settings: it answers only with settings, so that the window lists the user's models in its place.
        is_model: whether a language model stands behind it.
        repeats: it gives replies that were recorded, which nothing may be added to.
        settings: what can be set, with the values that hold otherwise; never a key.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    notes: ClassVar[str] = ""
    needs_settings: ClassVar[bool] = False
    is_model: ClassVar[bool] = True
    repeats: ClassVar[bool] = False
    settings: ClassVar[Parameters] = Parameters()

    @classmethod
    @abstractmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """An answerer with its settings as text (base_url, model, timeout …); never a key, which comes from elsewhere.

        Raises:
            UsageError: an unknown setting, or a value that makes no sense.
            MissingPart: it needs a package, a file or a key that is not there; the message says how to get it.
        """

    @property
    @abstractmethod
    def source(self) -> str:
        """Who answers, for people and for cache keys: `openai gpt-5`. Holds no secret."""

    @property
    def secret(self) -> Secret:
        """The key it sends, which nothing that is written or shown may hold; empty where it sends none."""
        return Secret("")

    def news(self) -> tuple[str, ...]:
        """What went wrong beside the replies (a damaged cache), one line each. Each is given once."""
        return ()

    def constrained_by(self, ask: Ask) -> str:
        """How a reply is held to the question's form, as servers call it (`json_schema`, `grammar`), as far as is known by now.

        Empty: it is asked for freely, or it was not asked yet.
        """
        del ask
        return ""

    @abstractmethod
    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Answer, or raise.

        Args:
            ask: the question.
            cancelled: set when nobody waits any more; a long wait must look at it at least every 50 ms or be abandonable.

        Raises:
            ModelError: no answer could be had; the message says why in plain words, and `retry` whether trying again may help.
        """

    def close(self) -> None:
        """End what was started for it. May be called twice."""
        return
