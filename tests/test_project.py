"""The files around the program: workflows, the release, what is written in two places."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import dicegames

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_changelog_begins_with_this_version() -> None:
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == dicegames.__version__


def test_workflows_run_the_versions_that_are_declared() -> None:
    declared = [
        line.rpartition(" ")[2]
        for line in PROJECT["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", line)
    ]
    for file in (".github/workflows/ci.yml", ".gitlab-ci.yml"):
        text = (ROOT / file).read_text("utf-8")
        assert re.findall(r'"(3\.\d+)"', text) == declared, file
        assert "bash .ci/run" in text


def test_the_workflow_tests_as_the_readme_does() -> None:
    (command,) = re.findall(r"python (-m pytest .*)", (ROOT / "README.md").read_text("utf-8"))
    assert command in (ROOT / ".github/workflows/ci.yml").read_text("utf-8")


@pytest.mark.parametrize(("version", "told"), [("1", "is no version"), ("", "say which version")])
def test_a_release_asks_for_a_version(version: str, told: str) -> None:
    done = subprocess.run(
        ["bash", ".ci/release", *filter(None, [version])],  # noqa: S607 - as a maintainer does
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert told in done.stderr


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\((.*\.md)\)", (folder / "index.md").read_text("utf-8"))
    assert listed == sorted(p.name for p in folder.glob("[0-9]*.md"))
    for name in listed:
        text = (folder / name).read_text("utf-8")
        assert re.findall(r"^## (.*)", text, re.MULTILINE) == ["Decision", "Why", "What follows"]


def test_one_place_writes_percentages() -> None:
    places = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "dicegames").rglob("*.py")
        if re.search(r"[\d}]%\}|\{100 \*", path.read_text("utf-8"))
    }
    assert places == {"dicegames/ground/numbers.py"}
    with_space = re.compile(r"\d %[^\d(]")
    told = [
        p.name for p in (ROOT / "docs").rglob("*.md") if with_space.search(p.read_text("utf-8"))
    ]
    assert told == []
