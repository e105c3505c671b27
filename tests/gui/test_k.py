from tests.gui.conftest import *
from tests.gui.parts import parts
from PySide6.QtGui import QGuiApplication
from PySide6.QtCore import QObject, QEvent
class F(QObject):
    def eventFilter(self, o, e):
        if e.type() in (QEvent.Type.Show, QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate) and isinstance(o, QWidget) and o.isWindow():
            print(e.type().name, type(o).__name__, o.accessibleName(), o.objectName(), type(o.parent()).__name__)
        return False
from PySide6.QtWidgets import QWidget
def test_k(qtbot, qapp, theme, settings):
    f=F(); qapp.installEventFilter(f)
    app = App(parts(), theme, settings)
    app.open(ask=False); app.window.activateWindow(); qtbot.wait(1500)
    print("app", app.window.isActiveWindow(), QGuiApplication.focusWindow(), QApplication.activeWindow())
    qapp.removeEventFilter(f)
    app.window.close()
    assert 0
