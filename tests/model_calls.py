"""Follows a model call from the session to the provider's socket: through which functions, and in how many threads.

`python -m tests.model_calls` prints it; `tests/test_model_calls.py` holds the counts.
"""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

from core.llm.budget import Budget
from core.llm.cache import ReplyCache
from core.llm.embeddings import Vectors
from core.llm.stack import assembled
from core.session.events import Asked
from tests.core.llm.common import provider_at
from tests.core.session.toys import session
from tests.loopback.chat_server import Json, Sent, completion, serving
from tests.waiting import until

ROOT = Path(__file__).parent.parent
WAITS = frozenset({"wait", "wait_for", "wait_with", "acquire", "get", "join"})
"""Methods that can wait for a time. Of `get` and others of that name, only those with a timeout do."""


@dataclass(frozen=True)
class Way:
    """What a call passes while the provider's server has its request.

    Attributes:
        functions: the functions of core that wait for the socket, the outermost first, with their modules.
        threads: the threads at work for all calls under way.
        calls: the calls under way.
    """

    functions: tuple[str, ...]
    threads: int
    calls: int


class _Letters:
    """Sentence embeddings that need no model."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.ones((len(texts), 1), np.float32)


def way() -> Way:
    """Returns the way of a call through all layers, from the thread that the session starts for it to the socket."""
    found: list[Way] = []
    asked: list[Asked] = []

    def script(body: Json) -> Sent:
        until(lambda: any(_is_reading(stack) for stack in _stacks()))
        if not found:
            stacks = list(_stacks())
            longest = max(filter(_is_reading, stacks), key=len)
            found.append(Way(tuple(longest), len(stacks), len(asked)))
        return completion("right")

    with serving(script) as server:
        model = assembled(provider_at(server), ReplyCache(), Budget(), _Letters())
        run, ear = session(model=model, steps=1)
        ear.session.subscribe(lambda event: asked.append(event.what) if isinstance(event.what, Asked) else None)
        run.run()
        model.close()
    return found[0]


def _stacks() -> Iterator[list[str]]:
    """Yields the functions of core on the stack of each thread that works for a model call, the outermost first."""
    for top in sys._current_frames().values():
        ours = functions_of(top)
        if any(name.startswith("core.llm") for name in ours):
            yield ours


def functions_of(top: FrameType) -> list[str]:
    """Returns the functions of core on the stack of a frame, the outermost first, with their modules."""
    frames = [frame for frame, _ in traceback.walk_stack(top)]
    return [f"{_module(frame)}.{frame.f_code.co_qualname}" for frame in reversed(frames) if _module(frame)]


def _module(frame: FrameType) -> str:
    """Returns the module of a frame; empty if it is none of core."""
    path = Path(frame.f_code.co_filename)
    inside = path.is_relative_to(ROOT / "core")
    return ".".join(path.relative_to(ROOT).with_suffix("").parts) if inside else ""


def _is_reading(stack: list[str]) -> bool:
    return stack[-1].endswith("_Stream.read")


def polled_waits(paths: Iterable[Path] | None = None) -> list[str]:
    """Returns the waits for a fixed time within a loop, which look again and again whether something has happened.

    Args:
        paths: the modules; default: those that a model call passes.
    """
    found = []
    for path in paths or _modules():
        for loop in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(loop, ast.While | ast.For):
                found += [f"{path.stem}: {ast.unparse(node)}" for node in ast.walk(loop)
                          if isinstance(node, ast.Call) and _is_fixed_wait(node)]
    return found


def _modules() -> Iterator[Path]:
    yield from (ROOT / "core" / "llm").rglob("*.py")
    yield ROOT / "core" / "common" / "cancellation.py"
    yield ROOT / "core" / "session" / "requests.py"


def _is_fixed_wait(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    times = [keyword.value for keyword in call.keywords if keyword.arg == "timeout"]
    times += call.args[-1:] if name.startswith("wait") else []
    is_fixed = any(isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper())
                   for time in times for node in ast.walk(time))
    return name == "sleep" or (name in WAITS and is_fixed)


def main() -> int:
    """Prints the way of a call, and the polled waits."""
    found = way()
    print(f"{len(found.functions)} functions to the socket", *found.functions, sep="\n  ")
    print(f"{found.threads} threads for {found.calls} calls")
    print("polled waits", polled_waits())
    return 0


if __name__ == "__main__":
    sys.exit(main())
