"""Everyday verbs and their particles: each clause is brought to the form that the readers know.

"Gather up the toys" is "pick up the toys", "fill the cup up" is "fill the cup", "plonk yourself down" is "sit down", "pop the
book back on the shelf" is "put the book on the shelf", and "the phone that's lying on the counter" is "the phone from on the
counter". A particle is dropped only where it says nothing about the goal: "off" and "away" stay.
"""

from __future__ import annotations

import re

from core.goals.parser.restrictions import AT, OUT_OF, restricted
from core.goals.vocabulary import Lexicon

PLACING = r"put|place|move|set|lay|leave|line|pop|stick|plonk|bung|slide|shove|transfer|shift|relocate|stack|pile|arrange" \
    r"|hang|spread|pack|load|return|drop|stash|stow|serve|dish|bring|carry|take|get|fetch|deliver|throw|chuck|toss|put back"
GETTING = r"gather|collect|round|grab|pick|lift|dig|fish|pull|reach|scoop|find|fetch|hunt|snatch|snap|get hold of" \
    r"|lay your hands on"
TREATING = r"fill|heat|warm|fry|boil|toast|bake|cook|roast|grill|wash|clean|rinse|scrub|wipe|chop|cut|slice|dice|carve|scrape" \
           r"|sponge|hose|brew|open|close|polish|drink|eat|read"
