"""Rows on the graphics card, ready to be drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.rendering.gl import meshes
from sim.rendering.gl.context import compiled
from sim.rendering.instances import Batch, Rows

SURFACE_ROW = "3f 3f 4f 4f 4i 4x/i"
DEPTH_ROW = "3f 3f 4f 36x/i"
SMALL = 0.06  # metres: half extents below which a coarse mesh looks as round as a fine one


class Drawing:
    """The two programs that draw rows: one writes colours and entity numbers, one only depth."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.surface = compiled(context, "surface.vert", "surface.frag")
        self.depth = compiled(context, "depth.vert", "depth.frag")
        kinds = {"box": meshes.box(), "cylinder": meshes.cylinder(), "ball": meshes.ball(),
                 "small cylinder": meshes.cylinder(14), "small ball": meshes.ball(14, 8)}
        self.meshes = {name: (context.buffer(mesh.vertices.tobytes()), context.buffer(mesh.triangles.tobytes()))
                       for name, mesh in kinds.items()}

    def write(self, name: str, value: bytes) -> None:
        """Sets a matrix in both programs."""
        self.surface[name].write(value)
        self.depth[name].write(value)

    def share_depth(self, share: float) -> None:
        """Draws into the front `share` of the depth range from now on."""
        self.surface["depth_share"].value = self.depth["depth_share"].value = share


class Group:
    """The rows of one batch. With `near`, small objects are drawn with fine meshes too."""

    def __init__(self, drawing: Drawing, batch: Batch, near: bool = False) -> None:
        self._drawing = drawing
        self._opaque = [self._part(*part) for part in _by_detail(batch.arrays(), near)]
        self._glass = [self._part(*part) for part in _by_detail(batch.glass_arrays(), near)]

    def _part(self, name: str, rows: Rows) -> tuple[Any, Any, Any, int]:
        context, (vertices, triangles) = self._drawing.context, self._drawing.meshes[name]
        data = context.buffer(rows.tobytes())
        full = context.vertex_array(self._drawing.surface, [
            (vertices, "3f 3f", "in_p", "in_n"),
            (data, SURFACE_ROW, "i_pos", "i_half", "i_turn", "i_colour", "i_meta")], triangles)
        depth = context.vertex_array(self._drawing.depth, [
            (vertices, "3f 12x", "in_p"), (data, DEPTH_ROW, "i_pos", "i_half", "i_turn")], triangles)
        return full, depth, data, len(rows)

    def shade(self) -> None:
        """Draws colours, numbers and normals of the opaque rows."""
        for full, _, _, count in self._opaque:
            full.render(instances=count)

    def occupy(self) -> None:
        """Draws only the depth of the opaque rows."""
        for _, depth, _, count in self._opaque:
            depth.render(instances=count)

    def blend(self) -> None:
        """Draws the glass."""
        for full, _, _, count in self._glass:
            full.render(instances=count)

    def release(self) -> None:
        """Frees the memory."""
        for full, depth, data, _ in (*self._opaque, *self._glass):
            full.release()
            depth.release()
            data.release()


def _by_detail(tables: dict[str, Rows], near: bool) -> Iterator[tuple[str, Rows]]:
    """Yields rows with the name of the mesh that draws them."""
    for name, rows in tables.items():
        small = rows["half"].max(axis=1) < (0.0 if near or name == "box" else SMALL)
        for mesh, chosen in ((name, rows[~small]), (f"small {name}", rows[small])):
            if len(chosen):
                yield mesh, chosen
