"""A model in a GGUF file, served by llama.cpp in a child process."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import mmap
import os
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, ClassVar, Protocol, Self

from core.common import child_python
from core.common.cancellation import Cancellation, any_of
from core.common.errors import MissingPart, ModelError, UsageError
from core.common.installation import needs
from core.common.parameters import Parameters, changed, parameter
from core.common.user_folders import expanded
from core.llm import openai_compatible
from core.llm.dialect import llama_dialect
from core.llm.keys import Secret
from core.llm.llama_worker import READY
from core.llm.model import LanguageModel
from core.llm.request_settings import EXAMPLE, read_extra_body
from core.llm.server_errors import Trouble, cancelled_error, shortened
from core.planning.model_requests import ModelReply, ModelRequest

END_PATIENCE = 3.0  # seconds for the process to exit after its input is closed
DIGEST_BYTES = 2**16
TEMPLATE_KEY, DESCRIPTION_BYTES = b"tokenizer.chat_template", 2**26
"""The name of the chat template in a GGUF file, and where its description, with all tokens, ends at the latest."""
NO_TEMPLATE = "the model's file has no chat template, like those of base models: the model continued the prompt as plain text"


@dataclass(frozen=True)
class Settings(Parameters):
    """The model's file and the resources it may use."""

    file: str = parameter("", "the model, a .gguf file")
    context: int = parameter(4096, "the longest prompt and reply together", low=256, high=2**20, unit="tokens")
    threads: int = parameter(1, "threads that compute; more than there are free cores makes it much slower", low=1, high=256)
    timeout: float = parameter(300.0, "for one reply", low=0.01, high=86_400, unit="s")
    temperature: float = parameter(-1.0, "for questions whose planner leaves it open; -1 stands for 0, the likeliest reply",
                                   low=-1, high=2)
    max_tokens: int = parameter(0, "longest reply, in place of the planner's limit; more for models that think first; 0: as "
                                   "the planner asks", low=0, high=1_000_000, unit="tokens")
    extra_body: str = parameter("", f"further fields of each request, as a JSON object such as {EXAMPLE}")
    slots: int = parameter(1, "questions under way at once, and samples of one question drawn together, each with memory for a "
                              "context", low=1, high=64)
    stream: bool = parameter(True, "show replies while they come")
    load_timeout: float = parameter(300.0, "for loading the model", low=0.01, high=86_400, unit="s")


