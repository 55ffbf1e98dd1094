"""What `greenroom init` does: asks for a model, and writes an agent and a first test that run at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from textwrap import indent

import typer
from rich.text import Text

from greenroom.cli.exits import ExitCode
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.cli.writing import write_new_files
from greenroom.model.errors import UserMistake
from greenroom.model.rules import nearest

SCRIPTED = "scripted"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider to start with: its small, quick model, and the environment variable that holds its key."""

    title: str
    model: str
    key: str | None = None


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("OpenAI", "gpt-4.1-mini", "OPENAI_API_KEY"),
    "anthropic": Provider("Anthropic", "claude-haiku-4-5", "ANTHROPIC_API_KEY"),
    "google": Provider("Google", "gemini-2.5-flash", "GOOGLE_API_KEY"),
    "ollama": Provider("Ollama, on this machine", "llama3.2"),
    SCRIPTED: Provider("no model: fixed rules, free, no key", "bike-shop"),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A provider and the name of its model."""

    provider: str
    model: str

    @property
    def key(self) -> str | None:
        return PROVIDERS[self.provider].key

    @property
    def is_scripted(self) -> bool:
        return self.provider == SCRIPTED


def start_project(
    folder: Path, *, provider: str | None, model: str | None, ask: bool, force: bool, as_json: bool
) -> int:
    """Write the files of a first agent into `folder`.

    Raises:
        UserMistake: the provider is not known, files are there already, or they cannot be written.
    """
    keep_log()
    choice = choose(provider, model, ask=ask and sys.stdin.isatty())
    contents = {
        folder / "greenroom.yaml": starter_file(choice),
        folder / "prompts" / "agent.md": _packaged("starter.md"),
    }
    written = write_new_files(contents, force=force)
    output = Output.open(as_json=as_json)
    steps = next_steps(choice, folder, os.environ)
    if as_json:
        result = {
            "files": [str(path) for path in written],
            "provider": choice.provider,
            "model": choice.model,
            "next": [command for command, _ in steps],
        }
        output.print_json(json.dumps(result, indent=2))
        return ExitCode.ALL_PASSED
    for path in written:
        output.say(Text("Wrote ").append(shown_path(path), style="bold"))
    output.say()
    output.say_next(steps)
    return ExitCode.ALL_PASSED


def choose(provider: str | None, model: str | None, *, ask: bool) -> Choice:
    """The provider and the model that were asked for, by option or, with `ask`, in answer to a question.

    Raises:
        UserMistake: the provider is not known, or a model is named for `scripted`.
    """
    model = model.strip() if model else None
    if provider is None and model and (named := model.partition(":")[0]) in PROVIDERS and ":" in model:
        provider = named
    if provider is None:
        provider = _ask_provider() if ask else SCRIPTED
        ask_model = ask
    else:
        ask_model = False
    known = _known(provider)
    if known is None:
        raise UserMistake(_unknown(provider))
    if known == SCRIPTED:
        if model is not None and model != f"{SCRIPTED}:{PROVIDERS[SCRIPTED].model}":
            raise UserMistake("--model goes with a provider: add for example --provider openai")
        return Choice(SCRIPTED, PROVIDERS[SCRIPTED].model)
    default = PROVIDERS[known].model
    if model is None and ask_model:
        answer: str = typer.prompt("Which of its models", default=default, err=True)
        model = answer.strip() or default
    return Choice(known, (model or default).removeprefix(f"{known}:"))


def _ask_provider() -> str:
    typer.echo("Which model is to play?", err=True)
    for name, provider in PROVIDERS.items():
        typer.echo(f"  {name:<10} {provider.title}", err=True)
    while True:
        answer: str = typer.prompt("Provider", default=SCRIPTED, err=True)
        if _known(answer) is not None:
            return answer
        typer.echo(_unknown(answer), err=True)


def _known(provider: str) -> str | None:
    name = provider.strip().lower()
    return name if name in PROVIDERS else None


def _unknown(provider: str) -> str:
    near = nearest(provider.strip().lower(), tuple(PROVIDERS))
    hint = f"did you mean `{near}`?" if near else f"choose one of {', '.join(PROVIDERS)}."
    return f"There is no provider `{provider}` to start with; {hint}"


def starter_file(choice: Choice) -> str:
    """The test file: with the chosen model, and beside it the script (or the other way round) as a variant."""
    script = _packaged("starter_script.yaml").rstrip("\n")
    if choice.is_scripted:
        llm = "  llm:\n" + indent(script, "    ")
        variants = (
            "\n# Other ways to play the agent: `greenroom run --variant real` asks a real model.\n"
            "variants:\n"
            "  real:\n"
            f'    llm: {{model: "openai:{PROVIDERS["openai"].model}"}}'
        )
    else:
        llm = f"  llm: {{model: {json.dumps(f'{choice.provider}:{choice.model}', ensure_ascii=False)}}}"
        variants = (
            "\n# Other ways to play the agent: `greenroom run --variant scripted` asks no model and costs nothing.\n"
            "variants:\n"
            "  scripted:\n"
            "    llm:\n" + indent(script, "      ")
        )
    return _packaged("starter.yaml.template").replace("@LLM@", llm).replace("@VARIANTS@", variants)


def next_steps(choice: Choice, folder: Path, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The commands to go on with, and what each does."""
    run = "greenroom run" if folder.resolve() == Path.cwd() else f"greenroom run {_quoted(shown_path(folder))}"
    if choice.is_scripted:
        return [(run, "plays the test"), (f"{run} --variant real", "plays it with a real model (set OPENAI_API_KEY)")]
    steps: list[tuple[str, str]] = []
    if choice.key is not None and not environ.get(choice.key):
        steps.append((f"export {choice.key}=...", f"the key of your {PROVIDERS[choice.provider].title} account"))
    if choice.provider == "ollama":
        steps.append((f"ollama pull {choice.model}", "gets the model, if you do not have it"))
    steps.append((run, f"plays the test with {choice.provider}:{choice.model}"))
    steps.append((f"{run} --variant scripted", "plays it without a model, for nothing"))
    return steps


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)


def _packaged(name: str) -> str:
    return files("greenroom.cli").joinpath(name).read_text(encoding="utf-8")
