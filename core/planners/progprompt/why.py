"""Why ProgPrompt chose an action and not another one, from its program and the call that wrote it.

Kinds of statement: `line` (the line the action comes from), `taken` (how many actions it has taken), `check` (the condition
above it), `program` (the call that wrote it), `edited`, `again` (lines of the program before that failed), `other` (lines that
can mean the other action), `offered` (whether it was considered), `failed` (lines that failed), `skipped`, `unnamed` (what of
the goal no call names).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.llm.grounding.choices import plain
from core.planners.progprompt.execution import ALIASES, FIND, WALK
from core.planners.progprompt.program import Instruction, Step, lines_of, read_program
from core.planners.progprompt.recorded_types import ProgramFacts
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import GoalProgress, Program, ProgramLine
from core.planning.sentences import link, offered, quoted, said, setting, words
from core.views.wording import count
from core.world.vocabulary import Action

MOST_LINES = 2
"""The number of lines named in one kind of statement."""
STATES = {"waiting": "is still to come", "done": "is done", "failed": "failed", "skipped": "was skipped", "plain": "is no call"}


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action was chosen and not another one."""
    program = decision.fresh(Program)
    if program is None:
        return ()
    code = read_program(tuple(line.text for line in program.lines))
    return (*_source(decision, program, code), *_call(decision, program), *_place(program, code, other),
            *offered(decision, other), *_lost(program), *_unnamed(decision, code))


def _line(number: int, line: ProgramLine, action: Action | None = None) -> Evidence:
    return Evidence("program", f"line {number}: {line.text.strip()}", action)


def _source(decision: DecisionEvidence, program: Program, code: tuple[Instruction, ...]) -> Iterator[Sentence]:
    """Yields the line that the chosen action comes from, and the condition under which it stands."""
    chosen, at = decision.chosen, program.current
    if chosen is None or not 0 <= at < len(program.lines):
        return
    line = program.lines[at]
    figures = {"line": at + 1.0, "lines": float(len(program.lines))}
    note = f" ({quoted(line.note)})" if line.note else ""
    yield said("line", f"{words(chosen)} comes from line {at + 1} of {len(program.lines)}, {quoted(line.text.strip())}{note}.",
               _line(at + 1, line, chosen), figures=figures)
    most = setting(decision, "line_actions")
    if program.taken and most is not None:
        yield said("taken", f"That line has taken {count(program.taken, 'action')} before this one; it may take {most:g}.",
                   _line(at + 1, line), Evidence("parameters", "line_actions"),
                   figures={"taken": program.taken, "most": most})
    for number, wanted in code[at].guards[-1:]:
        check = program.lines[number]
        yield said("check", f"That line is executed because the condition in line {number + 1}, {quoted(check.text.strip())}, "
                            f"{'holds' if wanted else 'does not hold'}.", _line(number + 1, check),
                   figures={"line": number + 1.0})
    if code[at].kind == "check":
        yield said("check", f"The call in line {at + 1} is executed because the condition before it holds.",
                   _line(at + 1, line), figures={"line": at + 1.0})


def _call(decision: DecisionEvidence, program: Program) -> Iterator[Sentence]:
    """Yields the call that wrote the program, and what it was told of the one before."""
    call = decision.asked("program")
    if call is None:
        return
    figures = {"call": float(call.number), "turn": float(call.turn)}
    if call.reply is not None:
        yield said("program", f"The program is the reply of {call.reply.source} to call {call.number} in turn {call.turn} "
                              f"({quoted(call.request.subject)}).", link(call), figures=figures)
        written = lines_of(call.reply.texts[0] if call.reply.texts else "")
        if written != tuple(line.text for line in program.lines):
            yield said("edited", f"The program is not the one of call {call.number}: the operator edited it.", link(call),
                       Evidence("program", "program"), figures={"call": call.number})
    facts = call.request.facts
    if isinstance(facts, ProgramFacts) and facts.failed:
        yield said("again", f"Call {call.number} was told of {count(len(facts.failed), 'failed line')} of the program before; "
                            f"the last one: {quoted(facts.failed[-1])}.", link(call),
                   figures={"call": call.number, "failed": len(facts.failed)})


def _place(program: Program, code: tuple[Instruction, ...], other: Action) -> Iterator[Sentence]:
    """Yields the lines that can mean the other action."""
    found = [(k, line) for k, (line, one) in enumerate(zip(program.lines, code, strict=True))
             if one.step is not None and k != program.current and _can_mean(one.step, other)]
    for k, line in sorted(found, key=lambda row: row[1].state == "done")[:MOST_LINES]:
        note = f": {quoted(line.note)}" if line.note else ""
        yield said("other", f"Line {k + 1}, {quoted(line.text.strip())}, can mean {words(other)}; it "
                            f"{STATES[line.state]}{note}.", _line(k + 1, line, other), figures={"line": k + 1.0})
    if not found:
        calls = sum(one.step is not None for one in code)
        yield said("other", f"No other line of the program can mean {words(other)}; it has {count(calls, 'call')}.",
                   Evidence("program", "program"), figures={"calls": calls})


def _lost(program: Program) -> Iterator[Sentence]:
    """Yields the lines that failed or were not understood."""
    failed = [(k, line) for k, line in enumerate(program.lines, 1) if line.state == "failed"]
    if failed:
        k, line = failed[-1]
        note = f": {quoted(line.note)}" if line.note else ""
        yield said("failed", f"{count(len(failed), 'line')} failed so far; the last one is line {k}, "
                             f"{quoted(line.text.strip())}{note}.", _line(k, line), figures={"failed": len(failed), "line": k})
    strange = [(k, line) for k, line in enumerate(program.lines, 1)
               if line.state == "skipped" and line.note == "not understood"]
    if strange:
        k, line = strange[-1]
        yield said("skipped", f"{count(len(strange), 'line')} {'was' if len(strange) == 1 else 'were'} skipped because "
                              f"{'it was' if len(strange) == 1 else 'they were'} not understood; the last one is line {k}, "
                              f"{quoted(line.text.strip())}.", _line(k, line), figures={"skipped": len(strange), "line": k})


def _unnamed(decision: DecisionEvidence, code: tuple[Instruction, ...]) -> Iterator[Sentence]:
    """Yields what the goal still needs and no call of the program names."""
    progress = decision.fresh(GoalProgress)
    named = [plain(name) for one in code if one.step is not None for name in one.step.names]
    for part in progress.literals if progress is not None else ():
        literal = part.literal
        for words_of in (literal.subject, literal.target or "") if not part.reached and not literal.never else ():
            known = [plain(word) for word in words_of.split("|") if word]
            if known and not any(name == word or name.startswith(f"{word} ") for word in known for name in named):
                yield said("unnamed", f"No call of the program names {quoted(' or '.join(known))} of the goal part "
                                      f"{quoted(str(literal))}.", Evidence("program", "program"), Evidence("goal", "goal"))


def _can_mean(step: Step, action: Action) -> bool:
    """Returns True if the verb of a step is that of an action, and its names are the ids or the classes of the arguments."""
    said_verb = step.verb.lower().replace("_", "")
    called = ALIASES.get(said_verb, said_verb).replace(" ", "")
    if called != action.verb.replace("_", "") and not (called == FIND and action.verb == WALK):
        return False
    names = step.names[-1:] if action.verb == WALK else step.names
    return len(names) >= len(action.args) and all(
        plain(name) in (plain(thing), plain(thing.rpartition("_")[0])) for name, thing in zip(names, action.args, strict=False))
