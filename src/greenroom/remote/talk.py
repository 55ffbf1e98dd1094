"""What a remote agent is told of the talk: all of it, or what is new."""

from __future__ import annotations

from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.model.placeholders import UnknownPlace
from greenroom.model.talk import Message, ModelSaid, ToolAnswered, UserSaid
from greenroom.play.ports import RemoteRequest


def spoken(messages: tuple[Message, ...]) -> list[Json]:
    """The words of a talk as `[{role, content}]`, roles `user` and `assistant`; calls and their results are not among
    them."""
    chat: list[Json] = []
    for message in messages:
        match message:
            case UserSaid(text=text):
                chat.append({"role": "user", "content": text})
            case ModelSaid(text=text) if text:
                chat.append({"role": "assistant", "content": text})
            case _:
                pass
    return chat


def is_first(request: RemoteRequest) -> bool:
    """Whether the agent has not answered yet: a greeting of its own that was laid down is no answer."""
    return not any(isinstance(message, ModelSaid) and message.model for message in request.messages)


def check_no_history(request: RemoteRequest) -> None:
    """Make sure that an agent which keeps the talk itself has heard all of it.

    Raises:
        RunError: the test lays a talk before it that it has never heard.
    """
    if not is_first(request):
        return
    heard = sum(isinstance(message, UserSaid) for message in request.messages)
    if heard > 1:
        raise RunError(
            f"The remote agent {request.agent.name} keeps the talk itself, so a talk so far cannot be laid before it: "
            "test it with `messages` or a `persona`, or set `remote.stateful: false` where it takes the whole talk."
        )


def new_results(request: RemoteRequest) -> list[ToolAnswered]:
    """The results of calls that the agent has not seen yet."""
    results: list[ToolAnswered] = []
    for message in reversed(request.messages):
        if not isinstance(message, ToolAnswered):
            break
        results.append(message)
    return results[::-1]


def values_of(request: RemoteRequest, session_id: Json) -> dict[str, Json]:
    """The values of the places in a template."""
    return {
        "message": request.new_message,
        "messages": spoken(request.messages),
        "session_id": session_id,
        "prompt": request.prompt,
        "variables": dict(request.variables),
    }


def no_value(request: RemoteRequest, place: UnknownPlace, where: str) -> RunError:
    """The error for a place that nothing is known for."""
    return RunError(
        f"`remote.{where}` of the agent {request.agent.name} uses {{{{variables.{place}}}}}, but neither the test nor "
        "the agent gives it a value: add it to `variables`."
    )
