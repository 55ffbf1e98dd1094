"""The table of settings in the documentation is that of the code."""

from __future__ import annotations

from scripts.write_settings import DOCUMENT, PREFIX, with_table
from tests.support.fenced_blocks import ROOT

from greenroom.server.settings import Settings


def test_the_docs_hold_every_setting_as_the_code_has_it() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")

    assert with_table(text) == text, "run `make settings`"


def test_every_setting_says_what_it_is() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, f"{name} has no description"
        assert field.description.endswith((".", "`")), f"the description of {name} is no sentence"


def test_no_page_names_a_setting_that_there_is_not() -> None:
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    named = {word.strip("`=.,;") for word in page.replace("=", " ").split() if word.strip("`").startswith(PREFIX)}

    assert named
    assert {word.partition("`")[0] for word in named} <= known
