"""Play the same talks in other tools and print one table of ratios: `python -m benchmarks.others`."""

from __future__ import annotations

import argparse
import math
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.others.spent import DidNotRun, Spent, run
from benchmarks.others.tools import OTHERS, Batch, Greenroom, Tool, base_environment
from benchmarks.processes import ModelServer, model_server
from benchmarks.scene import requests_in

TURNS = 6
CONCURRENCY = 10
TALKS = 100
PACED_TALKS = 50
LATENCY_MS = 200
BUSY = 0.4
MIB = 1024 * 1024


@dataclass
class Measured:
    """All that was seen of one tool; `reason` says why there is nothing to see."""

    tool: Tool
    start: list[Spent] = field(default_factory=list[Spent])
    one: list[Spent] = field(default_factory=list[Spent])
    batch: list[Spent] = field(default_factory=list[Spent])
    paced: list[Spent] = field(default_factory=list[Spent])
    requests: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Rounds:
    """How often the short things and the long ones are measured; the median counts."""

    short: int = 5
    long: int = 3


@dataclass(frozen=True)
class Row:
    """One figure: what it is, how it is taken from what was seen, and how it is written."""

    what: str
    take: Callable[[Measured], float]
    write: Callable[[float], str]


def middle(runs: list[Spent], part: Callable[[Spent], float]) -> float:
    """The median of one part of what several runs took."""
    return statistics.median(part(spent) for spent in runs)


def seconds(value: float) -> str:
    """Time, as people write it."""
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    """A short time."""
    return f"{value * 1000:.1f} ms"


def mebibytes(value: float) -> str:
    """Memory."""
    return f"{value / MIB:.0f} MiB"


def number(value: float) -> str:
    """A plain figure."""
    return f"{value:.2f}"


CRITICAL = requests_in(TURNS) * LATENCY_MS / 1000 * math.ceil(PACED_TALKS / CONCURRENCY)
ROWS = (
    Row("start-up, doing nothing", lambda seen: middle(seen.start, lambda spent: spent.wall), seconds),
    Row("one talk, from command to end", lambda seen: middle(seen.one, lambda spent: spent.wall), seconds),
    Row("processor time of that one talk", lambda seen: middle(seen.one, lambda spent: spent.cpu), seconds),
    Row(
        f"processor time a talk: {TALKS} talks, start-up included",
        lambda seen: middle(seen.batch, lambda spent: spent.cpu) / TALKS,
        milliseconds,
    ),
    Row(
        "processor time of one talk more",
        lambda seen: (
            (middle(seen.batch, lambda spent: spent.cpu) - middle(seen.one, lambda spent: spent.cpu)) / (TALKS - 1)
        ),
        milliseconds,
    ),
    Row(f"peak memory: {TALKS} talks", lambda seen: middle(seen.batch, lambda spent: spent.peak), mebibytes),
    Row(
        f"wall over critical path: {PACED_TALKS} talks, {LATENCY_MS} ms model",
        lambda seen: middle(seen.paced, lambda spent: spent.wall) / CRITICAL,
        number,
    ),
    Row("model requests a talk", lambda seen: seen.requests, lambda value: f"{value:g}"),
)


def play(tool: Tool, server: ModelServer, talks: int) -> Spent:
    """Play talks in a folder that is empty before and gone afterwards."""
    with tempfile.TemporaryDirectory() as home:
        batch = Batch(server.root, talks, TURNS, CONCURRENCY, Path(home))
        environment = {**base_environment(batch.folder), **tool.environment}
        return run(tool.play(batch), environment=environment, folder=batch.folder)


def start(tool: Tool) -> Spent:
    """Start a tool that does nothing."""
    with tempfile.TemporaryDirectory() as home:
        return run(tool.start(), environment={**base_environment(Path(home)), **tool.environment}, folder=Path(home))


