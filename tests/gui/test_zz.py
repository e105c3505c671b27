from tests.gui.test_layout_walks import *
def test_dbg(qtbot, make_app):
    app = make_app(parts("llm-mcts", TASK))
    walk = Walk(app, 259793)
    for _ in range(40):
        walk.act()
        qtbot.wait(60)
        shows = planner_class(app.console.request.planner).shows
        if walk.done[-1] == "show learnings":
            qtbot.wait(1000)
            w = faults(app.window, shows, walk.opened)
            print(w)
            if w:
                from gui.widgets import StateCard
                for c in app.window.docks["learnings"].findChildren(StateCard):
                    print(c.state, c.geometry(), c.isVisible(), c._glyph.geometry(), c._glyph.isVisible(), c._heading.geometry(), c._text.geometry(), c._foot.geometry(), c._text.heightForWidth(c._text.width()), c._heading.heightForWidth(c._heading.width()), c._text.sizeHint(), c._text.minimumHeight(), c._heading.font().pixelSize(), c._text.font().pixelSize(), c._column.contentsMargins(), c._column.spacing(), c.isVisible(), c.sizePolicy().hasHeightForWidth(), c._text.isVisible())
                    p = c.parentWidget(); print(p, p.geometry(), p.layout())
                break
