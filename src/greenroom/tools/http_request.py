"""The request of an HTTP tool, from its template and the values of a call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, urlencode

import regex

from greenroom.model.agent import HttpCall
from greenroom.model.base import Json
from greenroom.model.templates import render
from greenroom.model.text import speakable
from greenroom.outgoing.json_text import as_text, read_json, write_json

_CONTROL = regex.compile(r"\p{Cc}+")
_SCHEME = regex.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HOST = regex.compile(r"[\p{L}\p{M}\p{N}._-]+(?::\d{1,5})?")
_SEPARATOR = regex.compile(r"[/\\]")
# The client says these itself; a tool's own would contradict the body that is sent.
_CLIENT_HEADERS = frozenset({"content-length", "transfer-encoding", "connection", "expect", "upgrade", "te", "trailer"})
_FORM = "application/x-www-form-urlencoded"


class UnusableValue(Exception):
    """A value is missing where it must stand, or cannot stand there; the message is for the model."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request, ready to be sent."""

    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class _Values:
    """The values that a template may name: arguments first, then variables."""

    arguments: Mapping[str, Json]
    variables: Mapping[str, str]

    def has(self, name: str) -> bool:
        return name in self.arguments or name in self.variables

    def get(self, name: str) -> Json:
        return self.arguments[name] if name in self.arguments else self.variables[name]

    def text(self, name: str) -> str | None:
        """The value as text without lone surrogates; `None` where there is none, or it is null."""
        value = self.get(name) if self.has(name) else None
        if value is None:
            return None
        return speakable(as_text(value))

    def texts(self, template: str) -> dict[str, str]:
        """The values that `template` names, as text."""
        found = {name: self.text(name) for name in _names(template)}
        return {name: text for name, text in found.items() if text is not None}


def build_request(http: HttpCall, arguments: Mapping[str, Json], variables: Mapping[str, str]) -> HttpRequest:
    """The request of one call.

    In the URL a value is percent-encoded, so that it cannot leave its place; a query parameter or header whose value
    is missing is left out. In the body, a text that is one placeholder takes the value with its own JSON type, and
    is left out where there is none. Without a body, the arguments go as JSON, or as the query of a GET or DELETE
    (those that the URL does not name).

    Raises:
        UnusableValue: the path needs a value that is missing, or that cannot stand in a path.
    """
    values = _Values(arguments, variables)
    url = _url(http.url.strip(), values)
    templates = {name: value.get_secret_value() for name, value in http.headers.items()}
    headers = _headers(templates, values)
    if http.body is not None:
        body = _body(http.body, headers, values)
    elif http.method in ("GET", "DELETE"):
        named = set(_names(http.url)).union(*(_names(value) for value in templates.values()))
        url = _with_query(url, {name: value for name, value in arguments.items() if name not in named})
        body = None
    else:
        body = _body(dict(arguments), headers, _Values({}, {}))
    return HttpRequest(http.method, url, headers, body)


def _names(template: str) -> tuple[str, ...]:
    """The names that `template` has places for."""
    return render(template, {}).unknown


def _only_name(template: str) -> str | None:
    """The name, where `template` is one placeholder and nothing else."""
    names = _names(template)
    return names[0] if len(names) == 1 and render(template.strip(), {names[0]: "x"}).text == "x" else None


def _url(template: str, values: _Values) -> str:
    address, _, _ = template.partition("#")
    address, asks, query = address.partition("?")
    pairs = [_pair(pair, values) for pair in query.split("&")] if asks else []
    rendered = "&".join(pair for pair in pairs if pair is not None)
    return _address(address, values) + (f"?{rendered}" if rendered else "")


def _address(template: str, values: _Values) -> str:
    """Scheme, host and path. A variable may stand for the whole beginning (`{{base_url}}/orders`): it is the
    owner's. An argument may not: it is the model's."""
    head, slash, rest = template.partition("/")
    name = _only_name(head)
    if name is not None and name in values.variables and name not in values.arguments:
        start = values.variables[name].strip().rstrip("/") if slash else values.variables[name].strip()
        return "/".join([start, *(_segment(segment, values) for segment in rest.split("/"))]) if slash else start
    scheme = _SCHEME.match(template)
    start = scheme[0] if scheme else ""
    host, *segments = template[len(start) :].split("/")
    return start + "/".join([_host(host, values), *(_segment(segment, values) for segment in segments)])


