"""Garbage collection in a process that plays many runs at once."""

from __future__ import annotations

import gc

_THRESHOLDS = (50_000, 20, 50)


def collect_rarely() -> None:
    """Let collections be rare and short from now on: what is there now is never looked through again.

    Hundreds of live talks are a large heap of which next to nothing is garbage in cycles. With Python's own thresholds
    the whole of it is looked through all the time, and the event loop stands still meanwhile. Call it once the
    libraries are loaded.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
