"""The agents of a file that the user names for the imported tests."""

from __future__ import annotations

from pathlib import Path

from greenroom.files.casting import read_cast
from greenroom.files.layout import read_layout
from greenroom.files.library import Library
from greenroom.files.mistakes import Ledger, Place
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits


def read_agents(file: Path, limits: Limits) -> tuple[Agent, ...]:
    """The agents of a test file, or the agent that the file is. Secrets of the environment are not read.

    Raises:
        FileMistakes: anything is wrong in the file; all of it, with places.
        UserMistake: there is no agent in it.
    """
    ledger = Ledger()
    layout = read_layout(file, Library(ledger), {}, asked_at=Place(file, 1, 1))
    agents = () if layout is None else tuple(player.agent for player in read_cast(layout, limits, ledger).players)
    ledger.raise_any()
    if not agents:
        raise UserMistake(f"There is no agent in `{file}`: name the file that holds it.")
    return agents
