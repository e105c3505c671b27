"""Why Inner Monologue chose an action and not another one: the offered actions, the window and the reply of the turn's call.

Kinds of statement: `reply`, `guess`, `choices` (whether the prompt offers the other action), `tried` (its results so far).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.search_facets import Ranking
from core.planning.sentences import link, replied, said, words
from core.views.wording import count
from core.world.vocabulary import Action


def why(decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
    """Returns why an action was chosen and not another one."""
    return tuple(_sentences(decision, other))


def _sentences(decision: DecisionEvidence, other: Action) -> Iterator[Sentence]:
    asked = [call for call in decision.calls if isinstance(call.request.facts, MonologueFacts)]
    if not asked:
        return
    yield replied(asked[-1])
    read, facts = asked[-1].grounding, asked[-1].request.facts
    assert isinstance(facts, MonologueFacts), "found by them"
    if read is not None and not read.meant and decision.chosen is not None and decision.fresh(Ranking) is not None:
        yield said("guess", f"None of {count(len(asked), 'reply')} of this turn names an offered "
                            f"action; {words(decision.chosen)} is drawn at random.",
                   *map(link, asked), Evidence("ranking", "ranking", decision.chosen), figures={"replies": len(asked)})
    offered = facts.choices[:-1]  # the last one is "done"
    is_there = str(other) in offered
    yield said("choices", f"The prompt of call {asked[-1].number} offers {count(len(offered), 'action')}; {words(other)} is "
                          f"{'one' if is_there else 'none'} of them.", link(asked[-1]),
               figures={"call": asked[-1].number, "choices": len(offered)})
    for action in (decision.chosen, other):
        results = [ok for text, ok in facts.recent if text == str(action)]
        if action is not None and results:
            failed = results.count(False)
            how = f"failed {count(failed, 'time')}" if failed else "never failed"
            yield said("tried", f"The history in the prompt holds {words(action)} {count(len(results), 'time')}; it {how}.",
                       link(asked[-1]), figures={"times": len(results), "failed": failed})
