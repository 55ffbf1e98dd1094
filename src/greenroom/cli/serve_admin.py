"""`greenroom db`, `greenroom keys` and `greenroom users`: looking after a service."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson
from greenroom.cli.serve import Data

Project = Annotated[str, typer.Option("--project", metavar="NAME", help="The project, by its name or id.")]
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The developer's e-mail address.")]

db = typer.Typer(help="Look after the database of the service.", no_args_is_help=True, rich_markup_mode=None)
keys = typer.Typer(help="Make, list and revoke keys of the service.", no_args_is_help=True, rich_markup_mode=None)
users = typer.Typer(help="Let people in, and keep them out.", no_args_is_help=True, rich_markup_mode=None)


@db.command("upgrade")
def upgrade_database(data: Data = None, as_json: AsJson = False) -> int:
    """Bring the database up to this version of Greenroom. `serve` and `worker` do so by themselves."""
    from greenroom.cli.serve_commands import run_upgrade

    return run_upgrade(data=data, as_json=as_json)


@db.command("backup")
def back_up_database(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; nothing is overwritten.")],
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Copy a SQLite database into a file, while the service runs or not."""
    from greenroom.cli.serve_database import run_backup

    return run_backup(file, data=data, as_json=as_json)


@db.command("restore")
def restore_database(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `backup` made.")],
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Make the database from a backup. There must be none yet, and the service must not run."""
    from greenroom.cli.serve_database import run_restore

    return run_restore(file, data=data, as_json=as_json)


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What the key is for.")],
    project: Project = "default",
    scopes: Annotated[
        str, typer.Option("--scopes", metavar="SCOPES", help="What it may do, joined by commas; `all` is everything.")
    ] = "all",
    expires: Annotated[datetime | None, typer.Option("--expires", metavar="TIME", help="When it ends, in UTC.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Make a key, and show it this once."""
    from greenroom.cli.serve_commands import run_create_key

    return run_create_key(
        project=project, name=name, scopes=scopes.split(","), expires=expires, data=data, as_json=as_json
    )


@keys.command("list")
def list_keys(project: Project = "default", data: Data = None, as_json: AsJson = False) -> int:
    """List the keys of a project. The keys themselves are kept nowhere."""
    from greenroom.cli.serve_commands import run_list_keys

    return run_list_keys(project=project, data=data, as_json=as_json)


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the key, as `list` shows it.")],
    project: Project = "default",
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Let a key open nothing any more."""
    from greenroom.cli.serve_commands import run_revoke_key

    return run_revoke_key(key_id, project=project, data=data, as_json=as_json)


@keys.command("secret")
def make_secret() -> int:
    """Print a new key for GREENROOM_SECRET_KEYS, which encrypts stored secrets."""
    from greenroom.cli.serve_commands import run_secret

    return run_secret()


@keys.command("reseal")
def reseal_secrets(data: Data = None, as_json: AsJson = False) -> int:
    """Encrypt all stored secrets with the newest of GREENROOM_SECRET_KEYS; then the older ones can go."""
    from greenroom.cli.serve_commands import run_reseal

    return run_reseal(data=data, as_json=as_json)


@users.command("list")
def list_users(data: Data = None, as_json: AsJson = False) -> int:
    """List the developers and the projects they are members of."""
    from greenroom.cli.serve_people import run_list_users

    return run_list_users(data=data, as_json=as_json)


@users.command("add")
def add_user(
    email: Email,
    role: Annotated[str, typer.Option("--role", help="viewer, editor or admin.")] = "editor",
    project: Project = "default",
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Make somebody a member of a project, and print the link that sets their password."""
    from greenroom.cli.serve_people import run_add_user

    return run_add_user(email, role=role, project=project, data=data, as_json=as_json)


@users.command("link")
def make_link(
    email: Annotated[
        str | None, typer.Argument(metavar="[EMAIL]", help="Whose password; without one, the first account's.")
    ] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> int:
    """Print a new one-time link that sets a password."""
    from greenroom.cli.serve_people import run_link

    return run_link(email, data=data, as_json=as_json)


@users.command("suspend")
def suspend_user(email: Email, data: Data = None, as_json: AsJson = False) -> int:
    """Keep somebody out: their sessions end, and keys of theirs and of their projects open nothing."""
    from greenroom.cli.serve_people import run_suspend

    return run_suspend(email, suspended=True, data=data, as_json=as_json)


@users.command("resume")
def resume_user(email: Email, data: Data = None, as_json: AsJson = False) -> int:
    """Let somebody in again."""
    from greenroom.cli.serve_people import run_suspend

    return run_suspend(email, suspended=False, data=data, as_json=as_json)
