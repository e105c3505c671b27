"""The application's style sheet, made from tokens. It styles Qt's own widgets only; dense panels paint themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Colours = Mapping[str, str]
Px = Callable[[float], int]


def sheet(c: Colours, px: Px) -> str:
    """Returns the application's style sheet for a palette, with sizes scaled with the text."""
    return "\n".join((_window(c), _tabs(c, px), _buttons(c, px), _fields(c, px), _views(c, px), _scrolling(c), _menus(c, px)))


def _window(c: Colours) -> str:
    return f"""
QMainWindow {{ background: {c["canvas"]}; }}
QMainWindow::separator {{ background: {c["canvas"]}; width: 6px; height: 6px; }}
QDockWidget {{ border: 0; }}
QToolBar {{ background: {c["canvas"]}; border: 0; padding: 0; margin: 0; spacing: 0; }}
QStatusBar {{ background: {c["canvas"]}; border: 0; }}
QStatusBar::item {{ border: 0; }}
QLabel {{ background: transparent; }}
QGraphicsView {{ background: transparent; border: 0; }}
#Card {{ background: {c["surface"]}; border: 1px solid {c["line"]}; border-radius: 7px; }}
#CardTabbed {{ background: {c["surface"]}; border: 1px solid {c["line"]}; border-radius: 7px; border-top-left-radius: 0; }}
#Card[preview="true"], #CardTabbed[preview="true"] {{ border: 1px dashed {c["operator_act"]}; }}
#Card[ringed="true"], #CardTabbed[ringed="true"] {{ border-color: {c["accent"]}; }}
#Dialog {{ background: {c["surface"]}; border: 1px solid {c["line_strong"]}; border-radius: 10px; }}
#Popup {{ background: {c["raised"]}; border: 1px solid {c["line_strong"]}; border-radius: 5px; }}
#Popup QListView {{ background: {c["raised"]}; }}
QDialog {{ background: {c["surface"]}; }}
#Segment {{ background: {c["sunken"]}; border: 1px solid {c["line"]}; border-radius: 5px; }}"""


def _tabs(c: Colours, px: Px) -> str:
    return f"""
QTabBar {{ background: {c["canvas"]}; qproperty-drawBase: 0; }}
QTabBar::tab {{ background: transparent; color: {c["muted"]}; padding: {px(4)}px {px(10)}px {px(5)}px {px(10)}px;
  margin: 0 1px 0 0; border: 1px solid transparent; border-top-left-radius: 6px; border-top-right-radius: 6px; }}
QTabBar::tab:selected {{ background: {c["surface"]}; color: {c["text"]}; border: 1px solid {c["line"]};
  border-bottom-color: {c["surface"]}; }}
QTabBar::tab:hover:!selected {{ color: {c["text"]}; }}
QTabBar::tab:focus {{ color: {c["accent"]}; }}
QTabBar::scroller {{ width: {px(34)}px; }}
QTabBar QToolButton {{ background: {c["canvas"]}; border: 1px solid {c["line"]}; border-radius: 4px; padding: 0; margin: 1px;
  width: {px(15)}px; }}
QTabBar QToolButton:hover {{ background: {c["hover"]}; }}
QTabBar QToolButton:disabled {{ background: {c["canvas"]}; border-color: {c["canvas"]}; }}"""


