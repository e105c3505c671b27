"""What a companion planner shows: a second planner that thinks about the same observations as the first and never acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from core.planning.facets import Facet
from core.planning.model_requests import ModelReply, ModelRequest
from core.views import values as views
from core.world.vocabulary import Action, in_words

F = TypeVar("F", bound=Facet)


@dataclass(frozen=True, slots=True)
class CompanionCall:
    """A model request of the companion, and its reply."""

    ask: ModelRequest
    reply: ModelReply


@dataclass(frozen=True, slots=True)
class CompanionDecision(Facet):
    """What the companion would do in a turn. The driving planner has chosen before the companion begins to think.

    Attributes:
        planner: the companion, as `planner[:preset][+name=value …]`.
        action: the action it would choose; None: it sees nothing left to do, or `trouble` says why it has no decision.
        because: its reason.
        driving: the action that the driving planner chose; None: it gives up.
        facets: the newest facet of each kind that it showed in this turn.
        calls: its model requests in this turn, in the order of their replies. The run's own calls do not contain them.
        trouble: why it could not decide; empty if it decided.
    """

    facet_title = "companion"

    planner: str
    action: Action | None
    because: str
    driving: Action | None
    facets: tuple[Facet, ...] = ()
    calls: tuple[CompanionCall, ...] = ()
    trouble: str = ""

    @property
    def agrees(self) -> bool:
        """True if it would do the same. A companion that could not decide does not disagree."""
        return bool(self.trouble) or self.action == self.driving

    @property
    def spent(self) -> tuple[int, int, int]:
        """The number of calls that reached its model, and the tokens in and out."""
        sent = [call.reply for call in self.calls if not call.reply.cached and call.ask.compare != "only"]
        return len(sent), sum(reply.tokens_in for reply in sent), sum(reply.tokens_out for reply in sent)

    def view(self) -> views.Table:
        """Returns both decisions, and what the companion's cost."""
        def row(name: str, action: Action | None) -> views.Item:
            words = None if action is None else in_words(action)
            return views.Item(name, name, (words,), (), views.About(() if action is None else action.args, action))

        rows = (row("driving planner", self.driving), row("companion", self.action),
                views.Item("because", "because", (self.trouble or self.because,)),
                views.Item("calls", "calls", (self.spent[0],)))
        return views.Table(rows, (views.Column("decision"),), headline=self.planner)

    def facet(self, kind: type[F]) -> F | None:
        """Returns the facet of a kind that it showed in this turn; None if it showed none."""
        return next((facet for facet in self.facets if isinstance(facet, kind)), None)
