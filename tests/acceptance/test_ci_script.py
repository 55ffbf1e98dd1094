from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.fenced_blocks import ROOT, blocks

from greenroom.report.html import html_page
from greenroom.report.json_report import read_report

TESTS = """
agent:
  name: Front desk
  prompt: You answer.
  llm: {model: "scripted:desk", script: [{say: From Monday to Friday.}]}
tests:
  - name: Knows the opening hours
    caller: {messages: [When are you open?]}
    checks: [{type: says, text: %s}]
"""


@pytest.mark.parametrize(
    ("wanted", "code", "said"),
    [
        ("Monday", 0, "All tests passed."),
        ("Sunday", 1, "A test failed: reports/talks.html shows the talk."),
        ("[", 2, "Something is wrong in the files or in the command; nothing was played."),
    ],
)
def test_the_shell_script_of_the_docs_plays_reports_and_says_what_became_of_it(
    wanted: str, code: int, said: str, tmp_path: Path
) -> None:
    [script] = [block for block in blocks(ROOT / "docs" / "ci.md") if block.options.get("file") == "talks.sh"]
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "hours.greenroom.yaml").write_text(TESTS % wanted, encoding="utf-8")
    ended = subprocess.run(
        ["sh", "-c", script.body],
        cwd=tmp_path,
        env=os.environ
        | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "XDG_STATE_HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == said
    if code != 2:
        reports = tmp_path / "reports"
        assert {path.name for path in reports.iterdir()} == {"junit.xml", "talks.html", "talks.md", "talks.json"}
        assert html_page(read_report(reports / "talks.json")) == (reports / "talks.html").read_text(encoding="utf-8")
