"""Registries: the parts of one kind by name, ours and those of other packages, each imported only when it is asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.common.errors import MissingPart, UsageError
from core.common.installation import needs

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OURS = frozenset({"core", "sim", "gui"})
"""Our top-level packages: a module of theirs that is not found is a defect, not a missing package."""
NONE: Mapping[str, str] = MappingProxyType({})


def near_misses(name: str, known: Iterable[str]) -> str:
    """Returns `; did you mean 'a' or 'b'?`, or an empty text if no known name resembles `name`."""
    close = difflib.get_close_matches(name, list(known), n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(c) for c in close)}?" if close else ""


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Returns the entry points of a group that the installed packages declare, by name and package."""
    from importlib import metadata  # imported here: it takes 25 ms, and a start that names only our parts needs none

    found = metadata.entry_points(group=group)
    return tuple(sorted(found, key=lambda entry: (entry.name, _package(entry))))


@dataclass(frozen=True, slots=True)
class Foreign:
    """A part that another package declares.

    Attributes:
        target: "module:attribute".
        package: name and version of the distribution that declares it.
        refused: why it is not used, in one line with the cure; empty if it may be loaded.
    """

    target: str
    package: str
    refused: str = ""


class Registry(Mapping[str, str]):
    """The parts of one kind: name -> "module:attribute".

    A table in the code lists our parts. Parts of other packages are the entry points of a group. They are looked for when a
    name is not ours or when all names are listed, so a start that names only our parts does not pay for them. A part of another
    package that cannot be used stays listed: `problem` returns the reason, and `load` raises it.

    Args:
        what: the kind of part, for messages ("planner").
        group: the group of the entry points ("belvedere.planners").
        ours: our parts, name -> "module:attribute".
        titles: what people call our parts, known before they are loaded; a name without one is its own title.
        base: the class that parts of other packages extend, or its "module:attribute", which is loaded with the first of them;
            None: any callable will do.
        own_name: returns the name that a class gives itself; it has to be that of its entry point.
        find: returns the entry points of a group.
    """

    def __init__(self, what: str, group: str, ours: Mapping[str, str], *, titles: Mapping[str, str] = NONE,
                 base: type | str | None = None, own_name: Callable[[type], str] = lambda cls: str(getattr(cls, "name", "")),
                 find: Callable[[str], tuple[EntryPoint, ...]] = entry_points):
        self.what, self.group, self.ours = what, group, ours
        self._titles, self._base, self._own_name, self._find = titles, base, own_name, find
        self._found: dict[str, Foreign] | None = None
        self._loaded: dict[str, object] = {}
        self._problems: dict[str, str] = {}

    # --- names -------------------------------------------------------------
    @property
    def foreign(self) -> Mapping[str, Foreign]:
        """The parts of other packages by name. One whose name is taken is listed as `name (package)`."""
        if self._found is None:
            self._found = {}
            for entry in self._find(self.group):
                self._add(entry, self._found)
        return self._found

    def _add(self, entry: EntryPoint, found: dict[str, Foreign]) -> None:
        name, part = entry.name, Foreign(entry.value.replace(" ", ""), _package(entry))
        owner = "Belvedere" if name in self.ours else found[name].package if name in found else ""
        if owner:
            part = replace(part, refused=f"the {self.what} '{name}' of {part.package} is not used: {owner} has a {self.what} "
                                         f"of this name; rename its entry point in the group {self.group}")
            name = f"{name} ({part.package})"
        found[name] = part

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self.foreign

    def __getitem__(self, name: str) -> str:
        return self.ours[name] if name in self.ours else self.foreign[name].target

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.foreign

    def __len__(self) -> int:
        return len(self.ours) + len(self.foreign)

    def check(self, name: str) -> None:
        """Check that there is a part of this name, without loading it.

        Raises:
            UsageError: there is none.
        """
        if name not in self:
            hint = near_misses(name, self) or f"; there is {', '.join(self)}"
            raise UsageError(f"unknown {self.what} '{name}'{hint}")

    # --- parts -------------------------------------------------------------
    def load(self, name: str) -> object:
        """Returns the part of a name.

        Raises:
            UsageError: there is no such name.
            MissingPart: its module needs a package that is not installed, or it is a part of another package that cannot be
                used; the message is one line.
        """
        self.check(name)
        if name not in self._loaded:
            self._loaded[name] = self._load_ours(name) if name in self.ours else self._load_foreign(name, self.foreign[name])
        return self._loaded[name]

    def problem(self, name: str) -> str:
        """Returns why a part of another package cannot be used, in one line; empty for ours and for those that can."""
        if name in self.ours:
            return ""
        try:
            self.load(name)
        except MissingPart as error:
            return str(error)
        return ""

    def title(self, name: str) -> str:
        """Returns what people call a part. Loads it if it is another package's; its name if it declares no title."""
        if name in self.ours or name not in self or self.problem(name):
            return self._titles.get(name, name)
        return str(getattr(self.load(name), "title", "") or name)

    def usable(self) -> Iterator[str]:
        """Yields the names of our parts, and of those of other packages that can be loaded."""
        yield from self.ours
        yield from (name for name in self.foreign if not self.problem(name))

    def _load_ours(self, name: str) -> object:
        try:
            return _imported(self.ours[name])
        except ModuleNotFoundError as error:
            if (error.name or "").split(".")[0] in OURS:
                raise
            raise MissingPart(needs(f"{self.what} '{name}'", [f"the package '{error.name}'"], "")) from error

    def _load_foreign(self, name: str, part: Foreign) -> object:
        if name in self._problems or part.refused:
            raise MissingPart(self._problems.get(name, part.refused))
        try:
            found = _imported(part.target)
        except (Exception, SystemExit) as error:
            raise self._unusable(name, f"{type(error).__name__}: {error}{_of_our_name(part)}") from error
        if fault := self._fault(name, found):
            raise self._unusable(name, fault)
        return found

    def _fault(self, name: str, found: object) -> str:
        """Returns in what a loaded object is no part of this kind; empty if it is one."""
        if self._base is None:
            return "" if callable(found) else f"{found!r} cannot be called"
        base = _imported(self._base) if isinstance(self._base, str) else self._base
        assert isinstance(base, type)
        if not (isinstance(found, type) and issubclass(found, base)):
            return f"it does not extend {base.__module__}.{base.__qualname__}"
        if abstract := sorted(getattr(found, "__abstractmethods__", ())):
            return f"it does not implement {', '.join(abstract)}"
        own = self._own_name(found)
        return "" if own == name else f"its class calls itself {own!r}: give class and entry point the same name"

    def _unusable(self, name: str, cause: str) -> MissingPart:
        """The error about a part of another package. The line is kept, so that the module is not imported again."""
        part = self.foreign[name]
        line = " ".join(f"the {self.what} '{name}' of {part.package} cannot be loaded: {cause}; repair that package, "
                        f"or remove it: pip uninstall {part.package.partition(' ')[0]}".split())
        self._problems[name] = line
        return MissingPart(line)


def _imported(target: str) -> object:
    module, _, attribute = target.partition(":")
    found = vars(importlib.import_module(module))
    if attribute not in found:
        raise AttributeError(f"the module {module} has no {attribute or 'attribute named by the entry point'}")
    return found[attribute]


def _of_our_name(part: Foreign) -> str:
    """Returns why a part's module cannot be found if its package is called as one of ours; empty if it is not."""
    package = part.target.partition(":")[0].partition(".")[0]
    return f", because '{package}' is Belvedere's own package: give that one another name" if package in OURS else ""


def _package(entry: EntryPoint) -> str:
    """Name and version of the distribution that declares an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "another package"
