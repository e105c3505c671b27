"""Ways of doing things in the rearrangement model, as tuples of primitive actions, and what can be done next.

The greedy searcher of this file (deliver what is held; else fetch the cheapest thing located; else look where the expected
finds per
step are best) is the rule policy of the commonsense provider, the rollout policy of the search and a planner of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.search.model import AT, CLOSE, GRAB, HOLDS, NEAR, NEAR_TO, OPEN, OPENED, PUT, ROOM, WALK, WHERE, Macro, Problem, State

Weights = Sequence[float]
"""Place -> expected number of wanted things there that are not located yet."""
Looks = dict[tuple[int, int, int, int], Macro]
"""Best places to look, kept by (room, at, known, looked)."""


def fetch(problem: Problem, state: State, slot: int) -> Macro:
    """The way to hold a located thing."""
    layout, place = problem.layout, state[WHERE][slot]
    spot, steps = layout.spot[place], []
    away = layout.room[place] != state[ROOM]
    if away:
        steps.append(layout.room[place])
    here = not away and state[AT] == spot
    if layout.openable[place]:
        if not here:
            steps.append(WALK + spot)
        if not state[OPENED] >> place & 1:
            steps.append(OPEN + place)
    elif (away or state[NEAR] != slot) and not (layout.inside[place] and here):
        steps.append(NEAR_TO + slot)
    steps.append(GRAB + slot)
    return tuple(steps)


def deliver(problem: Problem, state: State, targets: Iterable[int]) -> Macro:
    """The shortest way to lay what is held at one of the targets that take it; empty when none does."""
    layout, barred = problem.layout, problem.barred[state[HOLDS]]
    best: Macro = ()
    for place in targets:
        if barred >> place & 1:
            continue
        away, spot = layout.room[place] != state[ROOM], layout.spot[place]
        steps = [layout.room[place]] if away else []
        if away or state[AT] != spot:
            steps.append(WALK + spot)
        if layout.openable[place] and not state[OPENED] >> place & 1:
            steps.append(OPEN + place)
        steps.append(PUT + place)
        if not best or len(steps) < len(best):
            best = tuple(steps)
    return best


def put_down(problem: Problem, state: State) -> Macro:
    """The shortest way to free the hand of something useless: here, in this room, anywhere."""
    layout, spot = problem.layout, state[AT]
    usable = [p for p, u in enumerate(layout.usable) if u]
    here = [p for p in usable if layout.spot[p] == spot and not problem.closed(p, state[OPENED])]
    near = [p for p in usable if layout.room[p] == state[ROOM] and not layout.openable[p]]
    return deliver(problem, state, here) or deliver(problem, state, near) or deliver(problem, state, usable)


def burdened(problem: Problem, state: State) -> bool:
    """Whether the hand is full of something that no literal can use now."""
    held = state[HOLDS]
    wants = (problem.wants[k] for k in problem.unmet(state[WHERE]))
    return held >= 0 and not any(held in want.slots and want.bits & ~problem.barred[held] for want in wants)


def look(problem: Problem, state: State, looked: int, weights: Weights) -> Macro:
    """Where the expected finds per step are best: another room, or a closed place; empty when nothing is left to find.

    Another room is worth what can be seen on entering it plus the best run of closed places opened there after, over the steps
    all
    of that takes (the index rule for search under precedence: enter first, then open).
    """
    layout, room = problem.layout, state[ROOM]
    shown = [0.0] * len(layout.rooms)
    shut: list[list[tuple[float, int]]] = [[] for _ in layout.rooms]
    some = [False] * len(layout.rooms)
    for place, where in enumerate(layout.room):
        if looked >> place & 1:
            continue
        some[where] = True
        if problem.closed(place, state[OPENED]):
            shut[where].append((-weights[place], place))
        else:
            shown[where] += weights[place]
    best = 0.0
    found: Macro = ()
    for place_weight, place in shut[room]:
        here = layout.spot[place] == state[AT]
        rate = -place_weight / (1 if here else 2)
        if rate > best:
            best, found = rate, ((OPEN + place,) if here else (WALK + layout.spot[place], OPEN + place))
    for other in problem.other_rooms[room]:
        rate = _worth(shown[other], shut[other])
        if some[other] and rate > best:
            best, found = rate, (other,)
    return found


def _worth(shown: float, shut: list[tuple[float, int]]) -> float:
    """The best finds per step over entering a room and then opening its likeliest places one after the other."""
    total, steps, best = shown, 1, shown
    for minus_weight, _ in sorted(shut):
        total, steps = total - minus_weight, steps + 2
        if total / steps <= best:
            break
        best = total / steps
    return best


def greedy(problem: Problem, state: State, known: int, looked: int, weights: Weights, looks: Looks | None = None) -> Macro:
    """What the greedy searcher does next; empty when it knows nothing left to do."""
    where = state[WHERE]
    unmet = problem.unmet(where)
    if state[HOLDS] >= 0:
        for k in unmet:
            if state[HOLDS] in problem.wants[k].slots:
                way = deliver(problem, state, problem.wants[k].targets)
                if way:
                    return way
        return put_down(problem, state)
    ways = [fetch(problem, state, slot) for k in unmet for slot in movable(problem, k, where, known)]
    if ways:
        return min(ways, key=len)
    if looks is None:
        return look(problem, state, looked, weights)
    key = (state[ROOM], state[AT], known, looked)
    if key not in looks:
        looks[key] = look(problem, state, looked, weights)
    return looks[key]


def movable(problem: Problem, literal: int, where: list[int], known: int) -> list[int]:
    """Located things a literal asks for, not where they should be, that a target takes and no other literal needs there."""
    slots, bits = problem.wants[literal].slots, problem.wants[literal].bits
    found = []
    for i in slots:
        place = where[i]
        if known >> i & 1 and place >= 0 and not bits >> place & 1 and bits & ~problem.barred[i] and problem.spare(i, where):
            found.append(i)
    return found


def macros(problem: Problem, state: State, known: int, looked: int) -> list[Macro]:
    """What can be worth doing within the room: go elsewhere, look into, take, lay down. Never close, never take clutter."""
    room, held, where = state[ROOM], state[HOLDS], state[WHERE]
    layout = problem.layout
    found: list[Macro] = [(r,) for r in problem.other_rooms[room]]
    for place in layout.in_room[room]:
        if not looked >> place & 1 and problem.closed(place, state[OPENED]):
            spot = layout.spot[place]
            found.append((OPEN + place,) if state[AT] == spot else (WALK + spot, OPEN + place))
    unmet = problem.unmet(where)
    if held < 0:
        things = [i for k in unmet for i in movable(problem, k, where, known)]
        found += [fetch(problem, state, i) for i in things if layout.room[where[i]] == room]
    else:
        found += _layings(problem, state, [k for k in unmet if held in problem.wants[k].slots])
    return list(dict.fromkeys(way for way in found if way))


def _layings(problem: Problem, state: State, literals: list[int]) -> list[Macro]:
    """Ways to lay down what is held: where a literal wants it, in this room; or anywhere, when none does or none can."""
    layout, barred = problem.layout, problem.barred[state[HOLDS]]
    targets = [p for k in literals for p in problem.wants[k].targets if not barred >> p & 1]
    if not targets:
        return [put_down(problem, state)]
    return [deliver(problem, state, [p]) for p in targets if layout.room[p] == state[ROOM]]


def relevant(problem: Problem, state: State, known: int, looked: int) -> list[Macro]:
    """The first step of each macro: primitive actions that matter to the task."""
    return list(dict.fromkeys(macro[:1] for macro in macros(problem, state, known, looked)))


def admissible(problem: Problem, state: State, known: int, looked: int) -> list[Macro]:
    """Every primitive action that is admissible on what the robot knows."""
    del looked
    layout, room, where = problem.layout, state[ROOM], state[WHERE]
    found = list(problem.other_rooms[room])
    spots = dict.fromkeys(layout.spot[p] for p in layout.in_room[room] if layout.usable[p])
    found += [WALK + s for s in spots if s != state[AT] or state[NEAR] >= 0]
    for i, place in enumerate(where):
        if place >= 0 and known >> i & 1 and layout.room[place] == room and not problem.closed(place, state[OPENED]):
            if state[NEAR] != i:
                found.append(NEAR_TO + i)
            if state[HOLDS] < 0 and (state[NEAR] == i or (layout.inside[place] and state[AT] == layout.spot[place])):
                found.append(GRAB + i)
    return [(action,) for action in (*found, *_at_spot(problem, state))]


def _at_spot(problem: Problem, state: State) -> Iterable[int]:
    """Open, close and put at the furniture the robot stands at."""
    layout = problem.layout
    for place in layout.in_room[state[ROOM]]:
        if layout.spot[place] != state[AT] or not layout.usable[place]:
            continue
        if layout.openable[place]:
            yield (OPEN if problem.closed(place, state[OPENED]) else CLOSE) + place
        if state[HOLDS] >= 0 and not problem.closed(place, state[OPENED]) and not problem.barred[state[HOLDS]] >> place & 1:
            yield PUT + place
