"""Clauses about states: open, close, switch on and off, plug in, slice, cook, make, wash, fill.

The grammar is `verb items [(with | using | in | on) appliance]`. "Fry an egg in the pan" asks for a fried egg in the pan.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.common.errors import GoalError
from core.goals.kinds import THING
from core.goals.literals import Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.earlier import THEM, TURNED, Earlier
from core.goals.parser.noun_phrases import Item, Part, items, split_list
from core.goals.parser.placement import carried, destination, is_moved
from core.goals.parser.restrictions import split_places
from core.goals.parser.word_classes import LIQUIDS
from core.goals.possibility import BY_STATE
from core.goals.vocabulary import anything
from core.world.vocabulary import BREWS, SLICEABLE, SWITCHABLE, TAKES_SLICES, TREATED_BY, Entity, spaced
from core.world.vocabulary import TURNED as TURNED_BY

PHRASES: tuple[tuple[str, str], ...] = (
    ("switch on", "on"), ("switch off", "off"), ("open", "open"), ("close", "closed"), ("plug in", "plugged in"),
    ("slice", "sliced"), ("cook|warm|toast|microwave", "cooked"), ("make", "made"), ("wash|clean|clean up", "clean"),
    ("fill", "filled"),
)
"""Verb -> the state it gives."""
DOOR = re.compile(r"(?:the|its|that) (?:doors?|lid|cover)")
"""After "put the egg in the fridge": a part of what was named last."""
OWN_TOOL = {"microwave": "microwave", "toast": "toaster"}
"""Verb -> the appliance it names."""
TOOL = re.compile(r"\s+(?:using|with|by means of)\s+")
IT_IN = re.compile(rf"(?P<it>{'|'.join(sorted(THEM - {'everything'}, key=len, reverse=True))})"
                   r" (?:in|inside|on|using|with) (?P<tool>.+)")
BY_TOOL = frozenset({"cooked", "made", "clean", "filled", "sliced"})
INTO = re.compile(r"\s+(?:into|in) (?:slices|pieces|chunks|cubes|half|two)$")
FILLING = re.compile(rf"\s+(?:with|of) (?:some |hot |cold |fresh |the )*(?:{'|'.join(sorted(LIQUIDS))})$")


MADE_IN = re.compile(r"(?:an?|some|the|a cup of) (?P<liquid>coffee|tea) in (?P<vessel>(?:the|an?|my) .+)")


def treatment_clause(clause: str, earlier: Earlier, context: Context, stage: int) -> list[Literal] | None:
    """Returns the literals of `verb items`; None if the clause begins with no such verb. "Close it" changes `earlier`."""
    switched = re.fullmatch(r"put (.+?) (on|off)(| in (?:the )?[a-z_]+)", clause)
    turns = switched and any(SWITCHABLE in context.lexicon.entities[one].properties
                             for one in context.lexicon.ids_of(earlier.place())) if earlier.place() else False
    if switched and not (switched[2] == "on" and earlier.place() and not turns) and not split_places(switched[1])[1]:
        clause = f"switch {switched[2]} {switched[1]}{switched[3]}"  # put the light on
    for pattern, state in PHRASES:
        match = re.match(rf"(?:{pattern})\s+(.+)", clause)
        if match is None:
            continue
        clause_place = earlier.place()
        if DOOR.fullmatch(match[1]) and state in TURNED and not context.lexicon.is_here("door") and clause_place:
            return treatment_clause(f"{clause[:match.start(1)]}it", earlier, context, stage)
        said = match[1]
        if re.search(r" (?:in|on) it$", said) and clause_place:  # fry the egg in it
            vessels = (x.subject for x in reversed(earlier.groups[-1]) if is_moved(x.subject, context.lexicon))
            said = f"{said[:-2]}the {next(vessels, clause_place)}"
        if _changed_by_tool(state, said, earlier, context):
            return []
        words = INTO.sub("", said) if state == "sliced" else FILLING.sub("", said) if state == "filled" else said
        if words in THEM and words != "everything" and earlier:
            if state == "made":
                raise refuse(words, "say which things are meant")
            return _changed(clause, words, state, earlier, context, stage)
        filling = said.removeprefix(words) if state == "filled" else ""
        return _treated(state, words, context, clause.split()[0], filling if "coffee" in filling else "")
    return None


def _changed(clause: str, words: str, state: str, earlier: Earlier, context: Context, stage: int) -> list[Literal]:
    """Gives what was named before the state: "close it", "toast them". Returns a literal of its own where an order was said."""
    verb = clause.split()[0]
    by = _own_tool(verb, words, context) if verb in OWN_TOOL else None
    named = earlier.named(words) if context.then and state not in TURNED | {"plugged in"} else []
    if named and all(x.predicate == "is" and state not in x.states and not x.by for x in named):  # wash it, then slice it
        return [replace(x, states=frozenset({state}), by=by) for x in named]
    if by is not None:
        earlier.change(words, lambda x: replace(x, states=x.states | {state}, by=by))
    elif earlier.again(words, state, stage, context.lexicon):
        context.tell(clause, "a goal holds in the end: what this undoes is left out")
    return []


def _changed_by_tool(state: str, words: str, earlier: Earlier, context: Context) -> bool:
    """Gives what was named before the state: "heat it in the microwave". Returns False for words that say something else."""
    it = IT_IN.fullmatch(words)
    by = _without_tool(state, f"it in {it['tool']}", context)[1] if it and earlier and state in BY_TOOL else None
    if it is None or by is None:
        return False
    earlier.change(it["it"], lambda x: replace(x, states=x.states | {state}, by=by))
    return True


def _treated(state: str, words: str, context: Context, verb: str = "", coffee: str = "") -> list[Literal]:
    by = None
    if state == "made" and (drink := MADE_IN.fullmatch(words)):  # make me a coffee in the cup
        return _treated("filled", drink["vessel"], context, coffee=drink["liquid"])
    vessel = _vessel(words, context) if state == "cooked" else None
    if vessel is not None:  # fry an egg in the pan: it is in the pan in the end
        target, relation = destination(vessel[1], vessel[2], None, Earlier(), context)
        return [replace(_literal(state, one), predicate=relation, target=target)
                for one in items(vessel[0], context, carried(context.lexicon))]
    if state in BY_TOOL:
        words, by = _without_tool(state, words, context)
    brewers = sorted({e.cls for e in context.lexicon.entities.values() if BREWS in e.properties})
    if (state == "made" or coffee) and by is None and brewers and re.search(r"\bcoffee\b", f"{words} {coffee}"):
        by = context.choose("coffee", [(f"from the {spaced(brewers[0])}", brewers[0]), ("from any source", None)])
    if verb in OWN_TOOL and by is None:
        by = _own_tool(verb, words, context)
    switched = {e.cls for e in context.lexicon.entities.values() if SWITCHABLE in e.properties}
    if state == "cooked" and by is None and _names_appliance(words, context):
        state = "on"  # heat the oven
    part = Part(switched.__contains__ if state in ("on", "off") else anything, makes=state == "made")
    return [_prepared(able(replace(_literal(state, one), by=by), context), context) for one in items(words, context, part)]


def able(literal: Literal, context: Context) -> Literal:
    """Returns a literal about every thing of a kind as one about those that can get its states, told as a guess.

    "Wash all the dishes" is about cups and plates, and not about the spoons that nothing here washes.
    """
    lexicon = context.lexicon
    if not literal.every or len(lexicon.classes_of(literal.subject)) < 2:
        return literal
    ids = lexicon.ids_of(literal.subject, literal.room, literal.source)
    can = [one for one in ids if all(_gets(lexicon.entities[one], state) for state in literal.states)]
    if not can or len(can) == len(ids):
        return literal
    names = lexicon.shortened(can)
    out = sorted({spaced(lexicon.entities[one].cls) for one in set(ids) - set(can)})
    done = " and ".join(BY_STATE.get(state, state) for state in sorted(literal.states))
    context.tell(f"every {spaced(literal.subject)}", f"all but {', '.join(out)}, which cannot be {done}")
    return replace(literal, subject=names)


def _gets(entity: Entity, state: str) -> bool:
    """Returns True if an entity has a state or is made for it."""
    need = TURNED_BY.get(state) or (TREATED_BY[state][0] if state in TREATED_BY else SLICEABLE if state == "sliced" else "")
    return state in entity.states or not need or need in entity.properties


def _prepared(literal: Literal, context: Context) -> Literal:
    """Returns a literal about an appliance that takes slices with its object sliced, told as a guess: toast the bread."""
    lexicon = context.lexicon
    takers = {e.cls for e in lexicon.entities.values() if TAKES_SLICES in e.properties}
    whole = {cls for cls in lexicon.classes_of(literal.subject) if not cls.endswith("slice")}
    if literal.by is None or "sliced" in literal.states or not lexicon.classes_of(literal.by) <= takers or not (
            whole and whole <= lexicon.sliceable):
        return literal
    context.tell(spaced(literal.subject), f"sliced first: the {spaced(literal.by)} takes slices")
    return replace(literal, states=literal.states | {"sliced"})


def _own_tool(verb: str, words: str, context: Context) -> str | None:
    """Returns the appliance that a verb names: "microwave the salmon"; where there is none, it is another name of heating.

    Raises:
        GoalError: the verb names a machine that is not here.
    """
    name = OWN_TOOL[verb]
    if context.lexicon.ids_of(name) and verb == "toast":
        return context.choose(verb, [(f"in the {name}", name), ("in anything that heats", None)])
    if context.lexicon.ids_of(name):
        return name
    if verb == "toast":
        return None
    raise refuse(verb, f"there is no {name} here", (f"heat {words}",))


def _names_appliance(words: str, context: Context) -> bool:
    noun = re.sub(r"^(?:the|a|an|my|our) ", "", words)
    if re.search(r"[ ,]", noun):
        return False
    try:
        classes = context.lexicon.classes_of("|".join(context.lexicon.senses(noun)))
    except GoalError:
        return False
    switched = {e.cls for e in context.lexicon.entities.values() if SWITCHABLE in e.properties}
    return bool(classes) and classes <= context.lexicon.appliances & switched - context.lexicon.movable


def _vessel(words: str, context: Context) -> tuple[str, str, str] | None:
    """Returns (objects, preposition, vessel) of "an egg in the pan", or None if no vessel that can be carried is named."""
    found = re.fullmatch(r"(.+) (in|inside|on) ((?:the |a |an |my )?[a-z_]+)", words)
    if found is None:
        return None
    try:
        senses = context.lexicon.senses(re.sub(r"^(?:the|a|an|my) ", "", found[3]), context.lexicon.holds_things)
    except GoalError:
        return None
    carries = context.lexicon.movable.issuperset(senses) and not context.lexicon.appliances & set(senses)
    return (found[1], found[2], found[3]) if carries and all(map(context.lexicon.holds_things, senses)) else None


def _without_tool(state: str, words: str, context: Context) -> tuple[str, str | None]:
    """Returns the words without the appliance at their end, and its class: "heat the milk in the microwave"."""
    lexicon = context.lexicon
    tool = re.search(rf"(.+?){TOOL.pattern}(?:the |a |an |some )?(.+)$", words)
    if tool is not None:
        name = lexicon.find(tool[2])
        if state == "cooked" and name not in lexicon.appliances:
            return f"{tool[1]} and {tool[2]}", None  # chicken with carrots
        return tool[1], name if state != "sliced" else None
    last = split_places(split_list(words)[-1])[1]
    if not last or last[-1][0] not in ("in", "inside", "on", "at") or state == "sliced":
        return words, None
    preposition, noun = last[-1]
    try:
        senses = lexicon.senses(re.sub(r"^(?:the|a|an|my) ", "", noun))
    except GoalError:
        return words, None
    appliance = next((cls for cls in senses if cls in lexicon.appliances), None)
    if appliance is None:
        return words, None
    if not words.endswith(f" {preposition} {noun}"):
        return words, None  # it is said in a clause: "the pie that is in the oven"
    return words.removesuffix(f" {preposition} {noun}"), appliance


def _literal(state: str, one: Item) -> Literal:
    if one.what == THING and state in TURNED:
        raise refuse(one.words, f"say what is to be {state}, such as all lights, or one piece of furniture")
    if state == "made" and not one.states:
        raise GoalError(f"“make {one.words}”: nothing is known about how it is made; say cook, slice, heat or wash",
                        f"make {one.words}", tuple(f"{verb} {one.words}" for verb in ("cook", "slice", "wash")))
    if state == "made":
        if one.every:
            raise refuse(one.words, "say how many", (f"one {spaced(one.what)}",))
        return Literal("is", one.what, None, one.count, one.states, room=one.room, source=one.source, was=one.was)
    was = one.was - {"open", "closed", "clean"} if state in one.was else one.was  # wipe the plates clean
    return Literal("is", one.what, None, one.count, one.states | {state}, every=one.every, room=one.room, source=one.source,
                   was=was)

