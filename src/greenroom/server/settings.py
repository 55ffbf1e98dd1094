"""Every setting of the service. Each is an environment variable: `GREENROOM_` and the field's name in capitals."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from greenroom.model.errors import Problem, UserMistake

DATABASE_FILE = "greenroom.db"
SECRET_KEY_FILE = "secret.key"  # noqa: S105 - a file's name
PREFIX = "GREENROOM_"


class Settings(BaseSettings):
    """What can be set about the service. Times in seconds unless a name says otherwise, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    data: Path = Field(
        default=Path("greenroom-data"),
        description="The folder of the SQLite file and of the key that encrypts secrets.",
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="`postgresql://USER:PASSWORD@HOST/NAME`, or `sqlite:///PATH`. "
        "By default a SQLite file in the data folder.",
    )
    database_pool: int = Field(default=10, ge=2, le=500, description="Connections to the database, a process.")
    secret_keys: SecretStr | None = Field(
        default=None,
        description="Fernet keys that encrypt secrets, the newest first, joined by commas; the others only decrypt. "
        "By default one is made in the data folder.",
    )
    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8080, ge=0, le=65_535, description="The port to listen on; 0 takes a free one.")
    public_url: str | None = Field(
        default=None, description="Where people reach the service, for the links that it prints."
    )
    trusted_proxies: str = Field(
        default="127.0.0.1",
        description="Addresses of reverse proxies whose `X-Forwarded-For` is believed, joined by commas.",
    )
    log_level: str = Field(
        default="info",
        pattern="^(debug|info|warning|error)$",
        description="The least serious kind of line in the log: `debug`, `info`, `warning` or `error`.",
    )
    metrics_token: SecretStr | None = Field(
        default=None, description="What `/metrics` asks for as a bearer token. Without it, anybody may read them."
    )

    body_bytes: int = Field(default=2 * 1024 * 1024, ge=1024, description="The largest body of a request.")
    requests_per_minute: int = Field(
        default=1200, ge=0, description="Requests a minute a project, where the project has no rate of its own; 0: any."
    )
    sign_ins_per_minute: int = Field(default=10, ge=1, description="Sign-in attempts a minute an address.")
    session_days: int = Field(default=14, ge=1, le=365, description="Days until an unused session ends.")
    link_hours: int = Field(default=72, ge=1, description="Hours that a one-time link is good for.")
    idempotency_hours: int = Field(default=24, ge=1, description="Hours that answers are kept for `Idempotency-Key`.")
    audit_days: int = Field(default=365, ge=1, description="Days that the record of changes is kept.")

    agents_per_project: int = Field(default=1000, ge=1, description="Agents a project.")
    tests_per_agent: int = Field(default=1000, ge=1, description="Tests an agent.")
    knowledge_characters: int = Field(
        default=5_000_000, ge=1, description="Characters of all documents of an agent together."
    )

    allow_private_networks: bool = Field(
        default=False,
        description="Whether tools, remote agents and models may be at addresses of this machine and its networks.",
    )
    currency: str = Field(default="USD", pattern="^[A-Z]{3}$", description="The currency of credits and costs.")
    worker_runs: int = Field(default=500, ge=1, description="Runs at once in one worker process.")
    project_runs: int = Field(default=20, ge=1, description="Runs at once of one project, all workers together.")
    runs_per_request: int = Field(default=500, ge=1, description="Runs that one request may start.")
    project_active_runs: int = Field(default=2000, ge=1, description="Waiting or running runs a project.")
    developer_active_runs: int = Field(
        default=5000, ge=1, description="Waiting or running runs of all projects of one developer."
    )
    worker_lease_seconds: float = Field(
        default=15,
        ge=1,
        description="Without a sign of life for so long, a worker's runs go on in the others.",
    )
    currency_rate: Decimal = Field(
        default=Decimal(1), gt=0, description="Units of the currency for a US dollar, in which models are priced."
    )
    platform_credentials: SecretStr | None = Field(
        default=None,
        description='Accounts that every project may use, paid with its credits: `{"NAME": {"api_key": "…"}}`.',
    )
    platform_prices: str | None = Field(
        default=None,
        description="The operator's own prices, in millionths of the currency's unit for a million tokens: "
        '`{"openai:gpt-4.1-mini": {"input": 400000, "output": 1600000}}`.',
    )
    platform_markup: Decimal = Field(
        default=Decimal(0), ge=0, description="What is added to the price of a model, as a share: 0.2 is a fifth."
    )
    run_hold: int = Field(
        default=50_000,
        ge=0,
        description="What is held of the credits for a run before it starts, in millionths of the currency's unit.",
    )
    retention_days: int = Field(default=30, ge=1, description="Days that finished runs are kept.")
    zavu_runs_per_minute: int = Field(
        default=60, ge=0, description="Test runs a minute a project at the door `zavu`; 0: any number."
    )
    evasay_credits_per_run: int = Field(
        default=1, ge=0, le=1_000_000, description="What a run at the door `evasay` costs, in credits of that door."
    )
    evasay_credit_price: int = Field(
        default=0,
        ge=0,
        le=10**12,
        description="What such a credit takes of the project's balance, in millionths of the currency's unit. With 0, "
        "credits are only shown, and runs there are paid as natively.",
    )

    @property
    def url(self) -> str:
        """The URL of the database."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{(self.data / DATABASE_FILE).absolute()}"


def read_settings(**given: object) -> Settings:
    """The settings of the environment, with what is `given` (and not `None`) in their place.

    Raises:
        UserMistake: a setting cannot be what it is.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # pyright: ignore[reportArgumentType] - pydantic checks them
    except ValidationError as error:
        problems = [
            Problem(tuple(each["loc"]), f"{PREFIX}{str(each['loc'][0]).upper()}: {_plain(each['msg'])}")
            for each in error.errors(include_url=False, include_input=False)
        ]
        raise UserMistake("; ".join(problem.message for problem in problems), problems) from None


def _plain(message: str) -> str:
    return message[:1].lower() + message[1:]
