"""The garbage collector at rest while many small objects are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FROZEN_AT_START = gc.get_freeze_count()
"""What Python itself has set aside: some hundred objects in 3.12, nothing in other versions."""


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep the garbage collector from looking again and again at a million objects that stay.

    Afterwards they count as old, so that it does not begin by looking at all of them.
    """
    was_at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_at_work:
            if gc.get_freeze_count() <= FROZEN_AT_START:  # nothing that somebody else has set aside
                gc.freeze()
                gc.unfreeze()  # from there they come back as old
            gc.enable()
