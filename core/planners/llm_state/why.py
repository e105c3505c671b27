"""Why LLM-State chose an action and not another one, from its plan, the call that wrote it and the dictionary it was given.

Kinds of statement: `plan` (the call of the plan that the action belongs to), `new` (why the plan is new), `chance`, `reply`,
`entry` (what the call was told about an object), `unknown` (objects without an entry), `summary`, `other` (where the other
action is in the plan), `dropped` (it was in the reply only), `failed` (an action that failed before).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.llm.grounding.choices import call_name
from core.planners.llm_state.calls import VERBS, Call, call_text, read_calls
from core.planners.llm_state.recorded_types import EstimateFacts, PlanFacts, StateDictionary, StateHistory
from core.planning.explanation import AskedCall, DecisionEvidence, Evidence, Sentence
from core.planning.facets import Plan, Steps
from core.planning.sentences import link, quoted, replied, said, words
from core.views.wording import count
from core.world.vocabulary import Action

CALLS = {verb: call for call, verb in VERBS.items()}
STATES = {"waiting": "is still to come", "done": "is done", "failed": "failed", "skipped": "was left out",
          "plain": "is no call"}


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action was chosen and not another one."""
    call = decision.asked("plan")
    return (*_source(decision), *([replied(call)] if call is not None else []), *_known(decision, call, other),
            *_place(decision, call, other), *_failed(decision, decision.chosen), *_failed(decision, other))


def call_of(action: Action) -> str:
    """Returns an action as plans write it: `placein(cup1, fridge1)`."""
    return call_text(CALLS.get(action.verb, action.verb.replace("_", "")), action.args)


def _source(decision: DecisionEvidence) -> Iterator[Sentence]:
    chosen, steps, plan = decision.chosen, decision.fresh(Steps), decision.fresh(Plan)
    if chosen is None:
        return
    if steps is None or plan is None or plan.actions[:1] != (chosen,) or not 0 <= steps.current < len(steps.lines):
        if decision.because:
            yield said("chance", f"{words(chosen)} is in no plan: {quoted(decision.because)}.", Evidence("log", "the decision"))
        return
    line, total = steps.lines[steps.current], len(steps.lines)
    figures = {"line": steps.current + 1.0, "lines": float(total)}
    seen = Evidence("plan", f"plan: {line.text}", chosen)
    is_own = line.text == call_of(chosen)
    text = f"{'is' if is_own else 'leads to'} call {steps.current + 1} of {total} in the plan, {quoted(line.text)}"
    yield said("plan", f"{words(chosen)} {text}.", seen, figures=figures)
    dictionary = decision.newest(StateDictionary)
    if dictionary is not None and dictionary.because and dictionary.turn == decision.moment.turn:
        yield said("new", f"The plan is new, because of this: {quoted(dictionary.because)}.{_last_failure(decision)}",
                   Evidence("dictionary", "last estimate"))


def _objects(decision: DecisionEvidence) -> list[str]:
    """Returns the ids of the objects that the current call of the plan names, as far as the dictionary knows them."""
    steps, dictionary = decision.fresh(Steps), decision.newest(StateDictionary)
    named = re.findall(r"\w+", _current(steps))[1:] if steps is not None else []
    entries = dictionary.entries if dictionary is not None else ()
    return [entry.thing for entry in entries if entry.thing and entry.name in named]


def _last_failure(decision: DecisionEvidence) -> str:
    """Returns the last call of the history and why it failed, as a sentence; empty if it did not fail."""
    history = decision.newest(StateHistory)
    deed = history.deeds[-1] if history is not None and history.deeds else None
    if deed is None or deed.ok:
        return ""
    note = f": {quoted(deed.note)}" if deed.note else ""
    return f" The call before, {quoted(call_text(deed.call, deed.args))}, failed{note}."


