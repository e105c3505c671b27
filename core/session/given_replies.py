"""Replies that an operator puts into a run: commands with which a call gets an edited reply, or the reply to another prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.llm.reply_checks import valid_text
from core.planning.model_requests import ModelReply
from core.session.commands import GiveReply
from core.session.turns import Call


def edited_reply(call: Call, texts: Sequence[str]) -> GiveReply:
    """Returns the command that gives a call these texts as its reply.

    Args:
        call: an answered call of the planner.
        texts: one for each sample.
    """
    note = f"the operator's reply in place of that of call {call.id}"
    reply = ModelReply(tuple(map(valid_text, texts)), "human", is_model=False, note=note)
    return GiveReply(call.id, call.ask, reply)


def prompted_reply(call: Call, own: Call) -> GiveReply:
    """Returns the command that gives a call the reply which the model gave to the operator's prompt.

    Args:
        call: a call of the planner.
        own: the operator's call, answered. Its cost is counted there.
    """
    assert own.reply is not None, "it is answered"
    note = f"the reply to the operator's prompt, call {own.id}, in place of that of call {call.id}"
    note = f"{note}; {own.reply.note}" if own.reply.note else note
    reply = replace(own.reply, cached=True, seconds=0.0, first_token=0.0, rate=0.0, note=note)
    return GiveReply(call.id, call.ask, reply, own.ask.messages)
