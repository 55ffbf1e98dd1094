"""What daily work costs: repeats, replays, the collection of test files by pytest, and a big report."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scene import AGENT_PROMPT, GREETING, PERSONA, QUESTION

REPEATS = 20
RECORDED = 100
COLLECTED = 1000
REPORTED = 1000
MIB = 1024 * 1024

_FILE = """\
agent:
  name: Northline Dental
  prompt: {prompt}
  greeting: {greeting}
  llm: {{model: "openai-compatible:agent", base_url: "{url}"}}
  caller_llm: {{model: "openai-compatible:caller", base_url: "{url}"}}
  judge_llm: {{model: "openai-compatible:judge", base_url: "{url}"}}
tests:
  - name: Moves a visit
    caller: {{persona: {persona}}}
    max_turns: 6
    checks:
      - {{type: judge, question: {question}}}
"""


@dataclass(frozen=True)
class Spent:
    """Seconds on the wall and of processor time that a command (and what it started) took."""

    wall: float
    processor: float


def spent(command: Sequence[str], folder: Path) -> Spent:
    """Run a command to its end.

    Raises:
        RuntimeError: it did not end well.
    """
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder)
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise RuntimeError(
            f"{' '.join(command)} ended with {ended.returncode}:\n{(ended.stdout + ended.stderr)[-3000:]}"
        )
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(took, processor)


def daily_work(url: str, rounds: int) -> Iterator[tuple[str, str, str]]:
    """Rows of what it is, what it took, and what it took the other way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = {"prompt": AGENT_PROMPT, "greeting": GREETING, "persona": PERSONA, "question": QUESTION}
        quoted = {key: json.dumps(text) for key, text in texts.items()}
        (folder / "greenroom.yaml").write_text(_FILE.format(url=url, **quoted), encoding="utf-8")
        yield _repeats(folder, rounds)
        yield from _replays(folder, rounds)
    yield _collection(rounds)
    yield from _report(rounds)


def _repeats(folder: Path, rounds: int) -> tuple[str, str, str]:
    together = _median(lambda: spent([_greenroom(), "run", "--repeat", str(REPEATS)], folder), rounds)

    def one_by_one() -> Spent:
        each = [spent([_greenroom(), "run"], folder) for _ in range(REPEATS)]
        return Spent(sum(one.wall for one in each), sum(one.processor for one in each))

    apart = _median(one_by_one, 1)
    return (
        f"--repeat {REPEATS} of one test, over {REPEATS} runs of the program",
        f"{together.wall / apart.wall:.2f} wall, {together.processor / apart.processor:.2f} processor "
        f"({_seconds(together)})",
        _seconds(apart),
    )


def _replays(folder: Path, rounds: int) -> Iterator[tuple[str, str, str]]:
    run = [_greenroom(), "run", "--repeat", str(RECORDED), "--concurrency", "50"]
    recorded = spent([*run, "--record", "tape.json"], folder)
    replayed = _median(lambda: spent([*run, "--replay", "tape.json"], folder), rounds)
    size = (folder / "tape.json").stat().st_size / MIB
    yield (
        f"replaying {RECORDED} recorded talks, over recording them (model without latency)",
        f"{replayed.wall / recorded.wall:.2f} wall, {replayed.processor / recorded.processor:.2f} processor "
        f"({_seconds(replayed)})",
        _seconds(recorded),
    )
    yield f"the cassette of {RECORDED} six-turn talks", f"{size:.1f} MiB", ""


def _collection(rounds: int) -> tuple[str, str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = "agent: {name: Desk, prompt: Be kind., llm: {model: 'scripted:x', script: [{say: Hi}]}}\ntests:\n"
        test = "  - {{name: Test {n}, caller: {{messages: [Hi]}}, checks: [{{type: says, text: Hi}}]}}\n"
        tests = "".join(test.format(n=number) for number in range(COLLECTED))
        (folder / "many.greenroom.yaml").write_text(head + tests, encoding="utf-8")
        (folder / "nothing").mkdir()
        pytest = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
        collected = _median(lambda: spent([*pytest, "many.greenroom.yaml"], folder), rounds)
        with_nothing = _median(lambda: spent([*pytest, "--version"], folder), rounds)
        return (
            f"pytest collects {COLLECTED:,} YAML tests, beside pytest --version",
            _seconds(collected),
            _seconds(with_nothing),
        )


def _report(rounds: int) -> Iterator[tuple[str, str, str]]:
    from tests.support.big_reports import many_runs
    from tests.support.browser import find_chromium

    from greenroom.report.html import write_html

    report = many_runs(REPORTED)
    with tempfile.TemporaryDirectory() as name:
        page = Path(name, "report.html")
        times: list[float] = []
        for _ in range(rounds):
            began = time.perf_counter()
            write_html(report, page)
            times.append(time.perf_counter() - began)
        size = page.stat().st_size / MIB
        yield (
            f"HTML report of {REPORTED:,} six-turn runs",
            f"{size:.1f} MiB, written in {statistics.median(times):.2f} s",
            "",
        )
        found = find_chromium()
        if found is None:
            yield "opening it in Chromium", "no Chromium on this machine", ""
            return
        opened = statistics.median(_time_to_open(found, page) for _ in range(rounds))
        yield "opening it in Chromium, until the page is loaded", f"{opened:.2f} s", ""


def _time_to_open(browser: str, page: Path) -> float:
    from playwright.sync_api import sync_playwright
    from tests.support.browser import ARGUMENTS

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS))
        try:
            tab = running.new_page()
            began = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="load")
            return time.perf_counter() - began
        finally:
            running.close()


def _greenroom() -> str:
    return str(Path(sys.executable).with_name("greenroom"))


def _median(measure: Callable[[], Spent], rounds: int) -> Spent:
    all_spent = [measure() for _ in range(rounds)]
    return Spent(
        statistics.median(one.wall for one in all_spent), statistics.median(one.processor for one in all_spent)
    )


def _seconds(taken: Spent) -> str:
    return f"{taken.wall:.2f} s, processor {taken.processor:.2f} s"
