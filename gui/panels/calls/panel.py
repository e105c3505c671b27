"""The panel of model calls: the painted list, newest first, and the details of the open call."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Hashable, Sequence
from functools import partial
from typing import ClassVar, cast, overload

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from core.planning.model_requests import ModelRequest
from core.session.commands import Answer, AskAgain, AskAside, Retry, Rewind, UseModel
from core.session.given_replies import edited_reply, prompted_reply
from core.session.snapshot import Snapshot
from core.session.turns import Call
from core.views.values import Column, Item, Table, Tree
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import asks_operator, waiting_words
from gui.panels.base import Offer, Panel
from gui.panels.calls.call_list import (
    COLUMNS,
    NEWEST,
    WAITING,
    WIDEST,
    CallList,
    Coming,
    Groundings,
    call_item,
    calls_of_latest_turn,
    is_tagged,
    usual_seconds,
)
from gui.panels.calls.detail import READ_LINES, CallDetail
from gui.panels.calls.dialogs import AskDialog, ReplyDialog
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.item_rows import ItemRows, ItemsView
from gui.views.outline import Outline
from gui.widgets import CardState, Line, StateAction, StateCard, tool_action
from gui.widgets import numbers as say
from gui.widgets.search import FindField, SearchStrip

MOST_OTHERS = 2
"""Number of other open questions that stay in view while a person answers one."""
WAITING_MS = 200
"""Milliseconds between updates of a pending call's waiting time."""
SLOW = 0.6
"""Seconds. A call that has been pending longer is opened automatically."""


