"""Solution files that somebody has made up: their checksum is right, and nothing else."""

import hashlib
import json
import os
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dicegames
from dicegames.analysis.saved import identity, store
from dicegames.analysis.saved.store import StoreError
from dicegames.analysis.solution import Solution
from tests.rules.small import AT_RISK

GAMES = Path(__file__).parents[2] / "games"
SHUT, CRAPS, STREET = (GAMES / f"{name}.dg" for name in ("shut_the_box", "craps", "lange_strasse"))


OBJECTIVE = {"tables": "payoff", "listed": "payoff", "tail": "turn"}
METHOD = {"tables": "blocks", "listed": "explicit", "tail": "blocks, tail proven from 64 on"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dicegames.Game]]:
    """A saved solution of each form, with its game."""
    folder = tmp_path_factory.mktemp("solutions")
    (folder / "tail.dg").write_text(AT_RISK, "utf-8")
    games = {
        "tables": dicegames.load(SHUT, tiles=4),
        "listed": dicegames.load(CRAPS),
        "tail": dicegames.load(folder / "tail.dg"),
    }
    found = {}
    for name, game in games.items():
        dicegames.solve(game, OBJECTIVE[name]).save(folder / name)
        found[name] = folder / name, game
    return found


def taken_apart(path: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Header, with the list of arrays, and the packed arrays."""
    content = path.read_bytes()
    begin = len(store.FIRST_LINE) + store.LENGTH_BYTES
    length = int.from_bytes(content[begin - store.LENGTH_BYTES : begin], "little")
    header = json.loads(content[begin : begin + length])
    at, arrays = begin + length, {}
    for entry in header["arrays"]:
        arrays[entry["name"]] = content[at : at + entry["bytes"]]
        at += entry["bytes"]
    return header, arrays


def put_together(path: Path, header: object, packed: bytes) -> None:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    content = store.FIRST_LINE + len(text).to_bytes(store.LENGTH_BYTES, "little") + text + packed
    path.write_bytes(content + hashlib.sha256(content).digest())


def refused(path: Path, game: dicegames.Game, match: str = "damaged", form: str = "tables") -> None:
    with pytest.raises(StoreError, match=match):
        Solution.load(path, game, OBJECTIVE[form])


Damage = Callable[[dict[str, Any]], object]


def entry(number: int, **what: Any) -> Damage:
    return lambda header: header["arrays"][number].update(what)


SHORT_STREET = Path(__file__).parents[1] / "money" / "short_street.dg"
HEADERS: list[tuple[str, Damage, str]] = [
    ("no arrays", lambda h: h.update(arrays=[]), "do not fill it"),
    ("arrays that are none", lambda h: h.update(arrays=7), "list of arrays"),
    ("an array that is none", lambda h: h.update(arrays=[[]]), "list of arrays"),
    ("no list of arrays", lambda h: h.pop("arrays"), "list of arrays"),
    ("twice the same", lambda h: h["arrays"].append(h["arrays"][0]), "list of arrays"),
    ("another name", entry(0, name="table 9"), "not those of the game"),
    ("another type", entry(0, type="<i8"), "another form"),
    ("code", entry(0, type="|O"), "list of arrays"),
    ("another shape", entry(0, shape=[4, 4]), "another form"),
    ("a large shape", entry(0, shape=[1 << 40]), "another form"),
    ("a negative shape", entry(0, shape=[-16]), "list of arrays"),
    ("a shape that is none", entry(0, shape=[True]), "list of arrays"),
    ("a length below zero", entry(0, bytes=-1), "list of arrays"),
    ("a shorter length", entry(0, bytes=3), "do not fill it"),
    ("a foreign field", lambda h: h.update(more=1), "other fields"),
    ("the format as text", lambda h: h.update(format="3"), "another version"),
    ("a value that is none", lambda h: h.update(value=float("nan")), '"value"'),
    ("a value as text", lambda h: h.update(value="1.0"), '"value"'),
    ("another value", lambda h: h.update(value=3.0), "do not come to what it says"),
    ("values for two", lambda h: h.update(value=[1.0, 2.0]), "not that of so many seats"),
    ("endless", lambda h: h.update(status="ENDLESS"), '"status"'),
    ("no status", lambda h: h.update(status=["SOLVED"]), '"status"'),
    ("a negative error", lambda h: h.update(error_bound=-1.0), '"error_bound"'),
    ("proven without bounds", lambda h: h.update(error_bound=float("inf")), "does not go with"),
    ("only nearly", lambda h: h.update(status="APPROXIMATE"), "does not go with its grid"),
    ("a method of its own", lambda h: h.update(method="by hand"), "other fields"),
    ("a game that moves the cursor", lambda h: h.update(game="\x1b[2J"), '"game"'),
    ("a version in two lines", lambda h: h.update(program="1\n2"), '"program"'),
    ("half a state", lambda h: h.update(states_stored=1.5), '"states_stored"'),
    ("less than no states", lambda h: h.update(states_stored=-1), '"states_stored"'),
    ("many states", lambda h: h.update(states_stored=10**30), '"states_stored"'),
    ("options as list", lambda h: h.update(options=[]), '"options"'),
    ("strategies as text", lambda h: h.update(strategies="best"), '"strategies"'),
    ("a grid", lambda h: h.update(grid={"nothing": 5}), "no such grid"),
    ("a grid without steps", lambda h: h.update(grid={}), "no such grid|another version"),
    ("a grid that is none", lambda h: h.update(grid={"score": 0}), '"grid"'),
    ("an immense step", lambda h: h.update(grid={"score": 10**400}), '"grid"'),
    ("a large step", lambda h: h.update(grid={"score": 2**63 - 1}), "no such grid|another version"),
]


@pytest.mark.parametrize(
    ("damage", "match"), [row[1:] for row in HEADERS], ids=[row[0] for row in HEADERS]
)
def test_headers(damage: Damage, match: str, files: Any, tmp_path: Path) -> None:
    path, game = files["tables"]
    header, arrays = taken_apart(path)
    damage(header)
    put_together(tmp_path / "x", header, b"".join(arrays.values()))
    refused(tmp_path / "x", game, match)


def test_a_grid_has_no_proven_bounds(tmp_path: Path) -> None:
    street = dicegames.load(SHORT_STREET, players=2, rounds=1)
    dicegames.solve(street, grid={"total": 50}).save(tmp_path / "street")
    header, arrays = taken_apart(tmp_path / "street")
    put_together(tmp_path / "x", {**header, "error_bound": 1.5}, b"".join(arrays.values()))
    with pytest.raises(StoreError, match='"error_bound" does not go with its "status"'):
        Solution.load(tmp_path / "x", street)


@pytest.mark.parametrize(
    "text",
    [b"", b"[" * 100_000, b"[]", b'{"format": ' + b"9" * 5000 + b"}", b"\xff", b"null", b"{}"],
)
def test_headers_that_are_none(text: bytes, files: Any, tmp_path: Path) -> None:
    put_together(tmp_path / "x", text, b"")
    refused(tmp_path / "x", files["tables"][1], "no JSON|another version")


def test_another_version_of_the_program(files: Any, tmp_path: Path) -> None:
    path, game = files["tables"]
    header, arrays = taken_apart(path)
    put_together(tmp_path / "x", {**header, "program": "0.0.1"}, b"".join(arrays.values()))
    refused(tmp_path / "x", game, "by version 0.0.1")


@pytest.mark.parametrize("form", ["tables", "listed", "tail"])
def test_every_array_is_looked_at(form: str, files: Any, tmp_path: Path) -> None:
    path, game = files[form]
    header, arrays = taken_apart(path)
    value = dicegames.solve(game, OBJECTIVE[form]).value
    again = Solution.load(path, game, OBJECTIVE[form])
    assert again.value == pytest.approx(value)
    assert again.method == METHOD[form]
    for place, row in enumerate(header["arrays"]):
        old = np.frombuffer(zlib.decompress(arrays[row["name"]]), row["type"]).reshape(row["shape"])
        damaged = [old[:-1], np.append(old, old[-1:], 0), old[:0], np.stack([old, old])]
        if row["name"] not in ("slopes", "intercepts"):  # parts of which nobody needs
            damaged += [old * 0 - 7, old + (1 << 40)]
        if old.dtype.kind == "f":
            damaged += [old + np.inf, np.nan_to_num(old).astype("<i8")]
        for new in damaged:
            packed = {**arrays, row["name"]: zlib.compress(new.tobytes())}
            rows = [dict(other) for other in header["arrays"]]
            kind = "<f8" if new.dtype.kind == "f" else "<i8"
            rows[place] |= {"shape": list(new.shape), "type": kind}
            rows[place]["bytes"] = len(packed[row["name"]])
            put_together(tmp_path / "x", {**header, "arrays": rows}, b"".join(packed.values()))
            refused(tmp_path / "x", game, "damaged", form)


def test_nothing_large_is_unpacked(files: Any, tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(200_000_000), 9)  # 200 kB
    for form, name in (("tables", "table 0"), ("listed", "keys")):
        path, game = files[form]
        header, arrays = taken_apart(path)
        rows = [dict(row) for row in header["arrays"]]
        for row in rows:
            if row["name"] == name:
                row |= {
                    "bytes": len(bomb),
                    "shape": row["shape"] if form == "tables" else [25_000_000],
                }
        packed = b"".join({**arrays, name: bomb}.values())
        put_together(tmp_path / "x", {**header, "arrays": rows}, packed)
        refused(
            tmp_path / "x", game, "shorter or longer" if form == "tables" else "would unpack to"
        )


def test_no_regular_file(files: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", "/dev/zero", tmp_path, "x" * 5000, "a\0b", ""):
        with pytest.raises(store.MissingFile, match=r"cannot be read|is a directory|no such file"):
            Solution.load(name, files["tables"][1])


def test_headers_changed_at_random(files: Any, tmp_path: Path) -> None:
    """Every change is refused, or leaves a solution that says the same."""
    chance = random.Random(4)
    leaves = [None, True, -1, 0, 10**20, 1.5, float("inf"), "", "x", [], {}, [1.0, 2.0], {"x": 1}]
    for form in ("tables", "listed", "tail"):
        path, game = files[form]
        value = dicegames.solve(game, OBJECTIVE[form]).value
        header, arrays = taken_apart(path)
        for _ in range(150):
            changed = json.loads(json.dumps(header))
            place: Any = changed
            while True:
                keys = list(place) if isinstance(place, dict) else list(range(len(place)))
                if not keys:
                    break
                key = chance.choice(keys)
                if isinstance(place[key], dict | list) and chance.random() < 0.7:
                    place = place[key]
                    continue
                if chance.random() < 0.2:
                    del place[key]
                else:
                    place[key] = chance.choice(leaves)
                break
            put_together(tmp_path / "x", changed, b"".join(arrays.values()))
            try:
                found = Solution.load(tmp_path / "x", game, OBJECTIVE[form])
            except StoreError:
                continue
            assert found.value == pytest.approx(value, abs=1e-8)
            assert isinstance(identity.read(str(tmp_path / "x")), store.Stored)


def test_a_folder_of_values_whose_name_no_file_can_have() -> None:
    with pytest.raises(StoreError, match="cannot be written to: embedded null"):
        dicegames.solve(dicegames.load(SHUT, tiles=4), store="a\0b")
