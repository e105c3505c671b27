"""A facet reaches the disk, and a snapshot is read from it, through few functions. A number here only ever falls."""

from __future__ import annotations

from tests import hops

MOST_TO_FILE = 16
MOST_TO_SNAPSHOT = 12


def test_a_facet_reaches_the_file_through_few_functions() -> None:
    way = hops.facet_to_file()
    assert (way[0].rpartition(".")[2], way[-1]) == ("show", "Disk.append")
    assert len(way) <= MOST_TO_FILE, way


def test_a_snapshot_is_read_through_few_functions() -> None:
    way = hops.file_to_snapshot()
    assert (way[0].rpartition(".")[2], *way[-2:]) == ("snapshot_at", "Codec.loads", "fold")
    assert len(way) <= MOST_TO_SNAPSHOT, way