def _known(decision: DecisionEvidence, call: AskedCall | None, other: Action) -> Iterator[Sentence]:
    """Yields what the call was told about the objects of both actions, and of the call of the plan that the first leads to."""
    facts = call.request.facts if call is not None else None
    if call is None or not isinstance(facts, PlanFacts):
        return
    entries, estimate = dict(facts.entries), _estimate_before(decision, call)
    figures, source, told_by = {"call": call.number}, [link(call)], ""
    if estimate is not None:
        figures["estimate"], told_by = estimate.number, f", as estimated in call {estimate.number}"
        source.append(link(estimate))
    chosen = decision.chosen.args if decision.chosen is not None else ()
    things = dict.fromkeys((*chosen, *_objects(decision), *other.args))
    shown = StateDictionary in decision.facets
    for thing in things:
        if call_name(thing) in entries:
            attributes = entries[call_name(thing)]
            told = quoted(" | ".join(attributes)) if attributes else "nothing"
            evidence = [Evidence("dictionary", f"dictionary: {call_name(thing)}", entity=thing)] if shown else []
            yield said("entry", f"Call {call.number} was told of {thing}: {told}{told_by}.", *evidence, *source,
                       figures=figures)
    unknown = [thing for thing in things if call_name(thing) not in entries]
    if unknown and entries:
        evidence = [Evidence("dictionary", "dictionary")] if shown else []
        yield said("unknown", f"The dictionary that call {call.number} was given names {count(len(entries), 'object')}, and "
                              f"not {' or '.join(unknown)}.", *evidence, link(call),
                   figures={"entries": len(entries), "call": call.number})
    named = [thing for thing in things if call_name(thing) in re.findall(r"[a-z0-9]+", facts.summary.lower())]
    if named:
        yield said("summary", f"The summary in call {call.number}, which names {' and '.join(named)}, begins: "
                              f"{quoted(facts.summary, 240)}", link(call), figures={"call": call.number})


def _estimate_before(decision: DecisionEvidence, call: AskedCall) -> AskedCall | None:
    """Returns the estimate from which a plan call was told its entries: the last one before it."""
    calls = (*decision.earlier, *decision.calls)
    return next((c for c in reversed(calls) if isinstance(c.request.facts, EstimateFacts) and c.number < call.number), None)


def _place(decision: DecisionEvidence, call: AskedCall | None, other: Action) -> Iterator[Sentence]:
    """Yields where the other action stands in the plan or in the reply it was read from."""
    steps, wanted = decision.newest(Steps), call_of(other)
    if steps is None or call is None:
        return
    found = [(k, line) for k, line in enumerate(steps.lines, 1) if line.text == wanted and k != steps.current + 1]
    for k, line in found[:2]:
        note = f": {quoted(line.note)}" if line.note else ""
        yield said("other", f"{quoted(wanted)} is call {k} of the plan; it {STATES[line.state]}{note}.",
                   Evidence("plan", f"plan: {line.text}", other), figures={"line": k})
    if found or _current(steps) == wanted:
        return
    read = _all_calls(call)
    if any(call_text(c.name, c.args) == wanted for c in read):
        yield said("dropped", f"The reply of call {call.number} holds {quoted(wanted)}, but it is not in the plan: its names "
                              "fit no object, or the plan was full.", link(call), figures={"call": call.number})
        return
    about = sum(any(call_name(thing) in re.findall(r"\w+", line.text)[1:] for thing in other.args) for line in steps.lines)
    yield said("other", f"The plan holds {count(len(steps.lines), 'call')}, and not {quoted(wanted)}; {about or 'none'} of its "
                        f"calls {'name' if about > 1 else 'names'} an object of it.", Evidence("plan", "plan", decision.chosen),
               link(call), figures={"lines": len(steps.lines), "about": about})


def _current(steps: Steps) -> str:
    return steps.lines[steps.current].text if 0 <= steps.current < len(steps.lines) else ""


def _all_calls(call: AskedCall) -> tuple[Call, ...]:
    """Returns all calls in the reply, whatever their names."""
    text = call.reply.texts[0] if call.reply is not None and call.reply.texts else ""
    names = frozenset(name.lower().replace("_", "") for name in re.findall(r"([A-Za-z_]\w{0,40})[ \t]*\(", text[:20_000]))
    return read_calls(text, names)[0]


def _failed(decision: DecisionEvidence, action: Action | None) -> Iterator[Sentence]:
    """Yields that an action failed before, with the last reason."""
    history = decision.newest(StateHistory)
    if history is None or action is None:
        return
    function = CALLS.get(action.verb, action.verb.replace("_", ""))
    same = [deed for deed in history.deeds if deed.call == function and deed.args == action.args]
    failed = [deed for deed in same if not deed.ok]
    if failed:
        reason = f"; the last time: {quoted(failed[-1].note)}" if failed[-1].note else ""
        yield said("failed", f"The history holds {quoted(call_of(action))} {count(len(same), 'time')}, and it failed "
                             f"{count(len(failed), 'time')}{reason}.", Evidence("dictionary", "history"),
                   figures={"times": len(same), "failed": len(failed)})
