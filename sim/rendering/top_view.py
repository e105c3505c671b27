"""A plan of the house from above, for systems without OpenGL: rooms, walls, named furniture, small objects as dots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sim.geometry.model import Colour, House, Rect, Robot, Thing, Wall
from sim.rendering.cameras import Camera, Matrix, Picture, Size
from sim.rendering.instances import FLOOR_COLOURS, numbering

Point = tuple[float, float]
Paint = tuple[int, int, int]

SMALL = 0.35  # metres; what is smaller on all sides is a dot
OVERHEAD, FLAT = 1.95, 0.06  # lowest bottom of ceiling objects, largest height of rugs
MARGIN, WALL = 0.4, 0.12
PAPER, INK, DOOR, PANE = (236, 238, 240), (58, 62, 70), (214, 196, 168), (120, 175, 220)
BODY, RUG, EDGE, DOT, ROBOT = (212, 190, 158), (226, 214, 200), (126, 104, 76), (196, 84, 60), (40, 110, 220)
ARROW = ((0.0, 0.34), (0.22, -0.2), (0.0, -0.1), (-0.22, -0.2))


@dataclass(frozen=True)
class _Sheet:
    """Two drawings in step: colours at twice the size, entity numbers at the size of the picture.

    Attributes:
        colours, numbers: the two drawings.
        scale: pixels per metre.
        origin: pixel of the house's origin.
    """

    colours: ImageDraw.ImageDraw
    numbers: ImageDraw.ImageDraw
    scale: float
    origin: Point

    def at(self, point: Point) -> Point:
        """Returns a point of the house (metres) in pixels."""
        return self.origin[0] + point[0] * self.scale, self.origin[1] - point[1] * self.scale

    def projection(self, size: Size) -> Matrix:
        """Returns the 4x4 matrix from the house to clip space."""
        (width, height), (x, y), matrix = size, self.origin, np.eye(4)
        matrix[0, 0], matrix[0, 3] = 2 * self.scale / width, 2 * x / width - 1
        matrix[1, 1], matrix[1, 3] = 2 * self.scale / height, 1 - 2 * y / height
        return matrix

    def polygon(self, points: Sequence[Point], fill: Paint, number: int | None = None, outline: Paint | None = None) -> None:
        """Draws a filled polygon. `number=None` leaves the numbers unchanged."""
        pixels = [self.at(p) for p in points]
        self.colours.polygon([(2 * x, 2 * y) for x, y in pixels], fill, outline, 2)
        if number is not None:
            self.numbers.polygon(pixels, number)

    def dot(self, point: Point, radius: float, fill: Paint, number: int) -> None:
        """Draws a disc of `radius` pixels."""
        x, y = self.at(point)
        self.colours.ellipse([2 * (x - radius), 2 * (y - radius), 2 * (x + radius), 2 * (y + radius)], fill, PAPER, 1)
        self.numbers.ellipse([x - radius, y - radius, x + radius, y + radius], number)


def draw_top_view(house: House, camera: Camera, size: Size, robot: Robot | None = None) -> Picture:
    """Returns the plan as a picture of `size` (width, height), north up.

    A triangle shows the robot, or else an indoor camera. A camera that looks straight down chooses the part of the plan; with
    any other the whole house is shown.
    """
    held = () if robot is None else robot.held
    numbers = numbering(house, held)
    colours, marks = Image.new("RGB", (2 * size[0], 2 * size[1]), PAPER), Image.new("I", size, 0)
    sheet = _fitted(house, camera, size, ImageDraw.Draw(colours), ImageDraw.Draw(marks))
    for room in house.rooms:
        for x0, y0, x1, y1 in room.pieces:
            sheet.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], _paint(FLOOR_COLOURS.get(room.floor, (0.8, 0.8, 0.8)), 0.5))
    in_hand = {t.id for t in held}
    shown = sorted((t for t in house.things if not t.hidden and t.base[2] < OVERHEAD and t.id not in in_hand), key=_level)
    for thing in shown:
        _draw_thing(sheet, thing, numbers[thing.id])
    for wall in house.walls:
        _draw_wall(sheet, wall)
    _draw_labels(sheet, house, shown)
    _draw_robot(sheet, robot, camera, numbers)
    pixels = np.asarray(colours.resize(size, Image.Resampling.BOX), np.uint8)
    return Picture(pixels, np.asarray(marks).astype(np.uint16), tuple(numbers), camera, sheet.projection(size))


def _fitted(house: House, camera: Camera, size: Size, colours: ImageDraw.ImageDraw, numbers: ImageDraw.ImageDraw) -> _Sheet:
    x, y = camera.target[:2]
    if (x, y) == camera.eye[:2]:
        scale = size[1] / (2 * math.tan(math.radians(camera.fov) / 2) * (camera.eye[2] - camera.target[2]))
    else:
        x0, y0, x1, y1 = house.bounds() if house.rooms else (0.0, 0.0, 1.0, 1.0)
        scale = min(size[0] / (x1 - x0 + 2 * MARGIN), size[1] / (y1 - y0 + 2 * MARGIN))
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return _Sheet(colours, numbers, scale, (size[0] / 2 - x * scale, size[1] / 2 + y * scale))


def _level(thing: Thing) -> tuple[bool, float]:
    """Returns the drawing order: large before small, low before high."""
    return max(thing.size[:2]) < SMALL, thing.base[2] + thing.size[2]


def _paint(colour: Colour, towards_white: float = 0.0) -> Paint:
    r, g, b = (int(255 * (c + (1 - c) * towards_white)) for c in colour)
    return r, g, b


def _draw_thing(sheet: _Sheet, thing: Thing, number: int) -> None:
    if max(thing.size[:2]) < SMALL:
        sheet.dot(thing.base[:2], max(2.0, 0.06 * sheet.scale), DOT if thing.colour is None else _paint(thing.colour), number)
        return
    w, d = thing.size[0] / 2, thing.size[1] / 2
    corners = [thing.to_world((x, y, 0.0))[:2] for x, y in ((-w, -d), (w, -d), (w, d), (-w, d))]
    plain = RUG if thing.size[2] < FLAT else BODY
    sheet.polygon(corners, plain if thing.colour is None else _paint(thing.colour, 0.3), number, EDGE)


def _draw_wall(sheet: _Sheet, wall: Wall) -> None:
    if wall.length < 0.01:
        return
    _strip(sheet, wall, -WALL / 2, wall.length + WALL / 2, INK)
    for o in wall.openings:
        _strip(sheet, wall, o.begin, o.end, PANE if o.kind == "window" else DOOR)


def _strip(sheet: _Sheet, wall: Wall, begin: float, end: float, fill: Paint) -> None:
    ux, uy = wall.direction
    h = WALL / 2
    sheet.polygon([(wall.start[0] + ux * a - uy * b, wall.start[1] + uy * a + ux * b)
                   for a, b in ((begin, -h), (end, -h), (end, h), (begin, h))], fill, 0)


def _draw_labels(sheet: _Sheet, house: House, things: Sequence[Thing]) -> None:
    """Draws short names on furniture where they fit, and room names at the upper left of their largest piece."""
    font, taken = ImageFont.load_default(20), list[Rect]()
    for thing in reversed(things):
        x0, y0, x1, y1 = thing.footprint()
        text = thing.kind.replace("_", " ").lower()[:12]
        fits = (x1 - x0) * 2 * sheet.scale > sheet.colours.textlength(text, font) and (y1 - y0) * 2 * sheet.scale > 22
        if fits and thing.id:
            x, y = sheet.at(((x0 + x1) / 2, (y0 + y1) / 2))
            half = sheet.colours.textlength(text, font) / 4
            box = (x - half, y - 6, x + half, y + 6)
            if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
                continue
            taken.append(box)
            sheet.colours.text((2 * x, 2 * y), text, INK, font, "mm")
    title = ImageFont.load_default(26)
    for room in house.rooms:
        x0, _, _, y1 = max(room.pieces, key=lambda p: (p[2] - p[0]) * (p[3] - p[1]))
        x, y = sheet.at((x0 + WALL, y1 - WALL))
        text = room.name.replace("_", " ")
        sheet.colours.text((2 * x + 4, 2 * y + 2), text, INK, title, "la", stroke_width=3, stroke_fill=PAPER)


def _draw_robot(sheet: _Sheet, robot: Robot | None, camera: Camera, numbers: dict[str, int]) -> None:
    if robot is not None:
        x, y, yaw = robot.x, robot.y, robot.yaw
    elif camera.indoors:
        x, y = camera.eye[:2]
        yaw = math.atan2(camera.eye[0] - camera.target[0], camera.target[1] - camera.eye[1])
    else:
        return
    frame = Thing("", "", 0, (x, y, 0.0), (0.5, 0.5, 1.2), yaw)
    sheet.polygon([frame.to_world((a, b, 0.0))[:2] for a, b in ARROW], ROBOT, 0, INK)
    for k, thing in enumerate(robot.held if robot is not None else ()):
        hand = frame.to_world((0.24 * (1, -1)[k % 2], 0.3 + 0.12 * (k // 2), 0.0))
        sheet.dot(hand[:2], max(2.0, 0.06 * sheet.scale), DOT, numbers[thing.id])