class CallsPanel(Panel):
    """Lists the model calls, newest first. A click opens one.

    If a model fails, a card at the top says so and offers what can be done.
    """

    name: ClassVar[str] = "calls"
    title: ClassVar[str] = "LLM calls"
    icon: ClassVar[str] = "model"

    def __init__(self, context: Context):
        super().__init__(context)
        theme = context.theme
        self._snapshot, self._calls = Snapshot(), CallList()
        self._failure: object = None
        self._open = -1
        """The number of the open call, or -1."""
        self._by_hand = False
        self._expecting: int | None = None
        """The number of answered calls when the operator asked a question of their own, or None.

        That call is opened as soon as it is listed.
        """
        self._asked_for: dict[str, int] = {}
        """For each prompt of the operator, by its digest, the number of the planner's call that it was made from."""
        self._to_use = ""
        """The digest of the operator's prompt whose reply is used in a fork as soon as it arrives; or empty."""
        self._first_seen: dict[int, float] = {}
        self._mention: dict[int, bool] = {}
        self._groundings = Groundings()
        self.view = ItemsView(theme, lambda theme, owner: CallRows(theme, owner, self._calls, self._item, self._mentions))
        self.view.named = self._named
        assert isinstance(self.view.rows, CallRows)
        self.rows = self.view.rows
        self.detail = CallDetail(theme, self.rows.viewport())
        self.detail.hide()
        self.failed = StateCard(theme)
        self.failed.hide()
        self.search = FindField("Search prompts and replies")
        self._found = Line(theme, "", "small", "muted", shrinks=False)
        self._strip = SearchStrip(theme, self.search, self.rows, self._found)
        self._find = tool_action(self, theme, "Search calls", "search", lambda: self._strip.toggle(), key="Ctrl+F")
        self._answering = tool_action(self, theme, "Answer the waiting call", "user", self._answer_waiting, key="A")
        self._clock, self._looker = QTimer(self), QTimer(self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        theme = self.context.theme
        inside = QWidget()
        vbox(theme, self.failed, self._strip, (self.view, 1), on=inside, spacing=0, margins=FLUSH)
        empty = self.nothing(
            "model", "calls", "Every question to the model is kept here with its prompt, reply and cost.",
            lambda snapshot: f"No model was asked up to turn {snapshot.turn}.")
        self._pages = self.stack(empty, inside)

    def _connect(self) -> None:
        self._clock.setInterval(WAITING_MS)
        self._clock.timeout.connect(self._tick)
        self._looker.setInterval(0)
        self._looker.timeout.connect(self._look_on)
        self.rows.chosen.connect(self._choose)
        self.rows.resized.connect(self._show_open)
        self.rows.verticalScrollBar().valueChanged.connect(lambda _: self._place_detail())
        self.rows.on_key(Qt.Key.Key_A, self._answer_waiting)
        self.search.textChanged.connect(self._search)
        self.detail.asked_again.connect(lambda number: self.context.post(AskAgain(number)))
        self.detail.went_back.connect(self._go_back)
        self.detail.edited.connect(self.edit_call)
        self.detail.asked_other_reply.connect(self.edit_reply)
        self.detail.used.connect(self._use_own)
        self.context.newest_changed.connect(self._use_when_answered)
        self.detail.answered.connect(lambda number, text: self.context.post(Answer(number, text)))
        self.context.selection.changed.connect(self._follow)
        self.context.live_changed.connect(lambda _: self._show_open())

    # --- display -----------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's calls."""
        paced = _at_rest(snapshot) != _at_rest(self._snapshot)
        if snapshot.began is not self._snapshot.began:  # another run: the open call belongs to the old one
            self._open, self._by_hand, self._expecting = -1, False, None
            self._asked_for, self._to_use = {}, ""
            self._mention.clear()
        self._snapshot = snapshot
        now = time.monotonic()
        self._first_seen = {call.id: self._first_seen.get(call.id, now) for call in (*snapshot.waiting, *snapshot.aside)}
        changed = self._calls.take(snapshot) | self._groundings.read(snapshot)
        if self._calls.behind or self._groundings.behind:
            self._looker.start()
        if changed or paced or snapshot.failure is not self._failure:
            self._draw()

    def _named(self, subject: str) -> str:
        """Returns the subject of a call with display names instead of ids."""
        return self.context.names.of(self._snapshot).with_names(subject)

    def headline(self) -> str:
        """Returns the number of calls, of pending and poorly grounded ones, the tokens used, and the latest turn's calls."""
        snapshot, parts = self._snapshot, []
        total = len(snapshot.calls) + len(snapshot.waiting) + len(snapshot.aside)
        if not total:
            return ""
        parts.append(say.count(total, "call"))
        if len(snapshot.calls) and is_tagged(snapshot.calls[-1]):
            parts.append("answers are not from an LLM")
        if snapshot.waiting:
            parts.append(f"{len(snapshot.waiting)} waiting")
        poorly = self._groundings.poor
        if poorly:
            parts.append(f"{say.whole(poorly)} grounded poorly")
        if snapshot.tokens_in or snapshot.tokens_out:
            parts.append(f"{say.compact(snapshot.tokens_in + snapshot.tokens_out)} tokens")
        latest = calls_of_latest_turn(snapshot.calls)
        if 1 < latest < len(snapshot.calls):
            parts.append(f"{'over ' if latest >= NEWEST else ''}{latest} in the latest turn")
        return " · ".join(parts)

    def tools(self) -> tuple[QAction, ...]:
        """Returns the tools: answer, search."""
        return (self._answering, self._find)

    def offers(self) -> Sequence[Offer]:
        """Returns the actions to edit the open call's prompt, and its reply."""
        call = self._call(self._open)
        if call is None:
            return ()
        ask = Offer(f"edit and ask call {call.id} …", partial(self.edit_call, call.id), "E", "edit")
        offers = [ask] if self.context.live else []
        if call.reply is not None and call.by == "planner":
            offers.append(Offer(f"edit the reply of call {call.id} …", partial(self.edit_reply, call.id), icon="fork"))
        return offers

    def restyle(self) -> None:
        """Applies the theme's colours and sizes."""
        self.detail.restyle()
        self.rows.show_calls()
        self._show_open()

    def _draw(self) -> None:
        snapshot = self._snapshot
        there = bool(len(snapshot.calls) or snapshot.waiting or snapshot.aside or self._model_failed())
        self._pages.setCurrentIndex(int(there))
        self._show_failure()
        self._clock.start() if snapshot.waiting or snapshot.aside else self._clock.stop()
        self._open_own()
        if not self._by_hand:
            self._open = self._newest()
        elif snapshot.waiting and self._open not in {call.id for call in snapshot.waiting} and self._model_failed():
            self._open = snapshot.waiting[-1].id
        self.rows.show_calls()
        self._show_open()

    def _tick(self) -> None:
        self.rows.redraw()
        if self.detail.isVisible() and self.detail.call is not None and self.detail.call.reply is None:
            self._show_open()
        if not self._by_hand and self._open != self._newest():
            self._draw()

    def _newest(self) -> int:
        """Returns the call to open if the operator has not chosen one.

        It is the newest call, or -1 while calls follow each other too fast to be read.
        """
        if not len(self._calls):
            return -1
        newest = self._calls[0]
        slow = newest.reply is None and self._elapsed(newest) > SLOW
        return newest.id if slow or newest.id == self._open or _at_rest(self._snapshot) else -1

    def _item(self, call: Call) -> Item:
        return call_item(call, self._elapsed(call), self._groundings.of(call))

    def _elapsed(self, call: Call) -> float:
        return time.monotonic() - self._first_seen.get(call.id, time.monotonic())

    # --- the open call -----------------------------------------------------
    def open_call(self, number: int) -> None:
        """Opens a call by its number and scrolls to it."""
        self._open, self._by_hand = number, True
        self._show_open()
        index = self._calls.index_of(number)
        if index >= 0:
            self.rows.show_row(index)

    def _show_open(self) -> None:
        self._answering.setEnabled(bool(self._snapshot.waiting) and self.context.live)
        index = self._calls.index_of(self._open)
        self.rows.opened_number = self._open
        if index < 0:
            self.detail.hide()
            self.rows.open_gap(-1, 0)
            return
        self.rows.current = index
        call = self._calls[index]
        usual = usual_seconds(self._snapshot, call.ask.purpose) if call.reply is None else None
        self.detail.show_call(call, self.context.live, usual, self._groundings.of(call), self._coming(call),
                              self._is_usable(call))
        viewport, row = self.rows.viewport(), self.rows.row_height()
        if call.reply is None and asks_operator(self._snapshot):  # the prompt has all the room that other open questions leave
            others = min(len(self._snapshot.waiting) - 1, MOST_OTHERS) * row
            high = self.detail.height_for(viewport.width(), viewport.height() - row - others, READ_LINES)
        else:
            high = self.detail.height_for(viewport.width(), viewport.height() - row)
        self.rows.open_gap(index, high)
        self._place_detail()

    def _coming(self, call: Call) -> Coming:
        """Returns what is known of a call's pending reply."""
        if call.reply is not None or not self.context.live:
            return Coming()
        received = self.context.partial(call.id)
        words = waiting_words((call,), self._elapsed(call), self.context.partial, self.context.price)
        if received is None:
            return Coming("", words)
        first = f"first token after {say.seconds(received.first_token)}"
        return Coming(received.text, " · ".join((words, first, *(() if received.text.strip() else ("thinking",)))))

    def _place_detail(self) -> None:
        if self._calls.index_of(self._open) >= 0:
            self.detail.setGeometry(self.rows.gap_rect().toRect())
            self.detail.show()

    def _choose(self, index: int) -> None:
        number = self._calls[index].id
        self._open, self._by_hand = -1 if number == self._open else number, True
        self._show_open()
        if self._open >= 0:
            self.context.selection.select(Selected("call", number=number))

    def _follow(self, selected: Selected | None) -> None:
        self._mention.clear()
        if selected is not None and selected.kind == "call" and selected.number != self._open:
            self.open_call(selected.number)
        self.rows.redraw()

    def _mentions(self, row: int) -> bool:
        """Returns True if the prompt or reply of the call of a row mentions the selected object."""
        selected = self.context.selection.thing()
        if not selected:
            return False
        call = self._calls[row]
        if call.id not in self._mention:
            replies = call.reply.texts if call.reply is not None else ()
            texts = (*(message.content for message in call.ask.messages), *replies)
            spellings = (selected, selected.replace("_", " "))
            self._mention[call.id] = any(spelling in text for text in texts for spelling in spellings)
        return self._mention[call.id]

    # --- actions -----------------------------------------------------------
    def _go_back(self, number: int) -> None:
        index = self._calls.index_of(number)
        if index >= 0:
            call = self._calls[index]
            self.context.post(Rewind(call.turn, resample=True, branch=call.branch))

    def edit_call(self, number: int) -> AskDialog | None:
        """Opens a dialog in which the operator rewrites a call's prompt and asks it outside the run.

        Args:
            number: of the call.

        Returns:
            The dialog, or None if there is no such call or the run is not live.
        """
        call = self._call(number)
        if call is None or not self.context.live:
            return None
        of = self._call(self._asked_for.get(call.ask.digest, number)) or call
        dialog = AskDialog(self.context.theme, call, of, self)
        dialog.asked.connect(partial(self._ask_aside, of.id))
        dialog.used.connect(partial(self._ask_aside, of.id, use=True))
        dialog.open()
        return dialog

    def edit_reply(self, number: int) -> ReplyDialog | None:
        """Opens a dialog in which the operator edits the reply of a planner's call, to use it in a fork.

        Of a recording, the run that goes on from there gets it.

        Returns:
            The dialog, or None if there is no such call or it is not answered.
        """
        call = self._call(number)
        if call is None or call.reply is None or call.by == "operator":
            return None
        dialog = ReplyDialog(self.context.theme, call, self)
        dialog.used.connect(lambda texts: self.context.fork_with(call.moment, edited_reply(call, texts)))
        dialog.open()
        return dialog

    def _ask_aside(self, of: int, ask: ModelRequest, *, use: bool = False) -> None:
        self._expecting = len(self._snapshot.calls)
        self._asked_for[ask.digest] = of
        self._to_use = ask.digest if use else ""
        self.context.post(AskAside(ask))

    def _is_usable(self, call: Call) -> bool:
        """Returns True for an answered call of the operator whose prompt was made from a call of the planner."""
        has_text = call.reply is not None and bool(call.reply.texts)
        return call.by == "operator" and has_text and call.ask.digest in self._asked_for

    def _use_own(self, number: int) -> None:
        own = self._call(number)
        of = self._call(self._asked_for.get(own.ask.digest, -1)) if own is not None else None
        if own is not None and of is not None and self._is_usable(own):
            self.context.fork_with(of.moment, prompted_reply(of, own))

    def _use_when_answered(self) -> None:
        """Uses the reply to the operator's prompt, also if it arrives while the panel is hidden. An empty one is not used."""
        if not self._to_use:
            return
        newest = self.context.newest(self._snapshot)
        own = [call for call in newest.calls[-NEWEST:] if call.by == "operator" and call.ask.digest == self._to_use]
        if newest.began is not self._snapshot.began or (own and own[-1].reply is not None and not own[-1].reply.texts):
            self._to_use = ""
        elif own:
            digest, self._to_use = self._to_use, ""
            of = next((call for call in newest.calls if call.id == self._asked_for[digest]), None)
            if of is not None:
                self.context.fork_with(of.moment, prompted_reply(of, own[-1]))

    def _call(self, number: int) -> Call | None:
        index = self._calls.index_of(number)
        return self._calls[index] if index >= 0 else None

    def _open_own(self) -> None:
        """Opens the call that the operator asked outside the run, once it is listed."""
        if self._expecting is None:
            return
        new = self._snapshot.calls[max(self._expecting, len(self._snapshot.calls) - NEWEST):]
        own = [call.id for call in (*self._snapshot.aside, *new) if call.by == "operator"]
        if own:
            self._expecting, self._open, self._by_hand = None, own[-1], True

    def _answer_waiting(self) -> None:
        if self._snapshot.waiting and self.context.live:
            self.open_call(self._snapshot.waiting[-1].id)
            self.detail.answer.setFocus()

    def _model_failed(self) -> bool:
        failure = self._snapshot.failure
        return failure is not None and failure.part == "model"

    def _show_failure(self) -> None:
        failure = self._snapshot.failure
        self._failure = failure
        self.failed.setVisible(self._model_failed())
        if failure is None or failure.part != "model":
            return
        post, actions = self.context.post, []
        for option in failure.options if self.context.live else ():
            if option == "Try again":
                actions.append(StateAction(option, "retry", lambda: post(Retry()), primary=True))
            elif option == "Answer myself":
                actions.append(StateAction(option, "user", self._answer_waiting))
            elif option.startswith("Use "):
                actions.append(StateAction(option, "provider", partial(post, UseModel(option.removeprefix("Use ")))))
        text = failure.message[:1].upper() + failure.message[1:]
        self.failed.show_state(CardState("failed", "The model did not answer", text, actions=tuple(actions)))
        self.failed.setMinimumHeight(self.context.theme.px(150))

    # --- search ------------------------------------------------------------
    def _search(self, text: str) -> None:
        self._calls.search(text)
        self.rows.show_calls()  # no row that was there before the search may be painted
        self._looker.start()
        self._look_on()

    def _look_on(self) -> None:
        before = len(self._calls)
        self._calls.look_on()
        has_read = self._groundings.read_on()
        if not (self._calls.behind or self._groundings.behind):
            self._looker.stop()
        elif len(self._calls) == before and not has_read:
            return
        words = bool(self.search.text().strip())
        self._found.say(f"{say.whole(len(self._calls))} found" if words else "")
        self.rows.show_calls()
        self._show_open()


class CallItems(Sequence[Item]):
    """The rows of a list of calls. Each is made when it is read, because old calls are on disk.

    Args:
        calls: the calls.
        item: returns the row of a call.
    """

    def __init__(self, calls: CallList, item: Callable[[Call], Item]):
        self._calls, self._item, self._count = calls, item, len(calls)
        self._made: dict[int, Item] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._count))]
        if index not in self._made:
            item = self._item(self._calls[index])
            if WAITING in item.marks:
                return item  # its time goes on
            self._made[index] = item
        return self._made[index]


