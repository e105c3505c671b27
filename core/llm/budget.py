"""Limits on calls, tokens and cost, and counters that any thread may read while calls are in progress."""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar

from core.common.cancellation import Cancellation
from core.common.errors import ModelError, UsageError
from core.common.parameters import whole_number
from core.llm.model import LanguageModel, Wrapper, prompt_tokens
from core.planning.model_requests import ModelReply, ModelRequest

ANY = "*"


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum total use; None: no limit. Cost is in the currency of the prices."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if any(value is not None and not value >= 0 for value in (self.calls, self.tokens, self.cost)):
            raise UsageError("limits must be numbers from 0 on")


def read_limits(given: Mapping[str, str]) -> Limits:
    """Parses limits given as text.

    Raises:
        UsageError: a name is unknown, or a value is not a number of at least 0.
    """
    unknown = [name for name in given if name not in ("calls", "tokens", "cost")]
    if unknown:
        raise UsageError(f"there is no limit of '{unknown[0]}': give calls, tokens or cost")
    try:
        whole = {name: whole_number(given[name]) for name in ("calls", "tokens") if name in given}
        cost = float(given["cost"]) if "cost" in given else None
    except (ValueError, UsageError) as error:
        raise UsageError(f"limits: {error}; write whole numbers of calls and tokens, such as calls=200") from error
    return Limits(whole.get("calls"), whole.get("tokens"), cost)


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Returns the cost of the given numbers of tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


FREE = Price(0.0, 0.0)


def price_of(prices: Mapping[str, Price], source: str) -> Price | None:
    """Returns the price of a source such as `openai gpt-5`: that of one of its words, or of any model; or None."""
    return next((prices[word] for word in source.split() if word in prices), prices.get(ANY))


def read_prices(text: str) -> dict[str, Price]:
    """Parses a price table: `gpt-5=1.25/10, *=0/0` is model = price in / price out per million tokens; `*` is any other model.

    Raises:
        UsageError: the text is no such table.
    """
    prices = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        model, _, amounts = entry.partition("=")
        try:
            price = Price(*(float(amount) for amount in amounts.split("/")))
        except (TypeError, ValueError):
            price = Price(math.nan, math.nan)
        if not model.strip() or not (0 <= price.tokens_in < math.inf and 0 <= price.tokens_out < math.inf):
            raise UsageError(f"prices: '{entry}' should read MODEL=IN/OUT, such as my-model=0.5/1.5 per million tokens")
        prices[model.strip()] = price
    return prices


@dataclass(frozen=True, slots=True)
class Spent:
    """The use so far.

    Attributes:
        calls: requests sent to a model, including failed ones.
        failed: the requests that got no reply.
        under_way: the requests waiting for a reply.
        tokens_in: prompt tokens.
        tokens_out: reply tokens.
        cost: in the currency of the prices; tokens of models without a price count as free.
        seconds: the total waiting time.
    """

    calls: int = 0
    failed: int = 0
    under_way: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and reply tokens together."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True, slots=True)
class Reservation:
    """A call in progress that a budget has allowed.

    Attributes:
        tokens: the estimated tokens of the prompt.
        price: the price of the model; 0 if it is unknown.
    """

    tokens: int
    price: Price

    @property
    def cost(self) -> float:
        """The cost of the prompt alone."""
        return self.price.of(self.tokens, 0)


class Meter(ABC):
    """Counts calls and may refuse them: a budget, or a proxy of one in another process."""

    @abstractmethod
    def call(self, ask: ModelRequest, source: str, *, is_model: bool) -> AbstractContextManager[list[ModelReply]]:
        """Counts one call. The caller appends the reply to the list.

        Raises:
            ModelError: a limit is reached.
        """


