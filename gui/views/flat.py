"""Texts and pictures: views without items."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPalette
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from core.views.values import Picture, Text
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.widget import ViewWidget
from gui.widgets.text import PaintedWidget

MOST_TEXT = 200_000
"""Characters of a text that are shown; a line at its end says how many were left out."""
LONGEST_LINE = 4_000
"""Characters after which a line without spaces is broken, because Qt lays out whole lines."""


class TextView(ViewWidget[Text]):
    """Shows prose, which wraps, or code, whose lines stay."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._view = Text("")
        self.field = QPlainTextEdit()
        self.field.setReadOnly(True)
        self.field.setFrameShape(QFrame.Shape.NoFrame)
        self.field.setTabChangesFocus(True)
        vbox(theme, self.field, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.field)
        self.restyle()

    def restyle(self) -> None:
        """Takes the fonts and colours of the theme again."""
        super().restyle()
        self.field.setFont(self.theme.font("small", 400, self._view.is_code))
        palette = self.field.palette()
        palette.setColor(QPalette.ColorRole.Base, self.theme.colour("surface"))
        self.field.setPalette(palette)

    def show_view(self, view: Text) -> None:
        """Shows another text; what is in view stays in view."""
        is_other = view.is_code != self._view.is_code
        self._view = view
        mode = QPlainTextEdit.LineWrapMode.NoWrap if view.is_code else QPlainTextEdit.LineWrapMode.WidgetWidth
        self.field.setLineWrapMode(mode)
        self.field.setAccessibleName(view.title or "Text")
        text = shown_text(view.text if view.is_code else self.named(view.text[:MOST_TEXT]), len(view.text))
        if text != self.field.toPlainText():
            at = self.field.verticalScrollBar().value()
            self.field.setPlainText(text)
            self.field.verticalScrollBar().setValue(at)
        if is_other:
            self.restyle()

    def natural_height(self) -> int:
        """Returns the height of all lines at the present width."""
        return int(self.theme.metrics("small").lineSpacing() * self.field.document().size().height()) + self.theme.px(18)


def shown_text(text: str, size: int) -> str:
    """Returns what is shown of a text of `size` characters, with endless lines broken."""
    cut = text[:MOST_TEXT]
    lines = (line[k:k + LONGEST_LINE] for line in cut.split("\n") for k in range(0, max(1, len(line)), LONGEST_LINE))
    rest = f"\n… {size - MOST_TEXT:,} characters more" if size > MOST_TEXT else ""
    return "\n".join(lines) + rest


class PictureView(ViewWidget[Picture]):
    """Shows a picture, as large as there is room."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self._picture = _Pixels()
        vbox(theme, self._picture, on=self, spacing=0, margins=FLUSH)

    def show_view(self, view: Picture) -> None:
        """Shows another picture."""
        high, wide = view.pixels.shape[:2]
        image = QImage() if not view.pixels.size else QImage(
            view.pixels.tobytes(), wide, high, 3 * wide, QImage.Format.Format_RGB888).copy()
        self._picture.image = image
        self._picture.setAccessibleName(view.title or "Picture")
        self._picture.setAccessibleDescription(f"{wide} × {high} pixels")
        self._picture.update()

    def natural_height(self) -> int:
        """Returns the height at the present width."""
        image = self._picture.image
        return int(image.height() * min(self.width() / max(1, image.width()), 2.0)) if not image.isNull() else 20


class _Pixels(PaintedWidget):
    """The picture itself."""

    def __init__(self) -> None:
        super().__init__()
        self.image = QImage()

    def paint(self, painter: QPainter) -> None:
        """Paints the picture in the middle."""
        if self.image.isNull():
            return
        scale = min(self.width() / self.image.width(), self.height() / self.image.height())
        wide, high = self.image.width() * scale, self.image.height() * scale
        room = QRectF((self.width() - wide) / 2, (self.height() - high) / 2, wide, high)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 1)
        painter.drawImage(room, self.image)
