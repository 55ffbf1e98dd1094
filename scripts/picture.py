"""Draw `docs/images/run.svg`: what `greenroom demo` prints, as a picture for the README.

python scripts/picture.py
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import regex
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS = 100
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "run.svg"
LIGHT = TerminalTheme(
    background=(255, 255, 255),
    foreground=(36, 41, 47),
    normal=[
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (154, 103, 0),
        (9, 105, 218),
        (130, 80, 223),
        (27, 124, 131),
        (110, 119, 129),
    ],
    bright=[
        (87, 96, 106),
        (164, 14, 38),
        (26, 127, 55),
        (125, 78, 0),
        (33, 139, 255),
        (163, 90, 247),
        (49, 146, 170),
        (140, 149, 159),
    ],
)
# A picture in a README must not fetch a font from elsewhere, and looks right in any font of fixed width.
_FONT_FACES = regex.compile(r"@font-face\s*\{[^}]*\}\s*")
_FONT = regex.compile(r"font-family:\s*Fira Code, monospace")
_BORDER = 'stroke="rgba(255,255,255,0.35)"'
# On a terminal these lines make room for the table once all runs are over.
_PROGRESS = regex.compile(r"^.*\[\d+/\d+\].*\n", regex.MULTILINE)
_BLANK_LINES = regex.compile(r"\n{3,}")
_MONOSPACE = "font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def record_demo() -> str:
    """What the demo leaves on a terminal, in colour.

    Raises:
        RuntimeError: it did not end as a demo does.
    """
    environment = os.environ | {
        "COLUMNS": str(COLUMNS),
        "TERM": "xterm-256color",
        "TTY_COMPATIBLE": "1",
        "TTY_INTERACTIVE": "0",
        "PYTHONIOENCODING": "utf-8",
    }
    environment.pop("NO_COLOR", None)
    program = Path(sys.executable).with_name("greenroom")
    ended = subprocess.run([program, "demo"], env=environment, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1) or not ended.stdout.strip():
        raise RuntimeError(f"greenroom demo ended with {ended.returncode}: {ended.stderr}")
    return _BLANK_LINES.sub("\n\n", _PROGRESS.sub("", ended.stdout))


def draw(printed: str) -> str:
    """The SVG of a terminal that shows `printed`."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text("$ make demo", style="bold"))
    console.print(Text.from_ansi(printed.rstrip()))
    drawn = console.export_svg(title="greenroom demo", theme=LIGHT, unique_id="greenroom")
    drawn = _FONT.sub(_MONOSPACE, _FONT_FACES.sub("", drawn)).replace(_BORDER, 'stroke="#d0d7de"')
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(draw(record_demo()), encoding="utf-8")
    print(f"Drawn: {PICTURE}")
