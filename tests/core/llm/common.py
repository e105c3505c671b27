from __future__ import annotations

from typing import Any

from core.common.cancellation import Cancellation
from core.llm.cache import Cached
from core.llm.keys import Secret
from core.llm.openai_compatible import OpenAICompatible, Settings
from core.llm.stack import assembled
from core.planning.model_requests import Expects, Message, ModelRequest
from tests.loopback.chat_server import ChatServer

KEY = "sk-planted-0123456789"


def ask(text: str = "Say hello", **settings: Any) -> ModelRequest:
    return ModelRequest("policy", (Message("user", text),), **settings)


def choose(*choices: str, **settings: Any) -> ModelRequest:
    return ask("Which?", expects=Expects(choices=choices), **settings)


def provider_at(server: ChatServer | str, **settings: Any) -> OpenAICompatible:
    url = server if isinstance(server, str) else server.base_url
    values = {"base_url": url, "model": "m", "timeout": 20.0, "backoff": 0.0, **settings}
    return OpenAICompatible(Settings(**values), Secret(KEY))


def model_at(server: ChatServer | str, **settings: Any) -> Cached:
    """The provider with the layers around it."""
    return assembled(provider_at(server, **settings))


def never() -> Cancellation:
    return Cancellation()
