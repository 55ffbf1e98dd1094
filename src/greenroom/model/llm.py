"""Which model to ask, and the rules of a scripted one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from greenroom.model.base import Json, Written

Role = Literal["agent", "caller", "judge", "author"]


class ToolResultHeard(Written):
    """`when: {tool: NAME}`: the last thing heard is the result of this tool."""

    tool: str


class ScriptedCall(Written):
    """A tool call that a scripted brain makes. `arguments` is an object, or text to send as it is, valid or not."""

    tool: str
    arguments: dict[str, Json] | str = Field(default_factory=dict)


class ScriptRule(Written):
    """One rule of a scripted brain. Rules are tried in order; the first that matches answers.

    `when` is a pattern (RE2 syntax, searched without regard to case) on the last thing heard; for a judge, the
    question or the criterion; for an author, who drafts tests, what it is asked for. `{tool: NAME}` matches
    that tool's result. Absent, it always matches. `times` is how often the rule may fire in a run.
    """

    role: Role = "agent"
    when: str | ToolResultHeard | None = None
    times: Annotated[int, Field(ge=1)] | None = None
    say: str | None = None
    call: ScriptedCall | list[ScriptedCall] | None = None
    hang_up: bool = False
    answer: Literal["yes", "no"] | None = None
    reason: str | None = None
    quote: str | None = None
    score: Annotated[int, Field(ge=0, le=100)] | None = None
    summary: str | None = None

    @field_validator("answer", mode="before")
    @classmethod
    def _read_yaml_yes(cls, value: object) -> object:
        # YAML 1.1 habits: people write `answer: yes` and some loaders make a boolean of it.
        return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value

    @model_validator(mode="after")
    def _does_something_its_role_can(self) -> ScriptRule:
        speaks = self.say is not None or self.call is not None or self.hang_up
        judges = self.answer is not None or self.score is not None or self.summary is not None
        if self.role == "judge":
            if speaks or not judges:
                raise ValueError(
                    "a judge's rule needs `answer`, `score` or `summary`, and no `say`, `call` or `hang_up`"
                )
        elif judges or self.reason is not None or self.quote is not None:
            raise ValueError(
                "`answer`, `reason`, `quote`, `score` and `summary` are a judge's: add `role: judge`, "
                f"or take them out of this {self.role}'s rule"
            )
        elif not speaks:
            raise ValueError("a rule needs `say`, `call` or `hang_up`")
        if self.role == "caller" and self.call is not None:
            raise ValueError("a caller has no tools: take `call` out, or make it the agent's rule")
        if self.role == "author" and (self.call is not None or self.hang_up):
            raise ValueError("an author only drafts tests: give its rule `say`, with the JSON that it answers")
        return self

    @property
    def calls(self) -> tuple[ScriptedCall, ...]:
        if self.call is None:
            return ()
        return tuple(self.call) if isinstance(self.call, list) else (self.call,)


class Llm(Written):
    """A model and how to ask it.

    `model` is `provider:name`: `openai:gpt-4.1-mini`, `anthropic:…`, `google:…`, `ollama:…`,
    `openai-compatible:…` with `base_url`, `scripted:NAME` with `script`, or any provider that pydantic-ai knows.
    `temperature` 0 to 2. `max_tokens` bounds one reply. `credential` names an entry of the credentials that came
    with the file or the settings; without it the provider's usual environment variable is read.
    """

    model: str
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    base_url: str | None = None
    credential: str | None = None
    script: list[ScriptRule] = Field(default_factory=list[ScriptRule])

    @field_validator("model")
    @classmethod
    def _names_a_provider(cls, value: str) -> str:
        provider, colon, name = value.partition(":")
        if not (provider.strip() and colon and name.strip()):
            raise ValueError(f"a model is written as `provider:name`, for example `openai:gpt-4.1-mini`, not `{value}`")
        return value

    @model_validator(mode="after")
    def _fits_its_provider(self) -> Llm:
        if self.provider == "scripted" and not self.script:
            raise ValueError("a scripted brain needs `script`: a list of rules such as `{when: hello, say: Hi}`")
        if self.provider != "scripted" and self.script:
            raise ValueError(f"`script` goes with `model: scripted:NAME`, not with `{self.model}`")
        if self.provider == "openai-compatible" and not self.base_url:
            raise ValueError("`openai-compatible:…` needs `base_url`, for example `http://localhost:8000/v1`")
        return self

    @property
    def provider(self) -> str:
        return self.model.partition(":")[0]

    @property
    def name(self) -> str:
        return self.model.partition(":")[2]


class Credential(Written):
    """A provider account: its key, and its own base URL where it has one. Never written out again."""

    api_key: SecretStr
    base_url: str | None = None
