"""Agents and tests as they are stored, told and changed."""

from __future__ import annotations

import contextlib
import json

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st
from tests.support.web_service import AGENT, TEST

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.server.bodies import read_object
from greenroom.server.content import from_store, keep_secrets, merge, read, reseal, to_store, told
from greenroom.server.etags import check_match
from greenroom.server.problems import ChangedSince, Invalid
from greenroom.server.security.passwords import check_password
from greenroom.server.security.vault import CannotOpen, Vault, new_secret_key

VAULT = Vault([Fernet.generate_key().decode()])


@given(st.dictionaries(st.text(max_size=10), st.text(min_size=8, max_size=30), max_size=4))
def test_what_is_stored_holds_no_secret_and_reads_back(headers: dict[str, str]) -> None:
    secret = {name: f"s3cret-{value}" for name, value in headers.items()}
    agent = Agent.model_validate(
        {**AGENT, "tools": [{"name": "t", "http": {"url": "https://e.com", "headers": secret}}]}
    )
    stored = to_store(agent, VAULT)
    assert "s3cret" not in json.dumps(stored)
    assert from_store(Agent, json.loads(json.dumps(stored)), VAULT) == agent
    assert "s3cret" not in json.dumps(told(agent))


def test_a_test_that_is_told_reads_back_to_the_same() -> None:
    test = read(Test, {**TEST, "tool_mocks": [{"tool": "x", "error": "no"}, {"tool": "x", "result": None}]})
    assert read(Test, told(test)).tool_mocks == test.tool_mocks


def test_what_looks_like_a_hidden_secret_elsewhere_is_data() -> None:
    agent = Agent.model_validate({**AGENT, "tools": [{"name": "t", "parameters": {"set": True}}]})
    assert keep_secrets({"tools": [{"name": "t", "parameters": {"set": True}}]}, agent) == {
        "tools": [{"name": "t", "parameters": {"set": True}}]
    }


def test_a_patch_replaces_lists_merges_objects_and_takes_out() -> None:
    before = read(Test, TEST)
    merged = merge(before, {"caller": {"language": "de"}, "tags": ["x"], "checks": None, "id": "ignored"})
    assert merged == {
        "name": "Moves a booking",
        "caller": {"persona": "Ravi, a regular.", "language": "de"},
        "tags": ["x"],
    }


def test_secrets_move_to_the_newest_key() -> None:
    old, new = new_secret_key(), new_secret_key()
    stored = to_store(Agent.model_validate(AGENT), Vault([old]))
    moved = reseal(stored, Vault([new, old]))
    assert from_store(Agent, moved, Vault([new])) == Agent.model_validate(AGENT)
    with pytest.raises(CannotOpen):
        from_store(Agent, stored, Vault([new]))


def test_a_vault_shows_no_key_and_takes_no_odd_one() -> None:
    key = new_secret_key()
    assert key not in repr(Vault([key]))
    with pytest.raises(UserMistake, match="no Fernet key"):
        Vault(["s3cret"])


@given(st.binary(max_size=200))
def test_any_body_is_an_object_or_refused(body: bytes) -> None:
    with contextlib.suppress(Invalid):
        assert isinstance(read_object(body), dict)


@pytest.mark.parametrize("if_match", [None, "*", '"3"', 'W/"3"', '"1", "3"'])
def test_a_state_that_was_seen_may_be_changed(if_match: str | None) -> None:
    check_match(if_match, 3)


@pytest.mark.parametrize("if_match", ['"2"', "3", "", 'W/"2"'])
def test_a_state_that_was_not_seen_may_not(if_match: str) -> None:
    with pytest.raises(ChangedSince):
        check_match(if_match, 3)


@pytest.mark.parametrize("password", ["short", "abababababab", "x" * 201])
def test_weak_passwords_are_refused(password: str) -> None:
    with pytest.raises(UserMistake):
        check_password(password)