def _buttons(c: Colours, px: Px) -> str:
    return f"""
QPushButton, QToolButton {{ background: {c["raised"]}; border: 1px solid {c["line"]}; border-radius: 5px;
  padding: {px(3)}px {px(9)}px; color: {c["text"]}; }}
QPushButton:hover, QToolButton:hover {{ background: {c["hover"]}; border-color: {c["line_strong"]}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {c["accent"]}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {c["sunken"]}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {c["line_strong"]}; }}
QPushButton[look="primary"] {{ background: {c["accent"]}; border-color: {c["accent"]}; color: {c["on_accent"]}; }}
QPushButton[look="primary"]:focus {{ border-color: {c["text"]}; }}
QPushButton[look="primary"]:disabled {{ background: {c["raised"]}; border-color: {c["line"]}; color: {c["line_strong"]}; }}
QPushButton[look="operator"] {{ background: {c["operator_bg"]}; border-color: {c["operator_act"]};
  color: {c["operator_act"]}; }}
QToolButton[look="flat"] {{ background: transparent; border: 1px solid transparent; padding: 2px; }}
QToolButton[look="flat"]:hover {{ background: {c["hover"]}; }}
QToolButton[look="flat"]:checked {{ background: {c["accent_bg"]}; }}
QToolButton[look="flat"]:focus {{ border-color: {c["accent"]}; }}
QToolButton[look="segment"] {{ background: transparent; border: 0; border-radius: 4px; padding: 0 {px(7)}px;
  color: {c["muted"]}; }}
QToolButton[look="segment"]:hover {{ color: {c["text"]}; }}
QToolButton[look="segment"]:checked {{ background: {c["hover"]}; color: {c["text"]}; }}
QToolButton[look="segment"]:focus {{ color: {c["accent"]}; }}
QToolButton::menu-indicator, QPushButton::menu-indicator {{ image: none; width: 0; }}
QRadioButton::indicator, QCheckBox::indicator {{ width: {px(14)}px; height: {px(14)}px; background: {c["sunken"]};
  border: 1px solid {c["line_strong"]}; border-radius: {px(8)}px; }}
QCheckBox::indicator {{ border-radius: 4px; }}
QCheckBox::indicator:checked {{ background: {c["accent"]}; border-color: {c["accent"]}; }}
QRadioButton::indicator:checked {{ width: {px(8)}px; height: {px(8)}px; border: {px(4)}px solid {c["accent"]};
  background: {c["on_accent"]}; }}
QCheckBox:focus, QRadioButton:focus {{ color: {c["accent"]}; }}
QCheckBox, QRadioButton {{ spacing: {px(6)}px; color: {c["text"]}; }}"""


def _fields(c: Colours, px: Px) -> str:
    boxes = "QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox"
    focused = ", ".join(f"{name}:focus" for name in boxes.split(", "))
    return f"""
{boxes} {{ background: {c["sunken"]}; color: {c["text"]}; border: 1px solid {c["line"]}; border-radius: 5px;
  padding: {px(3)}px {px(8)}px; selection-background-color: {c["accent_bg"]}; selection-color: {c["text"]}; }}
{focused} {{ border-color: {c["accent"]}; }}
QComboBox::drop-down {{ border: 0; width: {px(18)}px; }}
QComboBox QAbstractItemView {{ background: {c["raised"]}; border: 1px solid {c["line_strong"]}; color: {c["text"]}; }}
QSlider::groove:horizontal {{ height: 4px; background: {c["line"]}; border-radius: 2px; }}
QSlider::handle:horizontal {{ width: {px(12)}px; margin: -{px(5)}px 0; border-radius: {px(6)}px;
  background: {c["accent"]}; }}"""


def _views(c: Colours, px: Px) -> str:
    return f"""
QAbstractItemView {{ background: {c["surface"]}; alternate-background-color: {c["raised"]}; color: {c["text"]}; border: 0;
  selection-background-color: {c["selection_bg"]}; selection-color: {c["text"]}; outline: 0; }}
QTreeView::item, QListView::item {{ min-height: {px(21)}px; }}
QHeaderView::section {{ background: {c["surface"]}; color: {c["faint"]}; border: 0; border-bottom: 1px solid {c["line"]};
  padding: {px(3)}px {px(6)}px; }}"""


def _scrolling(c: Colours) -> str:
    return f"""
QScrollArea, QAbstractScrollArea {{ border: 0; background: transparent; }}
QAbstractScrollArea::corner {{ border: 0; background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: 8px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {c["line_strong"]}; border-radius: 3px; min-height: 24px; margin: 1px; }}
QScrollBar:horizontal {{ background: transparent; height: 8px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {c["line_strong"]}; border-radius: 3px; min-width: 24px; margin: 1px; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; width: 0;
  height: 0; }}"""


def _menus(c: Colours, px: Px) -> str:
    return f"""
QMenu {{ background: {c["raised"]}; color: {c["text"]}; border: 1px solid {c["line_strong"]}; border-radius: 5px;
  padding: 4px; }}
QMenu::item {{ padding: {px(5)}px {px(22)}px {px(5)}px {px(10)}px; border-radius: 4px; }}
QMenu::icon {{ padding-left: {px(8)}px; }}
QMenu::item:selected {{ background: {c["accent_bg"]}; }}
QMenu::item:disabled {{ color: {c["faint"]}; }}
QMenu::separator {{ height: 1px; background: {c["line"]}; margin: 4px 6px; }}
QToolTip {{ background: {c["raised"]}; color: {c["text"]}; border: 1px solid {c["line_strong"]}; padding: 4px 6px; }}"""
