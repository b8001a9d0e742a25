"""House rules: what they may be, and setting them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from attrs import evolve

from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import signed_number
from dicegames.rules.parts.names import Mistake, Names, Option
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.value_text import TRUTHS
from dicegames.syntax.nodes import Node

SETTING_DIGITS = 9


class OptionError(DicegamesError):
    """A house rule was set that the game does not have, or to a value that it does not know."""

    misused = True


def declare_options(names: Names, nodes: list[Node], settings: Mapping[str, Any]) -> None:
    """Declare the house rules and set them."""
    for node in nodes:
        with names.going_on(node.child(0).text):
            option = _option(node)
            if names.declare(option.name, node.child(0).span):
                names.words.update(v for v in option.values if isinstance(v, str))
                names.options[option.name] = option
    for name in settings:
        if name not in names.options:
            have = ", ".join(names.options) or "none"
            hint = did_you_mean(name, names.options) or f"it has: {have}"
            raise OptionError(f'the game has no option "{name}"; {hint}')
    for name, setting in settings.items():
        names.options[name] = _set(names.options[name], setting)
    if "players" in names.options:
        names.players = _players(names, names.options["players"])


def _option(node: Node) -> Option:
    """Return a house rule with its default; raises Mistake."""
    word = node.child(0)
    words = [v.child(0) for v in node.parts()[1:] if v.kind == "option_value"]
    limits = [part for part in node.children[-2:] if part is not None]
    numbers = [w for w in (*words, *limits) if w.kind in ("INT", "SIGNED")]
    for number in numbers:
        if len(number.text) > SETTING_DIGITS:
            message = f"this number is too large: it has {len(number.text)} digits"
            raise Mistake("number-too-large", message, number.span)
    values = [_value(w) for w in words]
    if any(type(v) is not type(values[0]) for v in values):
        message = "the values of an option are all numbers, all words, or yes and no"
        raise Mistake("option-values", message, node.span)
    if isinstance(values[0], bool):
        values = [values[0], not values[0]]
    within = _range(values, [int(limit.text) for limit in limits], node) if limits else None
    return Option(word.text, tuple(dict.fromkeys(values)), values[0], node.span, within)


def _range(values: list[Value], limits: list[int], node: Node) -> range:
    """Return the range of a house rule; raises Mistake where it has values beyond it."""
    low, high = limits
    if type(values[0]) is not int:
        message = "only an option that is a number goes from ... to ..."
        raise Mistake("option-values", message, node.span)
    if low > high:
        message = f"the bounds are the wrong way round: from {low} to {high}"
        hint = f"the lower one comes first: from {high} to {low}"
        raise Mistake("option-range", message, node.span, hint)
    wrong = [value for value in values if not low <= value <= high]
    if wrong:
        message = f"{wrong[0]} is not between {low} and {high}"
        hint = "the first value is the one that holds where nothing is set: it lies in the range"
        raise Mistake("option-range", message, node.child(1).span, hint)
    return range(low, high + 1)


def _value(word: Node) -> Value:
    if word.kind in ("YES", "NO"):
        return word.kind == "YES"
    return int(word.text) if word.kind in ("INT", "SIGNED") else word.text


def possible(option: Option) -> str:
    """Say what a house rule may be set to."""
    if isinstance(option.value, bool):
        return "yes, no"
    if option.within is not None:
        return f"a number from {option.within[0]} to {option.within[-1]}"
    if isinstance(option.value, int) and len(option.values) == 1:
        return "a number"
    return ", ".join(map(str, option.values))


def option_text(value: object) -> str:
    """Return the value of a house rule as one writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _set(option: Option, setting: Any) -> Option:
    """Return a house rule set to another value, given as such or as text."""
    text = option_text(setting).strip()
    value: Value
    if isinstance(option.value, bool):
        value = TRUTHS.get(text)
    elif isinstance(option.value, int):
        value = _number(option, text)
    else:
        value = text if text in option.values else None
    if value is None:
        message = f'the option "{option.name}" cannot be "{text}"; possible: {possible(option)}'
        raise OptionError(message)
    return evolve(option, value=value)


def _number(option: Option, text: str) -> Value:
    """Return a number, None if the house rule cannot be that."""
    value = signed_number(text, SETTING_DIGITS)
    if value is None:
        return None
    if option.within is not None:
        return value if value in option.within else None
    return value if len(option.values) == 1 or value in option.values else None


def but_options(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield all that stands in a file, but for the house rules themselves."""
    return (node for top in nodes if top.kind != "option" for node in top.walk())


def mentioned(nodes: Iterable[Node]) -> set[str]:
    """Return the words of a file outside of the house rules themselves."""
    return {node.text for node in but_options(nodes)}


def other_settings(names: Names, mentioned: AbstractSet[str]) -> Iterator[tuple[str, Value, str]]:
    """Yield every value that one house rule could have instead, and the text of it.

    Of a range these are its ends. A house rule that is not mentioned changes nothing, and words
    that are not mentioned are all alike: one stands for them.
    """
    for option in names.options.values():
        if option.name not in mentioned and option.name != "players":
            continue
        values = dict.fromkeys(option.values)
        if option.within is not None:
            values.update({option.within[0]: None, option.within[-1]: None})
        unknown = [v for v in values if isinstance(v, str) and v not in mentioned]
        alike = unknown if option.value in unknown else unknown[1:]
        for value in values:
            if value != option.value and value not in alike:
                yield option.name, value, option_text(value)


def _players(names: Names, option: Option) -> int:
    """Return the number of players, which is an option of this name."""
    most = 12
    if type(option.value) is not int or not 1 <= option.value <= most:
        message = f"a game has 1 to {most} players"
        names.report(
            "players-number", message, option.span, "write: option players = 2 from 1 to 6"
        )
        return 1
    return option.value
