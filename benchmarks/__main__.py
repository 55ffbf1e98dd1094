"""Measure everything and print one table: `python -m benchmarks` (or `make bench`)."""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.processes import ModelServer, model_server, wall_time
from benchmarks.scene import requests_in
from benchmarks.workbench import daily_work
from benchmarks.worker import Cost

LATENCY_MS = 200
CROWD_LATENCY_MS = 1000
BUSY = 0.4
KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True)
class Row:
    """One figure: what it is, ours, the plain loop's where there is one, and the most that it may be."""

    what: str
    figure: str
    plain: str = ""
    bar: str = ""
    is_ok: bool | None = None


@dataclass(frozen=True)
class Rounds:
    """How often each thing is measured; the median counts."""

    processor: int = 5
    growth: int = 3
    start: int = 7
    work: int = 3


def paced(server: ModelServer) -> Iterator[Row]:
    """How close a batch comes to its critical path when the model takes its time, and whether it ever stalls."""
    talks, turns, concurrency = 100, 6, 50
    cost, plain = (
        server.measure(side, talks=talks, turns=turns, concurrency=concurrency, watch_stalls=True)
        for side in ("ours", "plain")
    )
    critical = requests_in(turns) * LATENCY_MS / 1000 * math.ceil(talks / concurrency)
    ratio = cost.wall / critical
    yield Row(
        f"wall over critical path: {talks} six-turn talks, {LATENCY_MS} ms model, {concurrency} at once",
        f"{ratio:.2f} ({cost.wall:.2f} s, not {critical:.2f} s)",
        f"{plain.wall / critical:.2f}",
        "≤ 1.10",
        ratio <= 1.10,
    )
    yield Row(
        "longest event-loop stall meanwhile",
        f"{cost.stall * 1000:.0f} ms",
        f"{plain.stall * 1000:.0f} ms",
        "≤ 100 ms",
        cost.stall <= 0.1,
    )


def crowded(server: ModelServer) -> Iterator[Row]:
    """What 500 live talks in one process take."""
    talks, turns = 500, 6
    ours, plain = (
        server.measure(side, talks=talks, turns=turns, concurrency=talks, watch_stalls=True)
        for side in ("ours", "plain")
    )
    per_talk = ours.grown / talks
    yield Row(
        f"memory per live talk: {talks} at once, {CROWD_LATENCY_MS} ms model",
        f"{per_talk / KIB:.0f} KiB",
        f"{plain.grown / talks / KIB:.0f} KiB",
        "≤ 200 KiB",
        per_talk <= 200 * KIB,
    )
    yield Row("peak memory meanwhile", f"{ours.peak / MIB:.0f} MiB", f"{plain.peak / MIB:.0f} MiB")
    yield Row(
        "longest event-loop stall meanwhile",
        f"{ours.stall * 1000:.0f} ms",
        f"{plain.stall * 1000:.0f} ms",
        "≤ 100 ms",
        ours.stall <= 0.1,
    )


def alternating(server: ModelServer, rounds: int, talks: int, turns: int) -> list[tuple[Cost, Cost]]:
    """Ours and the plain loop by turns, so that what disturbs the machine disturbs both."""
    return [
        (
            server.measure("ours", talks=talks, turns=turns, concurrency=20),
            server.measure("plain", talks=talks, turns=turns, concurrency=20),
        )
        for _ in range(rounds)
    ]


def processor(server: ModelServer, rounds: Rounds) -> Iterator[Row]:
    """Processor time a talk when the model takes none, and the memory that goes with it."""
    talks, turns = 100, 6
    pairs = alternating(server, rounds.processor, talks, turns)
    ratio = statistics.median(ours.cpu / plain.cpu for ours, plain in pairs)
    ours, plain = (statistics.median(cost.cpu for cost in side) / talks for side in zip(*pairs, strict=True))
    yield Row(
        "processor time a six-turn talk over the plain loop, model without latency",
        f"{ratio:.2f} ({ours * 1000:.1f} ms)",
        f"{plain * 1000:.1f} ms",
        "≤ 1.60",
        ratio <= 1.60,
    )
    peaks = [statistics.median(cost.peak for cost in side) / MIB for side in zip(*pairs, strict=True)]
    yield Row("peak memory meanwhile", f"{peaks[0]:.0f} MiB", f"{peaks[1]:.0f} MiB")


