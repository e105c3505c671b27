"""Says a command in the plain form that the readers of clauses know: "get rid of the mug" is "throw away the mug".

Each frame of verbs has a writer. A command that lacks a phrase is said without it: its reader names what is missing.
"""

from __future__ import annotations

from core.goals.parser import word_classes as words
from core.goals.parser.commands import AS_SAID, BESIDE, GIVEN, INTO, LIGHT_NOUNS, OUT, UPON, Said


def plain(said: Said) -> list[str]:
    """Returns the plain clauses of a command."""
    frame = said.verb.frame
    write = _WRITERS.get(frame, _whole)
    clauses = [" ".join(UPON.sub(r"\1", one).split()) for one in write(said)]
    return [f"{one} {words.EXCEPT} {said.excepted}" for one in clauses] if said.excepted else clauses


def _what(said: Said) -> str:
    return said.object.words if said.object else "it"


def _where(said: Said) -> str:
    return " ".join(one.said for one in said.places)


def _whole(said: Said) -> list[str]:
    return [f"{said.verb.plain} {said.object.words if said.object else ''} {_where(said)}"]


def _put(said: Said) -> list[str]:
    """Writes verbs of placing; the first form that fits is taken."""
    for form in (_seated, _kept, _set, _thrown, _put_away, _put_on_it):
        written = form(said)
        if written:
            return [written]
    if said.object is None and said.verb.lemma in ("move", "return", "pop", "set"):
        return _go(said)
    if said.recipient and not said.has_goal:
        return [f"bring {_what(said)} {_where(said)} to me"]
    if not said.has_goal and any(one.preposition in OUT for one in said.places):
        return [f"take {_what(said)} {_where(said)}"]
    if _what(said) in ("it", "them") and len(said.places) == 2 and all(one.preposition in ("in", "on") for one in said.places):
        return [f"put {_what(said)} {said.places[0].said} that is {said.places[1].said}"]  # in the bowl on the table
    return [f"put {_what(said)} {_where(said)}"]


def _seated(said: Said) -> str:
    """Writes "plonk yourself on the sofa" and "rest on the bed"."""
    if said.object is not None or not (said.itself or said.verb.lemma == "rest") or not said.places:
        return ""
    return f"{'lie' if said.verb.lemma == 'rest' else 'sit'} {_seat(said)}"


def _kept(said: Said) -> str:
    """Writes "leave it open" as "open it", and "leave the room"."""
    keeps = said.verb.lemma in ("leave", "keep")
    if said.other_state:
        return f"leave {_what(said)} {said.state} and {said.other_state}"  # it cannot be both
    if keeps and said.has("on", "off") and not said.places:
        return f"switch {'on' if said.has('on') else 'off'} {_what(said)}"
    if said.state in COMMANDS and (keeps or said.verb.lemma in ("pull", "push", "swing")):
        return f"{COMMANDS[said.state]} {_what(said)}"
    return f"leave {_what(said)}" if said.verb.lemma == "leave" and said.object is not None and not said.places else ""


def _set(said: Said) -> str:
    """Writes "lay the table for two" and "set two places at the table"."""
    if said.verb.lemma not in ("set", "lay") or said.object is None:
        return ""
    noun = said.object.words.split()[-1]
    laid = (noun.endswith("table") and not said.has_goal) or noun in ("place", "places")
    return f"set {_what(said)} {_where(said)}" if laid else ""


def _thrown(said: Said) -> str:
    """Writes "chuck it out" as "throw away it"."""
    away = said.verb.lemma in ("throw", "chuck", "toss", "sling", "ditch") and not said.has_goal
    dumped = said.verb.lemma == "dump" and not said.places
    return f"throw away {_what(said)} {_where(said)}" if away or dumped else ""


def _put_away(said: Said) -> str:
    """Writes "put it back" and "pack it", which are about its usual place."""
    if said.has("away", "back") and not said.has_goal and not said.recipient:
        return f"put {'away' if said.has('away') else 'back'} {_what(said)} {_where(said)}"
    stored = said.verb.lemma in ("pack", "store", "stow", "stash", "hide") and not said.places
    return f"put away {_what(said)}" if stored else ""


