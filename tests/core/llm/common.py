from __future__ import annotations

import threading
from typing import Any

from core.llm.keys import Secret
from core.llm.openai_compatible import OpenAICompatible, Settings
from core.planning.model_requests import Expects, Message, ModelRequest
from tests.loopback.chat_server import ChatServer

KEY = "sk-planted-0123456789"


def ask(text: str = "Say hello", **settings: Any) -> ModelRequest:
    return ModelRequest("policy", (Message("user", text),), **settings)


def choose(*choices: str, **settings: Any) -> ModelRequest:
    return ask("Which?", expects=Expects(choices=choices), **settings)


def model_at(server: ChatServer | str, **settings: Any) -> OpenAICompatible:
    url = server if isinstance(server, str) else server.base_url
    values = {"base_url": url, "model": "m", "timeout": 20.0, "backoff": 0.0, **settings}
    return OpenAICompatible(Settings(**values), Secret(KEY))


def never() -> threading.Event:
    return threading.Event()