class LlamaProcess:
    """The llama.cpp process of one model. Raises OSError if the system cannot start it."""

    def __init__(self, settings: Settings, module: str = "core.llm.llama_worker"):
        self.secret = Secret(secrets.token_urlsafe(24))
        self.address = ""
        self.ready = threading.Event()
        self._changed = threading.Condition()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self.process = subprocess.Popen(
            child_python.command(module), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            env=child_python.environment(), process_group=0)
        order = {"file": settings.file, "context": settings.context, "threads": settings.threads, "slots": settings.slots,
                 "key": self.secret.reveal(), "plain": not has_chat_template(Path(settings.file))}
        self._listener = threading.Thread(target=self._listen, name="local model", daemon=True)
        self._listener.start()
        with contextlib.suppress(BrokenPipeError):  # the process died at once; `last_words` gives the reason
            self._input.write(json.dumps(order).encode() + b"\n")
            self._input.flush()

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def wait_until_ready(self, cancelled: Cancellation, timeout: float) -> None:
        """Waits until it is ready or has ended, for at most `timeout` seconds."""
        with self._changed:
            cancelled.wait_with(self._changed, lambda: self.ready.is_set() or self.ended, timeout)

    def last_words(self) -> str:
        """Returns why it ended, from its last output."""
        self._errors.flush()
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 4096))
        lines = self._errors.read().decode(errors="replace").split("\n")
        said = next((line for line in reversed(lines) if line.strip()), "it said nothing")
        return f"exit code {self.process.poll()}, {shortened(self.secret.removed_from(said))}"

    def close(self) -> None:
        """Ends the process, by force if necessary."""
        with contextlib.suppress(BrokenPipeError):  # already ended
            self._input.close()
        try:
            self.process.wait(END_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join()
        self._errors.close()

    @property
    def _input(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:  # reads llama.cpp's own output as well, so that the pipe does not fill up
                text = line.decode(errors="replace").strip()
                if text.startswith(READY) and not self.ready.is_set():
                    self.address = text.removeprefix(READY)
                    self.ready.set()
                    self._notify()
        self.process.wait()  # its output has ended, so it ends
        self._notify()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()


class ModelProcess(Protocol):
    """What `Local` needs of a process that serves a model: its own, or one shared by several programs."""

    secret: Secret
    address: str
    ready: threading.Event

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        ...

    def wait_until_ready(self, cancelled: Cancellation, timeout: float) -> None:
        """Waits until it is ready or has ended, for at most `timeout` seconds. Returns at once when cancelled."""
        ...

    def last_words(self) -> str:
        """Returns why it ended, from its last output."""
        ...

    def close(self) -> None:
        """Ends the process, or releases it if it is shared."""
        ...


class Local(LanguageModel):
    """A local model. Its process starts with the first request and ends with `close` or with this program.

    Args:
        settings: the model and its resources.
        start: starts the process, or returns a shared one; raises OSError if there is none.
    """

    name: ClassVar[str] = "local"
    notes: ClassVar[str] = "a GGUF file through llama.cpp (extra local-llm)"
    needs_settings: ClassVar[bool] = True
    settings: ClassVar[Parameters] = Settings()

    def __init__(self, settings: Settings, start: Callable[[Settings], ModelProcess] | None = None):
        self._settings, self._start = settings, start or LlamaProcess
        path = Path(settings.file)
        self._is_base = not has_chat_template(path)
        self._model_name = f"local {path.stem} #{_digest(path)}" + (" plain text" if self._is_base else "")
        self._server_settings = openai_compatible.Settings(
            model="local", timeout=settings.timeout, temperature=settings.temperature, max_tokens=settings.max_tokens,
            extra_body=settings.extra_body, slots=settings.slots, stream=settings.stream)
        self._changed = threading.Condition()
        self._is_loading = False
        """Whether a request loads the model, or waits for that. Others wait for it."""
        self._closed = Cancellation()
        self._process: ModelProcess | None = None
        self._model: openai_compatible.OpenAICompatible | None = None

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; the settings are those of `Settings`."""
        return cls(cls.checked_settings(options))

    @staticmethod
    def checked_settings(options: Mapping[str, str]) -> Settings:
        """Returns the given settings with the file's absolute path.

        Raises:
            UsageError: as `open`.
            MissingPart: as `open`.
        """
        settings = changed(Settings(), options)
        read_extra_body(settings.extra_body)
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingPart(needs("provider 'local'", ["the package 'xllamacpp'"], "local-llm"))
        if not settings.file:
            raise UsageError("which model? Give file=…, a .gguf file")
        path = expanded(settings.file).resolve()
        if not path.is_file():
            raise MissingPart(f"there is no model file at {path}")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UsageError(f"{path.name} is no GGUF file; llama.cpp reads no other")
        return changed(settings, {"file": str(path)})

    @property
    def source(self) -> str:
        """`local`, the file's name and a digest of it, since two models may share a name.

        Then whether the prompt is sent as plain text, and the settings that affect replies.
        """
        return self._model_name + self._server_settings.request.label

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class. The first request waits until the model is loaded."""
        process, model = self._loaded(cancelled)
        try:
            reply = model.answer(ask, cancelled)
            return replace(reply, note="; ".join(filter(None, (reply.note, NO_TEMPLATE if self._is_base else ""))))
        except ModelError as error:
            if isinstance(error, Trouble) and error.too_long:
                raise ModelError(f"the prompt is too long for the {self._settings.context:,} tokens that the model was given: "
                                 f"give it more, context=NUMBER ({error.detail})", error.kind, retry=False) from error
            if error.kind != "down" or not process.ended:
                raise
            words = process.last_words()
        raise ModelError(f"the local model's process ended ({words})", "down", retry=True)

    def constrained_by(self, ask: ModelRequest) -> str:
        """See the base class; known once the model is loaded."""
        with self._changed:
            return "" if self._model is None else self._model.constrained_by(ask)

    def serves(self, address: str) -> bool:
        """Returns True if its running process has this address. An ended process is replaced by the next request."""
        with self._changed:
            return self._process is not None and not self._process.ended and self._process.address == address

    def serving(self, cancelled: Cancellation) -> tuple[str, Secret]:
        """Returns the model's local address and its key, for other processes of this program.

        Raises:
            ModelError: the model cannot be loaded, or `cancelled` is set.
        """
        process, _ = self._loaded(cancelled)
        return process.address, process.secret

    def _loaded(self, cancelled: Cancellation) -> tuple[ModelProcess, openai_compatible.OpenAICompatible]:
        """Returns the loaded process and its client."""
        with any_of(cancelled, self._closed) as over, self._loading(over):
            process = self._running()
            process.wait_until_ready(over, self._settings.load_timeout)
            if process.ready.is_set():
                return process, self._client_of(process)
            if process.ended:
                raise ModelError(f"the model could not be loaded ({process.last_words()})", "down", retry=False)
            if over.is_set():  # loading continues: the next request will need the model
                raise cancelled_error()
            raise ModelError(f"the model was not loaded within {self._settings.load_timeout:g} s", "timeout", retry=True)

    @contextlib.contextmanager
    def _loading(self, over: Cancellation) -> Iterator[None]:
        """Context of the one request that may load the model. The others wait for it."""
        with self._changed:
            over.wait_with(self._changed, lambda: not self._is_loading)
            if over.is_set():
                raise cancelled_error()
            self._is_loading = True
        try:
            yield
        finally:
            with self._changed:
                self._is_loading = False
                self._changed.notify_all()

    def close(self) -> None:
        """Ends the process."""
        self._closed.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._is_loading)
            model, self._model = self._model, None
            process, self._process = self._process, None
        if model is not None:
            model.close()
        if process is not None:
            process.close()

    def _client_of(self, process: ModelProcess) -> openai_compatible.OpenAICompatible:
        if self._model is None:
            settings = replace(self._server_settings, base_url=f"{process.address}/v1")
            self._model = openai_compatible.OpenAICompatible(settings, process.secret, self._model_name,
                                                             llama_dialect(self._settings.slots, continues=self._is_base))
        return self._model

    def _running(self) -> ModelProcess:
        """Returns the process, restarted if it has ended."""
        if self._process is not None and self._process.ended:
            if self._model is not None:
                self._model.close()
            self._process.close()
            self._process = self._model = None
        if self._process is None:
            try:
                self._process = self._start(self._settings)
            except OSError as error:
                raise ModelError(f"the local model's process could not be started: {error}", "down", retry=False) from error
        return self._process


def _digest(path: Path) -> str:
    """Returns a digest of the size and the first bytes, which contain the model's description.

    Reading gigabytes is unnecessary.
    """
    with path.open("rb") as file:
        head = file.read(DIGEST_BYTES)
    return hashlib.sha256(head + str(path.stat().st_size).encode()).hexdigest()[:8]


def has_chat_template(path: Path) -> bool:
    """Returns True if the description at the file's beginning names a chat template. The files of base models have none."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(TEMPLATE_KEY, 0, DESCRIPTION_BYTES) >= 0