def _put_on_it(said: Said) -> str:
    """Writes "put the light on" and "put the milk in"."""
    if said.places and said.has("on", "off") and not said.recipient:  # put the light on the desk on
        return f"switch {'on' if said.has('on') else 'off'} {_what(said)} {_where(said)}"
    if said.has("out") and not said.places and _what(said).endswith(("light", "lights", "lamp", "lamps")):
        return f"switch off {_what(said)}"
    if said.places or not said.has("on", "off", "in"):
        return ""
    if said.has("on", "off") and said.verb.lemma in ("put", "pop", "stick", "throw", "set"):
        return f"put {_what(said)} {'on' if said.has('on') else 'off'}"
    return f"put {_what(said)} {'in' if said.has('in') else 'on'} it"


def _bring(said: Said) -> list[str]:
    """Writes verbs of fetching and bringing; the first form that fits is taken."""
    if said.noun:
        return [f"wash {_what(said)} {_where(said)}"] if said.noun in GIVEN else _light(said)
    if said.object is None and not said.recipient and (moved := _moved_itself(said)):
        return moved
    verb = COMMANDS.get(said.state) or BECOMES.get(said.state)
    if verb and said.state != "out" and said.verb.lemma == "get":
        return [f"{verb} {_what(said)}"]
    into = [one for one in said.places if one.preposition in ("to", "into", "onto")]
    if said.recipient:
        return [f"bring {_what(said)} {_where(said)} {'' if into else 'to me'}"]
    out = [one for one in said.places if one.preposition in ("off", "out of", "off of")]
    if out and into:
        return [f"put {_what(said)} from {out[0].words} {into[0].said}"]
    verb = said.verb.lemma if said.verb.lemma in AS_SAID else "bring"
    if not said.places and not said.particles and verb in ("get", "fetch"):
        verb = "pick up"  # the book that is on the bed
    return [_carried(said, verb) or f"{verb} {_what(said)} {_where(said)}"]


def _moved_itself(said: Said) -> list[str]:
    """Writes "get up", "get to the kitchen" and "get out of the kitchen"."""
    if said.has("up") and not said.places:
        return ["stand up"]
    if said.verb.lemma != "get" or not any(one.preposition in ("to", "into", "out of", "in") for one in said.places):
        return []
    return _exit(said) if said.places[0].preposition == "out of" else _go(said)


def _carried(said: Said, verb: str) -> str:
    """Writes the particles of "take it away", "bring it over", "take it out"; empty without one."""
    if said.has("away") and not said.has_goal:
        return f"take away {_what(said)} {_where(said)}" if verb == "take" else f"pick up {_what(said)}"
    if said.has("back") and not said.has_goal:
        return f"{'put back' if verb in ('take', 'bring') else 'pick up'} {_what(said)}"
    if said.has("over", "along") and not said.has_goal:
        return f"bring {_what(said)} {_where(said)} over"
    if said.has("out") and not said.places:
        return f"{verb if verb in ('take', 'get', 'bring') else 'take'} {_what(said)} out"
    if said.has("off", "out") and said.places and said.places[0].preposition == "of":
        return f"take {_what(said)} off {said.places[0].words}"
    return f"remove {_what(said)} {_where(said)}" if said.has("off") and not said.has_goal and verb == "take" else ""


def _hold(said: Said) -> list[str]:
    if said.verb.lemma == "lift" and said.recipient:
        return [f"lift me {_where(said)}"]
    if said.verb.lemma in ("gather", "collect", "pick", "scoop", "grab", "hold", "find", "fish") and any(
            one.preposition in ("to", "into", "onto") for one in said.places):
        return [f"bring {_what(said)} {_where(said)}"]
    if said.verb.lemma in ("collect", "gather") and said.object is not None and said.object.several and any(
            one.preposition in ("on", "in", "at") for one in said.places):
        return [f"put {_what(said)} {_where(said)}"]
    if said.recipient:
        return [f"bring {_what(said)} {_where(said)} to me"]
    if said.verb.lemma in ("find", "locate", "search", "hunt", "hold"):
        return [f"{'hold' if said.verb.lemma == 'hold' else 'find'} {_what(said)} {_where(said)}"]
    return [f"pick up {_what(said)} {_where(said)}"]


def _take(said: Said) -> list[str]:
    return [f"remove {_what(said)} {_where(said)}"]


def _empty(said: Said) -> list[str]:
    if any(one.preposition in OUT for one in said.places):
        return _take(said)
    return [f"empty {_what(said)} {_where(said)}"]


