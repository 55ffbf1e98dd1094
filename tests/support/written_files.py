"""Test files that are written and loaded in a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from greenroom.files import Case, Suite, load_files


def write(folder: Path, **files: str) -> Path:
    """Write files (`greenroom` stands for `greenroom.yaml`, `a__b_md` for `a/b.md`) and give the folder."""
    for name, text in files.items():
        path = name.replace("__", "/")
        stem, _, ending = path.rpartition("_")
        file = folder / (f"{stem}.{ending}" if ending in ("md", "txt", "yaml", "json") and stem else f"{path}.yaml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def load(folder: Path, environ: Mapping[str, str] | None = None) -> Suite:
    return load_files([folder / "greenroom.yaml"], environ=environ or {})


def the_case(folder: Path, environ: Mapping[str, str] | None = None) -> Case:
    [case] = load(folder, environ).cases
    return case
