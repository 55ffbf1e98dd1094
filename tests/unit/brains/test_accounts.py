"""Accounts: where a key comes from, and that it never shows."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from greenroom.brains.accounts import Account, find_account
from greenroom.model.llm import Credential, Llm

KEY = "sk-proj-abcdef0123456789"


def test_a_key_never_shows_in_a_repr() -> None:
    account = find_account(Llm(model="openai:m"), {}, {"OPENAI_API_KEY": KEY})
    assert account.key == KEY
    assert KEY not in repr(account)


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key provided: sk-proj-ab**********6789.",
        "bad AIzaSyA-1234567890abc here",
        "header Bearer abc.def.ghi was refused",
        "key gsk_0123456789abcdef",
    ],
)
def test_what_looks_like_a_key_is_scrubbed(said: str) -> None:
    scrubbed = Account("openai", "m", KEY, None, None, None).scrub(said)
    assert "***" in scrubbed
    for part in ("abcdef0123456789", "6789", "1234567890", "abc.def", "0123456789"):
        assert part not in scrubbed


def test_a_key_of_any_shape_is_scrubbed() -> None:
    assert Account("x", "m", "hunter2!", None, None, None).scrub("no hunter2! here") == "no *** here"


def test_words_are_left_alone() -> None:
    said = "The key-value store and the pk_ field are fine, ask Bearer."
    assert "store and the pk_ field are fine" in Account("x", "m", None, None, None, None).scrub(said)


def test_the_models_own_address_goes_before_the_credentials_and_the_environments() -> None:
    environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://environment/v1"}
    credentials = {"main": Credential(api_key=SecretStr("k"), base_url="http://credential/v1")}
    of_environment = Llm(model="openai:m")
    of_credential = Llm(model="openai:m", credential="main")
    of_model = Llm(model="openai:m", credential="main", base_url="http://model/v1")
    found = [find_account(llm, credentials, environ).base_url for llm in (of_environment, of_credential, of_model)]
    assert found == ["http://environment/v1", "http://credential/v1", "http://model/v1"]


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://host:11434", "http://host:11434/v1"),
        ("http://host:11434/", "http://host:11434/v1"),
        ("http://host:11434/v1", "http://host:11434/v1"),
        (None, "http://localhost:11434/v1"),
    ],
)
def test_ollama_is_asked_at_its_openai_shaped_address(given: str | None, used: str) -> None:
    assert find_account(Llm(model="ollama:m", base_url=given), {}, {}).base_url == used


@pytest.mark.parametrize("alias", ["gemini", "google-gla", "google"])
def test_gemini_goes_by_several_names(alias: str) -> None:
    account = find_account(Llm(model=f"{alias}:m"), {}, {"GEMINI_API_KEY": "k"})
    assert (account.provider, account.key) == ("google", "k")