def _clear(said: Said) -> list[str]:
    lemma = said.verb.lemma
    if said.object is None and not said.places:
        return [f"{lemma} {' '.join(said.particles)}"]
    if lemma == "sort":
        return [f"sort out {_what(said)} {_where(said)}"]
    if any(one.preposition in OUT for one in said.places):
        return [f"remove {_what(said)} {_where(said)}"]
    into = any(one.preposition in ("to", "into", "onto") for one in said.places)
    if lemma in ("clear", "tidy") and (into or (said.has_goal and said.has("away"))):
        return [f"put {_what(said)} {_where(said)}"]
    if said.has("away"):
        return [f"{'tidy' if lemma == 'tidy' else 'clear'} away {_what(said)} {_where(said)}"]
    return [f"{'clear' if lemma == 'clear' else 'tidy'} {_what(said)} {_where(said)}"]


def _turn(said: Said) -> list[str]:
    switch = next((one for one in said.particles if one in ("on", "off", "out")), "") or (
        said.state if said.state in ("on", "off", "out") else "")
    if said.verb.lemma == "power" and said.has("up", "down"):
        switch = "on" if said.has("up") else "off"
    if switch:
        return [f"switch {'off' if switch == 'out' else switch} {_what(said)} {_where(said)}"]
    if said.verb.lemma == "turn" and said.object is None:
        to = [one for one in said.places if one.preposition in ("to", "towards", "toward")]
        return [f"face {to[0].words}"] if to else [f"turn {' '.join(said.particles)} {_where(said)}"]
    if said.verb.lemma == "switch" and any(one.preposition == "with" for one in said.places):
        return [f"swap {_what(said)} {_where(said)}"]
    return [f"{said.verb.lemma} {_what(said)} {_where(said)}"]


def _off(said: Said) -> list[str]:
    return [f"switch off {_what(said)} {_where(said)}"]


def _on(said: Said) -> list[str]:
    lemma = said.verb.lemma
    if lemma == "run" and said.object is None:
        return _go(said)
    return [f"switch on {_what(said)} {_where(said)}" if lemma != "play" else f"play {_what(said)}"]


def _close(said: Said) -> list[str]:
    if said.verb.lemma == "shut" and said.has("off", "down"):
        return _off(said)
    return [f"close {_what(said)} {_where(said)}"]


def _plug(said: Said) -> list[str]:
    return [f"plug in {_what(said)} {_where(said)}"]


def _change(said: Said) -> list[str]:
    if said.verb.frame == "change" and said.verb.plain == "wash":
        if said.object is not None and said.object.words.split()[-1] == "hands":
            return [f"wash your hands {_where(said)}"]
        if said.object is None and said.has("up"):
            return ["wash up"]
    if said.verb.lemma == "clean" and said.has("off", "out", "up"):
        particle = said.particles[0]
        return [f"clean {particle} {_what(said)} {_where(said)}"]
    plain_verb = said.verb.plain if said.verb.lemma != "clean" else "clean"
    return [f"{plain_verb} {_what(said)} {_where(said)}"]


def _make(said: Said) -> list[str]:
    if said.state:
        verb = BECOMES.get(said.state) or COMMANDS.get(said.state)
        return [f"{verb} {_what(said)} {_where(said)}"] if verb else _whole(said)
    if said.has("on", "off"):
        return [f"switch {'on' if said.has('on') else 'off'} {_what(said)} {_where(said)}"]
    into = next((one for one in said.places if one.preposition == "into"), None)
    if into is not None:
        return [f"fill {into.words}"]  # coffee into the mug
    return [f"make {_what(said)} {_where(said)}"]


def _go(said: Said) -> list[str]:
    place = next((one for one in said.places if one.preposition not in ("from", "of", "with", "for", "about")), None)
    if place is None:
        one = said.object
        return [f"{said.verb.lemma} {one.words if one else ''} {' '.join(said.particles)} {_where(said)}"]
    if place.words == "bed" or place.words == "sleep":
        return [f"go to {place.words}"]
    if place.preposition == "out of":
        return [f"leave {place.words}"]
    if place.words == "there":
        return ["go to it"]
    if place.preposition in BESIDE and place.preposition != "at":
        return [f"stand near {place.words}"]
    more = " ".join(one.said for one in said.places if one is not place and one.preposition != "from")
    return [f"go to {place.words} {more}"]


def _reach(said: Said) -> list[str]:
    return [f"{'go to' if said.verb.lemma != 'enter' else 'enter'} {_what(said)} {_where(said)}"]


def _stay(said: Said) -> list[str]:
    place = said.places[0] if said.places else None
    if place is None or said.object is not None or place.words == "there" or place.preposition not in BESIDE | INTO:
        return []
    return [f"stand {'near' if place.preposition in BESIDE else 'in'} {place.words}"]


