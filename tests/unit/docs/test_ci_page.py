"""The files of the page on continuous integration are what they say they are."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.fenced_blocks import ROOT, Block, blocks
from typer.main import get_command

from greenroom.cli.exits import ExitCode
from greenroom.cli.main import app
from greenroom.report.markdown import MARKER

PAGE = ROOT / "docs" / "ci.md"
YAML_FILES = [block for block in blocks(PAGE) if block.language == "yaml"]


def read(block: Block) -> Any:
    return YAML(typ="safe", pure=True).load(block.body)


def the_file(name: str) -> Any:
    [block] = [block for block in YAML_FILES if block.options["file"] == name]
    return read(block)


def scripts() -> list[str]:
    """Every shell script of the page: those of its YAML files and its own."""
    steps = the_file(".github/workflows/talks.yml")["jobs"]["talks"]["steps"]
    return [
        *(step["run"] for step in steps if "run" in step),
        *the_file(".gitlab-ci.yml")["talks"]["script"],
        *(block.body for block in blocks(PAGE) if block.language == "sh"),
    ]


def test_the_page_has_a_workflow_for_github_and_one_for_gitlab() -> None:
    assert [block.options["file"] for block in YAML_FILES] == [".github/workflows/talks.yml", ".gitlab-ci.yml"]


@pytest.mark.parametrize("script", scripts())
def test_every_script_is_a_script_and_uses_options_that_the_program_has(script: str) -> None:
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    commands: Any = get_command(app)
    known = {option for parameter in commands.commands["run"].params for option in parameter.opts}
    for words in re.findall(r"^\s*greenroom run (.*?)$", script.replace("\\\n", " "), re.M):
        assert set(re.findall(r"--[a-z-]+", words)) <= known


def test_what_must_happen_after_a_failure_happens_always() -> None:
    steps = {step.get("name"): step for step in the_file(".github/workflows/talks.yml")["jobs"]["talks"]["steps"]}
    for name in ("Keep what models answered", "Keep the reports", "Tell the pull request"):
        assert steps[name]["if"].startswith("always()")
    gitlab = the_file(".gitlab-ci.yml")["talks"]
    assert gitlab["artifacts"]["when"] == gitlab["cache"]["when"] == "always"


def test_the_workflow_can_do_no_more_than_read_the_code_and_comment() -> None:
    workflow = the_file(".github/workflows/talks.yml")
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["talks"]["permissions"] == {"contents": "read", "pull-requests": "write"}


def test_no_script_of_the_workflow_holds_an_expression_that_others_could_write() -> None:
    for step in the_file(".github/workflows/talks.yml")["jobs"]["talks"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_comment_is_found_by_the_mark_that_reports_begin_with() -> None:
    assert MARKER in PAGE.read_text(encoding="utf-8")


def test_the_table_of_exit_codes_has_those_of_the_program() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.M)}
    assert listed == {code.value for code in ExitCode if code is not ExitCode.BROKEN_PIPE}
