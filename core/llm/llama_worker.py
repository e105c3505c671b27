"""The process in which llama.cpp serves one model; started by `core.llm.local`, ends when its input is closed.

Its input is one line of JSON, `{"file", "context", "threads", "slots", "key", "plain"}`, so that the key is in no list of
processes. It writes `ready ADDRESS` once it serves. It ends with its parent process in any case.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from core.common.priority import lower_priority

READY = "ready "
PLAIN_TEMPLATE = "{% for message in messages %}{{ message.content }}{% if not loop.last %}\n\n{% endif %}{% endfor %}"
"""The prompt as it is, for models that continue texts. The marks of a chat format are plain text to them: they repeat them, or
end at once."""


def parameters(order: dict[str, Any], llama: Any) -> Any:
    """Returns llama.cpp's parameters: loopback only, any free port, no web pages, the given number of threads.

    Prompts that begin alike are evaluated from where they differ. Models with a sliding window (Gemma) drop what has left it,
    and would begin again at the first token: `swa_full` keeps it, at the cost of memory. `kv_unified` shares a prompt's cells
    among its samples, which are drawn together.
    """
    p = llama.CommonParams()
    p.model.path = order["file"]
    p.hostnames, p.port = ["127.0.0.1"], 0
    p.api_keys = [order["key"]]
    p.n_parallel, p.cache_ram_mib = order["slots"], 64
    p.n_ctx = order["context"] * order["slots"]  # shared by the slots
    p.swa_full = p.kv_unified = True
    p.kv_unified_per_slot = order["context"]
    if order["plain"]:
        p.chat_template = PLAIN_TEMPLATE
    p.cpuparams.n_threads = p.cpuparams_batch.n_threads = order["threads"]
    p.warmup = p.ui = False
    p.verbosity = 0
    return p


def serve() -> None:
    """Serves until the input is closed."""
    lower_priority()
    llama: Any = importlib.import_module("xllamacpp")
    server = llama.Server(parameters(json.loads(sys.stdin.readline()), llama))
    sys.stdout.write(f"{READY}{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    del server


if __name__ == "__main__":
    serve()
