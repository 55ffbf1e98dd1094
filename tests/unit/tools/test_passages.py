"""Cutting documents into passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.tools.passages import LONGEST, SHORTEST, split

PIECES = st.sampled_from(
    ["word ", "Sentence ends. ", "नमस्ते। ", "你好。", "\n", "\n\n", "x" * 950, "é", "👩‍👩‍👧", "สวัสดี", " \r\n\r\n "]
)


@given(st.lists(PIECES, max_size=400).map("".join) | st.text(max_size=3000))
def test_nothing_is_lost_and_no_passage_is_too_long(text: str) -> None:
    passages = split(text)
    assert "".join(passages) == text
    assert all(0 < len(passage) <= LONGEST for passage in passages)


def test_a_passage_ends_where_a_paragraph_does() -> None:
    paragraphs = [f"{'All about it. ' * 30}".strip() for _ in range(6)]
    assert [passage.strip() for passage in split("\n\n".join(paragraphs))] == [
        "\n\n".join(paragraphs[place : place + 2]) for place in range(0, 6, 2)
    ]


@pytest.mark.parametrize("end", [". ", "। ", "。", "؟ ", '!" ', "…\n"])
def test_a_long_paragraph_ends_with_a_sentence(end: str) -> None:
    sentence = "абв" * 30 + end
    passages = split(sentence * 40)
    assert len(passages) > 1
    assert all(passage.endswith(end) for passage in passages)
    assert all(len(passage) >= SHORTEST for passage in passages[:-1])


def test_a_text_without_any_end_is_cut_between_characters() -> None:
    assert all(not passage.startswith("\u0301") for passage in split("e\u0301" * 2000))
    assert all(passage.startswith("👩") for passage in split("👩‍👩‍👧" * 400))


def test_a_short_text_is_one_passage_and_an_empty_one_none() -> None:
    assert split("Open from nine.") == ["Open from nine."]
    assert split("") == []