def attempt(seen: Measured, step: Callable[[Tool], None]) -> None:
    """Take one step with a tool, unless it has failed before; say when it fails now."""
    if not seen.reason:
        try:
            step(seen.tool)
        except DidNotRun as error:
            seen.reason = str(error)
            say(f"{seen.tool.title} did not run: {error}")


def say(what: str) -> None:
    """Tell whoever waits."""
    print(what, file=sys.stderr, flush=True)


def prepare(every: list[Measured], server: ModelServer) -> None:
    """Install each tool, and play one talk in it that does not count, so that what is compiled or cached once is."""
    for seen in every:
        say(f"installing {seen.tool.title} …")
        attempt(seen, lambda tool: tool.install())
        attempt(seen, lambda tool: _warm_up(tool, server))


def _warm_up(tool: Tool, server: ModelServer) -> None:
    start(tool)
    play(tool, server, 1)


def measure(every: list[Measured], rounds: Rounds, instant: ModelServer, slow: ModelServer) -> None:
    """Measure the tools by turns, so that what disturbs the machine disturbs all of them."""
    for turn in range(rounds.short):
        for seen in every:
            say(f"start-up and one talk, round {turn + 1} of {rounds.short}: {seen.tool.title} …")
            attempt(seen, lambda tool, seen=seen: seen.start.append(start(tool)))
            attempt(seen, lambda tool, seen=seen: seen.one.append(play(tool, instant, 1)))
    for turn in range(rounds.long):
        for seen in every:
            say(f"{TALKS} talks, round {turn + 1} of {rounds.long}: {seen.tool.title} …")
            instant.take_count()
            attempt(seen, lambda tool, seen=seen: seen.batch.append(play(tool, instant, TALKS)))
            seen.requests = instant.take_count() / TALKS
    for seen in every:
        say(f"{PACED_TALKS} talks at a real model's pace: {seen.tool.title} …")
        attempt(seen, lambda tool, seen=seen: seen.paced.append(play(tool, slow, PACED_TALKS)))


def show(every: list[Measured], load: float) -> Table:
    """The table: ours as it is, the others as ratios to ours. `load` is how many processes a core there were before."""
    ours, *others = every
    python = f"Python {platform.python_version()}"
    table = Table(title=f"Ratios to Greenroom; {python}, {os.cpu_count()} cores, one run", title_justify="left")
    table.add_column("six-turn talks with one judged question, 10 at once", overflow="fold")
    for seen in every:
        table.add_column(seen.tool.title, overflow="fold")
    for row in ROWS:
        base = row.take(ours)
        table.add_row(row.what, row.write(base), *(_cell(row, seen, base) for seen in others))
    notes = [f"{seen.tool.title} did not run: {seen.reason}" for seen in others if seen.reason]
    if load > BUSY:
        notes.append(f"The machine was busy before ({load:.1f} processes a core): times on the wall are too long.")
    if notes:
        table.caption = "\n".join(notes)
    return table


def _cell(row: Row, seen: Measured, base: float) -> str:
    if seen.reason:
        return "did not run"
    value = row.take(seen)
    ratio = f"× {value / base:.2f}\n{row.write(value)}"
    return f"[bold red]{ratio}[/]" if value < base else ratio


def main() -> None:
    """Install, measure and print. The exit code is 0 whatever the figures: people read the table."""
    parser = argparse.ArgumentParser(prog="make bench-others", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, for a first impression")
    rounds = Rounds(1, 1) if parser.parse_args().quick else Rounds()
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    every = [Measured(tool) for tool in (Greenroom(), *OTHERS)]
    with model_server(0) as instant, model_server(LATENCY_MS) as slow:
        prepare(every, instant)
        measure(every, rounds, instant, slow)
    if every[0].reason:
        sys.exit(f"Greenroom itself did not run, so there is nothing to compare with: {every[0].reason}")
    Console(width=150 if not sys.stdout.isatty() else None).print(show(every, load))


if __name__ == "__main__":
    main()