def _stand(said: Said) -> list[str]:
    if not said.places and said.object is None:
        return ["stand up"]
    if said.places and said.places[0].words == "there":
        return []
    if said.object is not None or not said.places:
        return [f"put {_what(said)} {_where(said)}"]
    place = said.places[0]
    where = " ".join([place.words, *(one.said for one in said.places[1:])])
    return [f"stand {'near' if place.preposition in BESIDE else place.preposition} {where}"]


def _rise(said: Said) -> list[str]:
    del said
    return ["stand up"]


def _sit(said: Said) -> list[str]:
    return [f"sit {_seat(said)}"]


def _seat(said: Said) -> str:
    if said.has("on", "in") and not said.places:
        return "on it"
    if not said.places:
        return ""
    first = said.places[0]
    where = "there" if first.words == "there" else f"on {first.words}" if first.preposition in INTO else first.said
    return " ".join([where, *(one.said for one in said.places[1:])])


def _lie(said: Said) -> list[str]:
    return [f"lie {_seat(said)}"]


def _face(said: Said) -> list[str]:
    place = said.places[0].words if said.places and said.object is None else ""
    return [f"face {place or _what(said)}"]


def _look(said: Said) -> list[str]:
    if said.object is not None:
        return [f"{'find' if said.seeks else 'look at'} {_what(said)} {_where(said)}"]
    place = said.places[0] if said.places else None
    if place is None:
        return [f"look {' '.join(said.particles)}"]
    more = " ".join(one.said for one in said.places[1:])
    if place.preposition in ("towards", "toward"):
        return [f"face {place.words}"]
    at = place.preposition in ("at", "over", "on") or place.words.endswith("mirror")
    return [f"look {'at' if at else place.preposition} {place.words} {more}"]


def _act(said: Said) -> list[str]:
    if said.object is None and said.places:
        return [f"{said.verb.plain} {said.places[0].words} {' '.join(one.said for one in said.places[1:])}"]
    return [f"{said.verb.plain} {_what(said)} {_where(said)}"]


def _type(said: Said) -> list[str]:
    place = next((one for one in said.places if one.preposition in ("on", "with", "into", "at", "in", "using")), None)
    return [f"type on {place.words if place else _what(said)}"]


def _light(said: Said) -> list[str]:
    verb = LIGHT_NOUNS[said.noun]
    if verb == "look":
        return _look(said)
    if verb in ("sit", "lie"):
        return [f"{verb} {_seat(said)}"]
    return [f"{verb} {_what(said)} {_where(said)}"]


def _have(said: Said) -> list[str]:
    if said.has_goal and said.object is not None and not (said.noun or said.state):
        return [f"put {_what(said)} {_where(said)}"]  # have the milk in the fridge by noon
    return _light(said) if said.noun else [f"have {_what(said)} {said.state} {_where(said)}"]


def _load(said: Said) -> list[str]:
    if said.has_goal:
        return [f"put {_what(said)} {_where(said)}"]
    return [f"load {_what(said)} {_where(said)}"]


def _bin(said: Said) -> list[str]:
    return [f"throw away {_what(said)} {_where(said)}"]


def _exit(said: Said) -> list[str]:
    return [f"leave {said.object.words if said.object else said.places[0].words if said.places else 'it'}"]


COMMANDS = {"on": "switch on", "off": "switch off", "open": "open", "opened": "open", "closed": "close", "shut": "close",
            "running": "switch on", "out": "switch off"}
"""State -> the command that gives it."""
BECOMES = {"sliced": "slice", "cut": "slice", "chopped": "slice", "cooked": "cook", "heated": "cook", "toasted": "toast",
           "baked": "cook", "boiled": "cook", "fried": "cook", "clean": "wash", "washed": "wash", "rinsed": "wash",
           "filled": "fill", "full": "fill", "warm": "warm", "warmed": "warm", "hot": "cook", "plugged_in": "plug in",
           "empty": "empty",
           "clear": "clear", "tidy": "tidy"}
_WRITERS = {
    "put": _put, "bring": _bring, "hold": _hold, "take": _take, "empty": _empty, "clear": _clear, "turn": _turn, "on":
    _on, "off": _off, "close": _close, "plug": _plug, "change": _change, "make": _make, "go": _go, "reach": _reach,
    "stay": _stay, "stand": _stand, "rise": _rise, "sit": _sit, "lie": _lie, "face": _face, "look": _look, "act": _act,
    "type": _type, "have": _have, "load": _load, "bin": _bin, "exit": _exit,
}
"""Frame -> what writes its verbs; the others are said as they are."""
