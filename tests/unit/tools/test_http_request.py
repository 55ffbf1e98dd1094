"""The request of an HTTP tool, from its template."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlsplit

import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

from greenroom.model.agent import HttpCall
from greenroom.model.base import Json
from greenroom.tools.http_request import HttpRequest, UnusableValue, build_request

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)


def build(
    arguments: dict[str, Json] | None = None, variables: dict[str, str] | None = None, **http: Any
) -> HttpRequest:
    return build_request(HttpCall.model_validate(http), arguments or {}, variables or {})


def body_of(request: HttpRequest) -> Any:
    assert request.body is not None
    return json.loads(request.body)


def test_arguments_go_as_json_where_no_body_is_written() -> None:
    request = build({"day": "Monday", "count": 2}, url="https://x.test/book")
    assert body_of(request) == {"day": "Monday", "count": 2}
    assert request.headers == {"Content-Type": "application/json"}


def test_arguments_of_a_get_go_into_the_query_but_not_those_the_url_names() -> None:
    arguments: dict[str, Json] = {"id": 7, "tags": ["a b", "c"], "open": True, "note": None, "where": {"x": 1}}
    request = build(arguments, method="GET", url="https://x.test/orders/{id}?v=1")
    assert urlsplit(request.url).path == "/orders/7"
    assert parse_qs(urlsplit(request.url).query) == {
        "v": ["1"], "tags": ["a b", "c"], "open": ["true"], "where": ['{"x":1}'],
    }  # fmt: skip
    assert request.body is None


def test_an_argument_is_preferred_to_a_variable_of_the_same_name() -> None:
    request = build({"city": "Pune"}, {"city": "Delhi"}, method="GET", url="https://x.test/{{city}}")
    assert request.url == "https://x.test/Pune"


@given(TEXTS.filter(bool))
def test_a_value_cannot_leave_its_place_in_the_url(value: str) -> None:
    try:
        request = build({"id": value}, method="GET", url="https://x.test/orders/{id}/lines?after={id}&limit=5")
    except UnusableValue:
        return
    read = yarl.URL(request.url)
    assert (read.host, read.scheme, read.fragment) == ("x.test", "https", "")
    segments = read.raw_path.split("/")
    assert [segments[1], segments[3], len(segments)] == ["orders", "lines", 4]
    assert unquote(segments[2]) == value
    assert parse_qsl(read.raw_query_string, keep_blank_values=True) == [("after", value), ("limit", "5")]


@pytest.mark.parametrize("value", ["..", ".", "", "../admin", "a/../b", "..\\admin", None])
def test_a_value_that_would_climb_the_path_is_not_sent(value: str | None) -> None:
    with pytest.raises(UnusableValue, match="`id`"):
        build({"id": value}, url="https://x.test/orders/{id}")


def test_two_values_cannot_climb_the_path_together() -> None:
    with pytest.raises(UnusableValue):
        build({"a": "x", "b": "."}, url="https://x.test/{a}/{b}{b}")


def test_a_value_that_the_path_needs_and_nobody_gave_is_asked_for() -> None:
    with pytest.raises(UnusableValue, match="needs a value for `order`"):
        build(url="https://x.test/orders/{order}")


def test_a_query_parameter_without_value_is_left_out() -> None:
    request = build({"q": "a&b=c"}, method="GET", url="https://x.test/find?q={q}&page={page}&x={{ x }}")
    assert request.url == "https://x.test/find?q=a%26b%3Dc"


@pytest.mark.parametrize("value", ["evil.test/", "evil.test#", "a@evil.test", "evil.test?", "a b", "x\\y", ""])
def test_a_value_in_the_host_cannot_change_what_follows(value: str) -> None:
    with pytest.raises(UnusableValue):
        build({"region": value}, url="https://{region}.x.test/find")


def test_a_variable_may_be_the_whole_beginning_of_the_url() -> None:
    request = build({"id": "a/b"}, {"base_url": "https://x.test/api/"}, method="GET", url="{{base_url}}/orders/{id}")
    assert request.url == "https://x.test/api/orders/a%2Fb"


def test_an_argument_may_not_be_the_beginning_of_the_url() -> None:
    with pytest.raises(UnusableValue):
        build({"base_url": "https://evil.test"}, {"base_url": "https://x.test"}, url="{{base_url}}/orders")


@given(TEXTS)
def test_a_value_cannot_begin_a_header_of_its_own(value: str) -> None:
    request = build({"name": value}, url="https://x.test/", headers={"X-Name": "is {name}"})
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in request.headers["X-Name"])


def test_headers_without_value_and_headers_of_the_connection_are_left_out() -> None:
    headers = {"X-Missing": "{nobody}", "Content-Length": "5", "Transfer-Encoding": "chunked", "X-Kept": " a\r\nb "}
    assert build(url="https://x.test/", headers=headers, method="GET").headers == {"X-Kept": "a b"}


def test_a_body_is_filled_and_keeps_the_types_of_arguments() -> None:
    body = {
        "day": "{day}",
        "people": "{{ people }}",
        "note": "for {day}",
        "list": ["{gone}", "{flag}"],
        "gone": "{gone}",
    }
    arguments: dict[str, Json] = {"day": "Monday", "people": 3, "flag": None}
    assert body_of(build(arguments, url="https://x.test/", body=body)) == {
        "day": "Monday", "people": 3, "note": "for Monday", "list": [None],
    }  # fmt: skip


@given(TEXTS)
def test_a_body_written_as_json_text_stays_json_whatever_the_value(value: str) -> None:
    request = build({"name": value}, url="https://x.test/", body='{"user": {"name": "{name}"}, "kind": "new {name}"}')
    assert body_of(request) == {"user": {"name": value}, "kind": f"new {value}"}


@given(TEXTS)
def test_a_value_cannot_leave_its_field_of_a_form(value: str) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for body in ("name={name}&kind=new", {"name": "{name}", "kind": "new"}):
        request = build({"name": value}, url="https://x.test/", headers=form, body=body)
        assert request.body is not None
        assert parse_qsl(request.body.decode(), keep_blank_values=True) == [("name", value), ("kind", "new")]


def test_a_body_that_is_plain_text_is_sent_as_text() -> None:
    request = build({"name": "Zoë"}, url="https://x.test/", body="Hello {name}, {unknown}")
    assert request.body == "Hello Zoë, {unknown}".encode()
    assert request.headers["Content-Type"].startswith("text/plain")


def test_a_value_is_not_rendered_again() -> None:
    request = build({"a": "{b}", "b": "secret"}, url="https://x.test/{a}", body={"a": "{a}", "x": "-{a}-"})
    assert request.url == "https://x.test/%7Bb%7D"
    assert body_of(request) == {"a": "{b}", "x": "-{b}-"}


def test_lone_surrogates_and_numbers_that_json_cannot_say_do_no_harm() -> None:
    request = build({"a": "\ud83d", "n": float("inf")}, url="https://x.test/{a}?n={n}", headers={"X-A": "{a}"})
    assert body_of(request) == {"a": "\ud83d", "n": None}
    assert request.headers["X-A"] == "�"
