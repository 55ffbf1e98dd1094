from __future__ import annotations

import base64
import hashlib
import re

import pytest
from hypothesis import example, given, settings
from tests.support.big_reports import a_full_report
from tests.support.hostile import FRAGMENTS, a_hostile_report, texts
from tests.support.html_pages import Element, read_html

from greenroom.report.html import html_page
from greenroom.report.printable import printable


def shape(page: Element) -> set[tuple[str, tuple[str, ...]]]:
    """Which elements there are, with which attributes."""
    return {(element.tag, tuple(sorted(element.attributes))) for element in page.walk()}


def harmless() -> set[tuple[str, tuple[str, ...]]]:
    return shape(read_html(html_page(a_full_report()))) | shape(read_html(html_page(a_hostile_report("x"))))


HARMLESS = harmless()


def assert_is_only_text(text: str) -> None:
    source = html_page(a_hostile_report(text))
    page = read_html(source)
    assert shape(page) <= HARMLESS
    assert [link.attributes["href"] for link in page.all("link")] == ["data:,"]
    assert all(re.fullmatch(r"#(tests|r\d+(-\d+)?)", link.attributes["href"]) for link in page.all("a"))
    assert len(page.all("script")) == 1
    talk = page.all("li", class_="caller")
    assert {line.one("p").text for line in talk} == {printable(text)}
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", source)


@settings(max_examples=60, deadline=None)
@given(texts)
@example("".join(FRAGMENTS))
def test_whatever_was_said_is_text_and_never_an_element_an_attribute_or_a_link(text: str) -> None:
    assert_is_only_text(text)


@pytest.mark.parametrize("text", FRAGMENTS)
def test_text_that_is_known_to_break_out_of_pages_does_not(text: str) -> None:
    assert_is_only_text(text)


def test_templates_are_not_read_in_what_was_said() -> None:
    page = read_html(html_page(a_hostile_report("{{ 7 * 7 }}{% raw %}{# x #}")))
    assert page.all("li", class_="caller")[0].one("p").text == "{{ 7 * 7 }}{% raw %}{# x #}"


def test_the_policy_of_the_page_lets_its_own_script_and_style_alone_take_effect() -> None:
    page = read_html(html_page(a_full_report()))
    [policy] = [
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))

    def digest(tag: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(page.one(tag).text.encode()).digest()).decode() + "'"

    assert rules == {
        "default-src": "'none'",
        "script-src": digest("script"),
        "style-src": digest("style"),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_page_names_nothing_outside_itself() -> None:
    source = html_page(a_full_report())
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//|@import""", source)
    assert " style=" not in source
    assert not re.search(r"<[^>]+\son\w+\s*=", source)
