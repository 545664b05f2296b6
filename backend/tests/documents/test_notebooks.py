# SPDX-License-Identifier: Apache-2.0
"""Each notebook of docs/notebooks/ runs from first cell to last, and prints what it shows."""

import ast
import contextlib
import io
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.folder_stack

NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))

each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def cells(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def printed(source: str, names: dict[str, Any]) -> list[str]:
    """What a cell prints, and the value of its last line, as a notebook shows them."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return [text for text in (out.getvalue(), value is not None and repr(value)) if text]


def shown(cell: dict[str, Any]) -> list[str]:
    return [
        "".join(output["text"] if "text" in output else output["data"]["text/plain"])
        for output in cell["outputs"]
    ]


@pytest.mark.fault("C5")
def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) > 1


@each_notebook
def test_a_notebook_prints_what_it_shows(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(notebook.parent)
    names: dict[str, Any] = {}
    code = [cell for cell in cells(notebook) if cell["cell_type"] == "code"]
    assert len(code) > 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of files: what their runs cannot tell
        for cell in code:
            assert printed("".join(cell["source"]), names) == shown(cell), cell["id"]


@each_notebook
def test_a_notebook_has_the_form_that_jupyter_reads(notebook: Path) -> None:
    document = json.loads(notebook.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    for cell in document["cells"]:
        of_code = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == {"cell_type", "id", "metadata", "source"} | of_code


@each_notebook
def test_lines_of_a_notebook_are_not_too_long(notebook: Path) -> None:
    for cell in cells(notebook):
        for line in "".join(cell["source"]).splitlines():
            assert len(line) <= 100, line