PARTICLE = r"up|out|down|over|across|along|through|round|together|back|aside"
LAST = rf"(?=$|[ ,]+(?:{AT}|{OUT_OF}|using|with|for)\b)"
NO_PLACE = rf"(?:(?! (?:{AT}|{OUT_OF}) ).)+?"
VERB_FORMS: tuple[tuple[str, str], ...] = (
    # the robot itself
    (r"(?:plonk|park|plant|plop|seat|settle|set|sit|position|make) yourself(?: comfortable| comfy| cosy"
     r"| at home)?(?: down)?(?= (?:on|in(?! front)|at|onto)\b|$)",
     "sit down"),
    (r"(?:(?:take|grab|have|find) (?:a|your) (?:seat|pew|place|sit)(?: down)?|be seated|have a sit_down)(?= (?:on|in|at|onto)\b"
     r"|$)",
     "sit down"),
    (r"(?:stretch(?: yourself)? out|(?:lie|lay)(?: yourself)? (?:flat|out|back)(?: down)?|(?:take|have"
     r"|go for) a (?:lie[- ]?down|rest|nap|kip|snooze|little lie[- ]?down)|flop(?: down)?|put your feet up|curl up)(?= (?:on|in"
     r"|onto)\b|$)",
     "lie down"),
    (r"(?:orient|orientate|rotate|swivel|direct|align|pivot|turn|spin|point)(?: yourself| your body| your face"
     r"| your head)?(?: a?round)?(?: so (?:that )?you(?:'re| are)? (?:face|facing|look at|looking at)| to (?:face|look at)"
     r"| to be facing| in the direction of| towards?| to the direction of)(?: to)? ", "face "),
    (r"(?:look|have a look|take a look|glance|check|admire|view|inspect|examine)(?: at)? (?:yourself"
     r"|your (?:own )?(?:reflection|face|image)) in ", "look at "),
    (r"(?:look|peer|glance|have a look|take a look|gaze) (?:in|into|out of|through|out|over at)(?: of)? (?=(?:the|a"
     r"|my) \S*(?:mirror|window|screen|picture|painting|television|tv|blinds|curtains?)\b)", "look at "),
    (r"(?:navigate|wander|stroll|pop|nip|hurry|rush|dash|hop|trundle|wheel|march|pace|shuffle|saunter|make (?:your|the) way"
     r"|find your way|take yourself|get yourself|bring yourself|drive yourself|move yourself)(?: (?:over|back|across|along|on"
     r"|up|down|through|off|out|round|straight))* (?:to|into|towards?|in) (?=\S)", "go to "),
    (r"(?:stand|wait|stay|position yourself|place yourself|station yourself|plant yourself|hover|stop)(?: still| right| just"
     r"| there| close| over)* (?:by|beside|near|next to|in front of|close to|alongside|at"
     r"|to)(?: the side of)? (?=\S)", "stand by "),
    (r"(?:go to sleep|sleep|nap|doze|snooze)(?: down)? (?=(?:on|in) )", "lie down "),
    (r"join (?:me|us) (?=(?:on|in|at) )", "sit down "),
    # acts
    (r"(?:have|take|get) (?:a|some|another) (?:quick |little |small |good |nice |big )?(?:drink|sip|swig|gulp|taste)(?: of"
     r"| from) (?=\S)", "drink "),
    (r"(?:have|take) (?:a|some|another) (?:quick |little |small |good |nice |big )?(?:bite|mouthful|nibble) (?:of|from"
     r"|out of) ",
     "eat "),
    (r"(?:have|take) (?:a|another) (?:quick |little |good |nice )?(?:read|flick|browse) (?:of|through) ", "read "),
    (r"(?:sip|drain|gulp down|gulp|swallow|down) (?=(?:the|a|an|some|my|your|it)\b)", "drink "),
    (r"(?:consume|gobble up|gobble|munch on|munch|nibble at|nibble|devour|snack on|polish off) ", "eat "),
    (r"(?:flick|leaf|browse|look|page) through ", "read "),
    (r"(?:put|place|lay|rest) (?:your|a) hand on ", "touch "),
    # states
    (r"(?:get|have|set)(?: me| us)? (?P<what>(?:the |an? |some )?(?:\w+ of )?(?:coffee|tea)) (?:on|going|brewing|started"
     r"|ready)$",
     r"make \g<what>"),
    (r"(?:pre-?heat|fire up|get going|flick on|power up|turn back on|switch back on|boot up|start up|boot|put back on"
     r"|click on) ",
     "switch on "),
    (r"(?:flick off|power down|switch back off|turn back off|shut off|click off|cut the power to|turn down) ", "switch off "),
    (r"(?:switch|turn|flick|flip|power|click|snap|put|get|have|knock|leave) (?P<what>" + NO_PLACE
     + r") (?P<how>on|off)(?P<rest>(?: in (?:the |my )?[a-z_]+)?)$", r"switch \g<how> \g<what>\g<rest>"),
    (r"(?:pull|swing|slide|push|prop|get|flip|lift|have|crack|leave) (?P<what>" + NO_PLACE + r") open$", r"open \g<what>"),
    (r"(?:pull|swing|slide|push|get|flip|have|slam) (?P<what>" + NO_PLACE + r") (?:shut|closed|to)$", r"close \g<what>"),
    (r"(?:push|pull|slide|swing|slam|seal) (?:shut|to) ", "close "),
    (r"(?:pull|swing|slide|push|prop) open ", "open "),
    (r"(?:put|lower|push|flip) (?P<what>(?:the |my )?[a-z_ ]*lid(?: of [a-z_ ]+)?) down$", r"close \g<what>"),
    (r"(?:put|lower|push|flip) down (?P<what>(?:the |my )?[a-z_ ]*lid)$", r"close \g<what>"),
    (r"(?:lift|put|raise|flip) (?P<what>(?:the |my )?[a-z_ ]*lid(?: of [a-z_ ]+)?) up$", r"open \g<what>"),
    (r"give (?P<what>" + NO_PLACE + r") (?:a|another) (?:good |quick |proper |thorough |nice )*(?P<verb>wash|clean|rinse|scrub"
     r"|wipe|touch|pat|stroke|tap|look|read|poke)(?: (?:down|out|over|up))?" + LAST, r"\g<verb> \g<what>"),
    (r"(?:unload|unpack) (?P<what>.+? (?:from|out of|off) )", r"take \g<what>"),
    (r"(?:tidy|clear|sort)(?: up)? (?P<what>.+? (?:into|onto) )", r"put \g<what>"),
    (r"(?:get|set) (?P<what>" + NO_PLACE + r") (?:running|going|started)$", r"switch on \g<what>"),
    (r"(?:track down|look out|seek out|seek|hunt down) ", "find "),
    (r"lie (?:down )?on your (?:back|side|stomach|front|belly) ", "lie down "),
    (r"(?:wipe(?: down| clean| off| up| over)?|sponge(?: down)?|scour|hose down|soap up|polish|scrub(?: down| clean)"
     r"|wash (?:down|out|off)|rinse (?:down|through)|do the washing of) ", "wash "),
    (r"(?:warm through|heat through|re-?heat|nuke) ", "heat "),
    (r"(?:sauté|saute|simmer|poach|steam|stew|braise|barbecue|scramble|brown|cook up|fry up) ", "cook "),
    (r"(?:chop|cut|slice|carve|dice|hack|divide|split)(?: up)? (?P<what>.+?) (?:up )?(?:in|into) (?:\w+ )?(?:slices?|pieces"
     r"|bits|chunks|cubes|halves|half|quarters|rounds|wedges|strips|two|three|four)$", r"slice \g<what>"),
    (r"(?:wash|clean|scrub|rinse|wipe|sponge) (?P<what>" + NO_PLACE + r") (?:clean|spotless|spotlessly clean|dry|thoroughly"
     r"|properly)" + LAST,
     r"wash \g<what>"),
    (r"(?:drop|leave) (?P<what>" + NO_PLACE + rf") off (?=(?:{AT}) )", r"put \g<what> "),
    (r"pick (?P<what>" + NO_PLACE + r") (?:back )?up(?= |$)", r"pick up \g<what>"),
    (r"(?:bring|hand|pass|give|fetch|carry|take|send|toss|throw) (?:over|round|along"
     r"|across) (?P<what>" + NO_PLACE + r")$", r"bring \g<what> over"),
    (r"read(?: out| aloud)?(?: out)? (?:to|for) (?:me|us) (?:from|out of) ", "read "),
    (r"(?:recite|study|peruse) ", "read "),
    (r"(?:refill|top up|fill to the (?:brim|top)) ", "fill "),
    # where things are
    (rf"(?:line|lay|set|put|place|spread|stack|pile|lie) (?:up|out|down) (?P<what>.+? (?:{AT}) .+)$", r"put \g<what>"),
    (r"(?:drape|lay|spread|hang|throw|fold) (?P<what>" + NO_PLACE + r") over (?=(?:the|a|my|one) )", r"put \g<what> on "),
    (rf"line (?P<what>.+?) (?:up )?(?=(?:{AT}) )", r"put \g<what> "),
    (r"(?:hide|plonk|bung|prop|lean|lob|sling|dish up|dish|pile|spread|relocate|transport|install|insert|file|balance|serve up"
     r"|lodge|restore|plop|ditch|scatter|line) (?!yourself)", "put "),
    (r"serve (?P<what>.+?) (?P<where>(?:on|in|at|onto|into) (?:the |a |an |my |our )?\S+)$", r"put \g<what> \g<where>"),
    (r"(?:gather|collect|assemble|round up)(?: up)? (?P<what>(?:at least )?(?:two|three|four|five|six|\d+) " + NO_PLACE
     + r") (?=(?:in|on|at) )", r"put \g<what> "),
    (r"(?:retrieve|obtain|acquire|snag|nab|pick|choose|select) (?!up\b)", "pick up "),
    (r"(?:convey|haul|lug|ferry|shuttle|cart) (?=\S)", "bring "),
    (rf"(?:{GETTING}) (?:up|out|down|together|over) (?=\S)", "pick up "),
    (r"(?:gather|round up|collect|scoop|dig out|fish out|snatch|hunt for|get hold of|lay your hands on|clutch|grip|carry about"
     r"|hang on to|hang onto|keep hold of) ", "pick up "),
    (r"(?:hand|pass|slide|chuck|toss|throw|lend|give) (?=(?:me|us) )", "give "),
    (r"(?:chuck|toss|sling|lob|throw) out ", "throw away "),
    (r"(?:chuck|toss|sling|lob|throw|ditch) (?P<what>" + NO_PLACE + r") (?:out|away)$", r"throw away \g<what>"),
    (r"(?:put|stick|pop|drop|place|shove|toss|chuck) (?P<what>" + NO_PLACE + r") (?:out )?(?:with|in) the (?:rubbish|trash"
     r"|garbage|waste)$",
     r"throw away \g<what>"),
)
"""Form at the beginning of a clause -> the form that the readers know."""
FORMS = tuple((re.compile(pattern), plain) for pattern, plain in VERB_FORMS)
AFTER_VERB = re.compile(rf"(?P<verb>{PLACING}|{GETTING}|{TREATING}) (?P<particle>{PARTICLE}) (?=(?:the|a|an|my|your|his|her|our"
                        rf"|their|some|any|all|every|each|both|two|three|four|five|one|it|them|this|that|these|those|\d+) ?)")