class Budget(Meter):
    """Counters with limits; several providers may share one. Thread-safe.

    Args:
        limits: default: none.
        prices: by model name, `*` for any other.
        spent: earlier use; default: none.
    """

    def __init__(self, limits: Limits | None = None, prices: Mapping[str, Price] | None = None, spent: Spent | None = None):
        self._lock = threading.Lock()
        self._limits = limits or Limits()
        self._prices = dict(prices or {})
        self._spent = spent or Spent()
        self._expected_tokens, self._expected_cost = 0, 0.0  # of the prompts in progress

    @property
    def prices(self) -> Mapping[str, Price]:
        """The prices by model name; they never change."""
        return self._prices

    @property
    def limits(self) -> Limits:
        """The current limits."""
        with self._lock:
            return self._limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        with self._lock:
            self._limits = limits

    @property
    def spent(self) -> Spent:
        """The use so far."""
        with self._lock:
            return self._spent

    def price(self, source: str) -> Price | None:
        """Returns the price of a source such as `openai gpt-5`: that of one of its words, or of any model; or None."""
        return price_of(self._prices, source)

    @contextmanager
    def call(self, ask: ModelRequest, source: str, *, is_model: bool) -> Iterator[list[ModelReply]]:
        """Counts one call. The caller appends the reply to the list.

        A prompt that exceeds a limit by itself is not sent. The length of a reply is not known in advance, so the last call may
        exceed a limit by its reply.

        Raises:
            ModelError: a limit is reached.
        """
        reservation = self.reserve(prompt_tokens(ask) if is_model else 0, source, is_model=is_model)
        replies: list[ModelReply] = []
        try:
            yield replies
        finally:
            self.settle(reservation, replies)

    def reserve(self, tokens: int, source: str, *, is_model: bool = True) -> Reservation:
        """Allows one call with a prompt of the given size. `settle` must follow.

        Raises:
            ModelError: a limit is reached.
        """
        price = self.price(source) or (None if is_model else FREE)
        reservation = Reservation(tokens, price or FREE)
        with self._lock:
            self._check(tokens, reservation.cost, priced=price is not None, source=source)
            self._spent = replace(self._spent, calls=self._spent.calls + 1, under_way=self._spent.under_way + 1)
            self._expected_tokens += tokens
            self._expected_cost += reservation.cost
        return reservation

    def settle(self, reservation: Reservation, replies: Sequence[ModelReply], *, is_lost: bool = False) -> None:
        """Records the end of a call: with its reply, or without one as failed. Of a lost one, the prompt counts as used."""
        with self._lock:
            self._expected_tokens -= reservation.tokens
            self._expected_cost -= reservation.cost
            spent = _counted(self._spent, replies, reservation.price)
            if is_lost:
                spent = replace(spent, tokens_in=spent.tokens_in + reservation.tokens, cost=spent.cost + reservation.cost)
            self._spent = spent

    def _check(self, tokens: int, cost: float, *, priced: bool, source: str) -> None:
        limits, spent = self._limits, self._spent
        if limits.calls is not None and spent.calls >= limits.calls:
            raise _used_up(f"{spent.calls} of {limits.calls} calls are made")
        if limits.tokens is not None and (spent.tokens >= limits.tokens
                                          or spent.tokens + self._expected_tokens + tokens > limits.tokens):
            raise _used_up(f"{spent.tokens} of {limits.tokens} tokens are used, and the next prompt needs about {tokens}")
        if limits.cost is not None and not priced:
            raise _used_up(f"there is a limit of cost but no price of {source}; give prices=MODEL=IN/OUT")
        if limits.cost is not None and priced and cost + spent.cost + self._expected_cost > limits.cost:
            needed = cost + self._expected_cost
            raise _used_up(f"{spent.cost:.4g} of {limits.cost:g} are spent, and the prompts under way and the next one need "
                           f"about {needed:.2g}")


def _used_up(words: str) -> ModelError:
    return ModelError(f"the budget is used up: {words}; raise the limit to go on", "budget", retry=False)


def _counted(spent: Spent, replies: Sequence[ModelReply], price: Price) -> Spent:
    used = replace(spent, under_way=spent.under_way - 1, failed=spent.failed + (not replies))
    for reply in replies:
        used = replace(used, tokens_in=used.tokens_in + reply.tokens_in, tokens_out=used.tokens_out + reply.tokens_out,
                       cost=used.cost + price.of(reply.tokens_in, reply.tokens_out), seconds=used.seconds + reply.seconds)
    return used


class Budgeted(Wrapper):
    """A layer that counts the calls, and makes none beyond a limit."""

    name: ClassVar[str] = "budgeted"

    def __init__(self, model: LanguageModel, budget: Meter):
        super().__init__(model)
        self._budget = budget

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class. Raises ModelError of kind `budget` if a limit is reached."""
        with self._budget.call(ask, self._provider.source, is_model=self._provider.is_model) as replies:
            reply = self.model.answer(ask, cancelled)
            replies.append(reply)
        return reply
