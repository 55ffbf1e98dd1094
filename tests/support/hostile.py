"""Text that tries to be more than text."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from tests.support.runs import a_report, a_run, a_usage, not_started

from greenroom.model.checks import JudgeCheck, NeverSays
from greenroom.model.run import AgentLine, CallerLine, Card, CheckResult, Line, Scorecard, ToolLine
from greenroom.report.results import Report, ReportedRun

FRAGMENTS = (
    "<script>window.owned = 1</script>",
    "</script><script>window.owned = 1</script>",
    "</style></title></textarea></pre></code></details><script>window.owned = 1</script>",
    "<img src=x onerror='window.owned = 1'>",
    '" onmouseover="window.owned = 1" x="',
    "' autofocus onfocus='window.owned = 1' tabindex=0 x='",
    "<svg/onload=window.owned=1>",
    "<iframe srcdoc='<script>parent.owned = 1</script>'></iframe>",
    "<a href='javascript:window.owned = 1'>x</a>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css><base href=http://127.0.0.1:9/>",
    "<!-- --><![CDATA[ ]]><?php ?>",
    "{{ 7 * 7 }} {% include 'page.html' %} {# x #}",
    "${7*7} #{7*7} <%= 7*7 %>",
    "&lt;script&gt; &#60;script&#62; &amp;",
    "\u202egnol eb ot degnahc\u202c \u2066isolated",
    "\x00\x07\x1b[31mred\x1b[0m\x9b2J\x7f",
    "\ud800 lone \udfff",
    "a\r\nb\rc\u2028d\u0085e\tf",
    "| a | b |\n| - | - |\n```\n~~~\n# Title\n> quote\n- item\n1. item\n---\n***",
    "**bold** _it_ ~~no~~ `code` [link](http://evil.example) ![x](http://evil.example/x.png) <http://evil.example>",
    "@octocat @org/team #1 org/repo#2 GH-3 https://github.com/org/repo/issues/4 www.evil.example a@b.example",
    ":tada: $x^2$ <https://evil.example> mailto:a@b.example",
    "</pre></details></summary><h1>Out</h1>",
    "::error file=a,line=1::pwned\n::stop-commands::x\n##[error]pwned\n%0A%25,:=",
    "अपॉइंटमेंट العربية 中文 👩🏽‍⚕️ e\u0301 \u200b\u200d\ufeff",
)

texts = st.one_of(
    st.text(alphabet=st.characters(), min_size=1, max_size=80),
    st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=4).map("".join),
    st.text(alphabet="<>&\"'`|*_[]()!#@:;%{}\\/=-~+.\n\r\t ax1", min_size=1, max_size=40),
)


def a_hostile_run(text: str, status: str = "failed", **fields: Any) -> ReportedRun:
    """A run that says `text` wherever a run has words."""
    talk: list[Line] = [
        AgentLine(turn=0, agent=text, text=text, components=[Card(kind="link", data={text: text})]),
        CallerLine(turn=1, text=text, said=text + "!", caller_slip=True),
        ToolLine(turn=1, agent=text, name=text, arguments={text: [text]}, result=text, source="mcp"),
        ToolLine(turn=1, agent=text, name="t", arguments=text, result={text: text}, source="webhook", reason="timeout"),
    ]
    checks = [
        CheckResult(check=NeverSays.model_construct(text=text), passed=False, detail=text, line=0, turn=0, quote=text),
        CheckResult(check=JudgeCheck.model_construct(question=text), passed=True, detail=text, line=1, votes=text),
    ]
    values: dict[str, Any] = {
        "id": text,
        "test": text,
        "agent": text,
        "variation": text,
        "variant": text,
        "tags": [text],
        "end_detail": text,
        "error": text,
        "file": text,
        "transcript": talk,
        "checks": checks,
        "scorecard": Scorecard(score=1, summary=text),
        "warnings": [text],
        "usage": [a_usage(provider=text, model=text)],
    }
    return a_run(status, **{**values, **fields})


def a_hostile_report(text: str) -> Report:
    """A report that says `text` wherever a report has words: a failed run, two repeats, one that did not start."""
    runs = [
        a_hostile_run(text),
        a_hostile_run(text, "error", variation=None, tags=[]),
        a_hostile_run(text, "passed", variation=None, repeat_index=1),
    ]
    return a_report(*runs, not_started=[not_started(text)], variant=text)
