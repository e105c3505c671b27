"""The types of LLM-State that a recording holds: its facet, its action history and the facts of its prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.common import readings
from core.common.errors import UsageError
from core.common.readings import Unknown, plain
from core.goals.literals import Goal
from core.llm.grounding.choices import call_name
from core.planning.facets import Facet, FacetPanel
from core.planning.measures import Context, Measure, Reader
from core.views import values as views
from core.views.addresses import Address
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


# --- the dictionary ----------------------------------------------------------------
OBJECTS, LONGEST = "Objects", 80
"""The title of the section of the objects, and the characters of an attribute or a name that an operator writes."""
CHANGED, LOCKED = views.Mark("changed", "planner", is_passing=True), views.Mark("locked", "operator")
UNKNOWN = views.Mark("unknown", "warn")
TURN = views.Column("turn", "count", "the turn of the last change")
ADD_OBJECT = views.Edit("add", "Add an object", views.Write(hint="such as kitchen table 1"), icon="add")
ADD_ATTRIBUTE = views.Edit("attribute", "Add an attribute", views.Write(hint="such as closed, or in kitchen1"), "A", "add")
LOCK, UNLOCK = (views.Edit("lock", "Lock against changes by the model", key="Ctrl+L", icon="pin"),
                views.Edit("unlock", "Unlock", key="Ctrl+L", icon="pin"))
DELETE = views.Edit("delete", "Delete the object", key="Delete", icon="ban")
REMOVE = views.Edit("remove", "Remove", key="Delete", icon="ban")


def in_words(attribute: str, spaced: Mapping[str, str] = MappingProxyType({})) -> str:
    """Returns an attribute as readable text: `in_kitchencabinet2` becomes "in kitchen cabinet 2".

    Args:
        attribute: the attribute, or the name of an entry.
        spaced: names with spaces, by the names of entries. Of others only the number is set apart.
    """
    words = attribute.replace(" ", "_").split("_")
    return " ".join([spaced.get(word) or _numbered(word) for word in words if word])


def _numbered(word: str) -> str:
    """Returns a word of three letters or more with the number at its end set apart."""
    letters = word.rstrip("0123456789")
    return f"{letters} {word[len(letters):]}" if 3 <= len(letters) < len(word) else word


def tidied(text: str) -> str:
    """Returns written text as an attribute: one line, without `|`, at most `LONGEST` characters."""
    return " ".join(text.replace("|", " ").split())[:LONGEST]


def attribute_set(entry: StateEntry, old: str, new: str) -> StateEntry:
    """Returns the entry with one attribute changed by the operator.

    The new attribute is listed in `given` and the old one in `refused`.

    Args:
        entry: the entry before.
        old: the attribute to replace or remove. Empty to add one.
        new: the attribute to put in its place. Empty to remove `old`.
    """
    if new == old or (new and not old and new in entry.attributes):
        return entry
    kept = [new if a == old else a for a in entry.attributes] if old else [*entry.attributes, new]
    attributes = tuple(dict.fromkeys(a for a in kept if a))
    given = tuple(dict.fromkeys(a for a in (*(g for g in entry.given if g != old), new) if a))
    refused = tuple(dict.fromkeys([*(r for r in entry.refused if r != new), *([old] if old else [])]))
    added = tuple(a for a in entry.added if a in attributes)
    return replace(entry, attributes=attributes, given=given, refused=refused, added=added)


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

    stays = True
    deeds: tuple[Deed, ...] = ()
    summaries: tuple[PastSummary, ...] = ()

    def view(self) -> views.Sections:
        """Returns the actions and the summaries, oldest first."""
        failed = sum(not deed.ok for deed in self.deeds)
        summaries = tuple(views.Item(why, why, (past.turn,), about=views.About(turn=past.turn), note=past.text)
                          for past in self.summaries for why in (past.because or "yours",))
        return views.Sections((
            views.Table(tuple(map(_deed_item, self.deeds)), order="step", title="Actions", is_folded=True,
                        headline=f"{count(len(self.deeds), 'action')} · {failed} failed" if self.deeds else ""),
            views.Table(summaries, (views.Column("turn", "count"),), title="Summaries", notes="wrapped", is_folded=True,
                        headline=str(len(summaries)))))


def _deed_item(deed: Deed) -> views.Item:
    call = f"{deed.call}({', '.join(deed.args)})"
    note = f"from {deed.source}" if deed.source and deed.ok else deed.note or deed.why
    return views.Item(call, " ".join((deed.call, ", ".join(deed.args))), (), (views.DONE if deed.ok else views.FAILED,),
                      views.About(deed.args), note=note)


@dataclass(frozen=True, slots=True)
class StateDictionary(Facet):
    """What the planner believes about each object. You can add, change, lock and remove what it holds, and write the summary.

    Attributes:
        entries: in the order in which they were first attended to; only an operator removes entries.
        summary: the retrospective summary; empty if none is kept.
        turn: the turn of the last estimate.
        because: the reason of the last estimate: the first look, a failed action, the plan used up, an operator.
        summary_given: True if an operator wrote the summary; estimates then keep it.
        deleted: names an operator deleted; they are not added again.
    """

    stays = True
    measures = MEASURES
    panels = (FacetPanel("dictionary", "LLM-State", "state", beside=(StateHistory,)),)
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
        """Returns the objects, each with what is believed to hold for it, and the summary.

        Objects that the last estimate changed come first, those about which nothing is known last.
        """
        spaced = {entry.name: entry.thing.replace("_", " ") for entry in self.entries
                  if entry.name and entry.thing.replace("_", "") == entry.name}
        entries = sorted(self.entries, key=lambda e: (not self.is_changed(e), not (e.attributes or e.removed or e.given)))
        items = list[views.Item]()
        for entry in entries:
            at = len(items)
            items.append(self._entry_item(entry, spaced))
            items += self._attributes(entry, spaced, at)
        changed = sum(map(self.is_changed, self.entries))
        why = "yours" if self.summary_given else f"estimated because {self.because}" if self.because else ""
        form = views.Write(self.summary, "empty: the model writes it again", "text")
        return views.Sections(
            (views.Tree(tuple(items), (TURN,), chips=True, title=OBJECTS),
             views.Text(self.summary, title="Summary", headline=why if self.summary else "none is kept")),
            headline=f"{count(len(self.entries), 'object')} · {changed} changed" if self.entries else "",
            own_edits=(ADD_OBJECT, views.Edit("summary", "Write the summary", form, icon="edit")))

    def is_changed(self, entry: StateEntry) -> bool:
        """Returns True if the last estimate changed an entry."""
        return entry.turn == self.turn and bool(entry.added or entry.removed)

    def _entry_item(self, entry: StateEntry, spaced: Mapping[str, str]) -> views.Item:
        """Returns an entry with where it is, and what was removed from it."""
        changed = self.is_changed(entry)
        gone = [a for a in dict.fromkeys((*(entry.removed if changed else ()), *entry.refused)) if a not in entry.attributes]
        marks = (*((CHANGED,) if changed else ()),
                 *(views.Mark(f"− {in_words(a, spaced)}", "operator" if a in entry.refused else "plain", is_passing=True)
                   for a in gone), *((LOCKED,) if entry.locked else ()))
        name = spaced.get(entry.name) or in_words(entry.name)
        edits = (ADD_ATTRIBUTE, UNLOCK if entry.locked else LOCK, DELETE)
        return views.Item(entry.name, name, (entry.turn or None,), marks, _about(entry), edits,
                          note="" if entry.attributes else "nothing known", place=in_words(_place(entry), spaced))

    def _attributes(self, entry: StateEntry, spaced: Mapping[str, str], parent: int) -> Iterator[views.Item]:
        """Yields the attributes of an entry. That of its place is left out unless it is new or an operator's."""
        is_changed, place, about = self.is_changed(entry), _place(entry), _about(entry)
        for a in entry.attributes:
            is_new = is_changed and a in entry.added
            if a == place and not is_new and a not in entry.given:
                continue
            marks = ((views.EDITED,) if a in entry.given else (UNKNOWN,) if "unknown" in a or a.startswith("?")
                     else (views.NEW,) if is_new else ())
            change = views.Edit("change", "Change", views.Write(a, "empty: remove it"), "E", "edit")
            yield views.Item(a, in_words(a, spaced), (), marks, about, (change, REMOVE), parent=parent)

    def edited(self, address: Address, edit: str, value: views.EditValue) -> StateDictionary:
        """Returns it with an object added, changed, locked or deleted, or with another summary.

        A deleted object, and an attribute that was removed or changed, stay out if the model names them again.
        """
        text = value if isinstance(value, str) else ""
        match address, edit:
            case (), "summary":
                words = " ".join(text.split())
                return replace(self, summary=words or self.summary, summary_given=bool(words))
            case (), "add":
                name = call_name(tidied(text))
                if not name or self.entry(name) is not None:
                    raise UsageError("this object is there already" if name else "write the name of an object")
                return self._with(name, StateEntry(name, turn=self.turn))
            case (objects, name, *attribute), _ if objects == OBJECTS and (entry := self.entry(name)) is not None:
                return self._with(name, _changed(entry, attribute[0] if attribute else "", edit, tidied(text)))
        raise UsageError(f"there is no “{' › '.join(address[1:])}” here now: choose one that is shown")

    def _with(self, name: str, entry: StateEntry | None) -> StateDictionary:
        """Returns it with one entry replaced or added; None: deleted, so that attention does not add it again."""
        deleted = tuple(n for n in self.deleted if n != name)
        if entry is None:
            return replace(self, entries=tuple(e for e in self.entries if e.name != name), deleted=(*deleted, name))
        if self.entry(name) is None:
            return replace(self, entries=(*self.entries, entry), deleted=deleted)
        return replace(self, entries=tuple(entry if e.name == name else e for e in self.entries), deleted=deleted)

    def entry(self, name: str) -> StateEntry | None:
        """Returns the entry of a name, or None."""
        return next((e for e in self.entries if e.name == name), None)


def _about(entry: StateEntry) -> views.About:
    return views.About((entry.thing,) if entry.thing else ())


def _place(entry: StateEntry) -> str:
    """Returns the attribute that says where an object is (`in_…` or `on_…`). Empty if there is none."""
    return next((a for a in entry.attributes if a.startswith(("in_", "on_"))), "")


def _changed(entry: StateEntry, attribute: str, edit: str, words: str) -> StateEntry | None:
    """Returns an entry with an edit of itself or of one of its attributes; None: it is deleted.

    Raises:
        UsageError: there is no such attribute or edit.
    """
    match edit:
        case "change" | "remove" if attribute in entry.attributes:
            return attribute_set(entry, attribute, words if edit == "change" else "")
        case "attribute" if not attribute:
            return attribute_set(entry, "", words)
        case "lock" | "unlock" if not attribute:
            return replace(entry, locked=edit == "lock")
        case "delete" if not attribute:
            return None
    raise UsageError(f"“{attribute or entry.name}” is not there any more, or cannot be edited by “{edit}”")
