"""The list of models, driven with mouse and keyboard: models are added, tested, chosen, and asked by a run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.common.errors import DataError
from core.llm.model_config import ModelConfig, ModelConfigs, change_models, read_models, write_models
from gui.app import App
from gui.control.background import PATIENCE
from gui.control.choices import MODEL, MORE, ModelBook
from gui.theme import Theme
from gui.widgets import CardState
from gui.window.models_dialog import ModelsDialog
from gui.window.stage import CardCallbacks, run_state
from tests.full_disk import full_disk
from tests.gui.conftest import MakeApp
from tests.gui.models.common import add_preset, closed_port, obeying, open_models, real_parts, retype
from tests.gui.settling import settle
from tests.loopback.chat_server import as_json, error, serving

OpenAlone = Callable[[], ModelsDialog]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "models.toml"


@pytest.fixture
def book(qapp: QCoreApplication, file: Path) -> Iterator[ModelBook]:
    """The models of the file as a console keeps them."""
    del qapp
    book = ModelBook(file)
    yield book
    book.close(PATIENCE)


@pytest.fixture
def open_alone(qtbot: QtBot, theme: Theme, book: ModelBook) -> Iterator[OpenAlone]:
    """Opens the list of models as a console does, without the console."""
    behind = QWidget()

    def shown() -> ModelsDialog:
        book.update()
        settle(book)
        dialog = ModelsDialog(theme, book, lambda: "", "", behind)
        dialog.open()
        qtbot.waitUntil(dialog.isActiveWindow)
        return dialog

    yield shown
    for dialog in behind.findChildren(ModelsDialog):
        dialog.reject()


def shown_message(app: App) -> str:
    return app.window.status._message.text


def test_a_model_is_added_tested_chosen_and_asked(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    app = make_app(real_parts(file))
    with serving(obeying) as server:
        server.models = as_json({"data": [{"id": "qwen3"}, {"id": "aya"}]})
        dialog = open_models(qtbot, app)
        editor = add_preset(qtbot, dialog, "llama.cpp server")
        rows = editor.form.rows
        assert rows["base_url"].text() == "http://127.0.0.1:8080/v1"
        retype(rows["name"].field, "Bench")
        retype(rows["base_url"].field, server.base_url)
        QTest.mouseClick(editor.form.list_models, Qt.MouseButton.LeftButton)
        box = rows["model"].field
        assert isinstance(box, QComboBox)
        qtbot.waitUntil(lambda: box.count() == 2)
        assert [box.itemText(k) for k in range(2)] == ["aya", "qwen3"]
        box.hidePopup()
        box.setCurrentIndex(1)
        retype(rows["calls"].field, "500")
        QTest.keyClick(rows["calls"].field, Qt.Key.Key_Return)
        settle(app.console.models)
        entry = read_models(file).named("Bench")
        assert dict(entry.options) == {"base_url": server.base_url, "model": "qwen3"}
        assert entry.limits.calls == 500

        QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not dialog.trial.running)
        assert dialog.trial.says.text().startswith("Answered in ")
        assert "constrained output: works by structured_outputs" in dialog.trial.says.text()
        assert "log-probabilities: no" in dialog.trial.says.text()

        dialog.list.setFocus()
        QTest.keyClick(dialog.list.rows, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: app.run_dialogs.models is None)
        request = app.console.request
        assert (request.provider, dict(request.model), request.limits.calls) == ("openai", dict(entry.options), 500)
        assert app.window.bar.pickers.provider.accessibleName() == "Provider: Bench"
        assert "Bench answers (qwen3 at 127.0.0.1" in shown_message(app)
        settle(app.console.models)
        assert read_models(file).chosen == "Bench"

        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0)
        app.console.step()
        qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 1)
        asked = [call for call in app.bridge.snapshot.calls if call.reply is not None]
        assert {call.reply.source for call in asked if call.reply is not None} == {f"openai qwen3 at {server.base_url}"}
        assert server.requests[-1]["model"] == "qwen3"


def test_models_that_two_windows_add_at_once_are_all_kept(file: Path) -> None:
    def add(number: int) -> None:
        change_models(file, lambda known: known.put(ModelConfig(f"m{number}", "openai", {"model": "x"})))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(20)))
    assert {entry.name for entry in read_models(file).entries} == {f"m{number}" for number in range(20)}
    with full_disk(100), pytest.raises(DataError, match=r"cannot write .*models"):
        add(21)
    file.write_text("damaged = ")
    with pytest.raises(DataError, match="repair or remove it"):
        add(22)
    assert file.read_text() == "damaged = "


@pytest.mark.parametrize(("answer", "told"), [
    (error(401, "bad key"), "does not accept the key (401)"),
    (error(404, "no such model"), "which often ends in /v1: no such model. Models there: a, b"),
    (as_json({"choices": []}), "holds no reply"),
])
def test_a_failing_connection_is_said_in_plain_words(qtbot: QtBot, open_alone: OpenAlone, file: Path, answer: object,
                                                     told: str) -> None:
    with serving(lambda body: answer) as server:  # type: ignore[arg-type,return-value]
        server.models = as_json({"data": [{"id": "b"}, {"id": "a"}]})
        write_models(file, ModelConfigs((ModelConfig("X", "openai", {"base_url": server.base_url, "model": "gpt"}),)))
        dialog = open_alone()
        QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not dialog.trial.running)
        assert told in dialog.trial.says.text()


def test_a_server_that_is_not_there_is_named(qtbot: QtBot, open_alone: OpenAlone, file: Path) -> None:
    port = closed_port()
    write_models(file, ModelConfigs((ModelConfig("X", "openai", {"base_url": f"http://127.0.0.1:{port}/v1"}),)))
    dialog = open_alone()
    QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dialog.trial.running)
    assert dialog.trial.says.text().startswith(f"No server answers at 127.0.0.1:{port}")


def test_a_test_under_way_is_stopped(qtbot: QtBot, open_alone: OpenAlone, file: Path) -> None:
    with serving() as server:
        server.script = server.hang
        write_models(file, ModelConfigs((ModelConfig("X", "openai", {"base_url": server.base_url}),)))
        dialog = open_alone()
        QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(server.hanging.is_set)
        assert dialog.trial.button.accessibleName() == "Stop"
        QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not dialog.trial.running)
        assert dialog.trial.says.text() == "Stopped"


def test_closing_while_a_test_runs_ends_it(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    with serving() as server:
        server.script = server.hang
        write_models(file, ModelConfigs((ModelConfig("X", "openai", {"base_url": server.base_url}),)))
        app = make_app(real_parts(file))
        dialog = open_models(qtbot, app)
        QTest.mouseClick(dialog.trial.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(server.hanging.is_set)
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: app.run_dialogs.models is None)
        qtbot.waitUntil(lambda: not any(t.name == "model trial" for t in threading.enumerate()))


def test_a_damaged_file_is_said_and_left_as_it_is(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[models.x\nprovider = ", encoding="utf-8")
    app = make_app(real_parts(file))
    assert "models.toml cannot be read as a file of models" in app.console.models.trouble
    dialog = open_models(qtbot, app)
    assert "The file was not changed." in dialog.message.text()
    assert not dialog.add.isEnabled()
    app.console.run_request.choose_provider("human")
    assert file.read_text(encoding="utf-8") == "[models.x\nprovider = "
    file.write_text('[models.x]\nprovider = "openai"\nmodel = "m"\n', encoding="utf-8")
    QTest.mouseClick(dialog.retry, Qt.MouseButton.LeftButton)
    settle(app.console.models)
    assert dialog.list.chosen_object is not None
    assert dialog.list.chosen_object.name == "x"
    assert dialog.add.isEnabled()


def test_removing_is_undone_where_it_was(qtbot: QtBot, open_alone: OpenAlone, book: ModelBook, file: Path) -> None:
    entries = tuple(ModelConfig(name, "openai", {"model": name}) for name in "abc")
    write_models(file, ModelConfigs(entries, "b"))
    dialog = open_alone()
    dialog.choose_name("b")
    dialog.list.setFocus()
    QTest.keyClick(dialog.list.rows, Qt.Key.Key_Delete)
    settle(book)
    assert dialog.message.text() == "Removed b"
    assert read_models(file).chosen == ""
    assert [entry.name for entry in read_models(file).entries] == ["a", "c"]
    QTest.mouseClick(dialog.undo, Qt.MouseButton.LeftButton)
    settle(book)
    assert [entry.name for entry in read_models(file).entries] == ["a", "b", "c"]
    assert read_models(file).chosen == "b"


def test_a_copy_has_a_name_of_its_own(qtbot: QtBot, open_alone: OpenAlone, book: ModelBook, file: Path) -> None:
    write_models(file, ModelConfigs((ModelConfig("a", "openai", {"model": "m", "extra_body": '{"top_k": 3}'}),)))
    dialog = open_alone()
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.editor is not None)
    assert dialog.editor is not None
    QTest.keyClick(dialog.editor, Qt.Key.Key_Return)
    settle(book)
    assert [entry.name for entry in read_models(file).entries] == ["a", "a 2"]
    assert read_models(file).named("a 2").options["extra_body"] == '{"top_k": 3}'


def test_what_is_wrong_is_said_at_the_field_and_nothing_is_saved(qtbot: QtBot, open_alone: OpenAlone, file: Path) -> None:
    dialog = open_alone()
    editor = add_preset(qtbot, dialog, "OpenAI")
    assert not editor.save.isEnabled()
    assert editor.form.rows["model"].wrong == "Name the model as the server calls it"
    assert "Model: name the model" in editor.save.toolTip()
    retype(editor.form.rows["timeout"].field, "soon")
    retype(editor.form.rows["base_url"].field, "api.openai.com")
    retype(editor.form.rows["cost"].field, "2")
    assert editor.form.rows["timeout"].wrong == "Write a number"
    assert editor.form.rows["base_url"].wrong.startswith("Write an address such as")
    assert editor.form.rows["cost"].wrong == "A limit of cost needs both prices"
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert editor.isVisible()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible(), "what was typed is not given up with one key"
    assert editor.cancel.text().strip() == "Discard changes"
    retype(editor.form.rows["timeout"].field, "30")
    assert editor.cancel.text().strip() == "Cancel"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: dialog.editor is None)
    assert dialog.isVisible()
    assert not file.exists()


def test_an_editor_in_which_nothing_was_changed_closes_at_once(qtbot: QtBot, open_alone: OpenAlone) -> None:
    dialog = open_alone()
    QTest.keyClick(add_preset(qtbot, dialog, "OpenAI"), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: dialog.editor is None)
    assert dialog.isVisible()


def test_every_field_has_a_name_a_buddy_and_a_place_in_the_tab_order(qtbot: QtBot, open_alone: OpenAlone) -> None:
    dialog = open_alone()
    editor = add_preset(qtbot, dialog, "vLLM")
    editor.form._toggle_more(True)
    for row in editor.form.rows.values():
        assert row.label.buddy() is row.field
        assert row.field.accessibleName()
    editor.form.rows["name"].field.setFocus()
    met: list[QWidget] = []
    while (now := editor.focusWidget()) is not None and now not in met:
        met.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    order = [met.index(row.field) for row in editor.form.rows.values()]
    assert order == sorted(order)
    assert met.index(editor.trial.button) < met.index(editor.cancel) < met.index(editor.save)


def test_a_server_behind_a_tunnel_can_have_a_key(qtbot: QtBot, open_alone: OpenAlone, file: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: kept.get(name))
    monkeypatch.setattr("keyring.set_password", lambda service, name, key: kept.__setitem__(name, key))
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    write_models(file, ModelConfigs((ModelConfig("Far", "openai", {"base_url": "http://127.0.0.1:8080/v1", "model": "m"}),)))
    dialog = open_alone()
    dialog.open_editor()
    editor = dialog.editor
    assert editor is not None
    assert editor.key is not None
    key = editor.key
    qtbot.waitUntil(lambda: key.says.text().startswith("Key: none is sent"))
    qtbot.waitUntil(key.field.isVisible)
    QTest.keyClicks(key.field, "sk-secret")
    QTest.keyClick(key.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "found in the system keyring as '127.0.0.1:8080'" in key.says.text())
    assert editor.form.entry().options["key_name"] == "127.0.0.1:8080"


def test_a_key_is_neither_in_the_file_nor_shown(qtbot: QtBot, open_alone: OpenAlone, book: ModelBook, file: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}
    monkeypatch.setattr("keyring.get_password", lambda service, name: kept.get((service, name)))
    monkeypatch.setattr("keyring.set_password", lambda service, name, key: kept.__setitem__((service, name), key))
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    dialog = open_alone()
    editor = add_preset(qtbot, dialog, "OpenAI")
    assert editor.key is not None
    key = editor.key
    qtbot.waitUntil(lambda: key.says.text().startswith("No key"))
    assert key.field.echoMode() == QLineEdit.EchoMode.Password
    QTest.keyClicks(key.field, "sk-secret")
    QTest.keyClick(key.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "found in the system keyring as 'api.openai.com'" in key.says.text())
    assert kept == {("belvedere", "api.openai.com"): "sk-secret"}
    assert key.field.text() == ""
    box = editor.form.rows["model"].field
    assert isinstance(box, QComboBox)
    box.setFocus()
    QTest.keyClicks(box, "gpt-5")
    QTest.keyClick(box, Qt.Key.Key_Return)
    settle(book)
    assert read_models(file).named("OpenAI").options["model"] == "gpt-5"
    assert "secret" not in file.read_text(encoding="utf-8")


def test_a_model_chosen_in_mid_run_holds_from_the_next_run_on(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    write_models(file, ModelConfigs((ModelConfig("Far", "openai", {"model": "m"}),)))
    app = make_app(real_parts(file))
    app.console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 1)
    app.console.run_request.choose_provider(f"{MODEL}Far")
    assert app.console.request.provider == "openai"
    assert len(app.bridge.snapshot.line) == 1
    assert "commonsense answers; Far from the next run on" in " ".join(app.window.status._answerer_words())
    app.console.undoing.undo()
    assert app.console.request.provider == "commonsense"


def test_the_provider_list_holds_the_models_and_the_way_to_more(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    write_models(file, ModelConfigs((ModelConfig("Far", "openai", {"model": "m"}),)))
    app = make_app(real_parts(file))
    app.console.asked_choices.emit()
    qtbot.waitUntil(lambda: app.console.choices.complete)
    options = app.window.bar.pickers.provider.options()
    assert [option.title for option in options] == ["commonsense", "human", "Far", "Models …"]
    assert {"Model: Far", "Models: add, edit, test, choose …"} <= {entry.title for entry in app.actions.entries()}
    app.console.run_request.choose_provider(MORE)
    assert app.run_dialogs.models is not None
    app.run_dialogs.models.reject()


def test_connect_a_model_opens_the_list(qtbot: QtBot, make_app: MakeApp, file: Path) -> None:
    app = make_app(real_parts(file))
    app.window.ask_task()
    button = next(b for b in app.window.findChildren(QPushButton) if b.accessibleName() == "Connect a model")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: app.run_dialogs.models is not None)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_it_fits_a_small_window(qtbot: QtBot, make_app: MakeApp, file: Path, scale: float) -> None:
    write_models(file, ModelConfigs((ModelConfig("Far", "openai", {"base_url": "http://127.0.0.1:1/v1", "model": "m"}),)))
    app = make_app(real_parts(file))
    app.window.set_theme("light", scale)
    app.window.resize(1280, 720)
    dialog = open_models(qtbot, app)
    dialog.open_editor()
    editor = dialog.editor
    assert editor is not None
    qtbot.waitUntil(editor.isVisible)
    settle(dialog, editor)  # the buttons take their font at the first show
    for box in (dialog, editor):
        assert box.width() <= 1280
        assert box.height() <= 720
        for button in box.findChildren(QPushButton):
            if button.isVisible() and button.text():
                assert button.width() >= button.minimumSizeHint().width(), button.text()
    assert editor.form.horizontalScrollBar().maximum() == 0


def test_a_model_that_cannot_be_opened_leads_back_to_the_list(qtbot: QtBot, make_app: MakeApp, file: Path,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keyring.get_password", lambda service, name: None)
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    parts = real_parts(file)
    app = make_app(replace(parts, request=replace(parts.request, provider="openai", model={})))
    assert [choice.text for choice in state_of(app).choices] == []  # no model was named, so there is none to edit
    app.console.run_request.choose_model(ModelConfig("Gone", "openai", {"model": "m", "base_url": "https://example.invalid/v1",
                                                                   "key_name": "no such key"}))
    qtbot.waitUntil(lambda: app.console.trouble is not None and "example.invalid" in str(app.console.trouble))
    card = state_of(app)
    assert [choice.text for choice in card.choices] == ["Models …"]
    assert card.choices[0].act is not None
    card.choices[0].act()
    assert app.run_dialogs.models is not None


def state_of(app: App) -> CardState:
    """The card over the frames."""
    nothing: Callable[[], None] = lambda: None  # noqa: E731
    state = run_state(app.console, CardCallbacks(nothing, nothing, nothing, nothing, app.console.asked_models.emit))
    assert state is not None
    return state
