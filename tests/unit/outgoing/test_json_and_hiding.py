"""What an answer from outside becomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.base import Json
from greenroom.outgoing.hiding import header_secrets, hide, secret_forms, setting_secrets
from greenroom.outgoing.json_text import read_json, write_json


@pytest.mark.parametrize(
    "body", ["", "{", "NaN", "[Infinity]", "1e999", "[" * 200 + "]" * 200, "[" * 50_000, b"\xff\xfe\xfd"]
)
def test_what_is_not_plain_json_is_refused(body: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(body)


def test_what_cannot_be_stored_is_replaced() -> None:
    assert read_json('{"a\\u0000": "\\ud83d", "b": ["ok \\ud83d\\ude00"]}') == {"a�": "�", "b": ["ok 😀"]}


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
        lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
        max_leaves=20,
    )
)
def test_what_is_written_is_ascii_and_read_as_it_was(value: Json) -> None:
    text = write_json(value)
    assert text.isascii()
    assert read_json(text) == value


def test_secrets_are_hidden_wherever_they_are_repeated() -> None:
    secrets = header_secrets([("Authorization", "Bearer abcdef123"), ("Content-Type", "application/json")])
    repeated: Json = {"you sent abcdef123": ["Bearer abcdef123", {"x": "application/json", "n": 1}]}
    assert hide(repeated, secrets) == {"you sent [hidden]": ["[hidden]", {"x": "application/json", "n": 1}]}


def test_a_setting_is_a_secret_by_its_name_or_its_looks() -> None:
    settings = {
        "LOG_LEVEL": "warning",
        "AUTHOR": "Somebody Else",
        "FOLDER": "/home/anna/documents",
        "API_KEY": "letmein",
        "DATABASE_URL": "postgres://anna:letmein@db/shop",
        "PLAIN": "sk-a1b2c3d4e5f6g7h8",
    }
    assert setting_secrets(settings.items()) == {settings["API_KEY"], settings["DATABASE_URL"], settings["PLAIN"]}


def test_a_word_too_short_to_be_a_secret_is_left_alone() -> None:
    assert hide("yes", secret_forms(["yes"])) == "yes"
