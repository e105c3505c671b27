"""The parts an operator can choose from: planners, simulators, scenes, providers, and the user's own models.

The composition root fills them in; the window itself knows no part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import UsageError
from core.llm.model_config import ModelConfig, ModelConfigs, change_models, read_models, same_form
from core.llm.sources import Source
from core.world.vocabulary import Entity
from gui.control.kept_files import PATIENCE, KeptFile
from gui.widgets.chooser import Choice, chosen

if TYPE_CHECKING:
    from core.app.goal_reading import TaskReading
    from core.app.scene_content import SampleTask
    from core.session.setup import Setup


@dataclass(frozen=True, slots=True)
class Choices:
    """All parts available.

    Attributes:
        planners: all planners.
        simulators: all simulators.
        scenes: simulator -> its scenes.
        providers: all providers of model replies.
        presets: planner -> its presets, the default first.
        unsuited: simulator -> planner -> why that planner cannot play it.
        graph_simulators: simulators that open household graphs; their scenes are listed together.
        own_tasks: simulators whose scenes bring their own task.
        complete: False if only the parts of the present request are listed and the others are being loaded.
    """

    planners: tuple[Choice, ...]
    simulators: tuple[Choice, ...]
    scenes: Mapping[str, tuple[Choice, ...]]
    providers: tuple[Choice, ...]
    presets: Mapping[str, tuple[Choice, ...]] = field(default_factory=lambda: MappingProxyType({}))
    unsuited: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    graph_simulators: tuple[str, ...] = ()
    own_tasks: frozenset[str] = frozenset()
    complete: bool = True

    def planners_for(self, simulator: str) -> tuple[Choice, ...]:
        """Returns all planners. Those that cannot play the simulator are marked unavailable, with the reason as their hint."""
        reasons = self.unsuited.get(simulator, {})
        return tuple(replace(choice, available=False, hint=reasons[choice.name]) if choice.name in reasons else choice
                     for choice in self.planners)

    def instead_of(self, request: Request) -> tuple[tuple[str, Request], ...]:
        """Returns requests without the part that cannot be used here, each with what to call it.

        Empty if every part of the request is offered, or if it is not known yet.
        """
        if not self.complete:
            return ()
        free = {choice.name: choice.title for choice in self.planners_for(request.simulator) if choice.available}
        scenes = {choice.name: choice.title for choice in self.scenes.get(request.simulator, ())}
        if request.planner not in free:
            return tuple((title, replace(request, planner=name, preset="", parameters={}))
                         for name, title in islice(free.items(), MOST_INSTEAD))
        if request.beside and planner_name(request.beside) not in free:
            return (("No second planner", replace(request, beside="")),)
        if request.scene not in scenes:
            return tuple((title, replace(request, scene=name)) for name, title in islice(scenes.items(), MOST_INSTEAD))
        if request.preset or request.parameters:
            return (("Default parameters", replace(request, preset="", parameters={})),)
        return ()


MOST_INSTEAD = 4
"""So many parts are offered in place of one that does not fit; the bar has them all."""
BESIDE = "beside:"
"""Stands before the name of a planner that is chosen to think only; alone: none is."""
ONLY_THINKS = "Only thinks, beside the planner"


def planner_choices(request: Request, choices: Choices) -> tuple[Choice, ...]:
    """Returns the planners, and then those that may only think, also with a preset of the present planner."""
    planners = choices.planners_for(request.simulator)
    presets = [replace(chosen(planners, request.planner), name=f"{request.planner}:{preset.name}",
                       title=f"{chosen(planners, request.planner).title}: {preset.title}")
               for preset in choices.presets.get(request.planner, ())[1:]]
    second = (Choice("", "None"), *planners, *presets)
    known = {choice.name for choice in second}
    second = second if request.beside in known else (*second, Choice(request.beside, request.beside))
    return (*planners, *(replace(choice, name=BESIDE + choice.name, group=ONLY_THINKS,
                                 note="chosen" if choice.name == request.beside else "") for choice in second))


def planner_name(planner: str) -> str:
    """Returns the name of a planner without the preset and the values that it may carry."""
    return re.split("[:+]", planner, maxsplit=1)[0]


def planner_title(choices: Choices, planner: str) -> str:
    """Returns a planner as people call it, with the preset and the values that its name may carry: `LLM-MCTS:paper`."""
    name = planner_name(planner)
    return chosen(choices.planners, name).title + planner.removeprefix(name)


ListChoices = Callable[[], Choices]
"""Returns all parts. It loads every one of them and is called off the GUI thread."""
MakeSetup = Callable[[Request], "Setup"]
"""Makes the parts of a session; called off the GUI thread, may load files and models. Raises BelvedereError with a message
that tells the user what to do."""
DrawTask = Callable[[Request, int], str]
"""Returns a task, as text, that can be done in a request's scene. The number seeds the draw. Called off the GUI thread.
Raises BelvedereError with a message that tells the user what to do."""
ReadGoal = Callable[[Request, Cancellation], "TaskReading"]
"""Returns what a request's task means in its scene, or its formal goal if it has one; called off the GUI thread. Setting the
event cancels the question to a language model. Raises BelvedereError with a message that tells the user what to do."""
ListTasks = Callable[[Request, int], "tuple[SampleTask, ...]"]
"""Returns tasks that can be done in a request's scene; each number gives others. Called off the GUI thread. Raises
BelvedereError with a message that tells the user what to do."""
ListEntities = Callable[[Request], tuple[Entity, ...]]
"""Returns everything in a request's scene at its seed; called off the GUI thread. Raises BelvedereError likewise."""


