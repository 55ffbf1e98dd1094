"""Programs that start warm: real processes with real signals and streams, forked from one that has all loaded.

Most of a short program's processor time goes into loading what it needs. One process a test worker loads all of that
once and forks itself for each program that is started; whatever is tested of loading itself starts cold.
"""

from __future__ import annotations

import array
import atexit
import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: a program whose direct parent ends becomes a child of this process
_ROOT = Path(__file__).parents[2]
_NUMBERS = array.array("i").itemsize

IS_POSSIBLE = sys.platform == "linux"


class Warm(subprocess.Popen[str]):
    """Like `subprocess.Popen` for `[sys.executable, "-m", MODULE, *words]`, with the libraries loaded already.

    `stdin`, `stdout` and `stderr` are as there; the environment and the folder must be given.
    """

    # The arguments are those of the private method of the standard library that this takes the place of.
    def _execute_child(self, args: Sequence[str], *rest: Any) -> None:
        cwd, env = rest[4:6]
        streams = rest[9:15]
        order = {"words": list(args[1:]), "folder": os.fspath(cwd), "environ": dict(env), "new_session": rest[20]}
        handed = [own if theirs == -1 else theirs for own, theirs in enumerate((streams[0], streams[3], streams[5]))]
        self.pid = _nursery().fork(order, handed)
        self._child_created = True
        self._close_pipe_fds(*streams)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - as above


def start(
    command: Sequence[str], *, cwd: Path | str, env: Mapping[str, str], is_cold: bool = False, **streams: Any
) -> subprocess.Popen[str]:
    """Start a program, warm where that is possible: what is set for Python itself only holds from its very start."""
    is_warm = IS_POSSIBLE and not is_cold and not any(name.startswith("PYTHON") for name in env)
    kind = Warm if is_warm else subprocess.Popen
    return kind(command, cwd=cwd, env=dict(env), text=True, encoding="utf-8", **streams)


def run(command: Sequence[str], *, cwd: Path | str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Start a program with nothing to read, and wait until it ends."""
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with start(command, cwd=cwd, env=env, stdin=nothing, stdout=pipe, stderr=pipe) as process:
        try:
            out, err = process.communicate(timeout=120)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(command, process.returncode, out, err)


class _Nursery:
    """The process that others are forked from, and the line to it."""

    def __init__(self) -> None:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm_nursery", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
            )

        atexit.register(self._close)

    def _close(self) -> None:
        self._line.close()  # nobody orders any more: the process ends
        self._process.wait()

    def fork(self, order: Mapping[str, Any], streams: Sequence[int]) -> int:
        """Start a program on these three streams; its number."""
        numbers = array.array("i", streams)
        self._line.sendmsg([json.dumps(order).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers.tobytes())])
        answer = self._line.recv(64)
        if not answer:
            raise RuntimeError("the process that programs are forked from has ended")
        return int(answer)


@cache
def _nursery() -> _Nursery:
    return _Nursery()
