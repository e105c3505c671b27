"""Model requests: a planner yields an `ModelRequest`; its caller fetches the `ModelReply` and sends it back.

Prompts are texts with `$fields` in `resources/prompts/<planner>/<name>.txt`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from string import Template
from typing import Literal

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.common.recorded import ADDED

Role = Literal["system", "user", "assistant"]
Compare = Literal["no", "unsure", "all", "only"]
Misfit = Literal["", "free", "cut", "empty"]
OPEN = -1.0
"""The temperature of a request that leaves it to the provider's settings; these default to 0."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Expects:
    """The required form of a reply. Servers that support it constrain their output to it; every reply is validated against it.

    At most one attribute is set. None set means free text.

    Attributes:
        choices: the reply is exactly one of these.
        pattern: the whole reply matches this regular expression.
        schema: the reply is JSON of this JSON schema (canonical text).
    """

    choices: tuple[str, ...] = ()
    pattern: str = ""
    schema: str = ""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a language model.

    Attributes:
        purpose: the prompt family: policy, object positions, goal … (one or two words, shown to the operator).
        messages: the prompt. The part that changes most often comes last, so that servers can reuse the cached beginning.
        subject: what this request is about, in a few words.
        facts: the frozen value the prompt was built from (`core.planning.prompt_facts`), so that rules can answer it without
            parsing the prompt; None if only a language model can answer.
        expects: the required form of the reply.
        samples: the number of independent samples.
        temperature: the sampling temperature. `OPEN` (or any negative number) means the provider's setting, else 0.
        top_p: nucleus sampling, 0..1.
        max_tokens: the maximum length of each sample.
        scores: True to request log-probabilities over `expects.choices` instead of samples, from servers that provide them.
        fresh: 0, or the number of the resampling round, which the session sets. It is part of the key, so that the same prompt
            gets a new reply.
        attempt: how many replies to this prompt the planner could not use. It is part of the key for the same reason.
        compare: for which texts the similarity to each of `comparable` is wanted, if sentence embeddings are installed:
            "no" text, "unsure": texts that are not exactly a choice, "all" texts. It does not affect the reply. "only": no
            model is called, and the result is the similarity of the last message to each choice.
        against: the phrases that free texts are compared with. The reply is not constrained to them, and the prompt need not
            name them. Empty: `expects.choices`.
        ends: texts with which something begins that is no part of the reply, such as the next question of a prompt made of
            questions and answers. Base models go on with it; their replies end there.
    """

    purpose: str
    messages: tuple[Message, ...]
    subject: str = ""
    facts: object = None
    expects: Expects = field(default_factory=Expects)
    samples: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 256
    scores: bool = False
    fresh: int = 0
    compare: Compare = field(default="no", metadata=ADDED)
    against: tuple[str, ...] = field(default=(), metadata=ADDED)
    attempt: int = field(default=0, metadata=ADDED)
    ends: tuple[str, ...] = field(default=(), metadata=ADDED)

    @property
    def comparable(self) -> tuple[str, ...]:
        """The phrases that the similarity of texts is computed to."""
        return self.against or self.expects.choices

    @property
    def digest(self) -> str:
        """A digest of the prompt alone, independent of the model and the sampling."""
        prompt = [self.purpose, *([m.role, m.content] for m in self.messages)]
        return hashlib.sha256(json.dumps(prompt, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def key(self, source: str) -> str:
        """Returns the key of this request in caches and replays: a digest of everything that affects the reply.

        Args:
            source: the provider and model, with the settings that affect a reply.
        """
        expects = [list(self.expects.choices), self.expects.pattern, self.expects.schema]
        prompt = [[m.role, m.content] for m in self.messages]
        # An open temperature is either 0 or part of `source`, so the key uses 0.
        sampling = [self.samples, max(0.0, self.temperature), self.top_p, self.max_tokens, self.scores, self.fresh]
        value = [source, self.purpose, prompt, sampling, expects]
        if self.against:  # a cached reply holds its similarities to them
            value.append(list(self.against))
        if self.attempt or self.ends:
            value.append([self.attempt, *self.ends])
        return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply to a model request.

    Attributes:
        texts: one text for each sample, unmodified. They may be empty or meaningless; planners must handle that.
        source: the provider and model, such as `openai gpt-5`, `commonsense`, `human`.
        scores: (choice, log-probability), if they were requested and provided.
        is_model: False if the source is no language model; the UI shows this on every row.
        cached: True if it came from the cache, at no cost.
        seconds: the duration of the call.
        tokens_in: prompt tokens, as reported or estimated.
        tokens_out: reply tokens, as reported or estimated.
        note: a remark about the reply (cut off, constrained output refused by the server), or empty.
        alike: (texts, phrases) cosine similarity of each text to each of `ModelRequest.comparable`, -1..1, if
            `ModelRequest.compare` wants it and sentence embeddings are installed; else empty, for all texts or for one. With
            `compare="only"`: one row for the request itself.
        misfit: how a text violates `ModelRequest.expects`: "free" (complete, but in the model's own words), "cut" (cut off,
            even if no form was required), "empty" (or a refusal). "" if all texts conform.
        first_token: seconds until the first piece of a streamed reply; 0 if it was not streamed.
        rate: tokens per second after the first piece; 0 if it was not streamed.
    """

    texts: tuple[str, ...]
    source: str
    scores: tuple[tuple[str, float], ...] = ()
    is_model: bool = True
    cached: bool = False
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    note: str = ""
    alike: tuple[tuple[float, ...], ...] = field(default=(), metadata=ADDED)
    misfit: Misfit = field(default="", metadata=ADDED)
    first_token: float = field(default=0.0, metadata=ADDED)
    rate: float = field(default=0.0, metadata=ADDED)


PROMPTS = RESOURCES / "prompts"


@lru_cache(64)
def _template(planner: str, name: str) -> Template:
    path = PROMPTS / planner / f"{name}.txt"
    try:
        return Template(path.read_text(encoding="utf-8").rstrip("\n"))
    except OSError as error:
        raise DataError(f"the prompt {path} cannot be read: {error.strerror}") from error


def prompt(planner: str, name: str, **fields: str) -> tuple[Message, ...]:
    """Returns a filled prompt as one user message.

    Raises:
        DataError: the file does not exist, or it has a field that is not given.
    """
    return (Message("user", prompt_text(planner, name, **fields)),)


def prompt_text(planner: str, name: str, **fields: str) -> str:
    """Returns the text of a filled prompt, or of a part of one.

    Raises:
        DataError: the file does not exist, or it has a field that is not given.
    """
    try:
        return _template(planner, name).substitute(fields)
    except (KeyError, ValueError) as error:
        raise DataError(f"the prompt {planner}/{name}.txt has a field that nothing fills: {error}") from error
