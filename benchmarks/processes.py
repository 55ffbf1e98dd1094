"""The processes of a benchmark: the loopback model, and one fresh process for each measurement."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from benchmarks.scene import requests_in
from benchmarks.worker import WARM_UP_TALKS, Cost, Side


@dataclass(frozen=True)
class ModelServer:
    """A running loopback model."""

    root: str

    def take_count(self) -> int:
        """How many completions were asked for since the last time."""
        with urllib.request.urlopen(f"{self.root}/requests", timeout=10) as response:
            return int(response.read())

    def measure(self, side: Side, *, talks: int, turns: int, concurrency: int, watch_stalls: bool = False) -> Cost:
        """Play talks in a process of their own and see what they cost.

        Raises:
            RuntimeError: not the number of requests that the talk takes was sent, so that sides cannot be compared.
        """
        command = [sys.executable, "-m", "benchmarks.worker", side, "--url", f"{self.root}/v1"]
        command += ["--talks", str(talks), "--turns", str(turns), "--concurrency", str(concurrency)]
        command += ["--watch-stalls"] if watch_stalls else []
        self.take_count()
        worker = subprocess.run(command, check=False, capture_output=True, text=True)
        if worker.returncode:
            raise RuntimeError(f"the {side} worker failed:\n{worker.stderr[-3000:]}")
        sent, wanted = self.take_count(), requests_in(turns) * (talks + WARM_UP_TALKS)
        if sent != wanted:
            raise RuntimeError(f"{side} sent {sent} requests where {wanted} were due: the sides cannot be compared")
        return Cost(**json.loads(worker.stdout.splitlines()[-1]))


@contextlib.contextmanager
def model_server(latency_ms: float) -> Generator[ModelServer]:
    """A loopback model for as long as the block lasts."""
    command = [sys.executable, "-m", "benchmarks.model_server", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield ModelServer(f"http://127.0.0.1:{int(process.stdout.readline())}")
        finally:
            process.stdin.close()


def wall_time(command: Sequence[str], allowed: Sequence[int] = (0,)) -> float:
    """Seconds that a command takes from start to end.

    Raises:
        RuntimeError: it ended with an exit code that is not allowed.
    """
    began = time.perf_counter()
    ended = subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    took = time.perf_counter() - began
    if ended.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)} ended with {ended.returncode}:\n{ended.stderr[-3000:]}")
    return took
