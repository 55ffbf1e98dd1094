"""Agents that are a Python callable of this machine."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import sysconfig
import threading
import traceback
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.model.remote import RemotePython
from greenroom.model.text import shorten
from greenroom.outgoing.json_text import read_json, write_json
from greenroom.play.ports import RemoteReply, RemoteRequest
from greenroom.remote.answers import AnswerMap, read_answer
from greenroom.remote.patience import Patience
from greenroom.remote.side import OtherSide
from greenroom.remote.talk import check_no_history, spoken

Function = Callable[..., Any]  # a person's own code: what it takes and gives is looked at when it is called

GIVEN = "functions"
_ANSWER = AnswerMap("reply", "tool_calls", "ended", at="", advice="give text, or `{reply: …}`")
_LONGEST_MESSAGE = 300
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


class PythonAgents:
    """Calls Python agents. `functions` are those that the surrounding code gave, by name."""

    def __init__(self, functions: Mapping[str, Function], patience: Patience) -> None:
        self._functions = functions
        self._patience = patience
        self._found: dict[str, Function] = {}

    def is_given(self, target: str) -> bool:
        """Whether a target is one of the functions that the surrounding code gave."""
        module, _, name = target.partition(":")
        return module == GIVEN and name in self._functions

    async def reply(
        self, request: RemoteRequest, remote: RemotePython, side: OtherSide, *, seconds_left: float
    ) -> RemoteReply:
        """Call the function, never twice for one reply.

        Raises:
            RunError: there is no such function, it raised an exception, took too long, or gave no reply.
        """
        if remote.stateful:
            check_no_history(request)
        function = await self._function(remote.target, side)
        call = _bound(function, request, stateful=remote.stateful, side=side)

        async def attempt(seconds: float) -> RemoteReply:
            try:
                async with asyncio.timeout(seconds):
                    answer = await _outcome(function, call, side)
            except TimeoutError:
                limit = f"{round(seconds, 2):g} seconds"
                raise side.error(
                    f"gave no reply within {limit}: make it faster, or raise `remote.timeout_seconds`"
                ) from None
            return _read(answer, side)

        return await self._patience.ask(
            attempt, stateful=True, timeout_seconds=remote.timeout_seconds, seconds_left=seconds_left
        )

    async def _function(self, target: str, side: OtherSide) -> Function:
        if target not in self._found:
            self._found[target] = await self._find(target, side)
        return self._found[target]

    async def _find(self, target: str, side: OtherSide) -> Function:
        module, _, path = target.partition(":")
        if module == GIVEN and self._functions:
            if path in self._functions:
                return self._functions[path]
            known = ", ".join(f"`{GIVEN}:{name}`" for name in sorted(self._functions))
            raise RunError(f"There is no function `{target}` for the agent {side.name}: given are {known}.")
        found = await _in_thread(lambda: _imported(module, side))
        if isinstance(found.error, RunError):
            raise found.error
        if found.error is not None:
            raise side.error(f"cannot be imported: {_told(found.error, side)}")
        function = found.value
        for name in path.split("."):
            function = getattr(function, name, None)
        if not callable(function):
            raise RunError(
                f"The module `{module}` has no function `{path}` for the agent {side.name}: correct `remote.target`."
            )
        return cast("Function", function)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a call gave, or what it raised."""

    value: Any = None
    error: BaseException | None = None


async def _in_thread(call: Callable[[], Any]) -> _Outcome:
    """Call a function in a thread of its own. Nothing waits for one that never ends: not the others, not the program's
    own end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Outcome] = loop.create_future()
    context = copy_context()

    def settle(outcome: _Outcome) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        try:
            outcome = _Outcome(context.run(call))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the caller's to hear
            outcome = _Outcome(error=error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=work, name="python agent", daemon=True).start()
    return await future


def _imported(module: str, side: OtherSide) -> Any:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        # As `python -m` does, and for good: the module may import its neighbours later.
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module}.".startswith(f"{missing.name}."):
            raise
        raise RunError(
            f"There is no module `{missing.name}` for the agent {side.name}: start in its folder, or install it."
        ) from None


@dataclass(frozen=True, slots=True)
class _Call:
    messages: list[Json]
    keywords: dict[str, Any]


def _bound(function: Function, request: RemoteRequest, *, stateful: bool, side: OtherSide) -> _Call:
    """What the function is called with: the messages, and of the rest what its signature names.

    Raises:
        RunError: it cannot be called so.
    """
    new: list[Json] = [{"role": "user", "content": request.new_message}] if request.messages else []
    messages = new if stateful else spoken(request.messages)
    all_keywords: dict[str, Any] = {
        "session_id": request.session_id,
        "prompt": request.prompt,
        "variables": dict(request.variables),
    }
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in callables have none
        return _Call(messages, {})
    parameters = list(signature.parameters.values())
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    # The first takes the messages, whatever it is called.
    named = {
        parameter.name
        for index, parameter in enumerate(parameters)
        if parameter.kind is parameter.KEYWORD_ONLY or (index and parameter.kind is parameter.POSITIONAL_OR_KEYWORD)
    }
    first = parameters[0].name if parameters else ""
    keywords = {name: value for name, value in all_keywords.items() if name in named or (takes_all and name != first)}
    try:
        signature.bind(messages, **keywords)
    except TypeError as problem:
        raise side.error(
            f"cannot be called with the messages ({problem}): let it take `(messages)`, and of `session_id`, `prompt` "
            "and `variables` what it needs"
        ) from None
    return _Call(messages, keywords)


async def _outcome(function: Function, call: _Call, side: OtherSide) -> Any:
    """What the function gives. A function that is not async runs in a thread.

    Raises:
        RunError: it raised an exception.
    """
    try:
        if _is_async(function):
            return await function(call.messages, **call.keywords)
        outcome = await _in_thread(lambda: function(call.messages, **call.keywords))
        if outcome.error is not None:
            raise outcome.error
        return await outcome.value if inspect.isawaitable(outcome.value) else outcome.value
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise side.error(f"raised {_told(cancelled, side)}") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a person's own code raises what it likes
        raise side.error(f"raised {_told(error, side)}") from None


def _is_async(function: Function) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004 - an object that is called


def _told(error: BaseException, side: OtherSide) -> str:
    """An exception in a few words: its type, its message, and the line of the person's own code that it came from."""
    kind = type(error)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    message = shorten(side.hide(str(error.msg if isinstance(error, SyntaxError) else error)), _LONGEST_MESSAGE)
    place = _place_of(error)
    return f"{name}{': ' if message else ''}{message.rstrip('.')}{f' ({place})' if place else ''}"


def _place_of(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    theirs = [frame for frame in frames if not frame.filename.startswith(("<", *_LIBRARIES))]
    if not theirs:
        return ""
    return f"{_shown(theirs[-1].filename)}:{theirs[-1].lineno}"


def _shown(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _read(answer: object, side: OtherSide) -> RemoteReply:
    if isinstance(answer, str):
        return RemoteReply(answer)
    if not isinstance(answer, dict):
        kind = "nothing" if answer is None else f"a value of type {type(answer).__name__}"
        raise side.error(f"gave {kind} as its reply: {_ANSWER.advice}")
    try:
        plain = read_json(write_json(cast("Json", answer)))
    except (TypeError, ValueError, RecursionError):
        raise side.error("gave a reply that is not plain data: let it hold text, numbers, lists and objects") from None
    return read_answer(plain, _ANSWER, side)
