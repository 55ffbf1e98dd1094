"""The other side of a connector: what it is called in a sentence, and what must not show in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlsplit

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.model.llm import Credential
from greenroom.model.remote import RemoteOpenAi, RemotePython
from greenroom.model.text import shorten
from greenroom.outgoing.hiding import KEY, hide_text, secret_forms
from greenroom.play.ports import RemoteRequest

_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class OtherSide:
    """A remote agent as sentences speak of it: by its name and where it lives, without anything secret.

    `key` is the bearer token that it is asked with, if any.
    """

    name: str
    where: str
    key: str | None = field(default=None, repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def noun(self) -> str:
        return f"the remote agent {self.name} at {self.where}"

    def also_hiding(self, values: Iterable[str]) -> OtherSide:
        """The same, with more secrets."""
        return replace(self, secrets=self.secrets | secret_forms(values))

    def error(self, predicate: str) -> RunError:
        """The error that says `predicate` of the agent: "answered with status 500"."""
        return self.sentence(f"The remote agent {self.name} at {self.where} {predicate}.")

    def sentence(self, words: str) -> RunError:
        """An error of these words, without secrets."""
        return RunError(self.hide(words))

    def hide(self, text: str) -> str:
        """`text` without this agent's secrets and without anything that has the form of a key."""
        return KEY.sub("[hidden]", hide_text(text, self.secrets))

    def quote(self, text: str) -> str:
        """Some words of the other side's own, in quotation marks."""
        # Secrets go first: cut in two, one would no longer be known.
        return f"“{shorten(self.hide(text), _LONGEST_QUOTE).rstrip('.')}”"


def other_side(request: RemoteRequest, credentials: Mapping[str, Credential]) -> OtherSide:
    """The other side of a request.

    Raises:
        RunError: its credential is not known.
    """
    agent = request.agent
    remote = agent.remote
    if remote is None:
        raise RunError(f"The agent {agent.name} lives here: it has no `remote`.")
    if isinstance(remote, RemotePython):
        return OtherSide(agent.name, remote.target)
    key = _key(agent, remote, credentials) if isinstance(remote, RemoteOpenAi) else None
    secret = [value.get_secret_value() for value in remote.headers.values()]
    secret += [value for _, value in parse_qsl(urlsplit(remote.url).query)]
    return OtherSide(agent.name, origin(remote.url), key, secret_forms([*secret, *([key] if key else [])]))


def origin(url: str) -> str:
    """Scheme, host and port of a URL: what may be shown of it."""
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.rpartition('@')[2]}"


def _key(agent: Agent, remote: RemoteOpenAi, credentials: Mapping[str, Credential]) -> str | None:
    if remote.credential is None:
        return None
    found = credentials.get(remote.credential)
    if found is None:
        known = ", ".join(f"`{name}`" for name in sorted(credentials))
        choice = f"name one of {known}" if known else "add it to the credentials, or take `remote.credential` out"
        raise RunError(f"There is no credential named `{remote.credential}` for the agent {agent.name}: {choice}.")
    return found.api_key.get_secret_value() or None