def growth(server: ModelServer, rounds: Rounds) -> Iterator[Row]:
    """How processor time grows when the talk gets four times as long."""
    talks = 60
    short = alternating(server, rounds.growth, talks, 6)
    long = alternating(server, rounds.growth, talks, 24)
    ours, plain = (
        statistics.median(pair[side].cpu for pair in long) / statistics.median(pair[side].cpu for pair in short)
        for side in (0, 1)
    )
    yield Row(
        "growth of processor time from 6 to 24 turns",
        f"× {ours:.2f}",
        f"× {plain:.2f}",
        "≤ the loop's + 5 %",
        ours <= plain * 1.05,
    )


def starts(rounds: Rounds) -> Iterator[Row]:
    """How long the program takes to start, in fresh processes."""
    greenroom = str(Path(sys.executable).with_name("greenroom"))
    for command, bar in ((["--help"], 0.4), (["demo"], 5.0)):
        took = statistics.median(wall_time([greenroom, *command], allowed=(0, 1)) for _ in range(rounds.start))
        yield Row(f"greenroom {command[0]}", f"{took:.2f} s", bar=f"< {bar} s", is_ok=took < bar)


def workbench(server: ModelServer, rounds: Rounds) -> Iterator[Row]:
    """Repeats, replays, collection by pytest and a big report, through the program as a person starts it."""
    for what, figure, other in daily_work(f"{server.root}/v1", rounds.work):
        yield Row(what, figure, other)


def load() -> float:
    """How many processes wanted a processor in the last minute, for each processor."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def show(rows: list[Row], load_before: float) -> Table:
    """The table. What else the machine had to do is said, since it shows in every time on the wall."""
    table = Table(title=f"Python {platform.python_version()}, {os.cpu_count()} cores, one run", title_justify="left")
    if load_before > BUSY:
        table.caption = (
            f"The machine was busy before ({load_before:.1f} processes a core): times and stalls are too long."
        )
    for column in ("", "Greenroom", "plain loop, or the other way", "bar", ""):
        table.add_column(column, justify="left", overflow="fold")
    for row in rows:
        verdict = "" if row.is_ok is None else "[green]ok[/]" if row.is_ok else "[bold red]over[/]"
        table.add_row(row.what, row.figure, row.plain, row.bar, verdict)
    return table


def main() -> None:
    """Measure and print. The exit code is 0 whatever the figures: machines are noisy, and people read the table."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of each, for a first impression")
    rounds = Rounds(1, 1, 1, 1) if parser.parse_args().quick else Rounds()
    console = Console(width=140 if not sys.stdout.isatty() else None)
    rows: list[Row] = []
    load_before = load()

    def take(part: str, measured: Callable[[], Iterator[Row]]) -> None:
        print(f"measuring {part} …", file=sys.stderr, flush=True)
        rows.extend(measured())

    with model_server(LATENCY_MS) as slow:
        take("a batch at a real model's pace", lambda: paced(slow))
    with model_server(CROWD_LATENCY_MS) as crowd:
        take("500 talks at once", lambda: crowded(crowd))
    with model_server(0) as instant:
        take("processor time", lambda: processor(instant, rounds))
        take("growth", lambda: growth(instant, rounds))
    take("start-up", lambda: starts(rounds))
    with model_server(0) as instant:
        take("daily work", lambda: workbench(instant, rounds))
    console.print(show(rows, load_before))


if __name__ == "__main__":
    main()
