"""The notebook of the documentation runs, and prints what stands in it."""

import re
from html import unescape
from pathlib import Path

import nbclient
import nbformat

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
CELL = re.compile(r"<t[dh][^>]*>([^<]*)<")


def shown(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """What each cell of code shows: text, cells of tables, the kinds of pictures."""
    found = []
    for cell in notebook.cells:
        parts = []
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            data = output.get("data", {})
            parts += [output.text] if "text" in output else []
            parts += map(unescape, CELL.findall(data.get("text/html", "")))
            parts += [kind for kind in data if kind.startswith("image/")]
        found.append(parts)
    return found


def test_the_notebook_prints_what_stands_in_it() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    before = shown(notebook)
    assert sum(map(len, before)) > 30
    resources = {"metadata": {"path": str(ROOT)}}
    client = nbclient.NotebookClient(
        notebook, kernel_name="python3", timeout=300, resources=resources
    )
    client.execute()
    assert shown(notebook) == before