def _host(template: str, values: _Values) -> str:
    texts = _all_texts(template, values)
    for name, text in texts.items():
        if not _HOST.fullmatch(text):
            raise UnusableValue(f"The value of `{name}` cannot be part of the service's host name.")
    return render(template, texts).text


def _segment(template: str, values: _Values) -> str:
    texts = _all_texts(template, values)
    for name, text in texts.items():
        if not text or any(part in (".", "..") for part in _SEPARATOR.split(text)):
            raise UnusableValue(f"The value of `{name}` cannot be part of the service's path.")
    rendered = render(template, {name: quote(text, safe="") for name, text in texts.items()}).text
    if texts and rendered in (".", ".."):
        raise UnusableValue(f"The value of `{next(iter(texts))}` cannot be part of the service's path.")
    return rendered


def _all_texts(template: str, values: _Values) -> dict[str, str]:
    texts = values.texts(template)
    for name in _names(template):
        if name not in texts:
            raise UnusableValue(f"The call needs a value for `{name}`.")
    return texts


def _pair(template: str, values: _Values) -> str | None:
    texts = values.texts(template)
    name = _only_name(template.partition("=")[2])
    if name is not None and name not in texts:
        return None
    return render(template, {name: quote(text, safe="") for name, text in texts.items()}).text


def _with_query(url: str, arguments: Mapping[str, Json]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        items = value if isinstance(value, list) else [value]
        pairs += [(speakable(name), speakable(as_text(item))) for item in items if item is not None]
    if not pairs:
        return url
    return f"{url}{'&' if '?' in url else '?'}{urlencode(pairs, quote_via=quote)}"


def _headers(templates: Mapping[str, str], values: _Values) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, template in templates.items():
        texts = values.texts(template)
        if name.strip().lower() in _CLIENT_HEADERS or any(missing not in texts for missing in _names(template)):
            continue
        # Line ends and other control characters could begin a header of their own.
        headers[name.strip()] = _CONTROL.sub(" ", render(template, texts).text).strip()
    return headers


def _body(template: Json, headers: dict[str, str], values: _Values) -> bytes:
    """The body; says its type in `headers` where they do not."""
    named = next((value for name, value in headers.items() if name.lower() == "content-type"), None)
    if named is not None and named.lower().startswith(_FORM):
        return _form(template, values)
    template = _as_structure(template)
    if isinstance(template, str) and _only_name(template) is None:
        if named is None:
            headers["Content-Type"] = "text/plain; charset=utf-8"
        return render(template, values.texts(template)).text.encode()
    if named is None:
        headers["Content-Type"] = "application/json"
    rendered = _fill(template, values)
    return b"" if isinstance(rendered, _LeftOut) else write_json(rendered).encode("ascii")


def _as_structure(template: Json) -> Json:
    """A body that was written as JSON text is filled as JSON, so that a value with quotes in it stays a value."""
    if not isinstance(template, str):
        return template
    try:
        structure = read_json(template)
    except ValueError:
        return template
    return structure if isinstance(structure, dict | list) else template


def _form(template: Json, values: _Values) -> bytes:
    if isinstance(template, str):
        texts = {name: quote_plus(text) for name, text in values.texts(template).items()}
        return render(template, texts).text.encode()
    rendered = _fill(template, values)
    if not isinstance(rendered, dict):
        return b"" if isinstance(rendered, _LeftOut) else as_text(rendered).encode()
    pairs = [
        (speakable(name), speakable(as_text(item)))
        for name, value in rendered.items()
        for item in (value if isinstance(value, list) else [value])
    ]
    return urlencode(pairs).encode("ascii")


class _LeftOut:
    """Stands for a value that is not there."""


def _fill(template: Json, values: _Values) -> Json | _LeftOut:
    if isinstance(template, str):
        name = _only_name(template)
        if name is not None:
            return values.get(name) if values.has(name) else _LeftOut()
        return render(template, values.texts(template)).text
    if isinstance(template, list):
        items = [_fill(item, values) for item in template]
        return [item for item in items if not isinstance(item, _LeftOut)]
    if isinstance(template, dict):
        filled = {key: _fill(item, values) for key, item in template.items()}
        return {key: item for key, item in filled.items() if not isinstance(item, _LeftOut)}
    return template
