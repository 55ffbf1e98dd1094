"""Tokens counted from text, and prices."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.brains.prices import Counted, cost_of
from greenroom.brains.tokens import estimate_tokens

MILLION = Counted(input_tokens=1_000_000, output_tokens=1_000_000)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("Four letters make a token, about.", 9),
        ("您好，我想预约", 7),
        ("नमस्ते", 3),
        ("Привет", 3),
        ("🙂🙂", 2),
    ],
)
def test_tokens_follow_the_script_of_the_text(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(one=st.text(), other=st.text())
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= together
    assert together <= estimate_tokens(one) + estimate_tokens(other)


@given(text=st.text(min_size=1))
def test_text_is_at_least_one_token_and_at_most_one_a_character(text: str) -> None:
    assert 1 <= estimate_tokens(text) <= len(text)


@pytest.mark.parametrize(
    ("provider", "model", "dollars"),
    [("openai", "gpt-4.1-mini", "2"), ("anthropic", "claude-haiku-4-5", "6"), ("google", "gemini-2.5-flash", "2.8")],
)
def test_a_known_model_has_its_price(provider: str, model: str, dollars: str) -> None:
    assert cost_of(provider, (model,), None, MILLION) == Decimal(dollars)


def test_cached_tokens_are_cheaper() -> None:
    cached = Counted(input_tokens=1_000_000, output_tokens=1_000_000, cache_read_tokens=900_000)
    dear, cheap = (cost_of("openai", ("gpt-4.1-mini",), None, counted) for counted in (MILLION, cached))
    assert dear is not None
    assert cheap is not None
    assert Decimal(0) < cheap < dear


def test_the_model_that_answered_is_looked_up_where_the_one_asked_is_not_known() -> None:
    assert cost_of("openai", ("my-alias", "gpt-4.1-mini-2025-04-14"), None, MILLION) == 2


@pytest.mark.parametrize("provider", ["scripted", "ollama"])
def test_what_runs_at_home_is_free(provider: str) -> None:
    assert cost_of(provider, ("anything",), None, MILLION) == 0


@pytest.mark.parametrize(
    ("provider", "model", "base_url"),
    [
        ("openai", "no-such-model", None),
        ("no-such-provider", "gpt-4.1-mini", None),
        ("openai-compatible", "gpt-4.1-mini", "http://127.0.0.1:8000/v1"),
        ("openai-compatible", "gpt-4.1-mini", "https://models.example.com/v1"),
        ("openai-compatible", "gpt-4.1-mini", None),
    ],
)
def test_an_unknown_price_is_not_nothing(provider: str, model: str, base_url: str | None) -> None:
    assert cost_of(provider, (model,), base_url, MILLION) is None


def test_a_compatible_address_of_a_known_provider_has_its_price() -> None:
    assert cost_of("openai-compatible", ("deepseek-chat",), "https://api.deepseek.com/v1", MILLION)
