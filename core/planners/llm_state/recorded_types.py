"""The types of LLM-State that a recording holds: its facet, its action history and the facts of its prompts."""

from __future__ import annotations

from dataclasses import dataclass

from core.common import readings
from core.common.readings import Unknown, plain
from core.goals.literals import Goal
from core.planning.facets import Facet
from core.planning.measures import Context, Measure, Reader
from core.views import values as views
from core.views.wording import count
from core.world.vocabulary import Observation, Value


@dataclass(frozen=True, slots=True)
class Deed(Value):
    """One call and its result.

    Attributes:
        call: the function's name, such as `placein`.
        args: ids.
        ok: success or failure, the only feedback the paper's robot gets.
        why: the short name of the failed precondition, if the world reports it; `denied` by the operator.
        note: the world's explanation.
        source: id of the holder a picked-up object was taken from, if it was seen there.
    """

    call: str
    args: tuple[str, ...]
    ok: bool
    why: str = ""
    note: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class AttentionFacts:
    """Request: which objects are relevant to the task? LLM-State, listing 3.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        names: objects already in the dictionary.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EstimateFacts:
    """Request: what holds for the objects after the history? LLM-State, listing 4.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        names: the objects of the dictionary.
        deeds: the history of the episode.
        summary: True if a retrospective summary is requested.
        objects: True if attributes of the objects are requested.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]
    deeds: tuple[Deed, ...]
    summary: bool
    objects: bool


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Request: what are the next calls? LLM-State, listing 5.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        entries: (object, attributes) of the dictionary.
        summary: the retrospective summary, or empty.
        deeds: the history of the episode.
        verbs: verbs of the world.
        most: the maximum number of calls in a plan.
    """

    goal: Goal
    seen: Observation
    entries: tuple[tuple[str, tuple[str, ...]], ...]
    summary: str
    deeds: tuple[Deed, ...]
    verbs: frozenset[str]
    most: int


@dataclass(frozen=True, slots=True)
class StateEntry(Value):
    """One object of the dictionary.

    Attributes:
        name: the name used in prompts: `kitchentable1`.
        thing: id of the entity; empty if it is no entity of this world.
        attributes: what is believed to hold for it, in order.
        added: attributes added by the last estimate.
        removed: attributes removed by the last estimate.
        given: attributes an operator added; estimates do not remove them.
        refused: attributes an operator removed; estimates do not add them again.
        turn: the turn of the last change.
        locked: True if an operator locked the whole entry against changes.
    """

    name: str
    thing: str = ""
    attributes: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    turn: int = 0
    locked: bool = False


def _state(key: str) -> Reader[StateDictionary]:
    wanted = plain(key)

    def of(dictionary: StateDictionary, at: Context) -> readings.Value:
        found = next((entry for entry in dictionary.entries if wanted in (plain(entry.name), plain(entry.thing))), None)
        return Unknown(f"the state dictionary has no key “{key}”") if found is None else ", ".join(found.attributes)
    return of


MEASURES: tuple[Measure[StateDictionary], ...] = (
    Measure("state", ("key",), "text", "what the dictionary holds about an object, separated by commas", _state),
)


LOCKED = views.Mark("locked", "operator")


def _entry_row(entry: StateEntry) -> views.Item:
    """Returns an entry: its attributes, then what the last estimate or an operator added and removed."""
    added = (views.Mark(f"+ {a}", "operator" if a in entry.given else "good", is_passing=True)
             for a in entry.attributes if a in entry.added or a in entry.given)
    gone = (views.Mark(f"− {a}", "operator" if a in entry.refused else "bad", is_passing=True)
            for a in dict.fromkeys((*entry.removed, *entry.refused)) if a not in entry.attributes)
    marks = (*added, *gone, *((LOCKED,) if entry.locked else ()))
    return views.Item(entry.name, entry.name, (frozenset(entry.attributes), entry.turn or None), marks,
                      views.About((entry.thing,) if entry.thing else ()))


@dataclass(frozen=True, slots=True)
class StateDictionary(Facet):
    """The whole dictionary.

    Attributes:
        entries: in the order in which they were first attended to; only an operator removes entries.
        summary: the retrospective summary; empty if none is kept.
        turn: the turn of the last estimate.
        because: the reason of the last estimate: the first look, a failed action, the plan used up, an operator.
        summary_given: True if an operator wrote the summary; estimates then keep it.
        deleted: names an operator deleted; they are not added again.
    """

    measures = MEASURES
    entries: tuple[StateEntry, ...] = ()
    summary: str = ""
    turn: int = 0
    because: str = ""
    summary_given: bool = False
    deleted: tuple[str, ...] = ()

    def mentions(self) -> tuple[str, ...]:
        """Returns the names of the entries."""
        return tuple(entry.name for entry in self.entries)

    def view(self) -> views.Sections:
        """Returns the objects with what is believed to hold for them, and the summary."""
        columns = (views.Column("believed", "state"), views.Column("turn", "count", "the turn of the last change"))
        return views.Sections((views.Table(tuple(map(_entry_row, self.entries)), columns, title="Objects", note=self.because),
                               views.Text(self.summary, title="Summary")),
                              headline=count(len(self.entries), "object"))

    def entry(self, name: str) -> StateEntry | None:
        """Returns the entry of a name, or None."""
        return next((e for e in self.entries if e.name == name), None)


@dataclass(frozen=True, slots=True)
class PastSummary(Value):
    """A retrospective summary as it was written.

    Attributes:
        text: the summary.
        turn: the turn in which it was written.
        because: the reason of the estimate; empty if an operator wrote it.
    """

    text: str
    turn: int
    because: str = ""


@dataclass(frozen=True, slots=True)
class StateHistory(Facet):
    """What the state is estimated from and how its summary came about.

    Attributes:
        deeds: the action history A_h as the prompts tell it (LLM-State, algorithm 1), oldest first.
        summaries: all summaries that differ from the one before, oldest first; the last is the present one.
    """

    deeds: tuple[Deed, ...] = ()
    summaries: tuple[PastSummary, ...] = ()

    def view(self) -> views.Sections:
        """Returns the actions and the summaries, oldest first."""
        calls = tuple(f"{deed.call}({', '.join(deed.args)})" for deed in self.deeds)
        deeds = tuple(views.Item(call, call, (), (views.DONE if deed.ok else views.FAILED,),
                                 note="" if deed.ok else deed.note or deed.why)
                      for call, deed in zip(calls, self.deeds, strict=True))
        summaries = tuple(views.Item(past.text, past.text, (past.turn,), about=views.About(turn=past.turn), note=past.because)
                          for past in self.summaries)
        return views.Sections((views.Table(deeds, order="step", title="Actions"),
                               views.Table(summaries, (views.Column("turn", "count"),), title="Summaries")))
