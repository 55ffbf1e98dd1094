"""Which recording the command line names."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.cli.taping import CassetteWish, read_cassette
from greenroom.model.errors import UserMistake

TAPE = Path("tape.json")


def test_each_option_says_what_is_done_with_the_recording() -> None:
    def read(**given: object) -> CassetteWish | None:
        return read_cassette(**{"record": None, "replay": None, "cassette": None, "mode": None, **given})  # type: ignore[arg-type]

    assert read() is None
    assert read(record=TAPE) == CassetteWish(TAPE, "record", "--record")
    assert read(replay=TAPE) == CassetteWish(TAPE, "replay", "--replay")
    assert read(cassette=TAPE) == CassetteWish(TAPE, "auto", "--cassette")
    assert read(cassette=TAPE, mode="replay") == CassetteWish(TAPE, "replay", "--cassette")


def test_options_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(UserMistake, match="exclude each other"):
        read_cassette(record=TAPE, replay=TAPE, cassette=None, mode=None)
    with pytest.raises(UserMistake, match="goes with --cassette"):
        read_cassette(record=TAPE, replay=None, cassette=None, mode="auto")


def test_a_key_is_needed_up_front_only_where_somebody_is_asked_for_sure(tmp_path: Path) -> None:
    there = tmp_path / "tape.json"
    there.touch()
    assert CassetteWish(TAPE, "replay", "--replay").may_answer
    assert not CassetteWish(there, "record", "--record").may_answer
    assert CassetteWish(there, "auto", "--cassette").may_answer
    assert not CassetteWish(tmp_path / "none.json", "auto", "--cassette").may_answer
