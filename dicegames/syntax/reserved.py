"""The words of the language that nothing in a game may be called.

They are the words that can stand where a name could, so that a name of this kind would be read as
something else. A test derives them from the grammar.
"""

from __future__ import annotations

VALUE_WORDS = "all any every no not number open some those yes"
STATEMENT_WORDS = (
    "at choose draw each else end for go if leave let move next note one otherwise pass pay repeat "
    "roll unless use when where"
)
RESERVED = frozenset(VALUE_WORDS.split()) | frozenset(STATEMENT_WORDS.split())
