"""What the command line of an import gives."""

from __future__ import annotations

import pytest

from greenroom.cli.importing import not_carried_table, read_tools
from greenroom.importers import NotCarried
from greenroom.model.errors import UserMistake
from greenroom.report.junit import plain_text


def test_tools_are_named_by_their_ids() -> None:
    assert read_tools(["tool_01=book_table", " a = b=c "]) == {"tool_01": "book_table", "a": "b=c"}


@pytest.mark.parametrize("written", ["tool", "=x", "x=", " = "])
def test_what_names_no_tool_is_refused(written: str) -> None:
    with pytest.raises(UserMistake, match="write ID=NAME"):
        read_tools([written])


def test_what_was_lost_is_shown_with_its_place_up_to_a_number() -> None:
    entries = [NotCarried(f"tests[{number}]", "`x`", "\x1b[31mwhy", times=2) for number in range(60)]
    shown = plain_text(not_carried_table(entries))
    assert "tests[0]" in shown
    assert "(2 times)" in shown
    assert "␛[31mwhy" in shown
    assert "and 10 more" in shown
    assert "tests[59]" not in shown
