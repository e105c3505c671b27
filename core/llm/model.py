"""The interface of a provider of replies, and the providers: ours and those of other packages.

Other packages register theirs as entry points of the group belvedere.providers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, cast

from core.common import registry
from core.common.cancellation import Cancellation
from core.common.errors import UsageError
from core.common.parameters import Parameters
from core.llm.keys import Secret
from core.planning.model_requests import ModelReply, ModelRequest

CHARACTERS_A_TOKEN = 4  # for estimates if the server reports no counts


@dataclass(frozen=True, slots=True)
class Partial:
    """A reply that is still being generated. It is shown and never recorded.

    Attributes:
        text: the end of the text so far; empty while the model thinks.
        tokens: the approximate number of tokens, including thoughts (servers send one or a few at a time).
        first_token: seconds from the request until the first token.
    """

    text: str
    tokens: int
    first_token: float


OnPartial = Callable[[Partial], None]


class Waiter(Cancellation):
    """A `cancelled` event for `LanguageModel.answer` whose owner also wants partial replies.

    Args:
        on_partial: called on the reply's threads several times per second; must return immediately.
    """

    def __init__(self, on_partial: OnPartial):
        super().__init__()
        self.on_partial = on_partial


def estimated_tokens(characters: int) -> int:
    """Returns the approximate number of tokens of a text."""
    return -(-characters // CHARACTERS_A_TOKEN)


def prompt_tokens(ask: ModelRequest) -> int:
    """Returns the approximate number of tokens of a request's prompt."""
    return estimated_tokens(sum(len(m.content) for m in ask.messages))


class LanguageModel(ABC):
    """Answers model requests. It is called from several reply threads at once, so it must be thread-safe.

    Set in ALL subclasses: `name`, `open`, `source`, `answer`. Set in SOME subclasses: the other attributes and methods.

    Attributes:
        name: its name in the registry.
        title: its display name; empty: its name.
        notes: what it is, in a few words, for lists.
        needs_settings: True if it answers only with settings; the window lists the user's models in its place.
        is_model: True if a language model produces the replies.
        repeats: True if it replays recorded replies, to which nothing may be added.
        settings: its settings with their default values; never a key.
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
        """Returns a provider.

        Args:
            options: its settings as text (base_url, model, timeout …); never a key, which is read from elsewhere.

        Raises:
            UsageError: a setting is unknown, or a value is invalid.
            MissingPart: a package, a file or a key is missing; the message says how to get it.
        """

    @property
    @abstractmethod
    def source(self) -> str:
        """The provider and model, for people and for cache keys: `openai gpt-5`. Contains no secret."""

    @property
    def secret(self) -> Secret:
        """The key it sends, which must not be written or shown; empty if it sends none."""
        return Secret("")

    def news(self) -> tuple[str, ...]:
        """Returns new problems other than failed replies (a damaged cache), one line each. Each is returned once."""
        return ()

    def constrained_by(self, ask: ModelRequest) -> str:
        """Returns the method that constrains a reply to its form, in the server's terms (`json_schema`, `grammar`).

        Empty if the output is not constrained, or if the method is not known yet.
        """
        del ask
        return ""

    @abstractmethod
    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Returns the reply.

        Args:
            ask: the request.
            cancelled: set when the reply is no longer wanted. A wait ends soon after: it waits with `cancelled`, is ended by a
                callback of it, or checks it every 50 ms.

        Raises:
            ModelError: there is no reply; the message gives the reason, and `retry` whether another attempt may succeed.
        """

    def complete(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """Returns a reply that comes from elsewhere, such as a cache, as `answer` would have returned it."""
        del ask
        return reply

    @property
    def provider(self) -> LanguageModel:
        """The provider itself, without the layers around it."""
        return self

    def close(self) -> None:
        """Releases its resources. May be called twice."""
        return


class Wrapper(LanguageModel):
    """A layer around a provider, or around another layer, which is all that it knows. All it does not change is passed on.

    It is not opened by name, since it needs the inner one. `core.llm.stack` puts the layers together.

    Args:
        model: the inner layer or provider.
    """

    def __init__(self, model: LanguageModel):
        self.model, self._provider = model, model.provider

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Raises UsageError."""
        raise UsageError(f"'{cls.name}' wraps another provider and is not opened by name")

    @property
    def source(self) -> str:
        """See the base class; that of the provider, so that keys of the cache stay the same."""
        return self._provider.source

    @property
    def secret(self) -> Secret:
        """See the base class."""
        return self._provider.secret

    @property
    def provider(self) -> LanguageModel:
        """See the base class."""
        return self._provider

    def news(self) -> tuple[str, ...]:
        """See the base class."""
        return self.model.news()

    def constrained_by(self, ask: ModelRequest) -> str:
        """See the base class."""
        return self.model.constrained_by(ask)

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class."""
        return self.changed(ask, self.model.answer(ask, cancelled))

    def complete(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """See the base class."""
        return self.changed(ask, self.model.complete(ask, reply))

    def changed(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """Returns a reply of the inner layer as this one passes it on."""
        del ask
        return reply

    def close(self) -> None:
        """Closes the inner provider."""
        self.model.close()


OFFLINE = "commonsense"
"""The provider that is always offered besides the chosen one, so that a run can continue if its model is down."""
PROVIDERS = registry.Registry("provider", "belvedere.providers", {
    "commonsense": "core.llm.commonsense:Commonsense",
    "openai": "core.llm.openai_compatible:OpenAICompatible",
    "local": "core.llm.local:Local",
    "human": "core.llm.human:Human",
    "replay": "core.llm.replay:Replay",
}, base=LanguageModel)
NEED_SETTINGS = frozenset({"openai", "local"})
"""Our providers that answer only with settings, known before they are loaded; equal to each class's `needs_settings`."""


def provider_class(name: str) -> type[LanguageModel]:
    """Returns a provider's class.

    Raises:
        UsageError: there is no such provider.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[LanguageModel], PROVIDERS.load(name))


def open_model(name: str, options: Mapping[str, str]) -> LanguageModel:
    """Returns a provider with its settings given as text.

    Raises:
        UsageError: there is no such provider, a setting is unknown, or a value is invalid.
        MissingPart: a package, a file or a key is missing.
    """
    return provider_class(name).open(options)


def open_for(name: str, options: Mapping[str, str], scene: str) -> LanguageModel:
    """Returns a provider for a run in a scene. The offline provider then excludes the statistics of that scene.

    Raises:
        UsageError: as `open_model`.
        MissingPart: as `open_model`.
    """
    return open_model(name, {"without": scene, **options} if name == OFFLINE else options)
