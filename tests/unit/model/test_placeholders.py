"""Places in what is sent to a remote agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.base import Json
from greenroom.model.placeholders import UnknownPlace, fill, fill_text, misnamed, places

VALUES: dict[str, Json] = {
    "message": "Hi {{prompt}}",
    "messages": [{"role": "user", "content": "Hi"}],
    "session_id": 7,
    "prompt": "Be kind.",
    "variables": {"day": "Monday", "größe": "XL"},
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{{session_id}}", 7),
        (" {{ session_id }} ", 7),
        ("id-{{session_id}}", "id-7"),
        ("{{messages}}", [{"role": "user", "content": "Hi"}]),
        ("All: {{messages}}", 'All: [{"role":"user","content":"Hi"}]'),
        ("{{variables}}", {"day": "Monday", "größe": "XL"}),
        ("{{variables.day}} {{variables.größe}}", "Monday XL"),
        ("{{message}}", "Hi {{prompt}}"),
        ({"a": ["{{variables.day}}", 1, None]}, {"a": ["Monday", 1, None]}),
        ("{day} {{{}}} {{#each x}} {{a b}}", "{day} {{{}}} {{#each x}} {{a b}}"),
    ],
)
def test_a_place_takes_its_value_once(template: Json, filled: Json) -> None:
    assert fill(template, VALUES) == filled


@pytest.mark.parametrize("template", ["{{variables.night}}", {"a": ["x {{variables.night}}"]}])
def test_a_place_without_a_value_is_told(template: Json) -> None:
    with pytest.raises(UnknownPlace, match=r"^night$"):
        fill(template, VALUES)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{company}}", "`{{company}}` is not known here: write one of `{{message}}`"),
        ({"a": [{"b": "{{ mesage }}"}]}, "or `{{variables.mesage}}` for a variable"),
        ("{{variables.a.b}}", "`{{variables.a.b}}` is not known here"),
        ("{{prompt.x}}", "`{{prompt.x}}` is not known here"),
        ("{{variables.x}} {{messages}} {x} {{", None),
    ],
)
def test_a_misspelled_place_is_told_with_what_may_stand_there(template: Json, words: str | None) -> None:
    problem = misnamed(template)
    assert (problem is None) if words is None else (words in str(problem))


def test_a_value_takes_the_form_of_its_surroundings() -> None:
    assert fill_text("/{{variables.day}}/{{session_id}}", VALUES, lambda text: text.upper()) == "/MONDAY/7"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=15,
    )
)
def test_what_has_no_places_stays_as_it_is(value: Json) -> None:
    if not list(places(value)):
        assert fill(value, {}) == value


@given(st.text())
def test_words_are_never_filled_in_themselves(words: str) -> None:
    assert fill(["{{message}}", "{{message}}!"], {"message": words}) == [words, f"{words}!"]
