"""The provider accounts that a project's runs may use: its own credentials, and those of the operator."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from greenroom.model.errors import UserMistake
from greenroom.model.llm import Credential
from greenroom.server.context import Context
from greenroom.server.credentials import store as credential_store
from greenroom.server.runs.outside import Accounts
from greenroom.server.settings import Settings


def platform_credentials(settings: Settings) -> Mapping[str, Credential]:
    """The operator's accounts that every project may use.

    Raises:
        UserMistake: the setting cannot be read.
    """
    if settings.platform_credentials is None:
        return {}
    try:
        written = settings.platform_credentials.get_secret_value()
        return TypeAdapter(dict[str, Credential]).validate_json(written)
    except ValidationError:
        raise UserMistake(
            'GREENROOM_PLATFORM_CREDENTIALS cannot be read: write it like {"openai": {"api_key": "…"}}'
        ) from None


class Purses:
    """Finds the accounts of projects. A project's own credential goes before one of the operator's of the same name."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._platform = platform_credentials(context.settings)

    async def of_project(self, project_id: str) -> Accounts:
        """The accounts of a project."""
        async with self._context.database.reading() as session:
            rows = await credential_store.all_of_project(session, project_id)
        own = {
            row.name: Credential.model_validate(
                {"api_key": self._context.vault.open(row.sealed_key), "base_url": row.base_url}
            )
            for row in rows
        }
        return Accounts({**self._platform, **own}, frozenset(self._platform) - frozenset(own))