MODEL = "model:"
"""Prefix of an entry's name in the list of providers."""
MORE = "models…"
"""Name of the choice that opens the list of models."""
YOURS = "Your models"


class ModelBook(KeptFile[ModelConfigs]):
    """The entries of one file; without a file they are kept in memory only. A file that cannot be read is never overwritten."""

    def __init__(self, path: Path | None = None):
        file = None if path is None else (partial(read_models, path), partial(change_models, path, patience=PATIENCE))
        super().__init__("your models", ModelConfigs(), file)

    @property
    def entries(self) -> tuple[ModelConfig, ...]:
        """All entries, in the order of the file."""
        return self.content.entries

    @property
    def chosen(self) -> str:
        """The name of the entry that is used at the next start; empty if there is none."""
        return self.content.chosen

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entries."""
        return tuple(entry.name for entry in self.entries)

    def find(self, name: str) -> ModelConfig | None:
        """Returns an entry by its name, or None."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def used_by(self, request: Request) -> ModelConfig | None:
        """Returns the entry that a request uses, or None.

        If several entries have equal settings, the chosen one is returned.
        """
        alike = [entry for entry in self.entries if entry.provider == request.provider and _are_equal(entry, request)]
        return next((entry for entry in alike if entry.name == self.chosen), alike[0] if alike else None)

    def put(self, entry: ModelConfig, instead_of: str = "") -> None:
        """Adds an entry, or replaces the entry named `instead_of`.

        Raises:
            BelvedereError: another entry has this name.
        """
        self.change(lambda models: models.put(entry, instead_of))

    def remove(self, name: str) -> None:
        """Removes an entry."""
        self.change(lambda models: models.without(name))

    def restore(self, entry: ModelConfig, at: int, *, chosen: bool) -> None:
        """Puts a removed entry back at its former position `at`.

        Raises:
            BelvedereError: another entry has this name by now.
        """
        def back(models: ModelConfigs) -> ModelConfigs:
            entries = list(models.put(entry).entries[:-1])
            entries.insert(at, entry)
            return ModelConfigs(tuple(entries), entry.name if chosen else models.chosen)

        self.change(back)

    def choose(self, name: str) -> None:
        """Sets the entry that is used at the next start; an empty name means none.

        Raises:
            BelvedereError: no entry has this name.
        """
        if name != self.chosen:
            self.change(lambda models: replace(models, chosen=models.named(name).name if name else ""))


def _are_equal(entry: ModelConfig, request: Request) -> bool:
    """Returns True if a request has an entry's settings, however they are written: `--ask timeout=300.0` for 300."""
    try:
        return dict(same_form(entry.provider, entry.options)) == dict(same_form(request.provider, request.model))
    except UsageError:  # a flag that the provider does not take: opening the run reports it
        return False


# --- names ---------------------------------------------------------------
def where_words(provider: str, options: Mapping[str, str]) -> str:
    """Returns a short name of what answers: `qwen3 at 127.0.0.1:8000`, `gemma.gguf`, or the provider's name."""
    model, file = options.get("model", ""), options.get("file", "")
    address = urlsplit(options["base_url"]).netloc if options.get("base_url") else ""
    if file:
        return Path(file).name
    return " at ".join(filter(None, (model, address))) or provider


def answerer_of(request: Request, choices: Choices, book: ModelBook) -> Choice:
    """Returns who answers a request's model calls: an entry under its name, a model without an entry under the model's name."""
    entry = book.used_by(request)
    if entry is not None and request.model:
        return entry_choice(entry)
    provider = chosen(choices.providers, request.provider)
    if not request.model or not provider.by_models:
        return provider
    model, file = request.model.get("model", ""), request.model.get("file", "")
    words = where_words(request.provider, request.model)
    return Choice(request.provider, model or (Path(file).stem if file else words), hint=provider.hint, note=words)


def answerer_of_source(source: Source, choices: Choices, book: ModelBook) -> Choice:
    """Returns who answers a run, as its events name it: under the user's name for it, or the model's, or the provider's."""
    provider, entry = chosen(choices.providers, source.provider), book.find(source.title)
    if not source.model:
        return provider
    where = " at ".join(filter(None, (source.model, urlsplit(source.server).netloc)))
    name = f"{MODEL}{source.title}" if entry is not None and entry.provider == source.provider else source.provider
    return Choice(name, source.title or source.model, hint=provider.hint, note=where)


def entry_choice(entry: ModelConfig) -> Choice:
    """Returns an entry as a choice in the list of providers."""
    return Choice(f"{MODEL}{entry.name}", entry.name, hint=f"{entry.provider}: {where_words(entry.provider, entry.options)}",
                  note=where_words(entry.provider, entry.options), group=YOURS)


def answerers(now: Choice, choices: Choices, book: ModelBook) -> tuple[Choice, ...]:
    """Returns all choices: providers that need no settings, the user's models, and the item that opens the list of models.

    `now` is the present one, which is among them even if it is of neither kind.
    """
    plain = tuple(c for c in choices.providers if not c.by_models)
    own = tuple(map(entry_choice, book.entries))
    other = () if now.name in {c.name for c in (*plain, *own)} else (now,)
    return (*plain, *other, *own, Choice(MORE, "Models …", hint="Add, edit, test and choose language models", group="Set up"))
