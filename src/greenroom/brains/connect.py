"""The way in: one brain for every model, that opens what it needs when it is first asked and closes it at the end."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from greenroom.brains.accounts import Bounds
from greenroom.brains.retry import RetryingBrain, RetryPolicy
from greenroom.brains.scripted import ScriptedBrain
from greenroom.model.llm import Credential
from greenroom.model.talk import Brain, BrainReply, BrainRequest

if TYPE_CHECKING:
    from greenroom.brains.providers import ProviderBrain

_NO_CREDENTIALS: Mapping[str, Credential] = {}
_USUAL_RETRIES = RetryPolicy()


@asynccontextmanager
async def connect_brain(
    *,
    credentials: Mapping[str, Credential] = _NO_CREDENTIALS,
    environ: Mapping[str, str] | None = None,
    retry: RetryPolicy = _USUAL_RETRIES,
    bounds: Bounds | None = None,
) -> AsyncGenerator[Brain]:
    """A brain that asks whichever model `request.llm` names; its connections are closed at the end.

    `credentials` are the accounts that `llm.credential` may name. `environ` is where a provider's usual variables
    (such as OPENAI_API_KEY) are read, by default the process's environment. Scripted brains load no provider's
    library, and are never asked twice. `bounds` hold where others than the operator write the agents.
    """
    brain = _Brains(credentials, environ, retry, bounds)
    try:
        yield brain
    finally:
        await brain.close()


class _Brains:
    """Sends each request to the brain that its model needs."""

    def __init__(
        self,
        credentials: Mapping[str, Credential],
        environ: Mapping[str, str] | None,
        retry: RetryPolicy,
        bounds: Bounds | None,
    ) -> None:
        self._credentials = credentials
        self._environ = environ
        self._retry = retry
        self._bounds = bounds
        self._scripted = ScriptedBrain()
        self._provider_brain: ProviderBrain | None = None
        self._retrying: RetryingBrain | None = None
        self._opening = asyncio.Lock()

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer one request; see `Brain.reply`."""
        if request.llm.provider == "scripted":
            return await self._scripted.reply(request, seconds_left=seconds_left)
        retrying = self._retrying or await self._open()
        return await retrying.reply(request, seconds_left=seconds_left)

    async def _open(self) -> RetryingBrain:
        async with self._opening:
            if self._retrying is None:
                # The libraries take a second to load: the event loop goes on meanwhile.
                self._provider_brain = await asyncio.to_thread(_load, self._credentials, self._environ, self._bounds)
                self._retrying = RetryingBrain(self._provider_brain, self._retry)
            return self._retrying

    async def close(self) -> None:
        """Close what was opened."""
        if self._provider_brain is not None:
            await self._provider_brain.close()


def _load(
    credentials: Mapping[str, Credential], environ: Mapping[str, str] | None, bounds: Bounds | None
) -> ProviderBrain:
    # Nothing of what an import makes is rubbish, yet it has the collector look through all of it again and again:
    # a fifth of the time.
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        from greenroom.brains.providers import ProviderBrain
    finally:
        if was_collecting:
            gc.enable()
    return ProviderBrain(credentials, environ, bounds)