class Mentioning(Container[int]):
    """The rows of the calls that mention what is selected, found when a row is painted.

    Args:
        mentions: returns whether the call of a row does.
    """

    def __init__(self, mentions: Callable[[int], bool]):
        self._mentions = mentions

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and self._mentions(row)


class CallRows(ItemRows):
    """The list of calls. The details of the open call are shown below its row.

    Args:
        theme: the theme.
        owner: the widget that the list is in.
        calls: the calls.
        item: returns the row of a call.
        mentions: returns whether the call of a row mentions the selected object.
    """

    def __init__(self, theme: Theme, owner: ItemsView, calls: CallList, item: Callable[[Call], Item],
                 mentions: Callable[[int], bool]):
        super().__init__(theme, owner)
        self._calls, self._item = calls, item
        self.selected = Mentioning(mentions)
        self.opened_number = -1
        self.setAccessibleName("Calls to the model")

    def show_calls(self) -> None:
        """Shows the calls as they are now."""
        items = cast(tuple[Item, ...], CallItems(self._calls, self._item))  # read like one, a row at a time
        self.view = Table(items, COLUMNS, texts=Column("request"))
        self.outline = Outline(self.view)
        self._place()
        self.refresh()

    def show_items(self, view: Table | Tree) -> None:
        """Shows the calls again, such as in another text size: their rows are made one at a time."""
        del view
        self.show_calls()

    def measured(self) -> Sequence[Item]:
        """Returns one item: to measure others, calls would be read from disk."""
        return (WIDEST,)

    def sort_at(self, x: float) -> None:
        """Does nothing: to sort the calls, all would be read from disk."""
        del x

    def row_key(self, index: int) -> Hashable:
        """Returns what the look of a row depends on. None for a pending call, whose seconds change all the time."""
        item = self.outline.items[index]
        return None if WAITING in item.marks else (item, self._owner.named(item.note), index in self.selected)


def _at_rest(snapshot: Snapshot) -> bool:
    """Returns True if the run is neither thinking nor waiting for a reply."""
    return snapshot.status not in ("thinking", "waiting")
