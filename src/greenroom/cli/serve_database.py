"""What `greenroom db backup` and `greenroom db restore` do."""

from __future__ import annotations

from pathlib import Path

from greenroom.cli.exits import ExitCode
from greenroom.cli.serve_extra import print_result, settings_for


def run_backup(file: Path, *, data: Path | None, as_json: bool) -> int:
    """Copy the database into a file."""
    settings = settings_for(data)
    from greenroom.server.database.backup import back_up
    from greenroom.server.settings import PREFIX, SECRET_KEY_FILE

    size = back_up(settings.url, file)
    key = f"{PREFIX}SECRET_KEYS" if settings.secret_keys else str(settings.data / SECRET_KEY_FILE)
    words = (
        f"The database is in {file} ({_size(size)}).\n"
        f"The key that opens the secrets in it is not: keep {key} too, somewhere else."
    )
    print_result({"file": str(file), "bytes": size}, words, as_json=as_json)
    return ExitCode.ALL_PASSED


def run_restore(file: Path, *, data: Path | None, as_json: bool) -> int:
    """Make the database from a backup."""
    settings = settings_for(data)
    from greenroom.server.database.backup import restore

    size = restore(settings.url, file)
    words = f"The database is back ({_size(size)}). Put its key for secrets back too before you start the service."
    print_result({"file": str(file), "bytes": size}, words, as_json=as_json)
    return ExitCode.ALL_PASSED


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"
