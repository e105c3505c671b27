"""Reads a goal from an operator's sentence, such as "Put two plums in the fridge and a book on the sofa, then close it".

    goal    := clause ((and | then | , | .) clause)*    core.goals.parser.order
    clause  := about the robot, or an act               core.goals.parser.robot_clauses
             | where objects are to be                  core.goals.parser.placement
             | states                                   core.goals.parser.treatment
             | a custom, such as setting the table      core.goals.parser.habits
             | do not clause

Noun phrases are read in core.goals.parser.noun_phrases. What the rules do not understand is refused, naming the words. Where a
word has several meanings and one of them is usual, that one is taken and told as a guess.

Stages are used only where an order was said. "Put the plum in the fridge, then close it" is one stage: both hold in the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from core.common.errors import GoalError
from core.goals.kinds import KIND_WORDS, THING
from core.goals.literals import NOT_LASTING, ROBOT, Goal, Literal
from core.goals.parser import habits, placement, robot_clauses, treatment, verbs
from core.goals.parser.background import named_things
from core.goals.parser.context import Context, Usual, nowhere, refuse
from core.goals.parser.earlier import TURNED, Earlier
from core.goals.parser.noun_phrases import span_of
from core.goals.parser.order import Clause, Splitter
from core.goals.parser.partial import other_forms, wishes
from core.goals.parser.restrictions import split_places
from core.goals.parser.speech import plain_words, typed_words
from core.goals.reading import GoalReading, Guess
from core.goals.vocabulary import Lexicon, faults
from core.world.vocabulary import spaced

VERBS = "|".join((habits.VERBS, robot_clauses.VERBS, treatment.VERBS, placement.VERBS, verbs.VERBS))
ONE_WORD = sorted({word for word in re.findall(r"[a-z]{4,}", VERBS)})
"""Verbs that typing faults are compared with."""
NOUNS_LIKE_VERBS = ("watch", "drink", "iron", "light", "face", "book", "rest", "set", "store", "dishes", "fruit", "type",
                    "cook", "position", "microwave")
KNOWN_VERBS = "put, open, close, switch on, slice, cook, wash, pick up, go to, sit on, read or drink"
POSITIONS = frozenset({"robot_in", "robot_near", "sitting", "lying", "standing"})
LYING_THERE = re.compile(r"take (?:the|my|his|her|our|their|both|all|every) (?:(?! (?:to|into|onto) ).)+? (?:from )?(?:on|in"
    r"|inside) (?:the |my )?\S+")
"""Take the mug on the desk: that is where it is."""
MOST_GUESSES = 8
"""The maximum number of words whose other meanings are worked out."""


def parse_goal(text: str, lexicon: Lexicon, usual: Usual = nowhere) -> Goal:
    """Returns the goal of a sentence, with the likeliest meaning of words that have several.

    Raises:
        GoalError: a word is not understood or not in this world; the message names it and suggests a correction.
    """
    return _read(text, Context(lexicon, usual=usual))


def read_sentence(text: str, lexicon: Lexicon, usual: Usual = nowhere) -> GoalReading:
    """Returns the goal of a sentence with the guesses made, or why there is none and which words were not understood.

    Args:
        text: the sentence as typed.
        lexicon: the words of this world.
        usual: where objects usually are, for "put the mug away".
    """
    context = Context(lexicon, usual=usual)
    try:
        goal = _read(text, context)
    except GoalError as error:
        start, end = span_of(text, error.words)
        return GoalReading(None, refusal=error, unknown=((start, end),) if end > start else ())
    guesses = []
    for choice in list(context.choices.values())[:MOST_GUESSES]:
        others: list[tuple[str, Goal]] = []
        for number, words in choice.others:
            try:
                others.append((words, _read(text, Context(lexicon, usual=usual, decided={choice.words: number}))))
            except GoalError:
                continue  # this meaning does not fit the rest of the sentence
        others = [(words, other) for words, other in others if other.literals != goal.literals]
        kept = set.intersection(set(goal.literals), *(set(other.literals) for _, other in others)) if others else set()
        about = tuple(k for k, literal in enumerate(goal.literals) if literal not in kept) if others else ()
        guesses.append(Guess(choice.words, choice.taken, tuple(others), about))
    spans = {span_of(text, words) for words in context.background}
    return GoalReading(goal, guesses=tuple(guesses), unknown=tuple(sorted((start, end) for start, end in spans if end > start)))


def _read(text: str, context: Context) -> Goal:
    try:
        literals = _read_any(typed_words(text, context.lexicon), context)
    except GoalError as error:
        raise error.reworded(spaced) from None
    if not literals:
        raise refuse(text, "say what to do with which thing")
    return Goal(_merged(_staged(literals)), text.strip())


def _read_any(words: str, context: Context) -> list[Literal]:
    """Returns the literals of a task; if it is not understood, those of its first other form that is.

    Raises:
        GoalError: no form is understood; the error is about the task as it was typed.
    """
    splitter = Splitter(VERBS, _nouns(context.lexicon), lambda part: _spelled(part, context),
                        lambda part: named_things(part, context, places=True), context.lexicon.mentions)
    try:
        return _read_words(words, splitter, context)
    except GoalError:
        before = dict(context.choices), list(context.background)
        for form in other_forms(words, splitter.is_command, context.lexicon.mentions):
            context.choices, context.background = {}, list(form.left_out)
            try:
                return _read_words(form.words, splitter, context)
            except GoalError:
                continue
        def reads(part: str) -> bool:
            try:
                return bool(_read_words(part, splitter, Context(context.lexicon, usual=context.usual)))
            except GoalError:
                return False

        task = wishes(words, splitter.is_command, context.lexicon.mentions, reads,
                      lambda part: named_things(part, context, places=True))
        if task is not None:
            context.choices, context.background = {}, list(task.left_out)
            try:
                return _read_words(task.words, splitter, context)
            except GoalError:
                pass  # the first error says more
        context.choices, context.background = before
        raise


def _read_words(words: str, splitter: Splitter, context: Context) -> list[Literal]:
    words = plain_words(words, context)
    context.sentence = words.replace("_", " ")
    return _literals(splitter.clauses(words), context)


def _nouns(lexicon: Lexicon) -> re.Pattern[str]:
    """Returns the pattern of things here that are named like verbs: "the radio and watch", but not "watch the television"."""
    named = [word for word in NOUNS_LIKE_VERBS if word in lexicon.words or word in KIND_WORDS]
    last = "|".join(named) or "(?!)"
    return re.compile(rf"(?:{last})(?:$|\s+(?:in|on|into|onto|to|from|off|inside|is|are|should|must|open|closed)\b)")


def _spelled(words: str, context: Context) -> str:
    """Returns the words with a misspelt verb corrected, as a guess."""
    first, _, rest = words.partition(" ")
    near = [verb for verb in ONE_WORD if faults(first, verb) == 1]
    if len(near) != 1 or not rest or first in (*ONE_WORD, "lights") or context.lexicon.is_here(first):
        return words
    context.tell(first, near[0])
    return f"{near[0]} {rest}"


def _literals(clauses: Iterable[Clause], context: Context) -> list[Literal]:
    """Returns the literals of all clauses with their stages."""
    earlier, never = Earlier(), list[Literal]()
    stage = 0
    for clause in clauses:
        if clause.never:
            forbidden = _forbidden(_unpronounced(clause.words, earlier), context)
            earlier.mentioned = forbidden
            never += forbidden
            continue
        before = len(earlier.groups)
        fresh = _clause(clause.words, earlier, context, stage)
        if not fresh and clause.then and len(earlier.groups) > before:
            fresh = earlier.groups.pop()  # type on the laptop, then close it
        if fresh:
            stage = _next_stage(fresh, earlier, context.lexicon, stage, then=clause.then)
            staged: list[Literal] = []
            for literal in fresh:  # go to the sofa and the table: one after the other
                stage += any(literal.predicate in POSITIONS and _clashes(literal, x) for x in staged if x.stage == stage)
                staged.append(replace(literal, stage=stage))
            if any([earlier.supersede(literal) and literal.states & {"on", "off"} for literal in staged]):
                context.tell(clause.words, "a goal holds in the end: what it undoes is left out")
            earlier.groups.append(staged)
    return [literal for group in earlier.groups for literal in group] + never


def _next_stage(fresh: list[Literal], earlier: Earlier, lexicon: Lexicon, stage: int, *, then: bool) -> int:
    """Returns the stage of a clause: a new one after "then", and where the robot cannot be at two places at the same time.

    "Go to the bedroom and bring the book to the kitchen" has two stages: the book arrives where the robot has left the bedroom.
    """
    here = [x for group in earlier.groups for x in group if x.stage == stage]
    if not here:
        return stage
    if then:
        places = {x.target for x in here} | {x.subject for x in here if x.predicate not in NOT_LASTING}
        closes = all(x.predicate == "is" and x.states <= TURNED and x.subject in places for x in fresh)
        return stage if closes and not any(x.predicate in NOT_LASTING or x.predicate == "away" for x in here) else stage + 1
    positions = [x for x in here if x.predicate in POSITIONS]
    clash = any(x.predicate in POSITIONS and _clashes(x, y) for x in fresh for y in positions)
    leaves = any(x.target and y.predicate == "robot_in" and not _is_in(x.target, y.subject, lexicon)
                 for x in fresh for y in positions)
    return stage + 1 if clash or leaves else stage


def _is_in(place: str, room: str, lexicon: Lexicon) -> bool:
    """Returns True if a place is this room or in it."""
    rooms = room.split("|")
    return any(one in rooms or any(lexicon.is_in(cls, name) for cls in lexicon.classes_of(one) for name in rooms)
               for one in place.split("|"))


def _clashes(one: Literal, other: Literal) -> bool:
    """Returns True if the robot cannot satisfy both at once: two rooms, or sitting and standing."""
    rests = {"sitting", "lying", "standing"}
    if one.predicate in rests and other.predicate in rests:
        return one.predicate != other.predicate or one.subject != other.subject
    return one.predicate == other.predicate and one.subject != other.subject


def _clause(words: str, earlier: Earlier, context: Context, stage: int) -> list[Literal]:
    """Returns the literals of one clause; a clause about "it" may change those of earlier ones and return none.

    Raises:
        GoalError: it is not understood, or names nothing of this world.
    """
    words = verbs.plain_clause(words, context.lexicon)
    for read in (habits.habit_clause, robot_clauses.robot_clause):
        found = read(words, earlier, context)
        if found is not None:
            return found
    found = placement.give_clause(words, earlier, context)
    if found is None and re.match(r"put .+ (?:on|off)(?: in (?:the )?[a-z_]+)?$", words):
        found = treatment.treatment_clause(words, earlier, context, stage)
    if found is None:
        found = placement.take_clause(words, earlier, context)
    if found is None:
        found = treatment.treatment_clause(words, earlier, context, stage)
    if found is None and not _is_held(words):
        found = placement.put_clause(words, earlier, context)
    if found is None:
        held = re.fullmatch(rf"(?:{placement.HOLD})\s+(.+)", words)
        found = placement.hold(held[1], earlier, context) if held else None
    if found is None:
        raise refuse(words, f"this is not understood: say what to do with which thing, such as {KNOWN_VERBS}")
    return found


def _is_held(words: str) -> bool:
    """Returns True if "get the mug (from the desk)" names no place to bring it to."""
    if not re.match(rf"(?:{placement.HOLD})\s", words):
        return False
    if re.match(r"take\b", words):
        return not split_places(words)[1] or LYING_THERE.fullmatch(words) is not None
    grips = re.match(r"pick up|grab|hold|lift|find|look for|search for|locate|grasp", words)
    return not re.search(r"\s(?:to|into|onto)\s" if grips else r"\s(?:to|into|onto|in|on|inside)\s", words)


def _forbidden(words: str, context: Context) -> list[Literal]:
    """Returns the literals that must never be."""
    found = [replace(x, never=True, every=False, count=1) for x in _clause(words, Earlier(), context, 0)]
    touched = [replace(x, predicate="holds", act="") for x in found
               if x.act == "touch" and context.lexicon.classes_of(x.subject) & context.lexicon.movable]
    return touched + found


def _unpronounced(words: str, earlier: Earlier) -> str:
    """Returns a prohibition with the things named before in place of "it": warm the potato, but do not cut it."""
    found = re.search(r" (?:it|them|those|these)(?=$| )", words)
    if found is None or not earlier:
        return words
    last = [x for x in earlier.groups[-1] if x.subject not in (ROBOT, THING)]
    names = dict.fromkeys(name for x in last for name in x.subject.split("|"))
    if not names:
        return words
    return f"{words[:found.start()]} {' or '.join(f'the {spaced(name)}' for name in names)}{words[found.end():]}"


def _staged(literals: list[Literal]) -> list[Literal]:
    """Returns the literals with stages numbered from 0 without gaps."""
    stages = sorted({x.stage for x in literals if not x.never})
    return [x if x.never else replace(x, stage=stages.index(x.stage)) for x in literals]


def _merged(literals: list[Literal]) -> tuple[Literal, ...]:
    """Adds up equal literals: one apple and one apple in the fridge are two."""
    merged: dict[Literal, int] = {}
    for literal in literals:
        key = replace(literal, count=1)
        once = literal.every or literal.never or literal.predicate in NOT_LASTING
        merged[key] = max(merged.get(key, 0), literal.count) if once else literal.count + merged.get(key, 0)
    return tuple(replace(key, count=count) for key, count in merged.items())
