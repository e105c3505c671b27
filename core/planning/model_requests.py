"""A planner's question to a language model, and the answer: it yields an `Ask`, whoever drives it fetches the `Reply`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["system", "user", "assistant"]
Compare = Literal["no", "unsure", "all", "only"]
Misfit = Literal["", "free", "cut", "empty"]
OPEN = -1.0
"""A temperature that the planner leaves to the provider's settings; 0 where they say nothing."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Expects:
    """The form a reply should have: for constrained output where the server takes it, and for validation everywhere.

    Attributes:
        choices: the reply is one of these, word for word.
        pattern: the reply matches this regular expression (as a whole).
        schema: the reply is JSON of this JSON schema (canonical text).
    At most one of them is set; none means free text.
    """

    choices: tuple[str, ...] = ()
    pattern: str = ""
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question.

    Attributes:
        purpose: the prompt family: policy, object positions, goal … (one word or two, shown to the operator).
        subject: what this one is about, in a few words.
        messages: the prompt; what changes most stands last, so that servers can reuse the beginning.
        facts: the frozen value the prompt was built from (`core.planning.prompt_facts`), so that a provider of plain rules
            needs no parsing; None where only a language model could answer.
        samples: how many independent replies are wanted.
        temperature: of sampling; `OPEN` (or any other number below 0): as the provider's settings say, else 0.
        fresh: 0, or the round of resampling it belongs to: the same question asked anew has another key.
        compare: how alike each reply is to each of `expects.choices` is wanted too, where sentence embeddings are installed:
            of no reply, of those that are none of the choices word for word, or of all. It does not shape the reply. `only`:
            nobody is asked anything; wanted is how alike the words of the last message are to each choice.
        scores: ask for log-probabilities over `expects.choices` instead of samples, where the server gives them.
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
    compare: Compare = "no"

    @property
    def digest(self) -> str:
        """What the prompt itself is known by, whoever is asked and however often."""
        prompt = [self.purpose, *([m.role, m.content] for m in self.messages)]
        return hashlib.sha256(json.dumps(prompt, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def key(self, source: str) -> str:
        """What caches and replays know this question by: a digest of everything that shapes the reply, and who is asked."""
        expects = [list(self.expects.choices), self.expects.pattern, self.expects.schema]
        prompt = [[m.role, m.content] for m in self.messages]
        # An open temperature is either 0 or part of `source`, so the key treats it as 0.
        sampling = [self.samples, max(0.0, self.temperature), self.top_p, self.max_tokens, self.scores, self.fresh]
        value = [source, self.purpose, prompt, sampling, expects]
        return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        texts: one text a sample, as it came; may be empty or nonsense, planners must bear that.
        scores: (choice, log-probability) where they were asked for and given.
        alike: for each text its likeness to each of the question's choices (cosine, -1..1), where `Ask.compare` wants it and
            sentence embeddings are installed; else empty, for all or for one. Where only this is wanted, one row: the
            question's own likeness.
        source: who answered: a provider's name and model, such as `openai gpt-5`, `commonsense`, `human`.
        is_model: False for everything that is not a language model; shown on every row.
        cached: taken from the cache, at no cost.
        seconds: how long it took.
        tokens_in: prompt tokens, as reported or estimated.
        tokens_out: reply tokens.
        note: what was odd about it in plain words (cut off, constrained output refused by the server), or empty.
        misfit: how a text fails to have the form that `Ask.expects` describes: it is whole and in the model's own words, it is
            cut off, or it is empty. "" where all texts have it, or no form was expected.
        first_token: seconds until the first piece of a streamed reply came; 0 where it was not streamed.
        rate: tokens a second from then on; 0 where it was not streamed.
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
    alike: tuple[tuple[float, ...], ...] = ()
    misfit: Misfit = ""
    first_token: float = 0.0
    rate: float = 0.0
