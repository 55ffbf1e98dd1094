"""One measured process: plays talks one way and prints what they cost, as a line of JSON.

    python -m benchmarks.worker plain --url http://127.0.0.1:8123/v1 --talks 100 --turns 6 --concurrency 50

A few talks are played first, so that imports and first connections are not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import resource
import sys
import time
from pathlib import Path
from typing import Literal, Protocol

Side = Literal["plain", "ours"]
WARM_UP_TALKS = 3
TICK = 0.005


@dataclasses.dataclass(frozen=True)
class Cost:
    """What the measured talks cost. Times in seconds, memory in bytes. `grown` is how far memory rose at most above
    what it was before the measured talks; `stall` is the longest time the event loop was not free to answer."""

    wall: float
    cpu: float
    peak: int
    grown: int
    stall: float


class Player(Protocol):
    """Something that plays talks against the loopback model."""

    async def play(self, talks: int, turns: int, concurrency: int) -> None: ...

    async def close(self) -> None: ...


def make_player(side: Side, url: str) -> Player:
    """The player of one side; each imports only what it needs."""
    if side == "plain":
        from benchmarks.plain_loop import PlainLoop

        return PlainLoop(url)
    from benchmarks.ours import Ours

    return Ours(url)


def memory(field: Literal["VmRSS", "VmHWM"]) -> int:
    """Bytes of memory in use (`VmRSS`), or at most so far (`VmHWM`)."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(field))
        return int(line.split()[1]) * 1024
    # Elsewhere only the peak is known, and macOS counts it in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Let the peak of memory count from now on, where the system can do that."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def processor_time() -> float:
    """Seconds of processor time that this process has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class StallWatch:
    """Wakes all the time and notes by how much it was late."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def watch(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK)
            self.longest = max(self.longest, time.perf_counter() - began - TICK)


async def measure(player: Player, talks: int, turns: int, concurrency: int, *, watch_stalls: bool) -> Cost:
    """Play the talks and say what they cost. Watching for stalls costs processor time of its own."""
    await player.play(WARM_UP_TALKS, turns, WARM_UP_TALKS)
    stalls = StallWatch()
    watching = asyncio.create_task(stalls.watch()) if watch_stalls else None
    forget_peak()
    before, cpu, began = memory("VmRSS"), processor_time(), time.perf_counter()
    await player.play(talks, turns, concurrency)
    wall, cpu = time.perf_counter() - began, processor_time() - cpu
    peak = memory("VmHWM")
    if watching:
        watching.cancel()
    await player.close()
    return Cost(wall=wall, cpu=cpu, peak=peak, grown=max(0, peak - before), stall=stalls.longest)


def main() -> None:
    """Measure as the arguments say, and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("side", choices=["plain", "ours"])
    parser.add_argument("--url", required=True)
    parser.add_argument("--talks", type=int, required=True)
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--watch-stalls", action="store_true")
    asked = parser.parse_args()

    async def run() -> Cost:
        player = make_player(asked.side, asked.url)
        return await measure(player, asked.talks, asked.turns, asked.concurrency, watch_stalls=asked.watch_stalls)

    print(json.dumps(dataclasses.asdict(asyncio.run(run()))))


if __name__ == "__main__":
    main()
