"""`greenroom serve` in a process of its own, and a key to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support import warm

_LISTENS = "Greenroom listens on "


@dataclass(frozen=True, slots=True)
class Served:
    """A service that listens. `log` is the file of what it tells on its standard error."""

    url: str
    key: str
    log: Path

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@contextmanager
def served(data: Path, settings: Mapping[str, str] | None = None) -> Generator[Served]:
    """Serve until the end of the block; `settings` are those of the environment, without `GREENROOM_`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
    environment |= {f"GREENROOM_{name.upper()}": value for name, value in (settings or {}).items()}
    environment["GREENROOM_DATA"] = str(data.absolute())
    greenroom = [sys.executable, "-m", "greenroom"]
    data.mkdir(parents=True, exist_ok=True)
    log = data / "log.txt"
    with (
        log.open("w", encoding="utf-8") as file,
        warm.start(
            [*greenroom, "serve", "--port", "0"],
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            env=environment,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            line = next((line for line in process.stdout if line.startswith(_LISTENS)), "")
            assert line, log.read_text(encoding="utf-8")[-3000:]
            made = warm.run([*greenroom, "keys", "create", "--name", "tests", "--json"], cwd=data, env=environment)
            made.check_returncode()
            yield Served(line.removeprefix(_LISTENS).strip(), json.loads(made.stdout)["key"], log)
        finally:
            process.terminate()
            process.wait()