AFTER_NOUN = re.compile(rf"(?P<verb>{PLACING}|{GETTING}|{TREATING}) (?P<what>{NO_PLACE}) (?:right "
                        rf"|straight )?(?P<particle>{PARTICLE}){LAST}")
KEPT_PARTICLES = frozenset({"pick up", "put back", "take back", "take out", "get out", "pull out", "bring out", "bring back",
                            "bring over", "take over", "carry over"})
POURED_INTO = re.compile(r"(?:make|brew|prepare|fix|pour|put|get)(?: me| us)?(?: out)? (?:an? |some |the |more )?(?:fresh |hot "
    r"|cold |nice |black )*(?:(?:cup|mug|pot|bit) of )?(?P<liquid>coffee|tea|water) (?:in|into) (?P<what>.+)")
DRAWN = re.compile(r"(?<=\w) (?:from|under|out of) (?P<tap>(?:the |a )?(?:\w+ )?(?:tap|faucet|sink|coffee_machine"
    r"|coffee_maker))$")
HOLDING = re.compile(r"( with (?:the|an?|my) \S+) (?:lying |standing )?(?:on|in|inside) (?:it|top|them)(?= |$)")
EMPTY_WORDS = re.compile(r"\b(?:back )?in (?=(?:from|off) )"
                         rf"|\b(?:right|straight|just|directly|back down|safely|neatly|nicely) (?=(?:{AT}) )")
