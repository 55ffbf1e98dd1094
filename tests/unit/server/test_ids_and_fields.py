"""Ids, field names, tokens and scopes."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.errors import UserMistake
from greenroom.server.database.ids import is_id, make_id, new_id
from greenroom.server.fields import field_name
from greenroom.server.paging import cursor_for, read_cursor
from greenroom.server.problems import Invalid
from greenroom.server.security.scopes import ALL_SCOPES, SCOPES_OF, Role, Scope, in_order, read_scopes
from greenroom.server.security.tokens import digest, new_token, visible_prefix


@given(st.integers(0, 2**48 - 2), st.binary(min_size=10, max_size=10), st.binary(min_size=10, max_size=10))
def test_an_id_of_a_later_millisecond_sorts_after(time: int, one: bytes, other: bytes) -> None:
    assert make_id("agt", time, one) < make_id("agt", time + 1, other)


def test_ids_are_known_by_their_form() -> None:
    assert is_id(new_id("agt"), "agt")
    assert not is_id(new_id("agt"), "tst")
    for odd in ("", "agt_", "agt_x", new_id("agt") + "\n", new_id("agt").upper(), "agt_" + "i" * 26):
        assert not is_id(odd, "agt")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ((), None),
        (("checks", 2, "text"), "checks[2].text"),
        (("variables", "my name"), 'variables["my name"]'),
        (("variables", 'a"b'), 'variables["a\\"b"]'),
    ],
)
def test_a_field_is_named_by_its_path(path: tuple[str | int, ...], name: str | None) -> None:
    assert field_name(path) == name


def test_a_cursor_leads_back_to_its_item() -> None:
    last = new_id("run")
    cursor = cursor_for(last)
    assert cursor is not None
    assert read_cursor(cursor) == last


@given(st.text(max_size=50))
def test_any_text_as_a_cursor_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Invalid):
        assert read_cursor(text).isprintable()


def test_tokens_differ_and_show_only_their_beginning() -> None:
    one, other = new_token("gr_"), new_token("gr_")
    assert one != other
    assert digest(one) != digest(other)
    assert one.startswith(visible_prefix(one))
    assert len(visible_prefix(one)) == 9


def test_scopes_are_read_by_name_and_alias() -> None:
    assert read_scopes(["all"]) == ALL_SCOPES
    assert read_scopes([" tests:run ", "agents.view"]) == {Scope.TESTS_RUN, Scope.AGENTS_READ, Scope.TESTS_READ}
    assert in_order(reversed([*Scope])) == [*Scope]
    with pytest.raises(UserMistake, match="did you mean `tests:run`"):
        read_scopes(["test:run"])
    with pytest.raises(UserMistake, match="at least one scope"):
        read_scopes([])


def test_each_role_may_do_more_than_the_one_before() -> None:
    assert SCOPES_OF[Role.VIEWER] < SCOPES_OF[Role.EDITOR] < SCOPES_OF[Role.ADMIN]
