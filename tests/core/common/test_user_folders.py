"""The user's folders without a home folder, an account, or variables that make sense."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.common import user_folders
from core.common.errors import DataError, UsageError
from core.search.compilation import code_cache

VARIABLES = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DOCUMENTS_DIR")
FOLDERS = (user_folders.cache_folder, user_folders.data_folder, user_folders.config_folder, user_folders.state_folder,
           user_folders.documents_folder)


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No home folder and no account; returns the folder that then stands for home."""
    for name in (*VARIABLES, "HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: {}[number])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / f"belvedere-{os.getuid()}"


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_folder_all_is_kept_in_one_of_this_user(home: str | None, homeless: Path,
                                                             monkeypatch: pytest.MonkeyPatch) -> None:
    if home is not None:
        monkeypatch.setenv("HOME", home)
    assert all(folder().is_relative_to(homeless) for folder in FOLDERS)
    assert homeless.stat().st_mode & 0o777 == 0o700
    assert user_folders.notice() == f"there is no home folder: what you keep is in {homeless}; set HOME to keep it elsewhere"
    assert user_folders.home().is_absolute()
    assert code_cache.base().is_relative_to(homeless)


def test_a_folder_that_others_could_change_is_not_used(homeless: Path) -> None:
    homeless.mkdir(mode=0o777)
    homeless.chmod(0o777)
    for folder in FOLDERS:
        with pytest.raises(DataError, match=r"others could change .*: set HOME to a folder of yours"):
            folder()


def test_without_a_place_for_temporary_files_one_line_says_what_to_set(homeless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(homeless / "missing"))
    with pytest.raises(DataError, match=r"no other can be made .*: set HOME"):
        user_folders.cache_folder()


@pytest.mark.parametrize("value", ["", "relative/folder"])
def test_variables_that_name_no_absolute_folder_are_ignored(value: str, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in VARIABLES:
        monkeypatch.setenv(name, value)
    assert all(folder().is_relative_to(tmp_path) for folder in FOLDERS)
    assert user_folders.notice() == ""


def test_a_home_folder_that_is_not_there_is_named_in_a_path(homeless: Path) -> None:
    assert user_folders.expanded("a/b") == Path("a/b")
    for path in ("~/a", "~nobody-of-this-name/a"):
        with pytest.raises(UsageError, match="there is no such home folder; write the whole path"):
            user_folders.expanded(path)


def test_a_deleted_current_folder_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_folders.has_current_folder()
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert not user_folders.has_current_folder()
