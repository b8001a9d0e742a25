"""For the build of the documentation: the notebook, with its outputs, becomes a page."""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from nbconvert import MarkdownExporter

NOTEBOOK = Path(__file__).parents[1] / "notebook.ipynb"


def on_files(files: Any, config: Any) -> Any:
    """Add the page and its pictures."""
    text, resources = MarkdownExporter().from_filename(str(NOTEBOOK))
    files.append(File.generated(config, "notebook.md", content=text))
    for name, picture in resources["outputs"].items():
        files.append(File.generated(config, name, content=picture))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead readers to the page, not to the file."""
    return markdown.replace("(notebook.ipynb)", "(notebook.md)")
