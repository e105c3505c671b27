"""Any view becomes a page: every text in it is there and escaped, every element closed, and what is left out is counted."""

from html.parser import HTMLParser

from hypothesis import example, given

from core.recording.exports.html_parts import name_of
from core.recording.exports.view_html import MOST_ITEMS, view_html
from core.views.values import CHOSEN, Column, Graph, Item, Link, Sections, Table, Text, Tree, View
from core.world.vocabulary import named
from tests.core.views import drawn

NASTY = '<script>alert(1)</script> & "quotes"'


class Page(HTMLParser):
    """The text of a page. Every element must be closed in its order."""

    def __init__(self, html: str):
        super().__init__()
        self.text, self._open, self.tags = "", list[str](), set[str]()
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("img", "polyline"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == "polyline" or self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def texts_of(view: View) -> list[str]:
    """Returns the texts that the page of a small view must show, with names in place of ids but in code."""
    match view:
        case Sections(parts):
            return [text for part in parts for text in texts_of(part)]
        case Table(items) | Tree(items) | Graph(items):
            is_code = isinstance(view, Table) and view.is_code
            beside = [text for item in items for text in (item.note, item.place, *(m.word for m in item.marks))]
            return [*(item.text if is_code else named(item.text, name_of) for item in items),
                    *(named(text, name_of) for text in beside)]
        case Text(text, is_code):
            return [] if is_code else [named(text[:100], name_of)]
    return []


@given(drawn.SOUND)
@example(Table((Item("", "open fridge_1", note="fridge_1"),), is_code=True))
def test_any_view_is_a_page_with_all_its_texts(view: View) -> None:
    page = Page(view_html(view))
    assert "script" not in page.tags
    for text in texts_of(view):
        assert text in page.text


def test_markup_in_a_view_is_text() -> None:
    item = Item(NASTY, NASTY, (NASTY, frozenset({NASTY})), (CHOSEN,), note=NASTY, place=NASTY)
    columns = (Column(NASTY), Column("set", "state"))
    for view in (Table((item,), columns, note=NASTY), Tree((item,), columns), Text(NASTY), Text(NASTY, is_code=True),
                 Graph((item, item), (Link(0, 1, (NASTY,), (NASTY,), ()),), columns, columns)):
        page = Page(view_html(view))
        assert "script" not in page.tags
        assert NASTY in page.text


def test_what_is_left_out_is_counted() -> None:
    items = tuple(Item(str(k), f"item number {k}") for k in range(MOST_ITEMS + 7))
    for view in (Table(items), Tree(items), Graph(items, ())):
        assert "7 more" in Page(view_html(view)).text


def test_the_marked_nodes_of_a_large_graph_come_first() -> None:
    nodes = tuple(Item(str(k), f"node number {k}.", marks=(CHOSEN,) if k == 900 else ()) for k in range(1000))
    text = Page(view_html(Graph(nodes, (Link(900, 901), Link(899, 900))))).text
    for number in (899, 900, 901):
        assert f"node number {number}." in text


def test_code_keeps_its_ids() -> None:
    code = "find('apple_1')"
    item = Item("k", "row", (code,))
    for view in (Text(code, is_code=True), Table((item,), (Column("code", "code"),)), Table((Item(code, code),), is_code=True)):
        assert code in Page(view_html(view)).text
    assert "apple 1" in Page(view_html(Text("the apple_1"))).text
