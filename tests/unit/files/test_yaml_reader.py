"""YAML as it is read: values, anchors, places, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.files.mistakes import Ledger, Place
from greenroom.files.nodes import Node, place_at, plain
from greenroom.files.yaml_reader import MAX_DEPTH, read_yaml, resolve
from greenroom.model.base import Json

FILE = Path("case.yaml")


def read(text: str) -> tuple[Node | None, list[str]]:
    ledger = Ledger()
    node = read_yaml(text, FILE, ledger)
    return node, [str(mistake).removeprefix("case.yaml:") for mistake in ledger.mistakes]


def value_of(text: str) -> Json:
    node, mistakes = read(text)
    assert node is not None
    assert mistakes == []
    return plain(node)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("12", 12),
        ("-3", -3),
        ("0", 0),
        ("4.50", 4.5),
        ("1e3", 1000.0),
        ("-0.5", -0.5),
    ],
)
def test_a_plain_value_is_read_as_json_reads_it(written: str, value: Json) -> None:
    assert value_of(f"x: {written}\n") == {"x": value}
    assert type(resolve(written)) is type(value)


@pytest.mark.parametrize(
    "written",
    ["yes", "no", "on", "007", "0612345678", "+15550100", "1_000", "0x1F", "0o17", ".5", "5.", ".inf", "2026-03-01"],
)
def test_what_only_looks_like_a_value_stays_text_as_it_is_written(written: str) -> None:
    assert value_of(f"x: {written}\n") == {"x": written}


def test_numbers_that_no_machine_reads_stay_text() -> None:
    endless = "9" * 5000
    assert value_of(f"x: {endless}\ny: 1e999\n") == {"x": endless, "y": "1e999"}


def test_anchors_aliases_and_merge_keys_work() -> None:
    text = "x-base: &base {day: Monday, time: ten}\na: *base\nb: {<<: *base, day: Friday}\nc: {<<: [*base, {e: 1}]}\n"
    assert value_of(text) == {
        "x-base": {"day": "Monday", "time": "ten"},
        "a": {"day": "Monday", "time": "ten"},
        "b": {"day": "Friday", "time": "ten"},
        "c": {"day": "Monday", "time": "ten", "e": 1},
    }


def test_a_merge_of_what_is_no_mapping_is_a_mistake() -> None:
    assert read("a: {<<: 3}\n")[1] == ["1:5: `<<` takes a mapping, for example `<<: *defaults`"]


def test_an_alias_inside_its_own_anchor_is_a_mistake() -> None:
    assert read("a: &loop [1, *loop]\n")[1] == ["1:14: `*loop` stands inside its own `&loop`: write the value out"]


def test_aliases_of_aliases_cannot_blow_a_file_up() -> None:
    lines = ["l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 12)]
    node, [mistake] = read("\n".join(lines))
    assert node is None
    assert mistake.startswith("6:")
    assert mistake.endswith("the file unfolds to more than 200,000 values here: use fewer aliases")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused_before_it_costs_anything(opening: str) -> None:
    node, [mistake] = read(opening * 100_000)
    assert node is None
    assert mistake.endswith(f"this is nested more than {MAX_DEPTH} deep: make it flatter")


def test_an_escaped_pair_is_one_character_and_half_of_one_is_a_mistake() -> None:
    assert value_of('x: "\\ud83d\\ude00"\n') == {"x": "😀"}
    assert len(read('x: "\\ud83d"\n')[1]) == 1
    assert len(read('x: "a\\0b"\n')[1]) == 1


def test_tags_have_no_meaning_but_text() -> None:
    assert value_of("x: !!str 12\n") == {"x": "12"}
    assert read("x: !!int '12'\n")[1] == ["1:4: the tag `!!int` has no meaning here: take it out"]
    assert read("x: !y [1]\n")[1] == ["1:4: the tag `!y` has no meaning here: take it out"]


def test_a_placeholder_without_quotes_is_told_once() -> None:
    [told] = read("a: 1\nprompt: {{company}}, this is Maya\n")[1]
    assert told.startswith("2:10: a name cannot be a list or a mapping")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x: @foo\n", "1:4: text cannot start with this character: put it in quotes"),
        ("x: `foo`\n", "1:4: text cannot start with this character: put it in quotes"),
        ("x: ]\n", "1:4: text cannot start with this character: put it in quotes"),
        ('x: "\\q"\n', "1:6: this `\\` escape is unknown: write `\\\\` for a backslash, or use single quotes"),
        ("x: - b\n", "1:4: a `- ` item cannot start here: put it on a line of its own, indented under its field"),
        ("x: |y\n  a\n", "1:5: after `|` or `>` the text starts on the next line, indented under its field"),
        (
            "x: 'it's'\n",
            "1:8: text goes on after the closing quote: quote all of it, and double a quote inside (`'it''s'`)",
        ),
        ("x: !<foo\n", "1:9: `!` starts a tag: put the text in quotes if it is plain text"),
        ("x: &\n", "1:5: `&` and `*` start an anchor or alias: put the text in quotes if it is plain text"),
    ],
)
def test_what_is_no_yaml_is_told_in_plain_words(text: str, told: str) -> None:
    node, mistakes = read(text)
    assert node is None
    assert mistakes == [told]


def test_places_count_characters_not_bytes() -> None:
    node, _ = read('नमस्ते: {"😀": [1, two]}\n')
    assert node is not None
    assert place_at(node, ("नमस्ते", "😀", 1)) == Place(FILE, 1, 19)
    assert place_at(node, ("नमस्ते", "😀"), of_key=True) == Place(FILE, 1, 10)


def test_a_place_that_is_not_there_is_that_of_its_parent() -> None:
    node, _ = read("a:\n  b: [1]\n")
    assert node is not None
    assert place_at(node, ("a", "c")) == place_at(node, ("a",)) == Place(FILE, 2, 3)
    assert place_at(node, ("a", "b", 7)) == Place(FILE, 2, 6)


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs", "Cc"]), max_size=20)
_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(_VALUES)
def test_every_json_text_is_read_as_json_reads_it(value: Json) -> None:
    text = json.dumps({"x": value})
    assert value_of(text) == json.loads(text)


@given(st.text(max_size=60))
def test_no_text_is_too_strange_to_be_read_or_refused(text: str) -> None:
    node, mistakes = read(text.replace("\0", "").encode("utf-8", "replace").decode())
    assert node is not None or mistakes
