"""Reads a goal from an operator's sentence, such as "Put two plums in the fridge and a book on the sofa, then close it".

    words      core.goals.parser.tokens, word_classes, verb_lexicon    what each word may be
    around     core.goals.parser.around, repairs                       what is taken out or written out before anything is read
               core.goals.parser.restated, turned_around, set_phrases  clauses in other forms, as commands (shared: changes)
    parts      core.goals.parser.clauses, adverbials, remarks          what parts of the task may ask for, forbid or only tell
    frames     core.goals.language                                     clauses in any order of words, statements, nothing lost
    cover      core.goals.parser.cover                                 the cheapest way to cover all words with such parts
    clauses    core.goals.parser.reading                               in their order, in plain verbs, pronouns replaced
    literals   core.goals.parser.habits, robot_clauses, placement, treatment    what each clause means here

Noun phrases are read in core.goals.parser.noun_phrases. Words that may change the task and fit into no part are never left out:
the task is refused, naming them. Where a word has several meanings and one of them is usual, that one is taken and told as a
guess.

Stages are used where an order was said, and where the robot cannot be at two places at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from core.common.errors import GoalError
from core.goals.kinds import THING
from core.goals.literals import NOT_LASTING, ROBOT, Goal, Literal
from core.goals.parser import habits, placement, robot_clauses, treatment
from core.goals.parser.around import without_surroundings
from core.goals.parser.context import Context, Usual, nowhere, refuse
from core.goals.parser.earlier import TURNED, Earlier, turned
from core.goals.parser.exceptions import apart_from, kept_as_is, without
from core.goals.parser.noun_phrases import span_of
from core.goals.parser.reading import MOST_TRIES, NOT_USED, Clause, told
from core.goals.parser.repairs import distributed, repaired, without_asides
from core.goals.parser.restrictions import split_places
from core.goals.parser.tokens import Tokens, tokenized
from core.goals.parser.verb_lexicon import VERB_FORMS
from core.goals.parser.word_classes import EXCEPT, KEEP, UNLIKE, word_set
from core.goals.reading import GoalReading, Guess
from core.goals.vocabulary import Lexicon, faults
from core.world.vocabulary import spaced

ONE_WORD = sorted(word for word, verbs in VERB_FORMS.items() if len(word) > 3 and verbs[0].form == "base")
"""Verbs that typing faults are compared with."""
LEAST_VERB = 4
BEFORE_VERB = word_set("and then please you to n't never robot just")
KNOWN_VERBS = "put, open, close, switch on, slice, cook, wash, pick up, go to, sit on, read or drink"
POSITIONS = frozenset({"robot_in", "robot_near", "sitting", "lying", "standing"})
LYING_THERE = re.compile(r"take (?:the|my|his|her|our|their|both|all|every) (?:(?! (?:to|into|onto) ).)+? (?:from )?(?:on|in"
    r"|inside) (?:the |my )?\S+")
"""Take the mug on the desk: that is where it is."""
OTHERS = re.compile(r"\bthe (?:rest|others?|remaining)\b")
"""Things that are not those of an earlier clause, and undo nothing of it."""
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
    return GoalReading(goal, guesses=tuple(guesses), unknown=tuple(sorted(context.background)))


def _read(text: str, context: Context) -> Goal:
    try:
        literals = _read_tokens(_verbs_spelled(tokenized(text, context.lexicon), context), context)
    except GoalError as error:
        raise error.reworded(spaced) from None
    if not literals:
        raise refuse(text, "say what to do with which thing")
    return Goal(_merged(_staged(literals)), text.strip())


def _read_tokens(t: Tokens, context: Context) -> list[Literal]:
    """Returns the literals of a task. A part that means nothing here is read otherwise, if it can be.

    Raises:
        GoalError: no way to read the task is understood; the error is about the likeliest.
    """
    context.sentence = t.plain
    for exactly, number in zip(t.texts, t.texts[1:], strict=False):
        if exactly in ("exactly", "precisely"):
            context.tell(f"{exactly} {number}", f"{number} or more: goals count at least")
    spelled = dict(context.choices)
    t, taken_back = repaired(t, context.lexicon)
    t, around = without_surroundings(t, context.lexicon)
    t, asides = without_asides(t, context.lexicon)
    t = distributed(t, context.lexicon)
    banned: frozenset[tuple[int, int, str]] = frozenset()
    first: GoalError | None = None
    for _ in range(MOST_TRIES):
        tried: list[Clause] = []
        context.choices = dict(spelled)
        try:
            task = told(t, banned)
            literals = _literals(task.clauses, context, tried)
            if task.unused:
                tried.clear()
                raise refuse(task.unused, NOT_USED)
        except GoalError as error:
            first = first or error
            edge = tried[-1].edge if tried else None
            if edge is None:
                raise first from None
            banned |= {(edge.start, edge.end, edge.kind)}
        else:
            for wish, meaning in task.guesses.items():
                context.tell(wish, meaning)
            context.background = [*taken_back, *around, *asides, *task.left_out]
            return literals
    raise first or refuse(t.typed, "say what to do with which thing")


def _verbs_spelled(t: Tokens, context: Context) -> Tokens:
    """Returns the tokens with misspelt verbs corrected, as guesses."""
    for k, token in enumerate(t.tokens):
        begins = not k or t.is_stop(k - 1) or t.at(k - 1) in BEFORE_VERB
        if not begins or t.is_known(k) or len(token.text) < LEAST_VERB or t.is_stop(k + 1):
            continue
        near = [verb for verb in ONE_WORD if faults(token.text, verb) == 1]
        near = [verb for verb in near if len(token.text) > LEAST_VERB or sorted(verb) == sorted(token.text)]
        if len(near) == 1 and not context.lexicon.corrected(token.text) and k + 1 < len(t):
            context.tell(token.text, near[0])
            t = Tokens(t.typed, [replace(one, text=near[0]) if one is token else one for one in t.tokens], context.lexicon)
    return t


def _literals(clauses: Iterable[Clause], context: Context, tried: list[Clause]) -> list[Literal]:
    """Returns the literals of all clauses with their stages. `tried` gets each clause before it is read."""
    earlier, never = Earlier(), list[Literal]()
    stage = 0
    for clause in clauses:
        tried.append(clause)
        if clause.never:
            forbidden = _forbidden(_unpronounced(clause.words, earlier, context.lexicon), context)
            earlier.mentioned = forbidden
            never += forbidden
            continue
        before = len(earlier.groups)
        context.then = clause.then
        earlier.undone = (clause.then or not _are_wishes(tried[-2:])) and not OTHERS.search(clause.words)
        context.so_far = [literal for group in earlier.groups for literal in group]
        asked, _, unlike = clause.words.partition(f" {UNLIKE} ")
        words, _, left_out = asked.partition(f" {EXCEPT} ")
        fresh = _clause(words, earlier, context, stage)
        fresh = apart_from(fresh, unlike, context) if unlike else fresh
        if left_out:
            fresh = without(fresh, left_out, context)
        if not fresh and clause.then and len(earlier.groups) > before:
            fresh = earlier.groups.pop()  # type on the laptop, then close it
        if fresh:
            stage = _next_stage(fresh, earlier, context.lexicon, stage, then=clause.then)
            staged: list[Literal] = []
            for literal in fresh:  # go to the sofa and the table: one after the other
                stage += any(literal.predicate in POSITIONS and _clashes(literal, x) for x in staged if x.stage == stage)
                staged.append(replace(literal, stage=stage))
            staged = earlier.same_place(staged, words, context.lexicon)
            if any([earlier.supersede(literal) for literal in staged]):
                context.tell(clause.words, "a goal holds in the end: what it undoes is left out")
            earlier.groups.append(staged)
    return [literal for group in earlier.groups for literal in group] + never


def _are_wishes(clauses: list[Clause]) -> bool:
    """Returns True for wishes that hold together: the microwave must be on and must be off."""
    kinds = [one.edge.kind if one.edge is not None else "" for one in clauses]
    return kinds in (["wish", "wish"], ["wish", "brief"])


def _next_stage(fresh: list[Literal], earlier: Earlier, lexicon: Lexicon, stage: int, *, then: bool) -> int:
    """Returns the stage of a clause: a new one after "then", and where the robot cannot be at two places at the same time.

    "Go to the bedroom and bring the book to the kitchen" has two stages: the book arrives where the robot has left the bedroom.
    """
    here = [x for group in earlier.groups for x in group if x.stage == stage]
    if not here:
        return stage
    if then:
        return stage + 1
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
    if words.startswith(f"{KEEP} "):
        return kept_as_is(words.removeprefix(f"{KEEP} "), earlier, context)
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


def _unpronounced(words: str, earlier: Earlier, lexicon: Lexicon) -> str:
    """Returns a prohibition with the things named before in place of "it": warm the potato, but do not cut it.

    What is opened, closed or switched is what has a door or switch: put the milk in the fridge without closing it.
    """
    found = re.search(r" (?:it|them|those|these)(?=$| )", words)
    if found is None or not earlier:
        return words
    last = [x for x in earlier.groups[-1] if x.subject not in (ROBOT, THING)]
    state = next((state for verb, state in treatment.PHRASES if state in TURNED and words.startswith(f"{verb} ")), "")
    last = [turned(x, state, 0, lexicon) for x in last] if state else last
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
