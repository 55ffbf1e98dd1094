"""Every example in the documentation is loaded, played or run.

What the first line of a block may say, after its language:

- `file=NAME`     the block is this file, in a folder of the page's own
- `part=WHERE`    (YAML) the block belongs into the page's first full file, or into that which `in=NAME` says, as its
  `checks`, `test`, `agent`, `caller` or `script`
- `exit=N`        the file or the command ends with this exit code (0 where nothing is said)
- `loaded`        (YAML) the block is loaded and not played, since it needs a provider or a server
- `foreign`       (YAML) the block is a file of another program's, and no test file
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import regex
from ruamel.yaml import YAML
from tests.support import warm
from tests.support.fenced_blocks import ROOT, Block, blocks, pages

from greenroom.files import load_files
from greenroom.model.agent import Agent
from greenroom.play.ports import RealCall
from greenroom.tools.webhook import signature_headers

GROUPS = ("db", "keys", "users")
"""Commands that are groups of commands."""
_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
_TIMES = regex.compile(r"\d+(?:\.\d+)?\s?(?:ms|s)\b")
_BLANKS = regex.compile(r"\s+")


def _examples(language: str) -> list[Any]:
    return [
        pytest.param(block, id=block.place)
        for page in pages()
        for block in blocks(page)
        if block.language == language and "foreign" not in block.options
    ]


def _is_full_file(block: Block) -> bool:
    return "part" not in block.options


def _read(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def _write(content: object, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        YAML(typ="safe", pure=True).dump(content, stream)


def _prepare(page: Path, folder: Path, upto: int) -> list[Path]:
    """Put the files of a page, up to that line, into a folder. Returns the test files among them."""
    test_files: list[Path] = []
    for block in blocks(page):
        if block.line > upto:
            break
        if "foreign" in block.options:
            continue
        if "file" in block.options or (block.language == "yaml" and _is_full_file(block)):
            path = folder / block.options.get("file", f"example-{block.line}.yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
            if block.language == "yaml":
                test_files.append(path)
    return test_files


def _with_part(base: Path, block: Block) -> Path:
    """A full file of the page, with this part in its place."""
    content, part = _read(base.read_text(encoding="utf-8")), _read(block.body)
    match block.options["part"]:
        case "checks":
            content["tests"][0]["checks"] = part
        case "test":
            content["tests"][0] |= part
        case "caller":
            content["tests"][0]["caller"] = part
        case "agent":
            content["agent"] |= part
        case "script":
            content["agent"]["llm"]["script"] = part
        case other:
            pytest.fail(f"{block.place}: part={other} is not known here")
    path = base.with_name(f"part-{block.line}.yaml")
    _write(content, path)
    return path


def _greenroom(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "XDG_STATE_HOME": str(folder / ".state"),
    }
    return warm.run([sys.executable, "-m", "greenroom", *arguments], cwd=folder, env=environment)


@pytest.mark.parametrize("block", _examples("yaml"))
def test_every_yaml_example_is_a_valid_test_file_and_plays_as_the_page_says(block: Block, tmp_path: Path) -> None:
    files = _prepare(block.page, tmp_path, block.line)
    assert files, f"{block.place}: a part needs a full file before it"
    if _is_full_file(block):
        path = files[-1]
    else:
        path = _with_part(tmp_path / block.options["in"] if "in" in block.options else files[0], block)

    load_files([path])

    if "loaded" not in block.options:
        played = _greenroom("run", str(path), folder=tmp_path)
        wanted = int(block.options.get("exit", 0))
        assert played.returncode == wanted, (
            f"{block.place} ended with {played.returncode}:\n{played.stdout}{played.stderr}"
        )


@pytest.mark.parametrize("block", _examples("console"))
def test_every_console_example_shows_what_the_program_prints(block: Block, tmp_path: Path) -> None:
    _prepare(block.page, tmp_path, block.line)
    for command, shown in _sessions(block):
        program, *arguments = command.split()
        assert program == "greenroom", f"{block.place}: only greenroom is run here; make it a `sh` block"
        ended = _greenroom(*arguments, folder=tmp_path)
        assert ended.returncode == int(block.options.get("exit", 0)), f"{block.place}:\n{ended.stdout}{ended.stderr}"
        _assert_shown(shown, ended.stdout + ended.stderr, block.place)


def _sessions(block: Block) -> list[tuple[str, list[str]]]:
    """Each command of a console block, with the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and line.strip() and line.strip() != "…":
            found[-1][1].append(line)
    return found


def _assert_shown(wanted: list[str], printed: str, place: str) -> None:
    """Each wanted line stands in what was printed, in this order; spacing and times do not count."""
    rest = iter([_loosely(line) for line in printed.splitlines()])
    for line in wanted:
        assert any(_loosely(line) in other for other in rest), f"{place}: “{line}” is not printed (here) in:\n{printed}"


def _loosely(line: str) -> str:
    return _BLANKS.sub(" ", _TIMES.sub("T", line)).strip()


@pytest.mark.parametrize("block", _examples("python"))
def test_every_python_example_runs(block: Block, tmp_path: Path) -> None:
    _prepare(block.page, tmp_path, block.line)
    script = tmp_path / block.options.get("file", "example.py")
    script.write_text(block.body, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert not ended.returncode, f"{block.place}:\n{ended.stdout}{ended.stderr}"


@pytest.mark.parametrize("block", _examples("json"))
def test_every_json_example_is_json(block: Block) -> None:
    json.loads(block.body)


@pytest.mark.parametrize("block", _examples("sh"))
def test_every_greenroom_command_of_a_shell_example_has_the_options_that_it_uses(block: Block, tmp_path: Path) -> None:
    for line in block.body.replace("\\\n", " ").splitlines():
        words = line.split()
        if len(words) < 2 or words[0] != "greenroom":
            continue
        command, *arguments = words[1:]
        if command.startswith("-"):
            continue
        group = [command, *arguments[:1]] if command in GROUPS else [command]
        helped = _greenroom(*group, "--help", folder=tmp_path)
        assert not helped.returncode, f"{block.place}: greenroom {' '.join(group)} is no command"
        for word in arguments:
            option = word.partition("=")[0]
            assert not option.startswith("--") or option in helped.stdout, f"{block.place}: no option {option}"


async def test_the_webhook_receiver_of_the_docs_takes_what_greenroom_signs_and_nothing_else(tmp_path: Path) -> None:
    page = ROOT / "docs" / "tools.md"
    [receiver] = [block for block in blocks(page) if block.options.get("file") == "receiver.py"]
    names: dict[str, Any] = {}
    exec(compile(receiver.body, receiver.place, "exec"), names)
    call = RealCall(
        run_id="run-1",
        call_id="call-1",
        agent=Agent(name="Maya", prompt="You book visits."),
        tool="book_slot",
        kind="webhook",
        arguments={"day": "Monday"},
        variables={},
    )
    body = json.dumps({"test": True, "tool": call.tool})
    headers = signature_headers(call, _SECRET, body, datetime.now(UTC))

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=names["app"]), base_url="http://receiver") as client:
        taken = await client.post("/hooks/tools", content=body, headers=headers)
        refused = await client.post("/hooks/tools", content=body + " ", headers=headers)

    assert taken.status_code == 200
    assert "book_slot is not carried out in a test" in taken.text
    assert refused.status_code == 401
