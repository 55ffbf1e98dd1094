"""The commands that can be given in the middle of a talk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.model.rules import nearest

COMMANDS: Mapping[str, tuple[str, str]] = {
    "save": ("[--reply] [NAME]", "makes a test of the talk; with --reply, of the last reply alone"),
    "undo": ("", "takes the last turn back"),
    "restart": ("", "reads the file again and begins a new talk"),
    "prompt": ("", "reads the file again: what you edited holds from the next reply on"),
    "tools": ("", "lists the agent's tools and how they are answered"),
    "help": ("", "lists these commands"),
    "quit": ("", "ends the talk, as Ctrl-D does"),
}
_ALSO = {"exit": "quit", "q": "quit", "reload": "prompt", "?": "help", "h": "help"}
_REPLY = "--reply"


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what stands behind it. `problem` says in a sentence why it cannot be obeyed."""

    name: str
    rest: str = ""
    as_reply: bool = False
    problem: str = ""


def read_command(line: str) -> Command | str:
    """The command that a line gives, or the words that it says to the agent."""
    text = line.strip()
    if text.startswith("//"):
        return text[1:]
    if not text.startswith("/"):
        return text
    word, _, rest = text[1:].partition(" ")
    name = _ALSO.get(word.casefold(), word.casefold())
    if name not in COMMANDS:
        near = nearest(name, COMMANDS)
        hint = f"did you mean /{near}?" if near else "/help lists those that there are."
        return Command("help", problem=f"There is no command /{word}; {hint}")
    words = rest.split()
    if name != "save":
        return Command(name, problem=f"/{name} stands alone: leave out `{rest.strip()}`." if words else "")
    as_reply = _REPLY in words
    wrong = next((given for given in words if given.startswith("--") and given != _REPLY), None)
    if wrong is not None:
        return Command(name, problem=f"/save has no `{wrong}`: write /save NAME or /save --reply NAME.")
    return Command(name, " ".join(given for given in words if given != _REPLY), as_reply)
