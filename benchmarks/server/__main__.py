"""Measure the service and print one table: `python -m benchmarks.server` (or `make bench-server`)."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from rich.console import Console
from tests.support.service import open_service
from tests.support.worker_process import WorkerProcess

from benchmarks.__main__ import KIB, Row, load, show
from benchmarks.processes import ModelServer, model_server
from benchmarks.scene import requests_in
from benchmarks.server.kills import kill_workers
from benchmarks.server.pages import a_record, times_of_pages
from benchmarks.server.places import Places, environment, open_places
from benchmarks.server.queue import times_to_start
from benchmarks.worker import Cost
from greenroom.server.settings import Settings

TURNS = 6
CROWD = 500
SPREAD = 2.0
MS = 1000


@dataclass(frozen=True)
class Sizes:
    """How much of each thing is measured."""

    talks: int = 200
    pages: tuple[int, ...] = (10_000, 1_000_000)
    kills: int = 200


QUICK = Sizes(talks=60, pages=(1_000, 10_000), kills=20)


def played(settings: Settings, model: ModelServer, *words: str) -> Cost:
    """What a measured process says that its talks cost.

    Raises:
        RuntimeError: it failed.
    """
    command = [sys.executable, "-m", "benchmarks.server.playing", "--model", f"{model.root}/v1", *words]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, env=dict(environment(settings)))
    if ended.returncode:
        raise RuntimeError(f"a measured worker failed:\n{ended.stderr[-3000:]}")
    return Cost(**json.loads(ended.stdout.splitlines()[-1]))


async def starts(places: Places, _: Sizes) -> AsyncIterator[Row]:
    """Queue to start, idle."""
    for kind in places.kinds:
        with places.settings(kind) as settings:
            median, most = await times_to_start(settings)
            yield Row(
                f"queue to start, idle, {kind}: 95 % within",
                f"{most * MS:.0f} ms (median {median * MS:.0f} ms)",
                bar="≤ 200 ms",
                is_ok=most <= 0.2,
            )


async def processor(places: Places, sizes: Sizes) -> AsyncIterator[Row]:
    """Processor time a run, and runs a second, against the engine alone and the plain loop."""
    with model_server(0) as model:
        plain, ours = (
            model.measure(side, talks=sizes.talks, turns=TURNS, concurrency=20) for side in ("plain", "ours")
        )
        beside = f"{plain.cpu / sizes.talks * MS:.1f} ms"
        yield Row("processor time a six-turn run, the engine alone", _each(ours, sizes.talks), beside)
        yield Row(
            "runs a second, the engine alone", f"{sizes.talks / ours.wall:.1f}", f"{sizes.talks / plain.wall:.1f}"
        )
        for kind in places.kinds:
            with places.settings(kind) as settings:
                settings = settings.model_copy(update={"project_runs": 20})
                settings.model_fields_set.add("project_runs")
                cost = await asyncio.to_thread(played, settings, model, "--talks", str(sizes.talks))
            ratio = cost.cpu / plain.cpu
            yield Row(
                f"processor time a run, {kind}, over the plain loop (over the engine alone)",
                f"{ratio:.2f} ({cost.cpu / ours.cpu:.2f}), {_each(cost, sizes.talks)}",
                beside,
                "≤ 2.50",
                ratio <= 2.5,
            )
            yield Row(f"runs a second, {kind}", f"{sizes.talks / cost.wall:.1f}", f"{sizes.talks / plain.wall:.1f}")


def _each(cost: Cost, talks: int) -> str:
    return f"{cost.cpu / talks * MS:.1f} ms"


async def crowd(places: Places, _: Sizes) -> AsyncIterator[Row]:
    """Many live talks in one worker."""
    ideal = SPREAD + requests_in(TURNS)
    with model_server(1000) as model:
        for kind in places.kinds:
            with places.settings(kind) as settings:
                words = ("--talks", str(CROWD), "--spread", str(SPREAD), "--watch-stalls")
                cost = await asyncio.to_thread(played, settings, model, *words)
            ratio, memory = cost.wall / ideal, cost.grown / CROWD
            what = f"{CROWD} live talks in one worker, 1 s model, {kind}"
            yield Row(f"{what}: wall over ideal", f"{ratio:.2f} ({cost.wall:.1f} s, not {ideal:.0f} s)")
            yield Row("memory a live talk", f"{memory / KIB:.0f} KiB", bar="≤ 200 KiB", is_ok=memory <= 200 * KIB)
            yield Row(
                "longest event-loop stall meanwhile",
                f"{cost.stall * MS:.0f} ms",
                bar="≤ 100 ms",
                is_ok=cost.stall <= 0.1,
            )


async def pages(places: Places, sizes: Sizes) -> AsyncIterator[Row]:
    """Pages with many runs stored."""
    with places.settings("SQLite") as settings:
        record = await a_record(settings)
    for kind in places.kinds:
        with places.settings(kind) as settings:
            first: dict[str, float] = {}
            async for count, times in times_of_pages(settings, sizes.pages, record):
                first = first or times
                for name, took in times.items():
                    growth = took / first[name]
                    is_first = first is times
                    yield Row(
                        f"{name}, {count:,} runs stored, {kind}",
                        f"{took * MS:.1f} ms",
                        bar="" if is_first else "as with fewer (× 1.5)",
                        is_ok=None if is_first else growth <= 1.5,
                    )


async def workers(places: Places, sizes: Sizes) -> AsyncIterator[Row]:
    """Two workers against one."""
    if "PostgreSQL" not in places.kinds:
        return
    rates: list[float] = []
    with model_server(0) as model:
        for count in (1, 2):
            with places.settings("PostgreSQL") as settings:
                # The first process migrates; workers then find everything in its place.
                async with open_service(settings):
                    pass
                running = [await WorkerProcess.start(settings) for _ in range(count)]
                words = ("--talks", str(sizes.talks), "--no-worker")
                cost = await asyncio.to_thread(played, settings, model, *words)
                for worker in running:
                    await worker.stop()
            rates.append(sizes.talks / cost.wall)
    yield Row(
        "runs a second of two worker processes over one, PostgreSQL",
        f"{rates[1] / rates[0]:.2f} ({rates[1]:.1f} over {rates[0]:.1f})",
    )


async def kills(places: Places, sizes: Sizes) -> AsyncIterator[Row]:
    """Workers that are killed."""
    for kind in places.kinds:
        with places.settings(kind) as settings:
            began = time.perf_counter()
            left = await kill_workers(settings, sizes.kills, workers=1 if kind == "SQLite" else 2)
            took = time.perf_counter() - began
        is_ok = not (left.lost or left.wrong or left.repeated) and left.is_balanced
        yield Row(
            f"{left.kills} kills, {kind}: {left.runs} runs, {left.requests} requests, {took:.0f} s",
            f"{left.lost} lost, {left.wrong} played twice, {left.repeated} finished requests sent again, "
            f"balance {'equals' if left.is_balanced else 'differs from'} the ledger",
            bar="nothing",
            is_ok=is_ok,
        )


PARTS = {"starts": starts, "processor": processor, "crowd": crowd, "workers": workers, "kills": kills, "pages": pages}


async def measure(names: list[str], sizes: Sizes) -> list[Row]:
    """Measure these parts, and tell each row as soon as it is known."""
    rows: list[Row] = []
    with open_places() as places:
        for name in names:
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            async for row in PARTS[name](places, sizes):
                rows.append(row)
                print(f"  {row.what}: {row.figure}", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Measure and print. The exit code is 0 whatever the figures: machines are noisy, and people read the table."""
    parser = argparse.ArgumentParser(prog="make bench-server", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of each, for a first impression")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="some of it")
    parser.add_argument("--kills", type=int, help="how many kills")
    asked = parser.parse_args()
    sizes = QUICK if asked.quick else Sizes()
    if asked.kills:
        sizes = Sizes(sizes.talks, sizes.pages, asked.kills)
    load_before = load()
    rows = asyncio.run(measure(asked.only, sizes))
    Console(width=140 if not sys.stdout.isatty() else None).print(show(rows, load_before))


if __name__ == "__main__":
    main()
