"""The log file: where bugs and the warnings of libraries go, so that none of it reaches the screen."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import threading
import warnings
from logging.handlers import RotatingFileHandler
from pathlib import Path

_LOGGER = "greenroom"
_FILE = "greenroom.log"
_MAX_BYTES = 1_000_000
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 6


def state_folders() -> list[Path]:
    """Where the log may be, best first: the user's folder for such files, then the system's temporary one."""
    temporary = Path(tempfile.gettempdir()) / "greenroom"
    try:
        if os.name == "nt":
            return [Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "greenroom", temporary]
        return [Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "greenroom", temporary]
    except RuntimeError:  # there is no home folder
        return [temporary]


class _WithoutSecrets(logging.Formatter):
    """Takes out the values of environment variables that hold keys, wherever they stand, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for name, value in os.environ.items():
            if len(value) >= _SHORTEST_SECRET and _SECRET_NAME.search(name):
                text = text.replace(value, f"<{name}>")
        return text


def keep_log() -> None:
    """Send warnings of libraries, and what goes wrong where nobody can catch it, to the log instead of the screen."""
    root = logging.getLogger()
    if any(isinstance(handler, RotatingFileHandler | logging.NullHandler) for handler in root.handlers):
        return
    root.addHandler(_open_log() or logging.NullHandler())
    logging.captureWarnings(True)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    logger = logging.getLogger(_LOGGER)
    sys.unraisablehook = lambda problem: logger.error("%s", problem.err_msg, exc_info=problem.exc_value)
    threading.excepthook = lambda problem: logger.error("in a thread", exc_info=problem.exc_value)


def log_bug(bug: BaseException) -> Path | None:
    """Write a bug with its traceback to the log; the log's path, or `None` where no log can be written."""
    keep_log()
    logging.getLogger(_LOGGER).critical("%s", _circumstances(), exc_info=bug)
    return log_path()


def log_path() -> Path | None:
    """Where the log is, once `keep_log` has found a place for it."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, RotatingFileHandler):
            return Path(handler.baseFilename)
    return None


def written_log() -> Path | None:
    """Where the log is, if something was written to it since the program started; else `None`."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, RotatingFileHandler) and handler.stream is not None:  # pyright: ignore[reportUnnecessaryComparison] - it is until something is written
            return Path(handler.baseFilename)
    return None


def _open_log() -> logging.Handler | None:
    for folder in state_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not os.access(folder, os.W_OK):
                continue
            handler = RotatingFileHandler(
                folder / _FILE, maxBytes=_MAX_BYTES, backupCount=1, encoding="utf-8", errors="replace", delay=True
            )
        except OSError:
            continue
        handler.setLevel(logging.WARNING)
        handler.setFormatter(_WithoutSecrets("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        return handler
    return None


def _circumstances() -> str:
    import platform

    from greenroom.report.results import greenroom_version

    return f"greenroom {greenroom_version()}, Python {platform.python_version()}, {platform.platform()}"
