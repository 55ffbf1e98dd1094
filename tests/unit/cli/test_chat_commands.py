"""What is said and what is a command in the middle of a talk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.cli.asking import picked
from greenroom.cli.chat_commands import COMMANDS, Command, read_command


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/save", Command("save")),
        ("/save Moves a booking", Command("save", "Moves a booking")),
        ("  /SAVE   --reply  The  price ", Command("save", "The price", as_reply=True)),
        ("/save The price --reply", Command("save", "The price", as_reply=True)),
        ("/undo", Command("undo")),
        ("/exit", Command("quit")),
        ("/?", Command("help")),
    ],
)
def test_commands_are_read(line: str, command: Command) -> None:
    assert read_command(line) == command


@pytest.mark.parametrize(
    ("line", "words"), [("Hello.", "Hello."), (" 1/2 of it ", "1/2 of it"), ("//quit", "/quit"), ("", "")]
)
def test_anything_else_is_said(line: str, words: str) -> None:
    assert read_command(line) == words


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("/sav", "did you mean /save?"),
        ("/xyzzy", "/help lists those that there are."),
        ("/undo twice", "leave out `twice`"),
        ("/save --loud", "/save has no `--loud`"),
        ("/", "There is no command /;"),
    ],
)
def test_what_cannot_be_obeyed_says_why(line: str, sentence: str) -> None:
    command = read_command(line)
    assert isinstance(command, Command)
    assert sentence in command.problem


@given(st.text(max_size=40))
def test_any_line_is_said_or_a_known_command(line: str) -> None:
    command = read_command(line)
    assert isinstance(command, str) or command.name in COMMANDS


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ("", [0, 1, 2, 3]),
        ("all", [0, 1, 2, 3]),
        ("0", []),
        ("none", []),
        ("2", [1]),
        ("1,3-4", [0, 2, 3]),
        ("4 1 4", [0, 3]),
        ("5", None),
        ("3-1", None),
        ("two", None),
        ("1-", None),
        ("-1", None),
        ("²", None),
    ],
)
def test_numbers_pick_from_a_list(answer: str, chosen: list[int] | None) -> None:
    assert picked(answer, 4) == chosen


@given(st.text(max_size=12), st.integers(1, 9))
def test_whatever_is_answered_picks_what_there_is_or_nothing(answer: str, count: int) -> None:
    chosen = picked(answer, count)
    assert chosen is None or (chosen == sorted(set(chosen)) and all(0 <= index < count for index in chosen))