APPOSITION = re.compile(r", (?:both|all|each|either|any)(?: one)?(?: of (?:them|those|these|it))?,? (?=(?:in|on|to|into|onto"
    r"|from|at|off)\b)")
SPOKEN = (r"navigate|wander|stroll|pop|nip|hurry|rush|dash|trundle|march|pace|plonk yourself|park yourself|plant yourself"
          r"|plop yourself|seat yourself|settle yourself|sit yourself|make yourself (?:comfortable|comfy|cosy|at home)"
          r"|take a seat|grab a seat|stretch (?:yourself )?out|stretch out|flop|curl up|orient|orientate|rotate|swivel|align"
          r"|pivot|hover|gulp|drain|consume|gobble|devour|munch|nibble|polish|wipe|sponge|scour|re-?heat|nuke|simmer|poach"
          r"|steam|scramble|refill|top up|line|plonk|bung|prop|lean|lob|sling|dish|pile|spread|relocate|install|insert|balance"
          r"|serve|lodge|restore|scatter|ditch|gather|round up|scoop|dig out|fish out|snatch|hunt for|clutch|grip|hang on to"
          r"|preheat|pre-heat|flick|flip|power|fire up|boot|start up|push|pull|swing|hack|split|divide|leaf through"
          r"|flick through|browse through|have (?:a|some) (?:drink|sip|bite|read|nibble|mouthful|swig)|take (?:a|some) (?:drink"
          r"|sip|bite|swig)|have a look|take a look|peer|glance|check yourself|admire yourself|wait (?:by|near|beside)|lower"
          r"|raise|slam|get hold of|brew|roast|grill|reach down|exchange|trade")
VERBS = f"{SPOKEN}|hide|drape|transport|assemble|retrieve|obtain|acquire|snag|nab|choose|select|convey|haul|lug|ferry|doze" \
        r"|join (?:me|us)|switch|turn|pick|look|track down|seek|hunt down|unload|tidy|sort|recite|study|peruse|drop"
"""Verbs that begin a clause; the other parser modules know the rest."""


def plain_clause(clause: str, lexicon: Lexicon) -> str:
    """Returns a clause with its verb in the form that the readers know, without particles that say nothing.

    Args:
        clause: it begins with a verb; names have underscores between their words.
        lexicon: the words of this world.
    """
    clause = EMPTY_WORDS.sub("", clause)
    clause = APPOSITION.sub(" ", restricted(clause))
    clause = HOLDING.sub(r"\1", clause)
    poured = POURED_INTO.fullmatch(clause)
    if poured and not lexicon.is_here(poured["liquid"]):
        vessel = re.sub(r"^(?:the |a |my )", "", poured["what"].replace("_", " "))
        appliances = {name for name, word in lexicon.words.items() if word.cls in lexicon.appliances}
        clause = clause if vessel in appliances else f"fill {poured['what']}"
    drawn = DRAWN.search(clause) if clause.startswith(("fill", "rinse", "wash", "clean")) else None
    if drawn is not None:
        fills = _fills(drawn["tap"], lexicon)
        clause = clause[:drawn.start()] + (f" at {drawn['tap']}" if fills else "")
    for pattern, plain in FORMS:
        found = pattern.match(clause)
        if found is not None:
            clause = found.expand(plain) + clause[found.end():]
            clause = re.sub(r"^look (?!at |for |after |towards? |over )", "look at ", re.sub(r"^wipe ", "wash ", clause))
            break
    for pattern in (AFTER_VERB, AFTER_NOUN):
        found = pattern.match(clause)
        if found is not None and not _says_something(found, clause):
            clause = found["verb"] + (f" {found['what']}" if "what" in pattern.groupindex else " ") + clause[found.end():]
    return " ".join(clause.split())


def _says_something(found: re.Match[str], clause: str) -> bool:
    """Returns True if the particle has to stay: "put back the book" is about its usual place, "take it out" about a place."""
    if re.match(r"fill up|sit|stand|lie", clause) and found["particle"] != "up":
        return True
    last = found.end() >= len(clause) or not re.match(rf"\s*,?\s*(?:{AT}|{OUT_OF}) ", clause[found.end():])
    said = f"{found['verb']} {found['particle']}"
    split = "what" in found.re.groupindex
    if said in KEPT_PARTICLES:
        return last or not split
    return split and last and found["particle"] in ("back", "over") and not re.match(TREATING, clause)


def _fills(words: str, lexicon: Lexicon) -> bool:
    """Returns True if words name a machine that fills what is put under it."""
    noun = re.sub(r"^(?:the |a )", "", words.replace("_", " "))
    return lexicon.is_here(noun) and bool(lexicon.appliances & set(lexicon.senses(noun)))
