"""The arguments that every script here takes. Imports nothing that a tool would have to bring along."""

from __future__ import annotations

import argparse
from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """Where the model is, and how many talks of how many turns to play, at most `concurrency` at once."""

    url: str
    talks: int
    turns: int
    concurrency: int


def read_arguments() -> Asked:
    """Read them from the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    for name in ("talks", "turns", "concurrency"):
        parser.add_argument(f"--{name}", type=int, required=True)
    return Asked(**vars(parser.parse_args()))
