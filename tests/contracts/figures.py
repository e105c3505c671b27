"""For each kind of statement of an explanation, an independent look-up of its figures in what the turn showed and asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from core.planners.bcr.recorded_types import BlockingTable, BlockingTree, SelectionFacts
from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planners.llm_state.recorded_types import EstimateFacts, PlanFacts, StateDictionary, StateHistory
from core.planners.neoplanner.recorded_types import ActionPlanFacts, Learnings, Scores, StateGraph
from core.planners.progprompt.program import read_program
from core.planners.progprompt.recorded_types import ProgramFacts
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.explanation import AskedCall, DecisionEvidence, Sentence
from core.planning.facets import GoalProgress, Plan, Program, Steps
from core.planning.prompt_facts import ObjectPositionsFacts, PolicyFacts
from core.planning.search_facets import Ranking
from core.world.vocabulary import Action

Figures = Mapping[str, float]
Check = Callable[[DecisionEvidence, Action, Sentence], bool]
LEAVES = ("chosen", "candidate")


def one_of(found: Iterator[Figures], figures: Figures) -> bool:
    """Whether the figures are among those found."""
    return any(row.keys() == figures.keys() and all(math.isclose(row[k], figures[k], abs_tol=1e-12) for k in row)
               for row in found)


def calls(d: DecisionEvidence) -> tuple[AskedCall, ...]:
    return (*d.earlier, *d.calls)


def sentence(action: Action) -> str:
    return action.args[0] if action.verb == "do" else str(action)


# --- shared -----------------------------------------------------------------------
def reply(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    def rows() -> Iterator[Figures]:
        for c in calls(d):
            row: dict[str, float] = {"call": c.number, "turn": c.turn}
            if c.reply is not None and len(c.reply.texts) > 1:
                row["samples"] = len(c.reply.texts)
            yield row
            if c.grounding is not None:
                row = row | {"score": c.grounding.score}
                yield row
                yield row | {"next_score": c.grounding.runner_up_score}
    return one_of(rows(), s.figures)


def prior(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking = d.newest(Ranking)
    assert ranking is not None

    def rows() -> Iterator[Figures]:
        total = {"choices": len(ranking.actions)}
        yield total
        for action in (d.chosen, other):
            starts = [r for r in ranking.actions if r.steps[0] == action]
            share = math.fsum(r.prior for r in starts)
            yield total | {"share": share} | ({"beginning": len(starts)} if len(starts) > 1 else {})
            yield from (total | {"step": k, "share": r.prior} for r in ranking.actions
                        for k, step in enumerate(r.steps, 1) if step == action and k > 1)
    return one_of(rows(), s.figures)


def continued(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking, moment = d.facets[Ranking]
    assert isinstance(ranking, Ranking)
    best = ranking.actions[0]
    return moment.turn < d.moment.turn and one_of(iter(
        {"step": k, "steps": len(best.steps), "turn": moment.turn, "share": best.prior}
        for k, step in enumerate(best.steps, 1) if step == d.chosen), s.figures)


def offered(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking = d.fresh(Ranking)
    assert ranking is not None
    there = any(r.steps[0] == other for r in ranking.actions)
    return s.figures == {"choices": len(ranking.actions)} and there == ("is one of" in s.text)


def plan(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    if Steps in d.facets:
        steps = d.fresh(Steps)
        return steps is not None and s.figures == {"line": steps.current + 1, "lines": len(steps.lines)}
    found = d.fresh(Plan)
    assert found is not None
    later = {"other_step": found.actions.index(other) + 1} if other in found.actions else {}
    return found.actions[0] == d.chosen and s.figures == {"steps": len(found.actions)} | later


def belief(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.fresh(Belief)
    assert shown is not None
    asked = [c.request.facts for c in calls(d) if isinstance(c.request.facts, ObjectPositionsFacts)]
    rooms = {p.id: p.room for facts in asked for p in facts.places}

    def total(row: int, action: Action | None) -> float:
        for arg in reversed(action.args if action is not None else ()):
            at = [k for k, p in enumerate(shown.places) if arg in (p, rooms.get(p))]
            if at:
                return math.fsum(shown.probability[row][k] for k in at)
        return -1.0
    return one_of((row if row["chosen"] >= 0 else {"other": row["other"]} for k in range(len(shown.objects))
                   for row in [{"other": total(k, other), "chosen": total(k, d.chosen)}]), s.figures)


def likely(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.fresh(Belief)
    assert shown is not None
    asked = [c.request.facts for c in calls(d) if isinstance(c.request.facts, ObjectPositionsFacts)]
    rooms = {p.id: p.room for facts in asked for p in facts.places}
    in_rooms = any(arg in rooms.values() for arg in (d.chosen.args if d.chosen is not None else ()))
    names = [rooms.get(place, "") if in_rooms else place for place in shown.places]
    here = next((arg for arg in reversed(d.chosen.args if d.chosen is not None else ()) if arg in names), "")
    figures = []
    for row in shown.probability:
        totals = {name: math.fsum(p for p, at in zip(row, names, strict=True) if at == name) for name in names if name}
        best = [total for name, total in totals.items() if name != here]
        figures.append({"chosen": totals.get(here, -1.0)} | ({"best": max(best)} if best else {}))
    return one_of(iter(figures), s.figures)


def answers(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.newest(PositionAnswers)
    assert shown is not None
    return one_of(({"named": n} | ({"samples": c.samples} if c.samples else {}) for c in shown.classes for n in c.counts),
                  s.figures)


def goal(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.fresh(GoalProgress)
    return shown is not None and one_of(({"have": p.have, "count": p.literal.count} for p in shown.literals), s.figures)


def tried(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    def rows() -> Iterator[Figures]:
        for c in calls(d):
            if isinstance(c.request.facts, MonologueFacts):
                for action in (other, d.chosen):
                    results = [ok for text, ok in c.request.facts.recent if text == str(action)]
                    yield {"times": len(results), "failed": sum(not ok for ok in results)}
            if isinstance(c.request.facts, ActionPlanFacts):
                done = [step for step in c.request.facts.trace if step.action == sentence(other)]
                yield from ({"call": c.number, "times": len(done), "reward": step.reward} for step in done[-1:])
    return one_of(rows(), s.figures)


def of_call(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    return s.figures["call"] in {c.number for c in calls(d)} and s.figures.keys() == {"call"}


# --- BCR --------------------------------------------------------------------------
def above(tree: BlockingTree, node: int) -> Iterator[int]:
    parents = {n.id: n.parent for n in tree.nodes}
    while (node := parents.get(node, -1)) in parents:
        yield node


def tree_of(d: DecisionEvidence) -> BlockingTree:
    tree = d.fresh(BlockingTree)
    assert tree is not None
    return tree


def resolution(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    """The chosen leaf, and the texts of the three nodes above it; or of the goal alone."""
    nodes = {n.id: n for n in tree_of(d).nodes}
    leaves = [n for n in nodes.values() if n.action == d.chosen and n.state in LEAVES]
    chains = [[nodes[i] for i in above(tree_of(d), n.id)][:3] for n in leaves]
    return not s.figures and any(all(n.text in s.text for n in chain) and [n.kind for n in chain] in (
        ["goal"], ["resolution", "condition", "action"]) for chain in chains)


def blocking(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    """The other action of BCR: its node, by the id of its objects or by their classes, is in the state that is told."""
    tree, ranking = tree_of(d), d.fresh(Ranking)
    classes = tuple(arg.rpartition("_")[0] for arg in other.args)
    mine = [n for n in tree.nodes if n.action is not None and n.action.verb == other.verb and len(n.action.args) == len(classes)
            and all(a in pair for a, pair in zip(n.action.args, zip(other.args, classes, strict=True), strict=True))]
    offered_actions = {r.steps[0] for r in ranking.actions} if ranking is not None else set()
    conditions = [n.text for n in tree.nodes if n.kind == "condition" and n.parent in {m.id for m in mine}]
    if "is blocked" in s.text:
        return any(text in s.text for text in conditions) and any(n.state == "blocked" for n in mine)
    if "is a candidate" in s.text:
        return any(n.state in LEAVES and n.action in offered_actions for n in mine)
    if "not offered" in s.text:
        return any(n.state in LEAVES and n.action not in offered_actions for n in mine)
    return any(n.state == "banned" for n in mine)


def table(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.newest(BlockingTable)
    return shown is not None and not s.figures and any(
        f"“{row.name}”" in s.text and ", ".join(row.entries)[:60] in s.text for row in shown.resolved_by)


def depth(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    tree = tree_of(d)
    actions = {n.id for n in tree.nodes if n.kind == "action"}
    return one_of(({"blocked": len(actions & set(above(tree, n.id)))} for n in tree.nodes
                   if n.action == d.chosen and n.state in LEAVES), s.figures)


def selection(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking = d.fresh(Ranking)
    assert ranking is not None
    asked = [c for c in d.calls if isinstance(c.request.facts, SelectionFacts)]
    total = len(ranking.actions)
    found: list[Figures] = [{"candidates": total}, {}, *({"answers": k, "candidates": total} for k in range(1, len(asked) + 1))]
    return one_of(iter(found), s.figures)


def between(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    tree = tree_of(d)
    actions = {n.id for n in tree.nodes if n.kind == "action"}
    return any(s.figures == {"between": k} for n in tree.nodes if n.action == d.chosen
               for k in range(len(actions & set(above(tree, n.id)))))


def before(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    last = [c.request.facts for c in d.calls if isinstance(c.request.facts, SelectionFacts)][-1]
    verbs = {action.verb for action in (other, d.chosen) if action is not None}
    same = [n for n in tree_of(d).nodes if n.action is not None and n.action.verb in verbs]
    return one_of(({"times": k} for n in same if (k := last.history.count(str(n.action)))), s.figures)


def whole_tree(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    nodes = [n for n in tree_of(d).nodes if n.kind == "action"]
    return s.figures == {"actions": len(nodes), "candidates": len([n for n in nodes if n.state in LEAVES])} and (
        all(n.action != other for n in nodes))


# --- LLM-State --------------------------------------------------------------------
def new(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    state, history = d.newest(StateDictionary), d.newest(StateHistory)
    assert state is not None
    failed_last = history is not None and bool(history.deeds) and not history.deeds[-1].ok
    return not s.figures and state.turn == d.moment.turn and state.because in s.text and (
        failed_last == ("The call before" in s.text))


def plan_facts(d: DecisionEvidence) -> tuple[int, PlanFacts]:
    found = [(c.number, c.request.facts) for c in calls(d) if isinstance(c.request.facts, PlanFacts)]
    return found[-1]


def entry(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    number, facts = plan_facts(d)
    told = {name: attributes for name, attributes in facts.entries}
    thing = s.text.partition("told of ")[2].partition(":")[0]
    estimates = [c.number for c in calls(d) if isinstance(c.request.facts, EstimateFacts) and c.number < number]
    return s.figures == {"call": number} | ({"estimate": estimates[-1]} if estimates else {}) and (
        quotes(told[thing.replace("_", "")]) in s.text)


def quotes(attributes: tuple[str, ...]) -> str:
    return " | ".join(attributes)[:60].rstrip() if attributes else "nothing"


def unknown(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    number, facts = plan_facts(d)
    return s.figures == {"call": number, "entries": len(facts.entries)}


def failed(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program, history = d.newest(Program), d.newest(StateHistory)
    if program is not None:
        lost = [k for k, line in enumerate(program.lines, 1) if line.state == "failed"]
        return s.figures == {"failed": len(lost), "line": lost[-1]}
    assert history is not None
    same = [deed for deed in history.deeds if deed.args in (other.args, d.chosen.args if d.chosen is not None else ())]
    groups = [[x for x in same if (x.call, x.args) == key] for key in {(deed.call, deed.args) for deed in same}]
    return one_of(({"times": len(rows), "failed": sum(not deed.ok for deed in rows)} for rows in groups), s.figures)


def other_line(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    """The other action of BCR, LLM-State and ProgPrompt."""
    steps, program = d.newest(Steps), d.newest(Program)
    if BlockingTree in d.facets:
        return not s.figures and blocking(d, other, s)
    if program is not None:
        if "calls" in s.figures:
            code = read_program(tuple(line.text for line in program.lines))
            return s.figures == {"calls": len([c for c in code if c.step is not None])}
        return all(arg.rpartition("_")[0].replace("_", " ") in program.lines[int(s.figures["line"]) - 1].text.replace("_", " ")
                   for arg in other.args)
    assert steps is not None
    if "line" in s.figures:
        text = steps.lines[int(s.figures["line"]) - 1].text
        return s.figures.keys() == {"line"} and text.endswith(f"({', '.join(a.replace('_', '') for a in other.args)})")
    args = [set(line.text.partition("(")[2].rstrip(")").split(", ")) for line in steps.lines]
    about = [one for one in args if one & {arg.replace("_", "") for arg in other.args}]
    return s.figures == {"lines": len(steps.lines), "about": len(about)}


# --- ProgPrompt -------------------------------------------------------------------
def program_line(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program = d.fresh(Program)
    assert program is not None
    return s.figures == {"line": program.current + 1, "lines": len(program.lines)} and (
        program.lines[program.current].text.strip()[:60].replace("“", "‘") in s.text)


def taken(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program = d.fresh(Program)
    return program is not None and s.figures == {"taken": program.taken, "most": vars(d.parameters)["line_actions"]}


def unnamed(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program, shown = d.fresh(Program), d.fresh(GoalProgress)
    assert program is not None
    assert shown is not None
    classes = {x.replace("_", " ") for p in shown.literals for x in (p.literal.subject, p.literal.target or "")}
    return not s.figures and all(f"('{name}" not in line.text and f", '{name}" not in line.text for line in program.lines
                                 for name in classes if f"names “{name}”" in s.text and "assert" not in line.text)


def check(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program = d.fresh(Program)
    assert program is not None
    line = program.lines[int(s.figures["line"]) - 1]
    verdict = line.note.partition(" (")[0]
    own = s.figures["line"] == program.current + 1
    return s.figures.keys() == {"line"} and s.figures["line"] <= program.current + 1 and (
        own or (verdict in ("holds", "does not hold") and verdict in s.text))


def written(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    last = [c for c in calls(d) if isinstance(c.request.facts, ProgramFacts)][-1]
    facts = last.request.facts
    assert isinstance(facts, ProgramFacts)
    found: list[Figures] = [{"call": last.number, "turn": last.turn}, {"call": last.number},
                            {"call": last.number, "failed": len(facts.failed)}]
    return one_of(iter(found), s.figures)


def skipped(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    program = d.fresh(Program)
    assert program is not None
    strange = [k for k, line in enumerate(program.lines, 1) if (line.state, line.note) == ("skipped", "not understood")]
    return s.figures == {"skipped": len(strange), "line": strange[-1]}


# --- NeoPlanner -------------------------------------------------------------------
def graph_of(d: DecisionEvidence) -> StateGraph:
    graph = d.fresh(StateGraph)
    assert graph is not None
    return graph


def edge(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    graph = graph_of(d)
    nodes = {n.id: n for n in graph.nodes}
    found: list[Figures] = []
    for e in graph.edges:
        texts = {sentence(a) for a in (d.chosen, other) if a is not None}
        if e.source == graph.here and texts & set(e.actions):
            found.append({} if e.target == 1 else {
                "state": e.target, "reward": e.reward, "value": nodes[e.target].value, "bound": nodes[e.target].bound,
                "visits": nodes[e.target].visits})
    return one_of(iter(found), s.figures)


def bounds(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    return one_of(iter({"state": b.state, "visits": b.visits, "untried": b.untried, "new": b.new_bound}
                       | ({} if b.known_bound is None else {"known": b.known_bound}) for b in graph_of(d).bounds), s.figures)


def objective(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    graph = graph_of(d)
    return s.figures == {"chance": graph.explore_chance, "explored": graph.explored} and (
        graph.exploring == ("to explore" in s.text))


def proposal(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    assert d.chosen is not None
    last = [c for c in calls(d) if isinstance(c.request.facts, ActionPlanFacts)][-1]
    assert last.reply is not None
    lines = last.reply.texts[0]
    return (s.figures["call"], s.figures["turn"]) == (last.number, last.turn) and sentence(d.chosen) in lines and (
        1 <= s.figures["item"] <= s.figures["items"])


def untried(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    graph = graph_of(d)
    here = next(n for n in graph.nodes if n.id == graph.here)
    return all(sentence(other) not in e.actions for e in graph.edges if e.source == graph.here) and (
        s.figures == {"state": here.id, "tried": here.tried, "menu": here.menu, "refused": here.refused})


def kept(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking, call = d.fresh(Ranking), next(c for c in d.earlier if c.number == s.figures["call"])
    assert ranking is not None
    assert isinstance(call.request.facts, PolicyFacts)
    offered = sorted(", ".join(map(str, row.steps)) for row in ranking.actions)
    return s.figures == {"call": call.number, "turn": call.turn} and sorted(call.request.facts.choices) == offered and (
        not any(c.request.purpose == "policy" for c in d.calls))


def replaced(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking = d.fresh(Ranking)
    assert ranking is not None
    return s.figures == {"share": vars(d.parameters)["wrong_answers"]} and ranking.actions[0].prior == 1.0


def guess(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    return s.figures in ({}, {"calls": len(d.calls)}, {"replies": len(d.calls)})


def restart(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    scores = d.newest(Scores)
    return scores is not None and s.figures == {"score": scores.score, "best": scores.best}


def learning(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    shown = d.newest(Learnings)
    assert shown is not None
    return one_of(({"episode": a.episode} if a.by == "model" else {} for a in shown.axioms), s.figures)


# --- others -----------------------------------------------------------------------
def choices(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    last, facts = d.calls[-1], d.calls[-1].request.facts
    return isinstance(facts, MonologueFacts) and s.figures == {"call": last.number, "choices": len(facts.choices) - 1} and (
        (str(other) in facts.choices) == ("is one of" in s.text))


def drawn(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    ranking = d.fresh(Ranking)
    return ranking is not None and s.figures == {"most": max(r.prior for r in ranking.actions)}


def step(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    answer, steps = d.newest(Plan), d.fresh(Steps)
    assert answer is not None
    assert steps is not None
    theirs = {"other_step": answer.actions.index(other) + 1} if other in answer.actions else {}
    return s.figures == {"step": steps.current + 1, "steps": len(answer.actions)} | theirs


def no_figures(d: DecisionEvidence, other: Action, s: Sentence) -> bool:
    return not s.figures


CHECKS: Mapping[str, Check] = MappingProxyType({
    "stop": no_figures, "banned": no_figures, "impossible": no_figures, "reply": reply, "prior": prior, "continued": continued,
    "offered": offered, "plan": plan, "belief": belief, "answers": answers, "goal": goal, "tried": tried, "guess": guess,
    "kept": kept, "replaced": replaced, "reason": no_figures, "likely": likely,
    "resolution": resolution, "depth": depth, "selection": selection, "found": of_call, "other": other_line, "between": between,
    "before": before, "tree": whole_tree, "table": table, "look": no_figures,
    "new": new, "chance": no_figures, "entry": entry, "unknown": unknown, "summary": of_call, "dropped": of_call,
    "failed": failed, "line": program_line, "taken": taken, "check": check, "program": written, "edited": written,
    "again": written, "skipped": skipped, "unnamed": unnamed,
    "edge": edge, "bounds": bounds, "objective": objective, "proposal": proposal, "untried": untried,
    "restart": restart, "learning": learning, "choices": choices, "drawn": drawn, "step": step,
})
