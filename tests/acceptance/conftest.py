from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.program import Greenroom


@pytest.fixture
def greenroom(tmp_path: Path) -> Greenroom:
    """The program, in an empty folder and with an empty home."""
    return Greenroom(tmp_path / "home", tmp_path / "work")
