"""Paths into an answer, and its shape in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.base import Json
from greenroom.remote.paths import NotThere, find, get, shape

ANSWER: Json = {"a": {"b": [{"c": "x"}, {"c": "y"}], "0": "zero"}, "n": None, "e": []}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b.0.c", "x"),
        ("a.b.-1.c", "y"),
        ("a.0", "zero"),
        ("n", None),
        ("$", ANSWER),
        ("$.a.0", "zero"),
    ],
)
def test_a_path_leads_by_names_and_indexes(path: str, value: Json) -> None:
    assert find(ANSWER, path) == value


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("x", "its answer is an object with `a`, `n`, `e`"),
        ("a.x", "its answer is an object with `a`, `n`, `e`, where `a` is an object with `b`, `0`"),
        ("a.b.2", "where `a.b` is a list of 2"),
        ("a.b.-3", "where `a.b` is a list of 2"),
        ("a.b.c", "where `a.b` is a list of 2"),
        ("a.b.0.c.d", "where `a.b.0.c` is text"),
        ("n.x", "where `n` is null"),
        ("e.0", "where `e` is an empty list"),
        ("a.b.99999999999999999999", "where `a.b` is a list of 2"),
    ],
)
def test_a_path_that_leads_nowhere_tells_what_is_there_by_names_and_kinds(path: str, words: str) -> None:
    with pytest.raises(NotThere) as missing:
        find(ANSWER, path)
    assert words in str(missing.value)
    assert get(ANSWER, path) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, "an empty object"),
        ({f"k{number}": 1 for number in range(12)}, "`k9` and 2 more"),
        ({"k" * 100: 1}, "…`"),
        ("", "an empty text"),
        (True, "true or false"),
        (1.5, "a number"),
    ],
)
def test_a_shape_has_no_contents(value: Json, words: str) -> None:
    assert words in shape(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


@given(JSON, st.lists(st.text(st.characters(exclude_characters="."), min_size=1), min_size=1).map(".".join))
def test_any_path_into_any_answer_leads_somewhere_or_says_that_it_does_not(answer: Json, path: str) -> None:
    found = get(answer, path)
    if found is not None:
        assert find(answer, path) == found
    elif _is_there(answer, path):
        assert find(answer, path) is None
    else:
        with pytest.raises(NotThere, match="its answer is"):
            find(answer, path)


def _is_there(answer: Json, path: str) -> bool:
    try:
        find(answer, path)
    except NotThere:
        return False
    return True
