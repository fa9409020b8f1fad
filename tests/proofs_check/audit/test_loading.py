"""Files that are audited: what is loaded is what stands there now, with the modules beside it."""

from pathlib import Path

import pytest

from finitedp.errors import DataError
from finitedp.proofs_check.audit.loading import load


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_a_file_that_has_changed_is_loaded_anew(tmp_path: Path) -> None:
    folder = write(tmp_path, code="def f():\n    return 1\n")
    assert load("code.py:f", folder)() == 1
    assert load("code.py:f", folder) is load("code.py:f", folder)
    write(tmp_path, code="def f():\n    return 2\n")
    assert load("code.py:f", folder)() == 2


def test_a_relative_path_means_another_file_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (write(tmp_path / name, code=f"def f():\n    return {name!r}\n") for name in ("one", "two"))
    for folder in (one, two, one):
        monkeypatch.chdir(folder)
        assert load("code.py:f", Path())() == folder.name


def test_two_modules_of_one_name_beside_two_files_are_not_mixed_up(tmp_path: Path) -> None:
    text = "import helper_of_loading\n\n\ndef f():\n    return helper_of_loading.X\n"
    one, two = (write(tmp_path / name, code=text, helper_of_loading=f"X = {name!r}\n") for name in ("one", "two"))
    assert load("code.py:f", one)() == "one"
    with pytest.raises(DataError, match=r"helper_of_loading, but .*one/helper_of_loading.py is loaded under that name"):
        load("code.py:f", two)
    assert load("code.py:f", one)() == "one"


def test_the_modules_that_those_import_are_looked_at_too(tmp_path: Path) -> None:
    text = "def f():\n    from between_of_loading import X\n    return X\n"
    between = "import deep_of_loading.inner as inner\nX = inner.X\n"
    found = []
    for name in ("one", "two"):
        found.append(write(tmp_path / name, code=text, between_of_loading=between))
        write(tmp_path / name / "deep_of_loading", __init__="", inner=f"X = {name!r}\n")
    assert load("code.py:f", found[0])() == "one"
    with pytest.raises(DataError, match="of_loading, but "):
        load("code.py:f", found[1])


def test_a_module_that_has_changed_since_it_was_imported_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, code="from changing_of_loading import f\n", changing_of_loading="def f():\n    return 1\n")
    assert load("code.py:f", folder)() == 1
    write(tmp_path, changing_of_loading="def f():\n    return 2\n")
    with pytest.raises(DataError, match=r"changing_of_loading.py has changed since it was imported; accepted: a new process"):
        load("code.py:f", folder)


def test_installed_modules_and_the_standard_library_are_none_of_that(tmp_path: Path) -> None:
    folder = write(
        tmp_path, code="import random, os.path\nimport nothing_of_loading\n\n\ndef f():\n    return random.Random\n"
    )
    with pytest.raises(DataError, match="cannot be imported: ModuleNotFoundError"):
        load("code.py:f", folder)
    write(folder, code="import random, os.path\nimport attrs\n\n\ndef f():\n    return random.Random\n")
    assert load("code.py:f", folder)().__name__ == "Random"
