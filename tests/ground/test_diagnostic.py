"""Mistakes as they are shown."""

from hypothesis import given
from hypothesis import strategies as st

from dicegames.ground.diagnostic import (
    LONGEST_LINE_SHOWN,
    MOST_MISTAKES,
    Diagnostic,
    Diagnostics,
    did_you_mean,
    render,
)
from dicegames.ground.source import NOT_TEXT, Source, Span, decode


def shown(text: str, start: int, end: int, help: str = "") -> list[str]:
    mistake = Diagnostic("a-code", "this is wrong", Span(start, end), help)
    return render(Source("file.dg", text), mistake).splitlines()


def test_place_line_and_underlining() -> None:
    assert shown("first\nsecond line\nthird", 13, 17, "write: word") == [
        "file.dg:2:8: this is wrong [a-code]",
        "   2 | second line",
        "     |        ^^^^",
        "  help: write: word",
    ]


def test_a_span_over_several_lines_is_underlined_in_the_first() -> None:
    assert shown("first\nsecond\n", 2, 10)[1:] == ["   1 | first", "     |   ^^^"]


def test_the_end_of_the_file() -> None:
    assert shown("first", 5, 6)[1:] == ["   1 | first", "     |      ^"]
    assert shown("", 0, 0)[1:] == ["   1 | ", "     | ^"]
    assert shown("first\n", 99, 120)[0].startswith("file.dg:2:1:")


def test_characters_that_disturb_a_terminal() -> None:
    assert shown("a\tb\x1b[31mc", 3, 4)[1] == "   1 | a b\N{REPLACEMENT CHARACTER}[31mc"


def test_wide_and_combining_characters_keep_the_marks_in_place() -> None:
    assert shown("骰子 = x", 5, 6)[2] == "     | " + " " * 7 + "^"
    assert shown("骰子 = x", 0, 2)[2] == "     | ^^^^"
    assert shown("e\u0301 = x", 5, 6)[2] == "     | " + " " * 4 + "^"


def test_long_lines_are_cut_around_the_place() -> None:
    text = "x" * 5000 + "HERE" + "y" * 5000
    _, line, marks = shown(text, 5000, 5004)
    assert len(line) == len("   1 | ") + LONGEST_LINE_SHOWN
    at = marks.index("^")
    assert line[at : at + 4] == "HERE"
    assert marks.count("^") == 4


@given(st.text(alphabet="ab \t\n\r\x00é骰\u0301", max_size=60), st.integers(0, 70), st.data())
def test_every_place_can_be_shown(text: str, start: int, data: st.DataObject) -> None:
    end = start + data.draw(st.integers(0, 70))
    lines = shown(text, start, end)
    assert len(lines) == 3
    assert "^" in lines[2]
    source = Source("file.dg", text)
    line, column = source.line_column(start)
    assert 1 <= line <= len(source.line_starts)
    if start < len(text):
        assert source.line_starts[line - 1] + column - 1 == start
        assert text.count("\n", 0, start) == line - 1


def test_mistakes_are_sorted_and_told_once() -> None:
    found = Diagnostics(Source("file.dg", "x" * 1000))
    found.add("b", "second", Span(5, 6))
    found.add("a", "first", Span(1, 2))
    found.add("c", "a consequence", Span(5, 6))
    assert [d.message for d in found.sorted()] == ["first", "second"]
    found.take_back(found.found[0])
    assert [d.message for d in found.sorted()] == ["first"]
    for i in range(10, 500):
        found.add("many", "more", Span(i, i + 1))
    assert len(found.found) == MOST_MISTAKES


def test_what_the_whole_file_lacks_is_told_together() -> None:
    found = Diagnostics(Source("file.dg", "x"))
    for code in ("no-turn", "no-game", "no-turn"):
        found.add(code, "missing", Span(0, 1))
    assert [d.code for d in found.sorted()] == ["no-game", "no-turn"]


def test_suggestions() -> None:
    assert did_you_mean("scroe", ["score", "dice"]) == 'did you mean "score"?'
    assert did_you_mean("SCORE", ["score", "dice"]) == 'did you mean "score"?'
    assert did_you_mean("banana", ["score", "dice"]) == ""
    assert did_you_mean("", []) == ""


@given(st.binary(max_size=200))
def test_any_bytes_become_a_source(data: bytes) -> None:
    text = decode("file.dg", data).text
    assert "\r" not in text
    try:
        plain = data.decode("utf-8")
    except UnicodeDecodeError:
        assert NOT_TEXT in text
    else:
        assert text.replace("\n", "") == plain.replace("\r", "").replace("\n", "").removeprefix(
            "\ufeff"
        )
