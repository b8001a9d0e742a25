"""The arithmetic of the ledger of timings, on made-up seconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from bench import ledger
from bench.ledger import Change, Entry, LedgerError, changes, figures, last_of, read, record

OLD = Entry("aaa", "2024-01-01", {"cores": 2}, {"numba": "1"}, 3, {"solve : peer": 10.0})


def test_a_figure_is_the_median_speed_of_the_rounds() -> None:
    """A round that is slow for both counts like the others."""
    rounds = [
        {"solve": 1.0, "peer": 10.0, "calibration": 0.5},
        {"solve": 5.0, "peer": 60.0, "calibration": 1.0},
        {"solve": 1.0, "peer": 5.0, "calibration": 0.3},
    ]
    found = figures(rounds, [("solve", "peer"), ("solve", "calibration")])
    assert found == {"solve : peer": 10.0, "solve : calibration": 0.3}


@pytest.mark.parametrize(
    ("now", "before", "share", "fell"),
    [
        (8.5, 10.0, -0.15, False),
        (8.49, 10.0, -0.151, True),
        (20.0, 10.0, 1.0, False),
        (None, 10.0, None, True),
        (10.0, None, None, False),
    ],
)
def test_a_figure_may_fall_by_15_percent(
    now: float | None, before: float | None, share: float | None, fell: bool
) -> None:
    change = Change("solve", now, before)
    assert change.share == (None if share is None else pytest.approx(share))
    assert change.fell is fell


def test_changes_name_every_figure() -> None:
    now = evolve(OLD, figures={"new": 1.0, "solve : peer": 9.0})
    before = evolve(OLD, figures={"solve : peer": 10.0, "gone": 2.0})
    assert changes(now, before) == [
        Change("new", 1.0, None),
        Change("solve : peer", 9.0, 10.0),
        Change("gone", None, 2.0),
    ]
    assert not any(c.fell for c in changes(now, None))


def test_entries_are_held_against_their_own_machine() -> None:
    other = evolve(OLD, commit="bbb", machine={"cores": 64})
    newer = evolve(OLD, commit="ccc")
    assert last_of([OLD, newer, other], {"cores": 2}) == newer
    assert last_of([other], {"cores": 2}) is None


def test_a_commit_has_one_entry_for_each_machine(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    other = evolve(OLD, machine={"cores": 64})
    again = evolve(OLD, rounds=9)
    assert read(file) == []
    for entry in (OLD, other, again):
        record(file, entry)
    assert read(file) == [other, again]


@pytest.mark.parametrize("line", ["{", "{}", "[]", '{"commit": "a", "colour": 1}'])
def test_a_damaged_ledger_is_told(tmp_path: Path, line: str) -> None:
    file = tmp_path / "ledger.jsonl"
    record(file, OLD)
    file.write_text(file.read_text("utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(LedgerError, match=r"ledger\.jsonl, line 2: "):
        read(file)


def test_the_ledger_can_be_read() -> None:
    for entry in read(ledger.FILE):
        assert all(speed > 0.0 for speed in entry.figures.values())
        assert not entry.commit.endswith(ledger.EDITED)


@pytest.mark.parametrize(("speed", "code"), [(8.6, 0), (8.4, 1)])
def test_check_says_with_its_exit_code_what_fell(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    speed: float,
    code: int,
) -> None:
    now = evolve(OLD, commit="ccc", machine=ledger.machine(), figures={"solve : peer": speed})
    before = evolve(now, commit="bbb", figures={"solve : peer": 10.0})
    record(tmp_path / "ledger.jsonl", before)
    monkeypatch.setattr(ledger, "FILE", tmp_path / "ledger.jsonl")
    monkeypatch.setattr(ledger, "measured", lambda rounds, record: now)
    monkeypatch.setattr("sys.argv", ["ledger", "--check", "--record"])
    assert ledger.main() == code
    last_line = capsys.readouterr().out.splitlines()[-1]
    assert last_line.split()[:6] == [
        "solve",
        ":",
        "peer",
        str(speed),
        "10",
        f"{speed * 10 - 100:+.1f}%",
    ]
    assert last_line.endswith("too slow") == bool(code)
    assert read(ledger.FILE) == [before, now]
