"""Finds faults in the look of a window: overlaps, panels outside it, cut labels, frames that are too small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QTabBar, QToolButton, QWidget

from gui.widgets import Banner, Header, Line, Meter, Picker, StateCard
from gui.window.arrangement import tab_bars
from gui.window.layout_fitting import FRAMES
from gui.window.layouts import Shows, has_something_to_show
from gui.window.main_window import MainWindow


def area(window: MainWindow, part: QWidget) -> QRect:
    """The rectangle of a part in the window."""
    return QRect(part.mapTo(window, part.rect().topLeft()), part.size())


def in_front(window: MainWindow) -> dict[str, QWidget]:
    """The visible docks, the frames and the bars, by name."""
    found: dict[str, QWidget] = {dock.name: dock for dock in window.docks.values()
                                 if dock.isVisible() and not dock.isFloating() and not dock.visibleRegion().isEmpty()}
    bars = {"bar": window.bar, "timeline": window.timeline, "status": window.status, "strip": window.strip}
    return {**found, "frames": window.stage, **{name: bar for name, bar in bars.items() if bar.isVisible()}}


def faults(window: MainWindow, shows: Shows | None, opened: set[str]) -> list[str]:
    """Returns all faults as text.

    Args:
        window: shown, and settled.
        shows: kinds of facet its planner shows.
        opened: panels that were opened on purpose, which may be empty.
    """
    parts = in_front(window)
    areas = {name: area(window, part) for name, part in parts.items()}
    return [*_overlaps(window, areas), *_outside(window, areas), *_small(areas, window), *_foreign(window, shows, opened),
            *_cut(window)]


def _overlaps(window: MainWindow, areas: dict[str, QRect]) -> Iterator[str]:
    tabs = {f"tabs {bar.tabText(0)}": area(window, bar) for bar in tab_bars(window) if bar.isVisible() and bar.count() > 1}
    for (one, a), (other, b) in combinations({**areas, **tabs}.items(), 2):
        both = a.intersected(b)
        if both.width() > 1 and both.height() > 1:
            yield f"{one} {a.getRect()} overlaps {other} {b.getRect()}"


def _outside(window: MainWindow, areas: dict[str, QRect]) -> Iterator[str]:
    for name, place in areas.items():
        if not window.rect().contains(place):
            yield f"{name} {place.getRect()} is outside the window {window.size().toTuple()}"


def _small(areas: dict[str, QRect], window: MainWindow) -> Iterator[str]:
    place = areas["frames"]
    if min(place.width(), place.height()) < FRAMES:
        yield f"the frames are {place.width()} × {place.height()} in {window.size().toTuple()}"
    for name, dock in window.docks.items():
        if name in areas and min(areas[name].width(), areas[name].height()) < 60:
            yield f"{name} is {dock.width()} × {dock.height()}"


def _foreign(window: MainWindow, shows: Shows | None, opened: set[str]) -> Iterator[str]:
    for name, dock in window.docks.items():
        if not dock.isHidden() and name not in opened and not has_something_to_show(name, shows):
            yield f"{name} has nothing to show for this planner"


def _cut(window: MainWindow) -> Iterator[str]:
    """Labels that show less than their text, and parts of a row that overlap."""
    yield from cut_labels(window)
    for row in (window.bar, window.bar.controls, window.bar.pickers, window.bar.meters, window.bar.goal, window.status,
                window.strip, *window.stage.findChildren(Banner)):
        if row.isVisible():
            yield from _jostling(row)


def cut_labels(root: QWidget) -> Iterator[str]:
    """Labels under a part, in its window, that show less than their text."""
    for part in root.findChildren(QWidget):
        if part.visibleRegion().isEmpty() or part.window() is not root.window():
            continue
        for kind, check in CHECKS:
            if isinstance(part, kind):
                yield from check(part)
                break


def _jostling(row: QWidget) -> Iterator[str]:
    """Parts of a row that overlap or are outside it."""
    shown = [part for part in row.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
             if part.isVisible() and not part.isWindow()]
    for one, other in combinations(shown, 2):
        both = one.geometry().intersected(other.geometry())
        if both.width() > 1 and both.height() > 1:
            yield f"{_called(row)}: {_called(one)} {one.geometry().getRect()} over {_called(other)}"
    for part in shown:
        if not row.rect().adjusted(-1, -1, 1, 1).contains(part.geometry()):
            yield f"{_called(row)} {row.size().toTuple()}: {_called(part)} {part.geometry().getRect()} is cut off"


def _called(part: QWidget) -> str:
    return part.accessibleName() or type(part).__name__


def _cut_picker(picker: Picker) -> Iterator[str]:
    if picker.width() < picker.minimumSizeHint().width():
        yield f"the {picker.accessibleName()} has no room for its glyph: {picker.width()}"


def _cut_line(line: Line) -> Iterator[str]:
    if line.height() < line.sizeHint().height() - 2:
        yield f"“{line.text}” is cut in height: {line.height()} of {line.sizeHint().height()}"


def _cut_label(label: QLabel) -> Iterator[str]:
    if not _scrolls(label) and label.text() and label.height() + 2 < _least_height(label):
        yield f"“{label.text()[:40]}” is cut: {label.height()} of {_least_height(label)}"


def _cut_tabs(bar: QTabBar) -> Iterator[str]:
    """Tabs that are too narrow for their text, unless the bar scrolls."""
    for k in range(bar.count()):
        if bar.fontMetrics().horizontalAdvance(bar.tabText(k)) > bar.tabRect(k).width():
            yield f"the tab “{bar.tabText(k)}” is cut: {bar.tabRect(k).width()}"


def _cut_button(button: QAbstractButton) -> Iterator[str]:
    if isinstance(button.parentWidget(), QTabBar) or not button.text() or (isinstance(button, QToolButton) and not button.icon()
                                                                           .isNull()):
        return
    needs = button.fontMetrics().horizontalAdvance(button.text().strip())
    needs += button.iconSize().width() if not button.icon().isNull() else 0
    if needs > button.width() or button.fontMetrics().height() > button.height() + 2:
        yield f"the button “{button.text().strip()}” is cut: {button.size().toTuple()} of {needs}"


def _cut_meter(meter: Meter) -> Iterator[str]:
    if not meter.words(float(meter.width()))[0]:
        yield f"the meter {meter.accessibleName()} has no room for its name: {meter.width()}"


def _cut_header(header: Header) -> Iterator[str]:
    title = header.title
    if not title.isHidden() and title.width() < title.sizeHint().width() - 1:
        yield f"the title “{title.text}” is cut: {title.width()} of {title.sizeHint().width()}"
    shown = [tool for tool in header.findChildren(QWidget) if tool.parent() is header and tool.isVisible()]
    for one, other in combinations(shown, 2):
        if one.geometry().intersected(other.geometry()).width() > 1:
            yield (f"in the header of {title.text}, {header.width()} wide, {_called(one)} {one.geometry().getRect()} overlaps "
                   f"{_called(other)} {other.geometry().getRect()}")
    for tool in shown:
        if tool.geometry().right() > header.width():
            yield f"in the header of {title.text}, {tool.accessibleName()} is cut off"


def _least_height(label: QLabel) -> int:
    if label.wordWrap():
        return label.heightForWidth(label.width())
    return label.fontMetrics().height()


def _scrolls(part: QWidget) -> bool:
    """Whether a part is inside a scroll area, or in a card that scrolls when it is low."""
    at: QWidget | None = part
    while at is not None:
        if at.inherits("QAbstractScrollArea") or isinstance(at, StateCard):
            return not isinstance(at, StateCard)
        at = at.parentWidget()
    return False


CHECKS: tuple[tuple[type[QWidget], Callable[[Any], Iterator[str]]], ...] = (
    (QTabBar, _cut_tabs), (QPushButton, _cut_button), (QToolButton, _cut_button), (Meter, _cut_meter), (Picker, _cut_picker),
    (Header, _cut_header), (Line, _cut_line), (QLabel, _cut_label))
"""How each kind of label is checked."""
