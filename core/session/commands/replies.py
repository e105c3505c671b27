"""Commands about the language model and its replies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.llm.sources import Source
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.session.command import Command, MarkKind, S, Wording, shortened

if TYPE_CHECKING:
    from core.session.run import Run


@dataclass(frozen=True, slots=True)
class Answer(Command):
    """Answers a waiting model request with the operator's text.

    Attributes:
        ask: the number of the request.
    """

    icon = "user"
    is_intervention = is_final = True
    ask: int
    text: str

    def execute(self, run: Run) -> None:
        run.requests.answer(self.ask, self.text)

    def line(self, wording: Wording) -> str:
        return f"Operator answered call {self.ask}: {shortened(self.text)}"

    def title(self, wording: Wording) -> str:
        return f"Answer to call {self.ask}"


@dataclass(frozen=True, slots=True)
class GiveReply(Command):
    """Answers a model request with this reply whenever it is made on this branch from now on. The model is not asked.

    The reply that it received before is kept for the other branches.

    Attributes:
        call: the number of the call that made the request before.
        ask: the request, as the planner makes it.
        reply: the reply.
        prompt: the operator's prompt that the model answered with this reply; empty: the operator wrote the reply.
    """

    icon = "user"
    is_intervention = is_replayed = True
    call: int
    ask: ModelRequest
    reply: ModelReply
    prompt: tuple[Message, ...] = ()

    def execute(self, run: Run) -> None:
        run.requests.give(self.ask, self.reply)

    def mark(self) -> tuple[MarkKind, str]:
        return "edit", self.line(Wording())

    def line(self, wording: Wording) -> str:
        how = "the reply to the operator's prompt" if self.prompt else "the operator's reply"
        return f"Call {self.call} gets {how}: {shortened(' · '.join(self.reply.texts))}"


@dataclass(frozen=True, slots=True)
class AskAgain(Command):
    """Sends a waiting or failed model request again, bypassing every cache.

    Attributes:
        ask: the number of the request.
    """

    icon = "retry"
    log = "Asked call {0.ask} again"
    ask: int

    def execute(self, run: Run) -> None:
        run.requests.ask_again(self.ask)


@dataclass(frozen=True, slots=True)
class AskAside(Command):
    """Sends the operator's own request to the present model, beside the run. The planner never receives the reply."""

    log = "Asked with the operator's prompt: {0.question.purpose}"
    question: ModelRequest

    def execute(self, run: Run) -> None:
        run.requests.ask_aside(self.question)


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Tries again what failed."""

    resolves_failure = True

    def execute(self, run: Run) -> None:
        run.retry()


@dataclass(frozen=True, slots=True)
class UseModel(Command):
    """Lets another provider answer from now on.

    Attributes:
        name: the key of the provider in the session's `Setup.models`.
    """

    icon = "provider"
    is_final = resolves_failure = True
    log = "Provider: {0.name}"
    name: str

    def execute(self, run: Run) -> None:
        run.requests.use_model(self.name)

    def settings_after(self, settings: S) -> S:
        known = next((source for source in settings.sources if source.provider == self.name), Source(self.name))
        return replace(settings, sources=(*settings.sources, known))
