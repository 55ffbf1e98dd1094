"""Which account a model is asked with: its key and address, from the credentials or the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Credential, Llm
from greenroom.outgoing.addresses import Guard

_ALIASES = {"gemini": "google", "google-gla": "google", "openai-chat": "openai"}
LABELS: Mapping[str, str] = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "google": "Google",
    "google-cloud": "Google Cloud",
    "ollama": "Ollama",
    "openai-compatible": "The model server",
    "groq": "Groq",
    "mistral": "Mistral",
    "bedrock": "Amazon Bedrock",
    "azure": "Azure",
    "deepseek": "DeepSeek",
    "openrouter": "OpenRouter",
    "together": "Together AI",
    "fireworks": "Fireworks AI",
    "cerebras": "Cerebras",
    "cohere": "Cohere",
    "xai": "xAI",
    "huggingface": "Hugging Face",
}
_KEY_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "ollama": ("OLLAMA_API_KEY",),
    "openai-compatible": (),
    "bedrock": (),
    "google-cloud": (),
    "cohere": ("CO_API_KEY",),
    "huggingface": ("HF_TOKEN",),
    "github": ("GITHUB_API_KEY",),
}
_URL_VARIABLES = {
    "openai": "OPENAI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_BASE_URL",
}
_DEFAULT_URLS = {"ollama": "http://localhost:11434/v1"}
_NEEDS_A_KEY = frozenset({"openai", "anthropic", "google"})
_KEY_SHAPES = re.compile(
    r"\b(?:sk|rk|pk|gsk|xai|key|hf|r8|fw|pplx|csk|nvapi)[-_][\w\-*.…]{6,}|\bAIza[\w\-]{10,}|\bBearer\s+\S+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Account:
    """How one model is reached. `key` never shows in a repr or a sentence; `variable` is where it is usually set."""

    provider: str
    model: str
    key: str | None = field(repr=False)
    base_url: str | None
    credential: str | None
    variable: str | None
    is_trusted: bool = False
    """Whether the address is the operator's own, which may be on the operator's network."""

    @property
    def label(self) -> str:
        """The provider's name, as people write it."""
        return LABELS.get(self.provider, self.provider.replace("-", " ").title())

    @property
    def address(self) -> str:
        """The address as it may be shown: without its query, which may hold a key."""
        parts = urlsplit(self.base_url or "")
        return urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))

    @property
    def key_advice(self) -> str:
        """What to do about a key that does not work."""
        if self.credential is not None:
            return f"give the credential `{self.credential}` a valid key"
        if self.variable is not None:
            return f"set {self.variable} to a valid key"
        return "give it a valid `credential`"

    def scrub(self, text: str) -> str:
        """`text` without this account's key and without anything that looks like a key."""
        if self.key:
            text = text.replace(self.key, "***")
        return _KEY_SHAPES.sub("***", text)


def canonical(provider: str) -> str:
    """The one name of a provider that goes by several."""
    return _ALIASES.get(provider, provider)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which addresses may be called, and with which keys, where strangers write the agents.

    A key of the credentials named in `bound` goes only to the address that the credential has itself (or the
    provider's). The addresses of those in `trusted` are the operator's own: `guard` does not hold for them.
    """

    guard: Guard
    bound: frozenset[str] = frozenset()
    trusted: frozenset[str] = frozenset()


def find_account(
    llm: Llm,
    credentials: Mapping[str, Credential],
    environ: Mapping[str, str] | None,
    bounds: Bounds | None = None,
) -> Account:
    """The account to ask `llm` with. `environ` is the process's own environment by default.

    Raises:
        BrainFailed: the credential is not known or may not be used so, or a key is needed and none is set.
    """
    environ = os.environ if environ is None else environ
    provider = canonical(llm.provider)
    variables = _KEY_VARIABLES.get(provider, (_usual_variable(provider),))
    credential = _credential(llm, credentials)
    if (
        bounds
        and credential
        and llm.base_url
        and llm.credential in bounds.bound
        and llm.base_url != credential.base_url
    ):
        raise BrainFailed(
            f"The credential `{llm.credential}` is for its own address alone: take `base_url` of {llm.model} out, "
            "or name another credential.",
            fault=BrainFault.REJECTED,
        )
    if credential is not None:
        key = credential.api_key.get_secret_value() or None
    else:
        key = next((environ[name] for name in variables if environ.get(name)), None)
    base_url = llm.base_url or (credential.base_url if credential else None)
    base_url = base_url or environ.get(_URL_VARIABLES.get(provider, ""), None) or _DEFAULT_URLS.get(provider)
    account = Account(
        provider=provider,
        model=llm.name,
        key=key,
        base_url=_checked(llm, _with_path(provider, base_url)) if base_url else None,
        credential=llm.credential,
        variable=variables[0] if variables else None,
        is_trusted=bounds is None or llm.credential in bounds.trusted,
    )
    # An OpenAI-shaped server of one's own may want no key; the provider's own address always does.
    if key is None and provider in _NEEDS_A_KEY and not (provider == "openai" and base_url):
        raise BrainFailed(
            f"{account.label} needs a key for {llm.name}: set {account.variable}, "
            "or name a credential in `llm.credential`.",
            fault=BrainFault.NO_CREDENTIAL,
        )
    return account


def _credential(llm: Llm, credentials: Mapping[str, Credential]) -> Credential | None:
    if llm.credential is None:
        return None
    found = credentials.get(llm.credential)
    if found is None:
        known = ", ".join(f"`{name}`" for name in sorted(credentials))
        choice = f"name one of {known}" if known else "add it to the credentials, or take `llm.credential` out"
        raise BrainFailed(
            f"There is no credential named `{llm.credential}` for {llm.model}: {choice}.",
            fault=BrainFault.NO_CREDENTIAL,
        )
    return found


def _usual_variable(provider: str) -> str:
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def _with_path(provider: str, base_url: str) -> str:
    # Ollama's own tools take the bare host; its OpenAI-shaped API is one level down.
    if provider == "ollama" and urlsplit(base_url).path in ("", "/"):
        return base_url.rstrip("/") + "/v1"
    return base_url


def _checked(llm: Llm, base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    else:
        if usable and "@" in parts.netloc:
            raise BrainFailed(
                f"The address of {llm.model} holds a user or password: take it out, and put the key in a credential.",
                fault=BrainFault.REJECTED,
            )
    if not usable:
        raise BrainFailed(
            f"The address of {llm.model} is not a URL: write it like `http://localhost:8000/v1`.",
            fault=BrainFault.REJECTED,
        )
    return base_url
