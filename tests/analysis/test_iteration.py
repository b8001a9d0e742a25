"""The reader of exported processes that tests are held against."""

from tests.analysis.iteration import Way, iterated


def test_play_that_hardly_ever_ends_has_its_value() -> None:
    """To stay brings nothing and to go brings 1, at last; sweeps alone would take a million."""
    ways: dict[object, list[Way]] = {
        "in": [(0.0, [(1.0, "in")]), (0.0, [(1 - 1e-6, "in"), (1e-6, "out")])],
        "out": [(1.0, [(1.0, "over")])],
        "over": [],
    }
    assert abs(iterated(ways, "in", least=False) - 1) < 1e-9


def test_the_least_is_found_too() -> None:
    ways: dict[object, list[Way]] = {
        "in": [(1.0, [(0.999, "in"), (0.001, "over")]), (0.5, [(0.999, "in"), (0.001, "over")])],
        "over": [],
    }
    assert abs(iterated(ways, "in", least=True) - 500) < 1e-9
    assert abs(iterated(ways, "in", least=False) - 1000) < 1e-9
