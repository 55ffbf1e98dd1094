"""Fill the page's templates."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.report.files import write_file
from greenroom.report.html.views import page_of
from greenroom.report.printable import printable
from greenroom.report.results import Report

if TYPE_CHECKING:
    from jinja2 import Environment

_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def html_page(report: Report) -> str:
    """The report as one HTML page that stands by itself: it fetches nothing, and its content security policy lets
    nothing run but its own script. All text in it is shown as text, with control characters made visible."""
    style, script = _part("style.css"), _part("script.js")
    template = _environment().get_template("page.html")
    page = page_of(report)
    return template.render(page=page, style=style, script=script, policy=_policy(style, script)) + "\n"


def write_html(report: Report, path: Path) -> None:
    """Write the report to `path`.

    Raises:
        UserMistake: it could not be written.
    """
    write_file(path, html_page(report))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from jinja2.ext import Extension

    class WithoutIndents(Extension):
        """Takes the indents out of the templates: a big report would be a third of them."""

        def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's signature
            return _INDENT.sub("", source)

    return Environment(
        loader=PackageLoader("greenroom.report.html", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        extensions=[WithoutIndents],
    )


def _shown(value: object) -> object:
    # Every value of every template passes here, so that no control character reaches a page. Markup is a str of a
    # type of its own, made by the templates themselves, and stays as it is.
    return printable(value) if type(value) is str else value


@cache
def _part(name: str) -> str:
    """The page's style or script, as it stands in the page: without the comments and indents that only developers
    read."""
    source = (files("greenroom.report.html") / "templates" / name).read_text(encoding="utf-8")
    return "\n".join(line for line in _INDENT.sub("", _COMMENT.sub("", source)).splitlines() if line)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
