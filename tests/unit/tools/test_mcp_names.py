"""The names under which an agent sees MCP tools."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from greenroom.tools.mcp_names import offered_name

SERVERS = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,31}", fullmatch=True)


def test_an_ordinary_name_is_server_and_tool() -> None:
    assert offered_name("crm", "find-order_2") == "crm__find-order_2"


@given(SERVERS, st.lists(st.text(max_size=200), unique=True, max_size=8))
def test_every_name_is_valid_for_every_provider_and_its_own(server: str, tools: list[str]) -> None:
    names: list[str] = []
    for tool in tools:
        names.append(offered_name(server, tool, names))
    assert all(regex.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
    assert len(set(names)) == len(tools)
    assert all(name.startswith(f"{server}__") for name in names)


@given(SERVERS, st.text(max_size=200))
def test_a_tool_has_the_same_name_each_time(server: str, tool: str) -> None:
    assert offered_name(server, tool) == offered_name(server, tool)


def test_names_that_differ_only_in_what_is_invalid_stay_apart() -> None:
    assert offered_name("crm", "a.b") != offered_name("crm", "a/b")


def test_a_name_that_is_taken_gets_another() -> None:
    assert offered_name("a", "b__c", {"a__b__c"}).startswith("a__b__c_")
