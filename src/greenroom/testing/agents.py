"""The agent under test, however it is given: a file, data, an address, or a function of this process."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.remote import RemotePython
from greenroom.model.rules import nearest
from greenroom.testing.written import written

if TYPE_CHECKING:
    from greenroom.files.casting import Cast, Player
    from greenroom.files.environment import Unset
    from greenroom.model.llm import Credential

AgentLike: TypeAlias = str | Path | Agent | Mapping[str, object] | Callable[..., object]
"""What can be tested: the path of a file, an agent, its data as a dictionary, the URL of an endpoint that speaks OpenAI
chat completions, or a function `(messages) -> reply`, async or not."""


@dataclass(frozen=True, slots=True)
class Given:
    """An agent that was given, with what its file says beside it. `functions` are those of this process that it is."""

    agent: Agent
    others: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    credentials: Mapping[str, Credential] = field(default_factory=dict[str, "Credential"], repr=False)
    unset_credentials: Mapping[str, tuple[Unset, ...]] = field(default_factory=dict[str, "tuple[Unset, ...]"])
    variants: Mapping[str, Cast] = field(default_factory=dict[str, "Cast"])
    players: tuple[Player, ...] = ()
    functions: Mapping[str, Callable[..., object]] = field(default_factory=dict[str, Callable[..., object]])


def read_agent(given: AgentLike, folder: Path, name: str | None = None) -> Given:
    """The agent that was given. Relative paths start from `folder` or else from where the process is; `name` picks one
    of the agents of a file.

    Raises:
        UserMistake: it cannot be an agent, or its file has mistakes (all of them, with places).
    """
    match given:
        case Agent():
            return Given(given)
        case str() if given.startswith(("http://", "https://")):
            return Given(_endpoint(given))
        case str() | Path():
            return _of_file(_find(Path(given), folder), name)
        case Mapping():
            return Given(written(Agent, given, "the agent"))
        case _ if callable(given):
            return _of_function(given)
        case _:
            raise UserMistake(
                f"{type(given).__name__} is no agent: give the path of a file, an `Agent`, a dictionary, a URL, or a "
                "function that takes the messages and gives the reply"
            )


def _endpoint(url: str) -> Agent:
    host = urllib.parse.urlsplit(url).hostname
    if not host:
        raise UserMistake("This URL has no host: write for example http://localhost:8000/v1")
    return written(Agent, {"name": host, "remote": {"type": "openai", "url": url}}, "the agent")


def _of_function(function: Callable[..., object]) -> Given:
    name = str(getattr(function, "__name__", type(function).__name__))
    key = "".join(letter if letter.isalnum() else "_" for letter in name)
    agent = Agent(name=name, remote=RemotePython(type="python", target=f"functions:{key}"))
    return Given(agent, functions={key: function})


def _find(path: Path, folder: Path) -> Path:
    beside = Path(os.path.normpath(folder / path.expanduser()))
    for file in (beside, path.expanduser()):
        if file.is_file():
            return file
    names = [entry.name for entry in beside.parent.iterdir()] if beside.parent.is_dir() else []
    near = nearest(path.name, names)
    hint = f"; did you mean `{path.with_name(near)}`?" if near else f": paths start from {folder}"
    raise UserMistake(f"There is no file `{path}`{hint}")


def _of_file(file: Path, name: str | None) -> Given:
    from greenroom.files.casting import read_cast, read_variants
    from greenroom.files.layout import read_layout
    from greenroom.files.library import Library
    from greenroom.files.mistakes import Ledger, Place

    ledger, limits = Ledger(), Limits()
    library = Library(ledger)
    # As another file would ask for it: its tests stay out, and it may also be one agent and nothing else.
    layout = read_layout(file, library, os.environ, asked_at=Place(file, 1, 1))
    ledger.raise_any()
    if layout is None:
        raise UserMistake(f"{file}: cannot be read as a file of agents")
    cast_of_file = read_cast(layout, limits, ledger)
    variants = read_variants(layout, library, os.environ, limits)
    ledger.raise_any()
    player = cast_of_file.find(name)
    if player is None:
        near = nearest(name or "", cast_of_file.names)
        hint = (
            f"did you mean `{near}`?" if near else f"it has {', '.join(f'`{known}`' for known in cast_of_file.names)}"
        )
        raise UserMistake(f"{file}: there is no agent `{name}`; {hint}")
    return Given(
        agent=player.agent,
        others=cast_of_file.others(player.agent),
        credentials=layout.credentials,
        unset_credentials=layout.unset_credentials,
        variants=variants,
        players=cast_of_file.players,
    )
