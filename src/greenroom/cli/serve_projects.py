"""`greenroom projects` and `greenroom credits`: what projects there are, and what they may spend."""

from __future__ import annotations

from typing import Annotated

import typer

from greenroom.cli.options import AsJson
from greenroom.cli.serve import Data
from greenroom.cli.serve_admin import Project

projects = typer.Typer(help="Make and list projects.", no_args_is_help=True, rich_markup_mode=None)
credits = typer.Typer(help="See and change what a project may spend.", no_args_is_help=True, rich_markup_mode=None)


@projects.command("create")
def create_project(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    owner: Annotated[
        str | None, typer.Option("--owner", metavar="EMAIL", help="The developer whose project it is, as its admin.")
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Make a project."""
    from greenroom.cli.serve_spending import run_create_project

    return run_create_project(name, owner=owner, data=data, as_json=as_json)


@projects.command("list")
def list_projects(data: Data = None, as_json: AsJson = False) -> int:
    """List all projects."""
    from greenroom.cli.serve_spending import run_list_projects

    return run_list_projects(data=data, as_json=as_json)


@credits.command("add", context_settings={"ignore_unknown_options": True})
def add_credits(
    amount: Annotated[
        str, typer.Argument(metavar="AMOUNT", help="How much, in the service's currency; below 0 takes some away.")
    ],
    project: Project = "default",
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What the ledger says about it.")] = "",
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Add credits to a project, or take some that are not held."""
    from greenroom.cli.serve_spending import run_add_credits

    return run_add_credits(amount, project=project, note=note, data=data, as_json=as_json)


@credits.command("show")
def show_credits(project: Project = "default", data: Data = None, as_json: AsJson = False) -> int:
    """Show how a project stands, and the newest rows of its ledger."""
    from greenroom.cli.serve_spending import run_show_credits

    return run_show_credits(project=project, data=data, as_json=as_json)
