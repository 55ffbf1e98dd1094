"""A talk as people read it: who said what, what was called, what the agent's replies rest on."""

from __future__ import annotations

import json

from nicegui import ui

from greenroom.model.base import Json
from greenroom.model.run import AgentLine, CallerLine, Line, Run, ToolLine
from greenroom.report.describe import agent_notes, caller_notes, describe_call, describe_source

_LONGEST = 20_000


class Talk:
    """A talk on a page that grows as it is played. `show` may be told the same run again: only what is new is drawn."""

    def __init__(self) -> None:
        self._list = ui.element("ol").classes("gr-talk").props('aria-label="The talk" aria-live="polite"')
        self._drawn: list[Line] = []
        self._elements: list[ui.element] = []

    def show(self, run: Run) -> None:
        """Bring the page up to the run as it stands."""
        for index, line in enumerate(run.transcript):
            if index < len(self._drawn):
                if self._drawn[index] != line:
                    self._elements[index].clear()
                    with self._elements[index]:
                        _line(line, run)
                    self._drawn[index] = line
                continue
            with self._list:
                side = {"agent": "gr-line-agent", "caller": "gr-line-caller", "tool": "gr-line-tool"}[line.role]
                made = ui.element("li").classes(f"gr-line {side}").props(f'id="{anchor(index)}" tabindex="-1"')
            with made:
                _line(line, run)
            self._drawn.append(line)
            self._elements.append(made)
        for index, broken in broken_lines(run).items():
            if index < len(self._elements):
                self._elements[index].classes("gr-line-broken").props(f'aria-description="{broken} broke here"')

    def __len__(self) -> int:
        return len(self._drawn)


def anchor(index: int) -> str:
    """What a line is called in the page's addresses."""
    return f"line-{index}"


def broken_lines(run: Run) -> dict[int, str]:
    """The lines that checks which did not hold rest on, with the check's type."""
    return {
        result.line: result.check.type for result in run.checks if result.passed is False and result.line is not None
    }


def jump(index: int) -> str:
    """JavaScript that brings a line into sight and marks it for a moment."""
    return (
        f"const line = document.getElementById('{anchor(index)}');"
        "if (line) { line.scrollIntoView({block: 'center'}); line.focus({preventScroll: true});"
        "line.classList.add('gr-shown'); setTimeout(() => line.classList.remove('gr-shown'), 2500); }"
    )


def _line(line: Line, run: Run) -> None:
    match line:
        case AgentLine():
            several = len({each.agent for each in run.transcript if isinstance(each, AgentLine)}) > 1
            who = f"Agent · {line.agent}" if several else "Agent"
            _head(who, line, *agent_notes(line), timing=line.latency_ms)
            ui.label(_bounded(line.text)).classes("gr-words")
            for card in line.components:
                ui.label(f"card: {card.kind.replace('_', ' ')}").classes("gr-status gr-running")
        case CallerLine():
            _head("Caller", line, *caller_notes(line))
            ui.label(_bounded(line.text)).classes("gr-words")
        case ToolLine():
            _head("Tool", line, describe_source(line))
            with ui.element("details"):
                with ui.element("summary"):
                    ui.label(describe_call(line)).classes("gr-inline")
                ui.label("Arguments").classes("gr-quiet")
                _json(line.arguments)
                ui.label("Result").classes("gr-quiet")
                _json(line.result)


def _head(who: str, line: Line, *notes: str, timing: int | None = None) -> None:
    with ui.element("div").classes("gr-line-head"):
        ui.label(who).classes("gr-who")
        ui.label(f"turn {line.turn}")
        ui.label(f"{line.at_ms / 1000:.1f} s")
        if timing is not None:
            ui.label(f"waited {timing} ms")
        for note in notes:
            ui.label(note).classes("gr-status gr-error" if note == "backup brain" else "gr-note")


def _json(value: Json) -> None:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    ui.label(_bounded(written)).classes("gr-code")


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters in all: download the run)"
